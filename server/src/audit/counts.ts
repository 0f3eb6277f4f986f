// Exact totals and deep offsets without counting entries: sums over maintained counts for whole stretches of time, and a
// read of the entries themselves at the edges of a stretch and in the newest tile (at most 255 entries).
//
// Guarantee: for every filter the figures equal count(*) in the same snapshot. See docs/decisions on counts.
import type { AuditFilter, Branch } from "./filter.ts";
import { conditionsOf, countOf, isSingle, type Parameters, placeConditions, placesSql } from "./scan.ts";
import { microsecondsOf } from "./times.ts";

/** Levels of audit_counts below "all of it": a bucket is 2^level seconds. */
const COARSE = 20;
/** The finest level of whole chains and of everything, whose buckets are the fullest, and that of single vaults. */
const [FINE, FINE_OF_VAULT] = [13, 16];

/** The finest level that all branches of a filter have. */
function finestOf(branches: readonly Branch[]): number {
  const isByVault = ({ places, actor }: Branch) =>
    actor !== null || !(places === "all" || "chainId" in places);
  return branches.some(isByVault) ? FINE_OF_VAULT : FINE;
}

/**
 * Where the log stands in the statement's snapshot, and its newest tile, which is not in the counts yet; every statement
 * of these functions begins with them. Order and limit make every planner take the index, whatever it believes of the tail.
 */
export const HEAD = `head as materialized (select
  coalesce((select index + 1 from audit_tiles where level = 0 order by index desc limit 1), 0) * 256 as counted,
  coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size),
tail as materialized (select seq, "timestamp", occurred_at, chain_id, vault_address, action_type, actor_wallet
  from audit_entries where seq > (select counted from head) order by seq limit 256)`;

/** The column that a filter's times mean. */
export function timeColumn(filter: Pick<AuditFilter, "timeField">): string {
  return filter.timeField === "block" ? "occurred_at" : '"timestamp"';
}

export function timeConditions(p: Parameters, filter: Omit<AuditFilter, "branches" | "actions">): string[] {
  const column = timeColumn(filter);
  return [
    ...(filter.from === null ? [] : [`${column} >= ${p.add(filter.from, "timestamptz")}`]),
    ...(filter.to === null ? [] : [`${column} < ${p.add(filter.to, "timestamptz")}`]),
  ];
}

/** SQL of the exact number of entries that a filter means; needs HEAD. */
export function totalSql(p: Parameters, filter: AuditFilter): string {
  return filter.branches.map((branch) => `(${branchTotal(p, filter, branch)})`).join(" + ");
}

function branchTotal(p: Parameters, filter: AuditFilter, branch: Branch): string {
  const hasTimes = filter.from !== null || filter.to !== null;
  if (branch.places === "all" && branch.actor === null && filter.actions === null && !hasTimes) {
    return "select size from head";
  }
  const { edges, whole, covered } = stretchesOf(filter, finestOf([branch]));
  const within = (time: { from: string | null; to: string | null }) =>
    timeConditions(p, { ...time, timeField: filter.timeField });
  const parts = [
    ...whole.map((stretch) => countedSum(p, filter, branch, stretch)),
    ...(covered === null ? [] : [tailSql(p, filter, branch, within(covered))]),
    ...edges.map((edge) => countOf(p, filter, branch, within(edge))),
  ];
  const sum = parts.map((sql) => `(${sql})`).join(" + ");
  if (branch.actor === null) return `select ${sum}`;
  return `select case when ${isCounted(p, branch.actor)} then ${sum} else (${countOf(p, filter, branch, within(filter))}) end`;
}

/** SQL of how many entries of a branch are in the newest tile. */
function tailSql(p: Parameters, filter: AuditFilter, branch: Branch, where: readonly string[]): string {
  const conditions = [...conditionsOf(p, filter, branch), ...where].join(" and ") || "true";
  if (!isSingle(branch.places)) return `select count(*) from tail where ${conditions}`;
  // Of one vault there are few, which its own index finds.
  const here = placeConditions(p, branch.places[0]).join(" and ");
  return `select count(*) from (select seq, "timestamp", occurred_at, chain_id, vault_address, action_type, actor_wallet
    from audit_entries where ${here} and seq > (select counted from head) order by seq limit 256) tail where ${conditions}`;
}

