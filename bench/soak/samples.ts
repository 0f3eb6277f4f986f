// What is looked at again and again while a soak runs, and what is said of it in the end.
import type { Database } from "../../server/src/platform/db/db.ts";
import { cpuMs, memoryMb } from "../support/process-cost.ts";
import type { Fleet } from "./fleet.ts";

export interface Sample {
  atMs: number;
  /** By process. */
  memoryMb: Record<string, number>;
  cpuMs: Record<string, number>;
  /** By table, its partitions and indexes included. */
  tables: Record<string, { bytes: number; rows: number }>;
  walBytes: number;
  rpcRequests: number;
  /** The chain that is furthest behind. */
  chainLagSeconds: number;
  deliveriesWaiting: number;
}

export async function takeSample(fleet: Fleet): Promise<Sample> {
  const memory: Record<string, number> = {};
  const cpu: Record<string, number> = {};
  for (const { name, process } of fleet.processes) {
    memory[name] = await memoryMb(process.pid);
    cpu[name] = await cpuMs(process.pid);
  }
  const tables = await tablesOf(fleet.db);
  const { rows } = await fleet.db.pool.query<{ wal: number; lag: number; waiting: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
       (select coalesce(max(extract(epoch from now() - head)), 0)::float8 from (
          select max(block_timestamp) as head from blocks where chain_id >= 10000 group by chain_id) h) as lag,
       (select count(*)::integer from deliveries where status in ('pending', 'failed') and due_at < now()) as waiting`,
  );
  return {
    atMs: performance.now(),
    memoryMb: memory,
    cpuMs: cpu,
    tables,
    walBytes: rows[0]!.wal,
    rpcRequests: fleet.rpcRequests(),
    chainLagSeconds: rows[0]!.lag,
    deliveriesWaiting: rows[0]!.waiting,
  };
}

async function tablesOf(db: Database): Promise<Sample["tables"]> {
  const { rows } = await db.pool.query<{ name: string; bytes: number; rows: number }>(
    `select coalesce(pg_partition_root(relid), relid)::regclass::text as name,
       sum(pg_total_relation_size(relid))::float8 as bytes, sum(n_tup_ins - n_tup_del)::float8 as rows
     from pg_stat_user_tables group by 1`,
  );
  return Object.fromEntries(rows.map(({ name, bytes, rows }) => [name, { bytes, rows }]));
}

export interface Growth {
  table: string;
  rowsPerHour: number;
  mbPerHour: number;
  reason: string | null;
}

/** Tables with more rows in the end than in the beginning, the fastest first. */
export function growthOf(first: Sample, last: Sample): Growth[] {
  const hours = (last.atMs - first.atMs) / 3_600_000;
  return Object.entries(last.tables)
    .map(([table, { bytes, rows }]) => ({
      table,
      rowsPerHour: Math.round((rows - (first.tables[table]?.rows ?? 0)) / hours),
      mbPerHour: (bytes - (first.tables[table]?.bytes ?? 0)) / 1e6 / hours,
      reason: REASONS[table] ?? null,
    }))
    .filter(({ rowsPerHour }) => rowsPerHour > 0)
    .sort((a, b) => b.mbPerHour - a.mbPerHour);
}

/** Memory that still rose in the last third of the soak by more than noise: 10 % and 16 MB. */
export function risingMemory(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  const names = Object.keys(samples[0]!.memoryMb);
  const highest = (some: readonly Sample[], name: string) =>
    Math.max(...some.map(({ memoryMb }) => memoryMb[name]!));
  return names.flatMap((name) => {
    const before = highest(samples.slice(third, 2 * third), name);
    const after = highest(samples.slice(2 * third), name);
    return after > before * 1.1 + 16 ? [`${name} took ${before} MB, then ${after} MB`] : [];
  });
}

/** Why a table may grow, and what bounds it. One that is not here must not. */
const REASONS: Record<string, string> = {
  audit_entries: "the log, kept for good; `audit archive --detach` takes old texts out",
  audit_tiles: "the log's tree, 33 bytes an entry",
  audit_counts: "totals of the log, by hour",
  audit_actors: "totals of the log, by wallet",
  audit_checkpoints: "a signed checkpoint a minute at most",
  facts: "what the chains said, kept for good",
  blocks: "one for each block that has facts, and the newest",
  vault_states: "states, those that a newer confirmed one has replaced for a day are pruned",
  pps_points: "each price that a chain told, kept for good",
  share_supplies: "each change of a supply, kept for good",
  events: "30 days",
  deliveries: "30 days",
  delivery_attempts: "30 days",
};
