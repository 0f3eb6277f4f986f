// The filter of a list of intents as SQL, in one place, so that a page, its total and its facets always speak of the same intents.
import { type RawBuilder, sql } from "kysely";
import { all, type Condition, vaultRows } from "../../platform/db/conditions.ts";
import type { Scope } from "../../reports/reads.ts";

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
  scope: RawBuilder<unknown> | null;
  rare: RawBuilder<unknown> | null;
  /** Conditions on an intent `i`, the vault aside. */
  where: Condition;
  /** Conditions on a row `c` of intent_counts; null where counts do not tell the filter's intents. */
  counted: Condition | null;
}

export function sourceOf(scope: Scope, filter: IntentFilter): Source {
  const kinds = (["strategy_id", "action", "state"] as const).flatMap((name) =>
    filter[name] === undefined ? [] : [{ name, value: filter[name] }],
  );
  const where = kinds.map(({ name, value }) => sql`i.${sql.ref(name)} = ${value}`);
  const counted = kinds.map(({ name, value }) => sql`c.${sql.ref(name)} = ${value}`);
  if (filter.error_code !== undefined) where.push(sql`i.error_code = ${filter.error_code}`);
  if (filter.created_from !== undefined) where.push(sql`i.created_at >= ${filter.created_from}`);
  if (filter.created_to !== undefined) where.push(sql`i.created_at < ${filter.created_to}`);
  const isCounted = [filter.error_code, filter.created_from, filter.created_to, filter.tx_hash].every(
    (value) => value === undefined,
  );
  const isSelective = kinds.length > 0 || filter.error_code !== undefined;
  return {
    scope: scopeQuery(scope, counted, isSelective),
    rare: filter.tx_hash === undefined ? null : byTransaction(filter.tx_hash.toLowerCase()),
    where: all(where),
    counted: isCounted ? all(counted) : null,
  };
}

/** A maintainer's list is cut to the vaults that have such intents at all, which the counts tell. */
function scopeQuery(
  scope: Scope,
  counted: readonly Condition[],
  isSelective: boolean,
): RawBuilder<unknown> | null {
  if (!scope.all) return vaultRows(scope.vaults);
  if (scope.chainId === null && scope.vaultAddress === null && !isSelective) return null;
  const conditions = [sql`c.n > 0`, ...counted];
  if (scope.chainId !== null) conditions.push(sql`c.chain_id = ${scope.chainId}`);
  if (scope.vaultAddress !== null) conditions.push(sql`c.vault_address = ${scope.vaultAddress}`);
  return sql`select distinct c.chain_id, c.vault_address from intent_counts c where ${all(conditions)}`;
}

/** Intents of which an event or a fill names the transaction. A fill counts for its own vault's intent alone. */
function byTransaction(txHash: string): RawBuilder<unknown> {
  return sql`select e.intent_id from intent_events e where e.tx_hash = ${txHash}
    union
    select f.intent_id from intent_fills f
    join intents i on i.intent_id = f.intent_id and i.chain_id = f.vault_chain_id and i.vault_address = f.vault_address
    where f.tx_hash = ${txHash}`;
}

/** The query for the number of intents. */
export function totalQuery(source: Source): RawBuilder<unknown> {
  if (source.counted === null) return sql`select count(*) as total from ${matching(source)}`;
  return sql`select coalesce(sum(c.n), 0)::bigint as total from ${countsOf(source.scope)} where ${source.counted}`;
}

/** The rows `c` of intent_counts of the vaults. */
export function countsOf(scope: Source["scope"]): RawBuilder<unknown> {
  if (scope === null) return sql`intent_counts c`;
  return sql`intent_counts c join (${scope}) v on v.chain_id = c.chain_id and v.vault_address = c.vault_address`;
}

/** `from` and `where` of all intents `i` that match, in no order. */
export function matching({ scope, rare, where }: Omit<Source, "counted">): RawBuilder<unknown> {
  const within =
    scope === null
      ? sql``
      : sql`join (${scope}) v on v.chain_id = i.chain_id and v.vault_address = i.vault_address`;
  const only = rare === null ? sql`` : sql`and i.intent_id = any(array(${rare}))`;
  return sql`intents i ${within} where ${where} ${only}`;
}

/** The query for (created_at, intent_id) of a page, newest first; `beyond` is a condition on `i`. */
export function pageQuery(
  source: Source,
  beyond: Condition,
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<unknown> {
  const cut = sql`limit ${limit}::bigint offset ${offset}::bigint`;
  if (source.scope === null || source.rare !== null) {
    return sql`select i.created_at, i.intent_id from ${matching(source)} and ${beyond}
      order by i.created_at desc, i.intent_id desc ${cut}`;
  }
  // Each vault gives its newest through its own index; the newest of these are the page.
  return sql`select n.created_at, n.intent_id from (${source.scope}) v cross join lateral (
      select i.created_at, i.intent_id from intents i
      where i.chain_id = v.chain_id and i.vault_address = v.vault_address and ${source.where} and ${beyond}
      order by i.created_at desc, i.intent_id desc limit ${limit}::bigint + ${offset}::bigint
    ) n order by created_at desc, intent_id desc ${cut}`;
}
