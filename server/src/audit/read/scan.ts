// How a branch of a filter is read from the entries: the SQL of a scan that follows one index per vault and action and
// merges them, so that what is read is bounded by what is asked for, not by what others have written.

import type { VaultRef } from "../../vault.ts";
import type { AuditFilter, Branch } from "./filter.ts";

/** Collects the parameters of a statement; the text alone names its shape, so that it can be prepared by it. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

export interface ScanOptions {
  /** Columns of audit_entries. */
  columns: string;
  /** SQL conditions on audit_entries, beside the filter's own. */
  where?: readonly string[];
  /** e.g. `seq`; every order ends in something unique. */
  order: string;
  /** SQL of the number of rows to pass over and to return. */
  offset: string;
  limit: string;
}

/** What a scan needs to know of the filter; time is the caller's to add by `where`. */
export type Selection = Pick<AuditFilter, "actions">;

/** A branch as the SQL of counts knows it: its places may also be those of a CTE, by its name. */
export interface Part {
  places: Branch["places"] | { named: string };
  actor: Branch["actor"];
}

/** A subquery that returns the rows of a branch in order. */
export function scanOf(p: Parameters, filter: Selection, branch: Branch, options: ScanOptions): string {
  const { columns, where = [], order, offset, limit } = options;
  const cells = branch.actor === null ? cellsOf(p, filter, branch) : null;
  if (cells === null) {
    const conditions = [...conditionsOf(p, filter, branch), ...where];
    return `select ${columns} from audit_entries where ${conditions.join(" and ") || "true"} order by ${order} limit ${limit} offset ${offset}`;
  }
  const inner = [...cells.conditions, ...where].join(" and ");
  return `select ${columns} from ${cells.from} cross join lateral (
    select * from audit_entries where ${inner} order by ${order} limit ${limit} + ${offset}
  ) part order by ${order} limit ${limit} offset ${offset}`;
}

/** SQL that counts the rows of a branch under further conditions, by reading them: one scan for each place. */
export function countOf(p: Parameters, filter: Selection, branch: Part, where: readonly string[]): string {
  if (branch.actor === null && !isOne(branch.places)) {
    const own = conditionsOf(p, filter, { places: "all", actor: null });
    return countAt(`${placesSql(p, branch.places)} place`, [...own, ...where]);
  }
  const cells = branch.actor === null && branch.places === "all" ? cellsOf(p, filter, branch) : null;
  if (cells !== null) return countIn(cells, where);
  return `select count(*) from audit_entries where ${[...conditionsOf(p, filter, branch), ...where].join(" and ") || "true"}`;
}

/**
 * SQL that counts the entries of a chain in a short time, by what all chains have then: a scan for each of its vaults is dearer.
 * recorded_at is in no index, so the one of the times is followed: PostgreSQL 18 would skip through one of all vaults that has all columns.
 */
export function countNear(
  p: Parameters,
  { actions }: Selection,
  chainId: number,
  where: readonly string[],
): string {
  const near = [...conditionsOf(p, { actions }, { places: "all", actor: null }), ...where].join(" and ");
  return `select count(*) from (select chain_id, recorded_at from audit_entries where ${near} offset 0) near
    where chain_id = ${p.add(chainId, "bigint")} and recorded_at > '-infinity'`;
}

/** The same by one scan for each place of `from`, which is called `place`. */
export function countAt(from: string, where: readonly string[]): string {
  return countIn({ from, conditions: AT_PLACE }, where);
}

function countIn({ from, conditions }: Cells, where: readonly string[]): string {
  return `select coalesce(sum(part.n), 0)::bigint from ${from} cross join lateral (
    select count(*) as n from audit_entries where ${[...conditions, ...where].join(" and ")}) part`;
}

/** Whether a scan of the branch merges several, each with rows of its own to pass over. */
export function isMerged(filter: Selection, branch: Branch): boolean {
  return branch.actor === null && ((filter.actions?.length ?? 0) > 1 || !isOne(branch.places));
}

/** The places of a branch as a table of chain_id, vault_address; null for everything. */
export function placesSql(p: Parameters, places: Part["places"]): string | null {
  if (places === "all") return null;
  if ("named" in places) return `(select chain_id, vault_address from ${places.named})`;
  if ("chainId" in places) {
    const chain = p.add(places.chainId, "bigint");
    return `(select chain_id, vault_address from audit_counts where actor_wallet = '' and level = 63 and chain_id = ${chain} and vault_address <> '*'
      union select chain_id, vault_address from tail where chain_id = ${chain})`;
  }
  if ("vaultAddress" in places) {
    return `(select chain_id, ${p.add(places.vaultAddress, "text")} as vault_address from chains)`;
  }
  const chains = p.add(
    places.map((place) => place.chainId),
    "bigint[]",
  );
  const vaults = p.add(
    places.map((place) => place.vaultAddress),
    "text[]",
  );
  return `(select * from unnest(${chains}, ${vaults}) as listed (chain_id, vault_address))`;
}

interface Cells {
  from: string;
  conditions: string[];
}

const AT_PLACE = [
  "audit_entries.vault_address = place.vault_address",
  "audit_entries.chain_id = place.chain_id",
];

/** One cell per place and action; null when one index scan does. */
function cellsOf(p: Parameters, { actions }: Selection, { places }: Part): Cells | null {
  if ((actions?.length ?? 0) <= 1 && isOne(places)) return null;
  const from: string[] = [];
  const conditions: string[] = [];
  if (isSingle(places)) conditions.push(...placeConditions(p, places[0]!));
  else if (places !== "all") {
    from.push(`${placesSql(p, places)} place`);
    conditions.push(...AT_PLACE);
  }
  if (actions?.length === 1) conditions.push(`action_type = ${p.add(actions[0], "text")}`);
  else if (actions !== null) {
    from.push(`unnest(${p.add(actions, "text[]")}) as action (name)`);
    conditions.push("action_type = action.name");
  }
  return { from: from.join(" cross join "), conditions };
}

/** The conditions of a branch on the columns of an entry. */
export function conditionsOf(p: Parameters, { actions }: Selection, { places, actor }: Part): string[] {
  const conditions: string[] = [];
  if (isSingle(places)) conditions.push(...placeConditions(p, places[0]!));
  else if (places !== "all") conditions.push(`(chain_id, vault_address) in ${placesSql(p, places)}`);
  if (actor !== null) conditions.push(`actor_wallet = ${p.add(actor, "text")}`);
  if (actions?.length === 1) conditions.push(`action_type = ${p.add(actions[0], "text")}`);
  else if (actions !== null) conditions.push(`action_type = any(${p.add(actions, "text[]")})`);
  return conditions;
}

/** The conditions of one place. */
export function placeConditions(p: Parameters, place: VaultRef): string[] {
  return [
    `vault_address = ${p.add(place.vaultAddress, "text")}`,
    `chain_id = ${p.add(place.chainId, "bigint")}`,
  ];
}

/** Whether the places are one vault. */
export function isSingle(places: Part["places"]): places is readonly [VaultRef] {
  return Array.isArray(places) && places.length === 1;
}

function isOne(places: Part["places"]): boolean {
  return places === "all" || isSingle(places);
}
