// Exact totals and deep offsets without counting entries: sums over maintained counts for whole stretches of time, and a
// read of the entries themselves at the edges of a stretch and in the newest tile (at most 255 entries).
//
// Guarantee: for every filter the figures equal count(*) in the same snapshot. See docs/decisions/0009.

import { sql } from "kysely";
import { MAX_SECONDS, microsecondsOf, timestampOfSeconds } from "../../platform/http/time.ts";
import type { VaultRef } from "../../vault.ts";
import { ARCHIVED_BELOW } from "./archived.ts";
import type { AuditFilter, Branch } from "./filter.ts";
import {
  all,
  conditionsOf,
  countAt,
  countNear,
  countOf,
  isSingle,
  type Part,
  placeConditions,
  placesSql,
  type Sql,
} from "./scan.ts";

/** Levels of audit_counts below "all of it": a bucket is 2^level seconds. */
const COARSE = 20;
/** The finest level of whole chains and of everything, whose buckets are the fullest, and that of single vaults. */
const [FINE, FINE_OF_VAULT] = [13, 16];

/** The finest level that all branches of a filter have. */
function finestOf(branches: readonly Part[]): number {
  const isByVault = ({ places, actor }: Part) => actor !== null || !(places === "all" || "chainId" in places);
  return branches.some(isByVault) ? FINE_OF_VAULT : FINE;
}

/**
 * Where the log stands in the statement's snapshot, and its newest tile, which is not in the counts yet; every statement
 * of these functions begins with them. Order and limit make every planner take the index, whatever it believes of the tail.
 */
export const HEAD = sql`head as materialized (select
  coalesce((select index + 1 from audit_tiles where level = 0 order by index desc limit 1), 0) * 256 as counted,
  coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size,
  ${ARCHIVED_BELOW} as below),
tail as materialized (select seq, "timestamp", occurred_at, chain_id, vault_address, action_type, actor_wallet
  from audit_entries where seq > (select counted from head) order by seq limit 256)`;

/** The column that a filter's times mean. */
export function timeColumn({ timeField }: Pick<AuditFilter, "timeField">): Sql {
  return timeField === "block" ? sql`occurred_at` : sql`"timestamp"`;
}

export function timeConditions(filter: Omit<AuditFilter, "branches" | "actions">): Sql[] {
  const column = timeColumn(filter);
  return [
    ...(filter.from === null ? [] : [sql`${column} >= ${filter.from}::timestamptz`]),
    ...(filter.to === null ? [] : [sql`${column} < ${filter.to}::timestamptz`]),
  ];
}

/** SQL of the exact number of entries that a filter means; needs HEAD. */
export function totalSql(filter: AuditFilter): Sql {
  return sum(filter.branches.map((branch) => branchTotal(filter, branch)));
}

/** Of numbers that are subqueries each. */
function sum(parts: readonly Sql[]): Sql {
  return sql.join(
    parts.map((part) => sql`(${part})`),
    sql` + `,
  );
}

function branchTotal(filter: AuditFilter, branch: Branch): Sql {
  const hasTimes = filter.from !== null || filter.to !== null;
  if (branch.places === "all" && branch.actor === null && filter.actions === null && !hasTimes) {
    return sql`select size from head`;
  }
  const { places } = branch;
  const isLong = Array.isArray(places) && places.length >= LONG_LIST && branch.actor === null;
  return isLong && hasTimes ? listTotal(filter, places) : summed(filter, branch);
}

/** From this length on it is looked whether a list of vaults leaves out few; to look costs a tenth of a millisecond. */
const LONG_LIST = 20;
/** Those left out are few when they have fewer counts of all times than this for each vault of the list, which mostly has more. */
const FEW_COUNTS = 3;

/** The total of a long list of vaults in a time: where it leaves out few, that of everything less theirs. */
function listTotal(filter: AuditFilter, places: readonly VaultRef[]): Sql {
  const isOther = sql`(chain_id, vault_address) not in (select chain_id, vault_address from listed)`;
  const most = sql`${FEW_COUNTS * places.length}::bigint`;
  const total = (named: "listed" | "others") => summed(filter, { places: { named }, actor: null });
  return sql`with listed as materialized (select chain_id, vault_address from ${placesSql(places)} named),
    few as materialized (select chain_id, vault_address from audit_counts
      where actor_wallet = '' and level = 63 and vault_address <> '*' and ${isOther} limit ${most}),
    others as materialized (select chain_id, vault_address from few union select chain_id, vault_address from tail where ${isOther})
    select case when (select count(*) from few) < ${most}
      then (${summed(filter, { places: "all", actor: null })}) - (${total("others")}) else (${total("listed")}) end`;
}

