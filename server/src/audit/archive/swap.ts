// Partitions of the log exchanged for others with the same entries: the way in which texts leave the database, and come back.
//
// Guarantee: a partition is exchanged in the transaction that made the other, or not at all, so that whatever ends it leaves the log as it was.
// Readers and writers wait for half a second at most.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export interface Partition {
  from_seq: number;
  /** The first that is not in it. */
  to_seq: number;
  name: string;
  archived_at: Date | null;
}

export async function readPartitions(db: Pick<pg.Pool, "query">): Promise<Partition[]> {
  const { rows } = await db.query(
    "select from_seq::float8, to_seq::float8, name, archived_at from audit_partitions order by from_seq",
  );
  return rows;
}

export interface Exchange {
  partition: Partition;
  name: string;
  /** Whether its entries are without their texts. */
  isArchived: boolean;
  /** Fills the new table, which has neither indexes nor constraints yet. */
  fill(client: pg.PoolClient, table: string): Promise<void>;
  signal: AbortSignal;
}

/** @throws when the table was not filled with as many rows as there are entries */
export async function exchange(pool: pg.Pool, options: Exchange): Promise<void> {
  const { partition, name, isArchived, fill, signal } = options;
  const { from_seq: from, to_seq: to } = partition;
  const client = await pool.connect();
  let isWhole = false;
  try {
    await client.query(
      "begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    const { rows } = await client.query(
      "select name from audit_partitions where from_seq = $1 and (archived_at is null) = $2 for update",
      [from, isArchived],
    );
    if (rows[0]?.name !== partition.name)
      throw new Error(`partition ${partition.name} was changed by another command meanwhile: run it again`);
    await client.query(`create table ${name} (like audit_entries including constraints)`);
    await fill(client, name);
    const filled = await client.query(
      `select count(*)::float8 as n, min(seq)::float8 as first, max(seq)::float8 as last from ${name}`,
    );
    const { n, first, last } = filled.rows[0];
    if (n !== to - from || first !== from || last !== to - 1)
      throw new Error(`entries ${from} to ${to - 1} are ${n} rows: run \`vaultops audit verify\``);
    await addIndexes(client, name);
    await client.query(
      `alter table ${name} add check (seq >= ${from}::bigint and seq < ${to}::bigint), add unique (occurred_at, id)`,
    );
    await lockLog(client, signal);
    await client.query(`alter table audit_entries detach partition ${partition.name}`);
    await client.query(`drop table ${partition.name}`);
    await client.query("select audit_attach($1, $2, $3)", [name, from, to]);
    await client.query("update audit_partitions set name = $2, archived_at = $3 where from_seq = $1", [
      from,
      name,
      isArchived ? new Date() : null,
    ]);
    await client.query("commit");
    isWhole = true;
  } finally {
    client.release(!isWhole);
  }
}

/** As the log's own, so that it is taken in without any being built under its lock. */
async function addIndexes(client: pg.PoolClient, table: string): Promise<void> {
  const { rows } = await client.query<{ text: string; is_key: boolean }>(
    "select pg_get_indexdef(indexrelid) as text, indisprimary as is_key from pg_index where indrelid = 'audit_entries'::regclass",
  );
  for (const { text, is_key } of rows)
    await client.query(
      is_key
        ? `alter table ${table} add primary key (seq, occurred_at)`
        : text.replace(/^CREATE INDEX \S+ ON (ONLY )?\S+/, `create index on ${table}`),
    );
}

const LOCK_PAUSE_MS = 1_000;

/** Whoever waits behind the lock waits for half a second at most; then it is given up, and asked for again. */
async function lockLog(client: pg.PoolClient, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    await client.query("savepoint unlocked; set local lock_timeout = '500ms'");
    try {
      await client.query("lock table audit_entries in access exclusive mode");
      await client.query("set local lock_timeout = 0");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
      await client.query("rollback to savepoint unlocked");
    }
    await sleep(LOCK_PAUSE_MS, undefined, { signal });
  }
}