interface Stretch {
  level: number;
  /** Buckets, `end` exclusive. */
  begin: number;
  end: number;
}

/** Parts of a filter's time: whole buckets of the counts, and what sticks out at either end. */
function stretchesOf(
  { from, to }: Pick<AuditFilter, "from" | "to">,
  fine: number,
): {
  whole: Stretch[];
  edges: { from: string | null; to: string | null }[];
  /** The time that `whole` covers; null when there is none. */
  covered: { from: string | null; to: string | null } | null;
} {
  if (from === null && to === null) {
    return { whole: [{ level: 63, begin: 0, end: 1 }], edges: [], covered: { from, to } };
  }
  const begin = from === null ? -LIMIT : Math.ceil(microsecondsOf(from) / 1e6 / 2 ** fine);
  const end = to === null ? LIMIT : Math.floor(microsecondsOf(to) / 1e6 / 2 ** fine);
  const isSayable =
    (from === null || begin <= LAST_SECOND / 2 ** fine) && (to === null || end >= FIRST_SECOND / 2 ** fine);
  const bucketStart = (bucket: number) => secondOf(bucket * 2 ** fine);
  if (!isSayable || (from !== null && to !== null && begin >= end))
    return { whole: [], edges: [{ from, to }], covered: null };
  const edges: { from: string | null; to: string | null }[] = [];
  if (from !== null && from !== bucketStart(begin)) edges.push({ from, to: bucketStart(begin) });
  if (to !== null && to !== bucketStart(end)) edges.push({ from: bucketStart(end), to });
  const covered = {
    from: from === null ? null : bucketStart(begin),
    to: to === null ? null : bucketStart(end),
  };
  const perCoarse = 2 ** (COARSE - fine);
  const coarseBegin = Math.ceil(begin / perCoarse);
  const coarseEnd = Math.floor(end / perCoarse);
  if (coarseBegin >= coarseEnd) return { whole: [{ level: fine, begin, end }], edges, covered };
  const whole = [
    { level: fine, begin, end: coarseBegin * perCoarse },
    { level: COARSE, begin: coarseBegin, end: coarseEnd },
    { level: fine, begin: coarseEnd * perCoarse, end },
  ];
  return { whole: whole.filter((stretch) => stretch.begin < stretch.end), edges, covered };
}

/** Beyond every bucket. A multiple of a coarse one. */
const LIMIT = 2 ** 40;
/** The first and last moment that can be written with a year of four digits, in Unix seconds. */
const FIRST_SECOND = Date.parse("0001-01-01T00:00:00Z") / 1000;
const LAST_SECOND = Date.parse("9999-12-31T23:59:59Z") / 1000;

function secondOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000000Z`;
}

function countedSum(
  p: Parameters,
  filter: AuditFilter,
  branch: Branch,
  { level, begin, end }: Stretch,
): string {
  const where = `level = ${level} and bucket >= ${p.add(begin, "bigint")} and bucket < ${p.add(end, "bigint")}`;
  return `select coalesce(sum(n), 0)::bigint from (${countsOf(p, filter, branch, where)}) counted`;
}

/** Rows of audit_counts (bucket, n) that a branch is the sum of, under a condition on level and bucket. */
function countsOf(p: Parameters, filter: AuditFilter, branch: Branch, where: string): string {
  const conditions = [`actor_wallet = ${p.add(branch.actor ?? "", "text")}`, where];
  // By block time the second axis is added (see the table).
  conditions.push(filter.timeField === "block" ? "axis in (0, 1)" : "axis = 0");
  if (filter.actions !== null) conditions.push(`action_type = any(${p.add(filter.actions, "text[]")})`);
  const { places } = branch;
  const select = (own: string[]) =>
    `select bucket, n from audit_counts where ${[...conditions, ...own].join(" and ")}`;
  if (places === "all" || "chainId" in places) {
    const chain = places === "all" ? -1 : places.chainId;
    if (branch.actor !== null && places === "all") return select([]);
    const onChain = `chain_id = ${p.add(chain, "bigint")}`;
    return select(branch.actor === null ? [onChain, "vault_address = '*'"] : [onChain]);
  }
  // One index scan per place, whatever the planner believes of their number: offset 0 keeps it from joining otherwise.
  const own = ["audit_counts.chain_id = place.chain_id", "audit_counts.vault_address = place.vault_address"];
  return `select bucket, n from ${placesSql(p, places)} place cross join lateral (${select(own)} offset 0) each`;
}

/** SQL of how many entries of a branch that are in no bucket stand before the one found. */
function uncountedSql(p: Parameters, filter: AuditFilter, branch: Branch, passed: string): string {
  const tail = tailSql(p, filter, branch, [passed]);
  if (branch.actor === null) return tail;
  return `case when ${isCounted(p, branch.actor)} then (${tail}) else (${countOf(p, filter, branch, [passed])}) end`;
}

/** Few entries of an actor are read, not counted; see audit_actors. */
function isCounted(p: Parameters, actor: string): string {
  return `exists (select from audit_actors where actor_wallet = ${p.add(actor, "text")} and is_counted)`;
}

/** Where a deep page begins: rows before `bound` in the order are counted, `skip` more are to be passed over. */
export interface Located {
  /** CTEs that define `located (bound, skip)`; need HEAD. */
  ctes: string[];
  /** The condition that makes a scan begin there. */
  condition: string;
}

/**
 * Finds the bucket in which the entry at `offset` stands by running sums over coarse, then fine buckets. The filter's
 * time bound on the side where the page begins becomes part of the offset, so a scan from there must not apply it.
 */
export function locate(p: Parameters, filter: AuditFilter, isDescending: boolean, offset: number): Located {
  const beyond = isDescending ? filter.to : filter.from;
  const outside: AuditFilter = {
    ...filter,
    from: isDescending ? beyond : null,
    to: isDescending ? null : beyond,
  };
  const column = timeColumn(filter);
  const direction = isDescending ? "desc" : "asc";
  const timeless: AuditFilter = { ...filter, from: null, to: null };
  const level = (depth: number, where: string) =>
    filter.branches
      .map((branch) => countsOf(p, timeless, branch, `level = ${depth}${where}`))
      .join(" union all ");
  const picked = (from: string, before: string) => `
    select bucket, ${before} + running - n as before from (
      select bucket, n, sum(n) over (order by bucket ${direction}) as running from (
        select bucket, sum(n) as n from (${from}) parts group by bucket) buckets) sums
    where ${before} + running > (select target from aim) order by bucket ${direction} limit 1`;
  const passed = isDescending ? `${column} >= found.bound` : `${column} < found.bound`;
  const actors = filter.branches.filter((branch) => branch.actor !== null).length;
  const uncounted = filter.branches
    .map((branch) => `(${uncountedSql(p, timeless, branch, passed)})`)
    .join(" + ");
  const fine = finestOf(filter.branches);
  const shift = COARSE - fine;
  const end = isDescending ? "bucket + 1" : "bucket";
  return {
    ctes: [
      `place_in_log as materialized (select ${p.add(offset, "bigint")} + ${beyond === null ? "0" : `(${totalSql(p, outside)})`} as rank)`,
      // Entries of the newest tile, and of actors with few, are in no bucket: aimed that much too early, the bucket found lies
      // before the page wherever they stand.
      `aim as materialized (select least(rank - (size - counted) - ${actors} * 1024, (select coalesce(sum(n), 0) from (${level(63, "")}) every) - 1) as target from place_in_log, head)`,
      `coarse as materialized (${picked(level(COARSE, ""), "0")})`,
      `fine as materialized (${picked(
        level(
          fine,
          ` and bucket >= (select bucket << ${shift} from coarse) and bucket < (select (bucket + 1) << ${shift} from coarse)`,
        ),
        "(select before from coarse)",
      )})`,
      `located as materialized (
        select found.bound, (rank - found.before - (${uncounted}))::bigint as skip
        from place_in_log, (select to_timestamp((${end}) << ${fine}) as bound, before from fine
          union all select ${isDescending ? "'infinity'" : "'-infinity'"}::timestamptz, 0 where not exists (select from fine)) found)`,
    ],
    condition: `${column} ${isDescending ? "<" : ">="} (select bound from located)`,
  };
}