/** The total of a part: whole stretches, what lies between them and the ends of the filter's time, and the newest tile. */
function summed(filter: AuditFilter, branch: Part): Sql {
  const { edges, whole, covered } = stretchesOf(filter, finestOf([branch]));
  const within = (time: Span) => timeConditions({ ...time, timeField: filter.timeField });
  // The sign is a value, so that one prepared statement serves whichever way the ends lie.
  const signed = ({ sign }: { sign: 1 | -1 }, part: Sql) => sql`${sign}::bigint * (${part})`;
  const parts = [
    ...whole.map((stretch) => signed(stretch, countedSum(filter, branch, stretch))),
    ...(covered === null ? [] : [sql`(${tailSql(filter, branch, within(covered))})`]),
    ...edges.map((edge) => signed(edge, edgeSql(filter, branch, within(edge)))),
  ];
  const total = sql.join(parts, sql` + `);
  if (branch.actor === null) return sql`select ${total}`;
  return sql`select case when ${isCounted(branch.actor)} then ${total} else (${countOfFew(filter, branch, within(filter))}) end`;
}

/** SQL that counts the entries of an actor with few: whatever the planner believes of the other conditions, by the actor's index. */
function countOfFew(filter: AuditFilter, branch: Part, where: readonly Sql[]): Sql {
  return sql`select count(*) from (
    select "timestamp", occurred_at, chain_id, vault_address, action_type, actor_wallet
    from audit_entries where actor_wallet = ${branch.actor ?? ""}::text offset 0) own
    where ${all([...conditionsOf(filter, branch), ...where])}`;
}

/** SQL of the number of entries of a branch in a short time, read by an index that leads to that time. */
function edgeSql(filter: AuditFilter, branch: Part, where: readonly Sql[]): Sql {
  const { actor, places } = branch;
  if (actor === null && places !== "all" && "chainId" in places)
    return countNear(filter, places.chainId, where);
  // No index has an actor's entries by block time, but one has those of each vault on which the actor acted.
  if (actor === null || filter.timeField !== "block" || isSingle(places))
    return countOf(filter, branch, where);
  const own = [...conditionsOf(filter, { places: "all", actor }), ...where];
  const ofTail = sql`select chain_id, vault_address from tail where ${all([sql`actor_wallet = ${actor}::text`, ...among(places)])}`;
  return countAt(sql`(${placesOfActor(actor, places)} union ${ofTail}) place`, own);
}

/** The vaults of which an actor has counts. */
function placesOfActor(actor: string, places: Part["places"]): Sql {
  const own = all([sql`level = 63`, sql`actor_wallet = ${actor}::text`, ...among(places)]);
  return sql`select distinct chain_id, vault_address from audit_counts where ${own}`;
}

/** Further conditions that keep what is of these places. */
function among(places: Part["places"]): Sql[] {
  if (places === "all") return [];
  if ("chainId" in places) return [sql`chain_id = ${places.chainId}::bigint`];
  return conditionsOf({ actions: null }, { places, actor: null });
}

/** SQL of how many entries of a branch are in the newest tile. */
function tailSql(filter: AuditFilter, branch: Part, where: readonly Sql[]): Sql {
  const { places } = branch;
  const own =
    places !== "all" && "chainId" in places
      ? [...conditionsOf(filter, { ...branch, places: "all" }), sql`chain_id = ${places.chainId}::bigint`]
      : conditionsOf(filter, branch);
  const conditions = all([...own, ...where]);
  if (!isSingle(places)) return sql`select count(*) from tail where ${conditions}`;
  // Of one vault there are few, which its own index finds.
  return sql`select count(*) from (select seq, "timestamp", occurred_at, chain_id, vault_address, action_type, actor_wallet
    from audit_entries where ${all(placeConditions(places[0]))} and seq > (select counted from head) order by seq limit 256) tail
    where ${conditions}`;
}

interface Span {
  from: string | null;
  to: string | null;
}

interface Stretch {
  level: number;
  /** Buckets, `end` exclusive. */
  begin: number;
  end: number;
  /** Whether it is added or taken away. */
  sign: 1 | -1;
}

interface Stretches {
  whole: Stretch[];
  edges: (Span & { sign: 1 | -1 })[];
  /** The time that `whole` covers; null when there is none. */
  covered: Span | null;
}

