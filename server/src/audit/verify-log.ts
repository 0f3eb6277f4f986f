// Verification of the running log: every entry against its columns and the tree, the tree against the checkpoints, the
// checkpoints against the keys and against the newest one outside the database, and the counts against the entries.
//
// Guarantee: entries are read once, in the order of `seq`, at constant memory; the first that does not hold is named.
// Nothing is trusted that the database says of itself: hashes are computed here.
import type { Readable } from "node:stream";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { readLatestFile, type StoredCheckpoint } from "./checkpoint.ts";
import { type PublicKey, readKeys } from "./keys.ts";
import { openCheckpoint, readVerifier } from "./note.ts";
import { countsFault } from "./verify-counts.ts";
import { faultOfRow, type LogFailure, type StoredRow } from "./verify-row.ts";
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
}

/** One whole check. Throws when the database cannot be read. */
export async function verifyLog({ pool, folder, signal }: LogCheckOptions): Promise<LogCheck> {
  const client = await pool.connect();
  let isWhole = false;
  // In the middle of a COPY a session can only be given up with its socket.
  const giveUp = () => client.connection.stream.destroy();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    await client.query(
      "begin read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    const size: number = (await client.query("select coalesce(max(seq), 0) as size from audit_entries"))
      .rows[0].size;
    const checkpoints: StoredCheckpoint[] = (
      await client.query("select size, root, note from audit_checkpoints order by size")
    ).rows;
    const result = { size, checkpoints: checkpoints.length, signed: checkpoints.at(-1)?.size ?? 0 };
    const failure =
      checkpointFault(checkpoints, await readKeys({ pool }), size, await latestOf(folder)) ??
      (await entryFault(client, pool, size, checkpoints));
    if (failure !== null) return { ...result, failure };
    const miscounted = await countsFault(client);
    await client.query("commit");
    isWhole = true;
    return { ...result, failure: miscounted };
  } finally {
    signal?.removeEventListener("abort", giveUp);
    if (!isWhole) giveUp();
    client.release(!isWhole);
  }
}

async function latestOf(folder: string | null): Promise<string | null> {
  return folder === null ? null : readLatestFile(folder);
}

function checkpointFault(
  checkpoints: readonly StoredCheckpoint[],
  keys: readonly PublicKey[],
  size: number,
  latest: string | null,
): LogFailure | null {
  const verifiers = keys.map((key) => ({ from: key.from_size, verifier: readVerifier(key.vkey) }));
  for (const checkpoint of checkpoints) {
    const reason = noteFault(checkpoint, verifiers);
    if (reason !== null)
      return { seq: null, reason: `the checkpoint of ${checkpoint.size} entries: ${reason}` };
    if (checkpoint.size > size) return missing(size, checkpoint.size);
  }
  if (latest === null) return null;
  const outside = openCheckpoint(latest, []);
  if (outside.size > size) return missing(size, outside.size);
  const inside = checkpoints.find((checkpoint) => checkpoint.size === outside.size);
  if (inside?.root.equals(outside.root)) return null;
  const reason = `the checkpoint of ${outside.size} entries in the data folder is not the database's`;
  return { seq: null, reason };
}

function missing(size: number, signed: number): LogFailure {
  return {
    seq: size + 1,
    reason: `it is missing: a checkpoint of ${signed} entries was signed, the log ends at ${size}`,
  };
}

function noteFault(
  { size, root, note }: StoredCheckpoint,
  keys: readonly { from: number; verifier: ReturnType<typeof readVerifier> }[],
): string | null {
  const key = keys.findLast(({ from }) => from <= size);
  if (key === undefined) return "there is no key for it";
  try {
    const opened = openCheckpoint(note, [key.verifier]);
    if (opened.signedBy.length === 0) return "it is not signed by the key of its time";
    if (opened.size !== size || !opened.root.equals(root)) return "its columns differ from its note";
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const COLUMNS = [
  "seq",
  "id",
  "timestamp",
  "recorded_at",
  "occurred_at",
  "action_type",
  "vault_address",
  "chain_id",
  "actor_wallet",
] as const satisfies (keyof StoredRow)[];

/** Reads all entries and the tree over them. */
async function entryFault(
  client: pg.PoolClient,
  pool: pg.Pool,
  size: number,
  checkpoints: readonly StoredCheckpoint[],
): Promise<LogFailure | null> {
  const tree = new TreeCheck(pool, checkpoints);
  // Raw text: see export-sql.ts.
  const text = `copy (select ${COLUMNS.map((name) => `"${name}"`).join(", ")}, body from audit_entries where seq <= ${size} order by seq)
    to stdout (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')`;
  const rows = client.query(copyTo(text)) as unknown as Readable;
  let rest: Buffer = Buffer.alloc(0);
  let expected = 1;
  // PostgreSQL's text of times sorts as they do: a missing fraction's `+` stands before any digit.
  let before = "";
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = data.indexOf(LINE_FEED); end >= 0; end = data.indexOf(LINE_FEED, at)) {
      const line = data.subarray(at, end);
      at = end + 1;
      const bodyAt = line.lastIndexOf(DELIMITER) + 1;
      const row = rowOf(line.latin1Slice(0, bodyAt - 1));
      const reason = placeFault(row, expected, before) ?? faultOfRow(row as StoredRow, line.subarray(bodyAt));
      if (reason !== null) {
        // What is left of the COPY is of no interest. An entry before this one, in the same tile, may have another hash.
        rows.destroy();
        return (await tree.faultSoFar()) ?? { seq: expected, reason };
      }
      before = (row as StoredRow).recorded_at;
      // The byte before the text becomes the 0x00 that a leaf begins with: hashed where it lies.
      line[bodyAt - 1] = 0;
      const added = tree.add(line.subarray(bodyAt - 1));
      const failure = added instanceof Promise ? await added : added;
      if (failure !== null) {
        rows.destroy();
        return failure;
      }
      expected += 1;
    }
    rest = data.subarray(at);
  }
  if (expected !== size + 1) return { seq: expected, reason: "it is missing" };
  return tree.finish();
}

/** Whether the row is the one that comes next. */
function placeFault(row: StoredRow | null, expected: number, before: string): string | null {
  if (row === null) return "its columns hold what no entry holds";
  if (row.seq !== String(expected)) {
    return Number(row.seq) > expected ? "it is missing" : "another entry has its seq";
  }
  return row.recorded_at > before ? null : "its time does not follow the entry before it";
}

const LINE_FEED = 0x0a;
const DELIMITER = 0x02;

function rowOf(text: string): StoredRow | null {
  const values = text.split("\u0002");
  if (values.length !== COLUMNS.length) return null;
  const [seq, id, timestamp, recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet] =
    values as [string, string, string, string, string, string, string, string, string];
  return { seq, id, timestamp, recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet };
}
