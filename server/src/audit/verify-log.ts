// Verification of the running log: every entry against its columns and the tree, the tree against the checkpoints, the
// checkpoints against the keys and against the newest one outside the database, and the counts against the entries.
//
// Guarantee: entries are read once, in the order of `seq`, at constant memory, in one snapshot; the first that does not hold is
// named. Nothing is trusted that the database says of itself: hashes and sums are computed here.

import { type Checkpoint, openCheckpoint, readVerifier, type Verifier } from "@vaultops/proof";
import type pg from "pg";
import { CopyOut } from "../platform/copy-out.ts";
import type { StoredCheckpoint } from "./checkpoint.ts";
import { readLatestFile } from "./kept-notes.ts";
import { type PublicKey, readKeys } from "./keys.ts";
import { addStored, countedActors, countedSize, countsFault } from "./verify-counts.ts";
import { faultOfRow, type LogFailure } from "./verify-row.ts";
import { ROW_COLUMNS, RowReader, RowsUnreadable, type StoredRow } from "./verify-rows.ts";
import { CountsCheck } from "./verify-tally.ts";
import { TreeCheck } from "./verify-tree.ts";

export interface LogCheck {
  /** Entries covered. */
  size: number;
  checkpoints: number;
  /** Entries up to the newest checkpoint; those after it are in the tree, but not signed for yet. */
  signed: number;
  failure: LogFailure | null;
}