/**
 * Parts of a filter's time: whole buckets of the counts, and what lies between them and either end. Each end goes to the nearest
 * boundary, before or after it, and what is too much then is taken away: so half a bucket is the most that is read.
 */
function stretchesOf({ from, to }: Span, fine: number): Stretches {
  if (from === null && to === null) {
    return { whole: [{ level: 63, begin: 0, end: 1, sign: 1 }], edges: [], covered: { from, to } };
  }
  const begin = from === null ? -LIMIT : nearestBucket(microsecondsOf(from) / 1e6, fine);
  const end = to === null ? LIMIT : nearestBucket(microsecondsOf(to) / 1e6, fine);
  const startOf = (bucket: number) => timestampOfSeconds(bucket * 2 ** fine);
  if (from !== null && to !== null) {
    const microsecondsTo = (time: string, bucket: number) =>
      Math.abs(microsecondsOf(time) - bucket * 2 ** fine * 1e6);
    const around = microsecondsTo(from, begin) + microsecondsTo(to, end);
    if (begin >= end || microsecondsOf(to) - microsecondsOf(from) <= around) {
      return { whole: [], edges: [{ from, to, sign: 1 }], covered: null };
    }
  }
  const covered = { from: from === null ? null : startOf(begin), to: to === null ? null : startOf(end) };
  const edges = [
    ...(from === null ? [] : between(from, startOf(begin))),
    ...(to === null ? [] : between(startOf(end), to)),
  ].map(([first, last, sign]) => ({ from: first, to: last, sign }));
  const perCoarse = 2 ** (COARSE - fine);
  const coarse = { begin: Math.round(begin / perCoarse), end: Math.round(end / perCoarse) };
  const ends = { begin: coarse.begin * perCoarse, end: coarse.end * perCoarse };
  if (coarse.begin >= coarse.end || end - begin <= Math.abs(ends.begin - begin) + Math.abs(ends.end - end)) {
    return { whole: [{ level: fine, begin, end, sign: 1 }], edges, covered };
  }
  const sides = [...between(begin, ends.begin), ...between(ends.end, end)];
  const whole: Stretch[] = [
    { level: COARSE, ...coarse, sign: 1 },
    ...sides.map(([first, last, sign]) => ({ level: fine, begin: first, end: last, sign })),
  ];
  return { whole, edges, covered };
}

/** What lies between two ends, and whether it is there (1) or too much (−1); nothing when they are one. */
function between<T extends string | number>(first: T, last: T): [T, T, 1 | -1][] {
  if (first === last) return [];
  return [first < last ? [first, last, 1] : [last, first, -1]];
}

/** The bucket that begins nearest to a moment, of those that begin at one that can be said. */
function nearestBucket(second: number, level: number): number {
  const bucket = Math.round(second / 2 ** level);
  return Math.min(
    Math.max(bucket, Math.ceil(FIRST_SECOND / 2 ** level)),
    Math.floor(MAX_SECONDS / 2 ** level),
  );
}

/** Beyond every bucket. A multiple of a coarse one. */
const LIMIT = 2 ** 40;
/** The first moment that can be written with a year of four digits, in Unix seconds. */
const FIRST_SECOND = Date.parse("0001-01-01T00:00:00Z") / 1000;

function countedSum(filter: AuditFilter, branch: Part, { level, begin, end }: Stretch): Sql {
  const within = [sql`bucket >= ${begin}::bigint`, sql`bucket < ${end}::bigint`];
  return sql`select coalesce(sum(n), 0)::bigint from (${countsOf(filter, branch, level, within)}) counted`;
}

/** Rows of audit_counts (bucket, n) of a level that a branch is the sum of, under further conditions on the bucket. */
function countsOf(filter: AuditFilter, branch: Part, level: number, where: readonly Sql[] = []): Sql {
  const conditions = [
    sql`actor_wallet = ${branch.actor ?? ""}::text`,
    sql`level = ${sql.lit(level)}`,
    ...where,
    // By block time the second axis is added (see the table).
    filter.timeField === "block" ? sql`axis in (0, 1)` : sql`axis = 0`,
  ];
  if (filter.actions !== null) conditions.push(sql`action_type = any(${filter.actions}::text[])`);
  const { places, actor } = branch;
  const select = (own: readonly Sql[]) =>
    sql`select bucket, n from audit_counts where ${all([...conditions, ...own])}`;
  if (actor === null && (places === "all" || "chainId" in places)) {
    const chain = places === "all" ? -1 : places.chainId;
    return select([sql`chain_id = ${chain}::bigint`, sql`vault_address = '*'`]);
  }
  // Of each vault there is one count of all times, but of shorter ones there are many, which its place leads to.
  const from =
    actor !== null || places === "all" ? sql`(${placesOfActor(actor ?? "", places)})` : placesSql(places);
  // One index scan per place, whatever the planner believes of their number: offset 0 keeps it from joining otherwise.
  const own = [
    sql`audit_counts.chain_id = place.chain_id`,
    sql`audit_counts.vault_address = place.vault_address`,
  ];
  return sql`select bucket, n from ${from} place cross join lateral (${select(own)} offset 0) each`;
}

