// Brings the texts of archived entries back from an archive.
//
// Guarantee: each is the one whose hash is in the tree, and its keys are those that the text says. A partition is back whole or not at all, the
// newest first, so that what is archived stays the log's beginning; a run that was ended is gone on with by the next. What is there is not touched.
import { join } from "node:path";
import { type RawBuilder, sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { rfc3339Of } from "../../platform/db/postgres-values.ts";
import { TileReader } from "../tree/tiles.ts";
import { leafHash } from "../tree/tree.ts";
import { faultOfRow, type StoredRow } from "../verify/row.ts";
import { filesOf } from "./detach.ts";
import { ArchiveFault, type ArchivePage, linesOf } from "./folder.ts";
import { exchange, type Partition, readPartitions } from "./swap.ts";

export interface RestoreOptions {
  /** As the owner of the tables. */
  owner: Pick<Database, "kysely" | "transaction">;
  folder: string;
  page: ArchivePage;
  signal: AbortSignal;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Resolves with how many entries came back. @throws ArchiveFault for an archive that is not of what this log lacks */
export async function restoreArchive(options: RestoreOptions): Promise<number> {
  const { owner, page, signal, onProgress } = options;
  const lacking = (await readPartitions(owner.kysely)).filter(({ archived_at }) => archived_at !== null);
  if (lacking.length === 0)
    throw new ArchiveFault("no entry is archived: all that the folder holds are there");
  const last = lacking.at(-1)!.to_seq - 1;
  if (page.size < last)
    throw new ArchiveFault(
      `the folder holds entries 1 to ${page.size}, and those up to ${last} are archived`,
    );
  const total = lacking.reduce((sum, { from_seq, to_seq }) => sum + to_seq - from_seq, 0);
  let done = 0;
  for (const partition of lacking.toReversed()) {
    signal.throwIfAborted();
    await exchange(owner, {
      partition,
      name: nameFor(partition),
      isArchived: false,
      signal,
      fill: (tx, table) =>
        fill(tx, { ...options, partition, table, onBatch: (count) => onProgress?.(done + count, total) }),
    });
    done += partition.to_seq - partition.from_seq;
  }
  return done;
}

/** One that is said to be archived, and has the name of one that is not, was made so by hand. */
function nameFor({ from_seq, name }: Partition): string {
  const own = `audit_entries_from_${from_seq}`;
  return name === own ? `${own}_restored` : own;
}

interface Fill extends RestoreOptions {
  partition: Partition;
  table: RawBuilder<unknown>;
  onBatch(count: number): void;
}

/** Entries of a tile, which are checked and written at once. */
const WIDTH = 256;

async function fill(tx: Tx, options: Fill): Promise<void> {
  const { folder, page, partition, table, signal, onBatch } = options;
  const tiles = new TileReader(tx);
  const leaves = Buffer.alloc(WIDTH * 32);
  let batch: { seq: number; body: string }[] = [];
  const write = async () => {
    if (batch.length === 0) return;
    await tiles.writeLeavesOf(Math.floor((batch[0]!.seq - 1) / WIDTH), leaves);
    for (const { seq, body } of batch) {
      const at = ((seq - 1) % WIDTH) * 32;
      if (!leafHash(body).equals(leaves.subarray(at, at + 32)))
        throw new ArchiveFault(`entry ${seq} of the folder is not the one that the log's tree has`);
    }
    await writeBatch(tx, partition, table, batch);
    onBatch(batch.at(-1)!.seq - partition.from_seq + 1);
    batch = [];
  };
  for (const file of filesOf(page, partition)) {
    let seq = file.first - 1;
    for await (const body of linesOf(join(folder, file.name), signal)) {
      seq += 1;
      if (seq < partition.from_seq || seq > file.last) continue;
      if (seq >= partition.to_seq) break;
      batch.push({ seq, body });
      if (seq % WIDTH === 0) await write();
    }
  }
  await write();
}

async function writeBatch(
  tx: Tx,
  { name }: Partition,
  table: RawBuilder<unknown>,
  batch: readonly { seq: number; body: string }[],
): Promise<void> {
  const [keys, first, last] = [sql.id(name), batch[0]!.seq, batch.at(-1)!.seq];
  // As PostgreSQL writes them: a column that holds what no entry holds is named, and no error.
  const { rows } = await sql<StoredRow>`
    select k.seq::text, k.id::text, k."timestamp"::text, k.recorded_at::text, k.occurred_at::text, k.action_type, k.vault_address,
      k.chain_id::text, k.actor_wallet
    from ${keys} k where k.seq between ${first} and ${last} order by k.seq`.execute(tx);
  for (const [i, { seq, body }] of batch.entries()) {
    const row = rows[i];
    const reason =
      row?.seq === String(seq)
        ? faultOfRow({ ...withTimes(row), body })
        : "the database lacks what it was kept under";
    if (reason !== null) throw new ArchiveFault(`entry ${seq}: ${reason}`);
  }
  await sql`
    insert into ${table} (seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body)
    select k.seq, k.id, k."timestamp", k.recorded_at, k.occurred_at, k.action_type, k.vault_address, k.chain_id, k.actor_wallet, b.body
      from unnest(${batch.map(({ seq }) => seq)}::bigint[], ${batch.map(({ body }) => body)}::text[]) b (seq, body)
      join ${keys} k on k.seq = b.seq and k.seq between ${first} and ${last}`.execute(tx);
}

/** As the API writes them. */
function withTimes({ timestamp, recorded_at, occurred_at, ...row }: StoredRow): StoredRow {
  const written = (text: string) => rfc3339Of(text) ?? text;
  return {
    ...row,
    timestamp: written(timestamp),
    recorded_at: written(recorded_at),
    occurred_at: written(occurred_at),
  };
}
