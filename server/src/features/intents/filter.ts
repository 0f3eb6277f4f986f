// The filter of a list of intents as SQL, in one place, so that a page, its total and its facets always speak of the same intents.
import type { Scope, Statement } from "../../reports/reads.ts";

/** As validated; times in the API's form, `created_from` inclusive, `created_to` exclusive. */
export interface IntentFilter {
  strategy_id?: string | undefined;
  action?: string | undefined;
  state?: string | undefined;
  tx_hash?: string | undefined;
  error_code?: string | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
}

/**
 * What a list is read from.
 * `scope`: a query for (chain_id, vault_address) of the vaults, or null where every vault's intents are meant and the order of all
 * of them serves as well. `rare`: a query for the ids of the few intents that can match at all, or null.
 */
export interface Source {
  scope: string | null;
  rare: string | null;
  /** Conditions on an intent `i`, the vault aside. */
  where: string;
  /** Conditions on a row `c` of intent_counts; null where counts do not tell the filter's intents. */
  counted: string | null;
}

export function sourceOf(statement: Statement, scope: Scope, filter: IntentFilter): Source {
  const kinds = (["strategy_id", "action", "state"] as const).flatMap((name) =>
    filter[name] === undefined ? [] : [{ name, value: statement.add(filter[name]) }],
  );
  const where = kinds.map(({ name, value }) => `i.${name} = ${value}`);
  const counted = kinds.map(({ name, value }) => `c.${name} = ${value}`);
  if (filter.error_code !== undefined) where.push(`i.error_code = ${statement.add(filter.error_code)}`);
  if (filter.created_from !== undefined) where.push(`i.created_at >= ${statement.add(filter.created_from)}`);
  if (filter.created_to !== undefined) where.push(`i.created_at < ${statement.add(filter.created_to)}`);
  const isCounted = [filter.error_code, filter.created_from, filter.created_to, filter.tx_hash].every(
    (value) => value === undefined,
  );
  const isSelective = kinds.length > 0 || filter.error_code !== undefined;
  return {
    scope: scopeQuery(statement, scope, counted, isSelective),
    rare: filter.tx_hash === undefined ? null : byTransaction(statement.add(filter.tx_hash.toLowerCase())),
    where: where.join(" and ") || "true",
    counted: isCounted ? counted.join(" and ") || "true" : null,
  };
}

/** A maintainer's list is cut to the vaults that have such intents at all, which the counts tell. */
function scopeQuery(
  statement: Statement,
  scope: Scope,
  counted: readonly string[],
  isSelective: boolean,
): string | null {
  if (!scope.all) {
    const chains = statement.add(scope.vaults.map((vault) => vault.chainId));
    const vaults = statement.add(scope.vaults.map((vault) => vault.vaultAddress));
    return `select * from unnest(${chains}::bigint[], ${vaults}::text[]) as v(chain_id, vault_address)`;
  }
  if (scope.chainId === null && scope.vaultAddress === null && !isSelective) return null;
  const conditions = ["c.n > 0", ...counted];
  if (scope.chainId !== null) conditions.push(`c.chain_id = ${statement.add(scope.chainId)}`);
  if (scope.vaultAddress !== null) conditions.push(`c.vault_address = ${statement.add(scope.vaultAddress)}`);
  return `select distinct c.chain_id, c.vault_address from intent_counts c where ${conditions.join(" and ")}`;
}

/** Intents of which an event or a fill names the transaction. A fill counts for its own vault's intent alone. */
function byTransaction(txHash: string): string {
  return `select e.intent_id from intent_events e where e.tx_hash = ${txHash}
    union
    select f.intent_id from intent_fills f
    join intents i on i.intent_id = f.intent_id and i.chain_id = f.vault_chain_id and i.vault_address = f.vault_address
    where f.tx_hash = ${txHash}`;
}

/** The query for the number of intents. */
export function totalQuery({ scope, rare, where, counted }: Source): string {
  if (counted !== null) {
    const within =
      scope === null
        ? ""
        : `join (${scope}) v on v.chain_id = c.chain_id and v.vault_address = c.vault_address`;
    return `select coalesce(sum(c.n), 0)::bigint as total from intent_counts c ${within} where ${counted}`;
  }
  return `select count(*) as total from ${matching({ scope, rare, where })}`;
}

/** `from` and `where` of all intents `i` that match, in no order. */
export function matching({ scope, rare, where }: Omit<Source, "counted">): string {
  const within =
    scope === null
      ? ""
      : `join (${scope}) v on v.chain_id = i.chain_id and v.vault_address = i.vault_address`;
  const only = rare === null ? "" : `and i.intent_id = any(array(${rare}))`;
  return `intents i ${within} where ${where} ${only}`;
}

/** The query for (created_at, intent_id) of a page, newest first: `beyond` is a condition on `i`, `limit` and `offset` are places of values. */
export function pageQuery(source: Source, beyond: string, limit: string, offset: string): string {
  const order = "order by created_at desc, intent_id desc";
  if (source.scope === null || source.rare !== null) {
    return `select i.created_at, i.intent_id from ${matching(source)} and ${beyond}
      order by i.created_at desc, i.intent_id desc limit ${limit} offset ${offset}`;
  }
  // Each vault gives its newest through its own index; the newest of these are the page.
  return `select n.created_at, n.intent_id from (${source.scope}) v cross join lateral (
      select i.created_at, i.intent_id from intents i
      where i.chain_id = v.chain_id and i.vault_address = v.vault_address and ${source.where} and ${beyond}
      order by i.created_at desc, i.intent_id desc limit ${limit} + ${offset}
    ) n ${order} limit ${limit} offset ${offset}`;
}