/** SQL of how many entries of a branch that are in no bucket stand before the one found. */
function uncountedSql(filter: AuditFilter, branch: Branch, passed: Sql): Sql {
  const tail = tailSql(filter, branch, [passed]);
  if (branch.actor === null) return tail;
  return sql`case when ${isCounted(branch.actor)} then (${tail}) else (${countOfFew(filter, branch, [passed])}) end`;
}

/** Few entries of an actor are read, not counted; see audit_actors. */
function isCounted(actor: string): Sql {
  return sql`exists (select from audit_actors where actor_wallet = ${actor}::text and is_counted)`;
}

/** Where a deep page begins: rows before `bound` in the order are counted, `skip` more are to be passed over. */
export interface Located {
  /** CTEs that define `located (bound, skip)`; need HEAD. */
  ctes: Sql[];
  /** The condition that makes a scan begin there. */
  condition: Sql;
}

/**
 * Finds the bucket in which the entry at `offset` stands by running sums over coarse, then fine buckets. The filter's
 * time bound on the side where the page begins becomes part of the offset, so a scan from there must not apply it.
 */
export function locate(filter: AuditFilter, isDescending: boolean, offset: number): Located {
  const beyond = isDescending ? filter.to : filter.from;
  const outside: AuditFilter = {
    ...filter,
    from: isDescending ? beyond : null,
    to: isDescending ? null : beyond,
  };
  const column = timeColumn(filter);
  const direction = isDescending ? sql`desc` : sql`asc`;
  const timeless: AuditFilter = { ...filter, from: null, to: null };
  const level = (depth: number, where: readonly Sql[] = []) =>
    sql.join(
      filter.branches.map((branch) => countsOf(timeless, branch, depth, where)),
      sql` union all `,
    );
  const picked = (from: Sql, before: Sql) => sql`
    select bucket, ${before} + running - n as before from (
      select bucket, n, sum(n) over (order by bucket ${direction}) as running from (
        select bucket, sum(n) as n from (${from}) parts group by bucket) buckets) sums
    where ${before} + running > (select target from aim) order by bucket ${direction} limit 1`;
  const passed = isDescending ? sql`${column} >= found.bound` : sql`${column} < found.bound`;
  const actors = sql.lit(filter.branches.filter((branch) => branch.actor !== null).length);
  const uncounted = sum(filter.branches.map((branch) => uncountedSql(timeless, branch, passed)));
  const fine = finestOf(filter.branches);
  const shift = sql.lit(COARSE - fine);
  const end = isDescending ? sql`bucket + 1` : sql`bucket`;
  const before = beyond === null ? sql`0` : sql`(${totalSql(outside)})`;
  const inCoarse = [
    sql`bucket >= (select bucket << ${shift} from coarse)`,
    sql`bucket < (select (bucket + 1) << ${shift} from coarse)`,
  ];
  return {
    ctes: [
      sql`place_in_log as materialized (select ${offset}::bigint + ${before} as rank)`,
      // Entries of the newest tile, and of actors with few, are in no bucket: aimed that much too early, the bucket found lies
      // before the page wherever they stand.
      sql`aim as materialized (select least(rank - (size - counted) - ${actors} * 1024, (select coalesce(sum(n), 0) from (${level(63)}) every) - 1) as target from place_in_log, head)`,
      sql`coarse as materialized (${picked(level(COARSE), sql`0`)})`,
      sql`fine as materialized (${picked(level(fine, inCoarse), sql`(select before from coarse)`)})`,
      sql`located as materialized (
        select found.bound, (rank - found.before - (${uncounted}))::bigint as skip
        from place_in_log, (select to_timestamp((${end}) << ${sql.lit(fine)}) as bound, before from fine
          union all select ${isDescending ? sql`'infinity'` : sql`'-infinity'`}::timestamptz, 0 where not exists (select from fine)) found)`,
    ],
    condition: sql`${column} ${isDescending ? sql`<` : sql`>=`} (select bound from located)`,
  };
}
