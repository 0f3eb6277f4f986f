// How far a chain's past is filled in, from what every process finds in the tables, whichever follows the chain.
import { sql } from "kysely";
import { type Database, executeNamed } from "../../platform/db/db.ts";

export interface History {
  from_block: number;
  to_block: number;
  done_fraction: number;
  estimated_seconds: number | null;
}

export interface Filled {
  /** The newest block up to which the entries of every source stand in the log; null before the first. */
  confirmedBlock: number | null;
  /** Null while nothing of the past is missing. */
  history: History | null;
}

interface SourceRow {
  chain_id: number;
  start_block: number;
  /** The next block of its past; sources that the head takes along have none. */
  next_block: number;
  filling_from: number | null;
  filling_since_ms: number | null;
}

/** The sources that are behind, by chain. */
export async function loadBehind(db: Pick<Database, "kysely">): Promise<Map<number, SourceRow[]>> {
  const { rows } = await executeNamed(
    db.kysely,
    "sources_behind",
    sql<SourceRow>`
      select chain_id, start_block, next_block, filling_from, extract(epoch from filling_since)::float8 * 1000 as filling_since_ms
      from sources where next_block is not null`,
  );
  return Map.groupBy(rows, ({ chain_id }) => chain_id);
}

/** `confirmed`: the block up to which the head has confirmed. */
export function filled(confirmed: number | null, behind: readonly SourceRow[], nowMs: number): Filled {
  const missing = behind.filter(({ next_block }) => confirmed !== null && next_block <= confirmed);
  if (confirmed === null || missing.length === 0) return { confirmedBlock: confirmed, history: null };
  const furthest = missing.reduce((a, b) => (b.next_block < a.next_block ? b : a));
  const sum = (blocks: (source: SourceRow) => number) =>
    missing.reduce((total, source) => total + Math.max(0, blocks(source)), 0);
  const done = sum(({ start_block, next_block }) => next_block - start_block);
  const all = sum(({ start_block }) => confirmed + 1 - start_block);
  return {
    confirmedBlock: furthest.next_block === 0 ? null : furthest.next_block - 1,
    history: {
      from_block: Math.min(...missing.map(({ start_block }) => start_block)),
      to_block: confirmed,
      done_fraction: Math.floor((done / Math.max(1, all)) * 10_000) / 10_000,
      estimated_seconds: secondsLeft(furthest, confirmed, nowMs),
    },
  };
}

/** At the pace since it was taken up last; null before anything can be said. */
function secondsLeft(source: SourceRow, toBlock: number, nowMs: number): number | null {
  const { next_block, filling_from, filling_since_ms } = source;
  if (filling_from === null || filling_since_ms === null) return null;
  const [blocks, ms] = [next_block - filling_from, nowMs - filling_since_ms];
  if (blocks <= 0 || ms <= 0) return null;
  return Math.ceil(((toBlock + 1 - next_block) / blocks) * (ms / 1000));
}
