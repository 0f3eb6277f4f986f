// Partitions of the log exchanged for others with the same entries: the way in which texts leave the database, and come back.
//
// Guarantee: a partition is exchanged in the transaction that made the other, or not at all, so that whatever ends it leaves the log as it was.
// Readers and writers wait for half a second at most.
import { setTimeout as sleep } from "node:timers/promises";
import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";

export interface Partition {
  from_seq: number;
  /** The first that is not in it. */
  to_seq: number;
  name: string;
  archived_at: Date | null;
}

export async function readPartitions(db: QueryExecutorProvider): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select from_seq::float8, to_seq::float8, name, archived_at from audit_partitions order by from_seq`.execute(
    db,
  );
  return rows;
}

export interface Exchange {
  partition: Partition;
  name: string;
  /** Whether its entries are without their texts. */
  isArchived: boolean;
  /** Fills the new table, which has neither indexes nor constraints yet. */
  fill(tx: Tx, table: RawBuilder<unknown>): Promise<void>;
  signal: AbortSignal;
}

/** @throws when the table was not filled with as many rows as there are entries */
export function exchange(
  owner: Pick<Database, "transaction">,
  { partition, name, isArchived, fill, signal }: Exchange,
): Promise<void> {
  const { from_seq: from, to_seq: to } = partition;
  const [old, fresh] = [sql.id(partition.name), sql.id(name)];
  return owner.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    // One at a time, of whatever partitions: each would hold the log against the lock that the other needs in the end.
    await sql`select pg_advisory_xact_lock(${sql.lit(EXCHANGES)})`.execute(tx);
    const others = await sql<{ name: string }>`
      select name from audit_partitions
       where case when ${isArchived} then archived_at is null and from_seq < ${from}
                  else archived_at is not null and from_seq > ${from} end limit 1`.execute(tx);
    if (others.rows.length > 0)
      throw new Error(
        `partition ${others.rows[0]!.name} was changed by another command meanwhile: run it again`,
      );
    const current = await sql<{ name: string }>`
      select name from audit_partitions where from_seq = ${from} and (archived_at is null) = ${isArchived} for update`.execute(
      tx,
    );
    if (current.rows[0]?.name !== partition.name)
      throw new Error(`partition ${partition.name} was changed by another command meanwhile: run it again`);
    await sql`create table ${fresh} (like audit_entries including constraints)`.execute(tx);
    await fill(tx, fresh);
    const filled = await sql<{ n: number; first: number; last: number }>`
      select count(*)::float8 as n, min(seq)::float8 as first, max(seq)::float8 as last from ${fresh}`.execute(
      tx,
    );
    const { n, first, last } = filled.rows[0]!;
    if (n !== to - from || first !== from || last !== to - 1)
      throw new Error(`entries ${from} to ${to - 1} are ${n} rows: run \`vaultops audit verify\``);
    signal.throwIfAborted();
    await addIndexes(tx, fresh);
    const [first_seq, end_seq] = [sql.lit(from), sql.lit(to)];
    await sql`
      alter table ${fresh} add check (seq >= ${first_seq}::bigint and seq < ${end_seq}::bigint), add unique (occurred_at, id)`.execute(
      tx,
    );
    await lockLog(tx, signal);
    await sql`alter table audit_entries detach partition ${old}`.execute(tx);
    await sql`drop table ${old}`.execute(tx);
    await sql`select audit_attach(${name}, ${from}, ${to})`.execute(tx);
    await sql`
      update audit_partitions set name = ${name}, archived_at = ${isArchived ? new Date() : null} where from_seq = ${from}`.execute(
      tx,
    );
  });
}

/** As the log's own, so that it is taken in without any being built under its lock. */
async function addIndexes(tx: Tx, table: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{ columns: string; is_key: boolean }>`
    select substring(pg_get_indexdef(indexrelid) from ' USING .*') as columns, indisprimary as is_key
      from pg_index where indrelid = 'audit_entries'::regclass`.execute(tx);
  for (const { columns, is_key } of rows)
    await (is_key
      ? sql`alter table ${table} add primary key (seq, occurred_at)`
      : sql`create index on ${table}${sql.raw(columns)}`
    ).execute(tx);
}

/** Held by whoever exchanges a partition. */
const EXCHANGES = 824_760_415_332_140;
const LOCK_PAUSE_MS = 1_000;

/** Whoever waits behind the locks waits for half a second at most; then they are given up, and asked for again. */
async function lockLog(tx: Tx, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    await sql`savepoint unlocked`.execute(tx);
    try {
      await sql`set local lock_timeout = '500ms'`.execute(tx);
      // In the order in which new partitions are made.
      await sql`lock table audit_partitions in share row exclusive mode`.execute(tx);
      await sql`lock table audit_entries in access exclusive mode`.execute(tx);
      await sql`set local lock_timeout = 0`.execute(tx);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
      await sql`rollback to savepoint unlocked`.execute(tx);
    }
    await sleep(LOCK_PAUSE_MS, undefined, { signal });
  }
}