export interface LogCheckOptions {
  pool: pg.Pool;
  /** The folder of the keys: its newest checkpoint must be in the database. Null: not looked at. */
  folder: string | null;
  signal?: AbortSignal;
  /** Told often: how many entries have been checked, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/** One whole check. Throws when the database cannot be read. */
export async function verifyLog(options: LogCheckOptions): Promise<LogCheck> {
  const { pool, folder, signal, onProgress } = options;
  signal?.throwIfAborted();
  // Before the snapshot, which then holds whatever was signed up to here.
  const latest = folder === null ? null : await readLatestFile(folder);
  const client = await pool.connect();
  let isWhole = false;
  // In the middle of a COPY a session can only be given up with its socket.
  const giveUp = () => client.connection.stream.destroy();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    await client.query(
      "begin isolation level repeatable read read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    const size: number = (await client.query("select coalesce(max(seq), 0) as size from audit_entries"))
      .rows[0].size;
    const checkpoints: StoredCheckpoint[] = (
      await client.query("select size, root, note from audit_checkpoints order by size")
    ).rows;
    const result = { size, checkpoints: checkpoints.length, signed: checkpoints.at(-1)?.size ?? 0 };
    const failure =
      (await checkpointFault(checkpoints, await readKeys({ pool }), size, latest)) ??
      (await entryFault(client, pool, size, checkpoints, onProgress));
    if (failure !== null) return { ...result, failure };
    await client.query("commit");
    isWhole = true;
    return { ...result, failure };
  } finally {
    signal?.removeEventListener("abort", giveUp);
    if (!isWhole) giveUp();
    client.release(!isWhole);
  }
}

async function checkpointFault(
  checkpoints: readonly StoredCheckpoint[],
  keys: readonly PublicKey[],
  size: number,
  latest: string | null,
): Promise<LogFailure | null> {
  const verifiers = keys.map((key) => ({ from: key.from_size, verifier: readVerifier(key.vkey) }));
  for (const checkpoint of checkpoints) {
    const reason = await noteFault(checkpoint, verifiers);
    if (reason !== null)
      return { seq: null, reason: `the checkpoint of ${checkpoint.size} entries: ${reason}` };
    if (checkpoint.size > size) return missing(size, checkpoint.size);
  }
  if (latest === null) return null;
  const outside = await outsideCheckpoint(latest, verifiers);
  if (typeof outside === "string")
    return { seq: null, reason: `the newest checkpoint in the data folder: ${outside}` };
  if (outside.size > size) return missing(size, outside.size);
  const inside = checkpoints.find((checkpoint) => checkpoint.size === outside.size);
  if (inside?.root.equals(outside.root)) return null;
  const reason = `the checkpoint of ${outside.size} entries in the data folder is not the database's`;
  return { seq: null, reason };
}

/** Opened with the database's keys: that they were exchanged, and every checkpoint signed anew, shows in one that was kept outside. */
async function outsideCheckpoint(
  note: string,
  keys: readonly { from: number; verifier: Verifier }[],
): Promise<Checkpoint | string> {
  try {
    const opened = await openCheckpoint(
      note,
      keys.map(({ verifier }) => verifier),
    );
    return opened.signedBy.length > 0 ? opened : "it is not signed by a key that the database has";
  } catch (error) {
    return (error as Error).message;
  }
}

function missing(size: number, signed: number): LogFailure {
  return {
    seq: size + 1,
    reason: `it is missing: a checkpoint of ${signed} entries was signed, the log ends at ${size}`,
  };
}

async function noteFault(
  { size, root, note }: StoredCheckpoint,
  keys: readonly { from: number; verifier: Verifier }[],
): Promise<string | null> {
  const key = keys.findLast(({ from }) => from <= size);
  if (key === undefined) return "there is no key for it";
  try {
    const opened = await openCheckpoint(note, [key.verifier]);
    if (opened.signedBy.length === 0) return "it is not signed by the key of its time";
    if (opened.size !== size || !root.equals(opened.root)) return "its columns differ from its note";
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads all entries, with the tree and the counts over them. */
async function entryFault(
  client: pg.PoolClient,
  pool: pg.Pool,
  size: number,
  checkpoints: readonly StoredCheckpoint[],
  onProgress: LogCheckOptions["onProgress"],
): Promise<LogFailure | null> {
  const tree = new TreeCheck(pool, checkpoints);
  const counted = await countedSize(client);
  const counts = new CountsCheck(await countedActors(client));
  const rows = await CopyOut.start(
    client,
    `copy (select ${ROW_COLUMNS} from audit_entries where seq <= ${size} order by seq) to stdout (format binary)`,
  );
  const reader = new RowReader();
  let expected = 1;
  let before = Number.NEGATIVE_INFINITY;
  let reason: string | null = null;
  let added: ReturnType<TreeCheck["add"]> = null;
  let named = 0;
  const take = (row: StoredRow): boolean => {
    reason = placeFault(row, expected, before) ?? faultOfRow(row);
    // A second entry of a number comes after the first.
    named = Math.min(row.seq, expected);
    if (reason !== null) return true;
    before = row.recordedAt;
    if (row.seq <= counted) counts.add(row);
    // The byte before the text becomes the 0x00 that a leaf begins with: hashed where it lies.
    row.leaf[0] = 0;
    expected += 1;
    added = tree.add(row.leaf);
    return added !== null;
  };
  try {
    for (let kept = 0; ; ) {
      const piece = await rows.read(kept);
      if (piece === null) break;
      onProgress?.(expected - 1, size);
      for (kept = piece.length; ; ) {
        kept = reader.read(piece.subarray(piece.length - kept), take);
        if (reason !== null) return (await tree.faultSoFar()) ?? { seq: named, reason };
        if (added === null) break;
        const failure: LogFailure | null = await added;
        if (failure !== null) return failure;
        added = null;
      }
    }
  } catch (error) {
    if (!(error instanceof RowsUnreadable)) throw error;
    return { seq: expected, reason: `its columns hold what no entry holds: ${error.message}` };
  }
  if (expected !== size + 1) return { seq: expected, reason: "it is missing" };
  const failure = await tree.finish();
  if (failure !== null) return failure;
  await addStored(client, counts);
  return counts.holds() ? null : await countsFault(client);
}

/** Whether the row is the one that comes next. */
function placeFault(row: StoredRow, expected: number, before: number): string | null {
  if (row.seq !== expected) return row.seq > expected ? "it is missing" : "there is another with its seq";
  return row.recordedAt > before ? null : "its time does not follow the entry before it";
}
