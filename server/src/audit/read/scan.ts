// How a branch of a filter is read from the entries: the SQL of a scan that follows one index per vault and action and
// merges them, so that what is read is bounded by what is asked for, not by what others have written.

import { type RawBuilder, sql } from "kysely";
import type { VaultRef } from "../../vault.ts";
import type { AuditFilter, Branch } from "./filter.ts";

/** A part of a statement. What depends on the request's values is a value in it, so that a statement's text tells its form alone. */
export type Sql = RawBuilder<unknown>;

export interface ScanOptions {
  /** Columns of audit_entries. */
  columns: Sql;
  /** Conditions on audit_entries, beside the filter's own. */
  where?: readonly Sql[];
  /** e.g. `seq`; every order ends in something unique. */
  order: Sql;
  /** The number of rows to pass over and to return. */
  offset: Sql;
  limit: Sql;
}

/** What a scan needs to know of the filter; time is the caller's to add by `where`. */
export type Selection = Pick<AuditFilter, "actions">;

/** A branch as the SQL of counts knows it: its places may also be those of a CTE, by its name. */
export interface Part {
  places: Branch["places"] | { named: "listed" | "others" };
  actor: Branch["actor"];
}

/** All of them at once; of none, true. */
export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** A subquery that returns the rows of a branch in order. */
export function scanOf(filter: Selection, branch: Branch, options: ScanOptions): Sql {
  const { columns, where = [], order, offset, limit } = options;
  const cells = branch.actor === null ? cellsOf(filter, branch) : null;
  if (cells === null) {
    const conditions = all([...conditionsOf(filter, branch), ...where]);
    return sql`select ${columns} from audit_entries where ${conditions} order by ${order} limit ${limit} offset ${offset}`;
  }
  return sql`select ${columns} from ${cells.from} cross join lateral (
    select * from audit_entries where ${all([...cells.conditions, ...where])} order by ${order} limit ${limit} + ${offset}
  ) part order by ${order} limit ${limit} offset ${offset}`;
}

/** SQL that counts the rows of a branch under further conditions, by reading them: one scan for each place. */
export function countOf(filter: Selection, branch: Part, where: readonly Sql[]): Sql {
  if (branch.actor === null && !isOne(branch.places)) {
    const own = conditionsOf(filter, { places: "all", actor: null });
    return countAt(sql`${placesSql(branch.places)} place`, [...own, ...where]);
  }
  const cells = branch.actor === null && branch.places === "all" ? cellsOf(filter, branch) : null;
  if (cells !== null) return countIn(cells, where);
  return sql`select count(*) from audit_entries where ${all([...conditionsOf(filter, branch), ...where])}`;
}

/**
 * SQL that counts the entries of a chain in a short time, by what all chains have then: a scan for each of its vaults is dearer.
 * recorded_at is in no index, so the one of the times is followed: PostgreSQL 18 would skip through one of all vaults that has all columns.
 */
export function countNear({ actions }: Selection, chainId: number, where: readonly Sql[]): Sql {
  const near = all([...conditionsOf({ actions }, { places: "all", actor: null }), ...where]);
  return sql`select count(*) from (select chain_id, recorded_at from audit_entries where ${near} offset 0) near
    where chain_id = ${chainId}::bigint and recorded_at > '-infinity'`;
}

/** The same by one scan for each place of `from`, which is called `place`. */
export function countAt(from: Sql, where: readonly Sql[]): Sql {
  return countIn({ from, conditions: [AT_PLACE] }, where);
}

function countIn({ from, conditions }: Cells, where: readonly Sql[]): Sql {
  return sql`select coalesce(sum(part.n), 0)::bigint from ${from} cross join lateral (
    select count(*) as n from audit_entries where ${all([...conditions, ...where])}) part`;
}

/** Whether a scan of the branch merges several, each with rows of its own to pass over. */
export function isMerged(filter: Selection, branch: Branch): boolean {
  return branch.actor === null && ((filter.actions?.length ?? 0) > 1 || !isOne(branch.places));
}

/** The places of a branch as a table of chain_id, vault_address. Of everything there is none. */
export function placesSql(places: Exclude<Part["places"], "all">): Sql {
  if ("named" in places) return sql`(select chain_id, vault_address from ${sql.id(places.named)})`;
  if ("chainId" in places) {
    const chain = sql`${places.chainId}::bigint`;
    return sql`(select chain_id, vault_address from audit_counts where actor_wallet = '' and level = 63 and chain_id = ${chain} and vault_address <> '*'
      union select chain_id, vault_address from tail where chain_id = ${chain})`;
  }
  if ("vaultAddress" in places)
    return sql`(select chain_id, ${places.vaultAddress}::text as vault_address from chains)`;
  const chains = places.map((place) => place.chainId);
  const vaults = places.map((place) => place.vaultAddress);
  return sql`(select * from unnest(${chains}::bigint[], ${vaults}::text[]) as listed (chain_id, vault_address))`;
}

interface Cells {
  from: Sql;
  conditions: Sql[];
}

const AT_PLACE = sql`audit_entries.vault_address = place.vault_address and audit_entries.chain_id = place.chain_id`;

/** One cell per place and action; null when one index scan does. */
function cellsOf({ actions }: Selection, { places }: Part): Cells | null {
  if ((actions?.length ?? 0) <= 1 && isOne(places)) return null;
  const from: Sql[] = [];
  const conditions: Sql[] = [];
  if (isSingle(places)) conditions.push(...placeConditions(places[0]));
  else if (places !== "all") {
    from.push(sql`${placesSql(places)} place`);
    conditions.push(AT_PLACE);
  }
  if (actions?.length === 1) conditions.push(sql`action_type = ${actions[0]}::text`);
  else if (actions !== null) {
    from.push(sql`unnest(${actions}::text[]) as action (name)`);
    conditions.push(sql`action_type = action.name`);
  }
  return { from: sql.join(from, sql` cross join `), conditions };
}

/** The conditions of a branch on the columns of an entry. */
export function conditionsOf({ actions }: Selection, { places, actor }: Part): Sql[] {
  const conditions: Sql[] = [];
  if (isSingle(places)) conditions.push(...placeConditions(places[0]));
  else if (places !== "all") conditions.push(sql`(chain_id, vault_address) in ${placesSql(places)}`);
  if (actor !== null) conditions.push(sql`actor_wallet = ${actor}::text`);
  if (actions?.length === 1) conditions.push(sql`action_type = ${actions[0]}::text`);
  else if (actions !== null) conditions.push(sql`action_type = any(${actions}::text[])`);
  return conditions;
}

/** The conditions of one place. */
export function placeConditions({ vaultAddress, chainId }: VaultRef): Sql[] {
  return [sql`vault_address = ${vaultAddress}::text`, sql`chain_id = ${chainId}::bigint`];
}

/** Whether the places are one vault. */
export function isSingle(places: Part["places"]): places is readonly [VaultRef] {
  return Array.isArray(places) && places.length === 1;
}

function isOne(places: Part["places"]): places is "all" | readonly [VaultRef] {
  return places === "all" || isSingle(places);
}
