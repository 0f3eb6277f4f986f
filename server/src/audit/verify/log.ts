// Verification of the running log: parse, compare, hash. Every entry against its columns (verify-row.ts) and the tree (verify-tree.ts),
// the tree against the checkpoints, the checkpoints against the keys and against the newest one outside the database, and the counts
// against the entries (verify-counts.ts).
//
// Guarantee: entries are read once, in the order of `seq`, at constant memory, and all that is compared is of one snapshot; the first
// entry that does not hold is named. Texts, columns and hashes are held against each other here, and no stored hash is believed; the
// database counts, by the columns that were found to be what the texts say.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Checkpoint,
  openCheckpoint,
  openCosignatures,
  parseCheckpoint,
  readVerifier,
  readWitness,
  type Verifier,
} from "@vaultops/proof";
import { type QueryExecutorProvider, sql } from "kysely";
import pg from "pg";
import { kyselyOver } from "../../platform/db/db.ts";
import { rfc3339Of } from "../../platform/db/postgres-values.ts";
import { readArchivedBelow } from "../read/archived.ts";
import { readSize } from "../read/query.ts";
import { readLatestFile } from "../tree/kept-notes.ts";
import { type PublicKey, readKeys } from "../tree/keys.ts";
import { isRetired } from "../tree/log-name.ts";
import type { StoredCheckpoint } from "../tree/stored.ts";
import { leafHash } from "../tree/tree.ts";
import { countsFault } from "./counts.ts";
import { faultOfRow, type LogFailure, type StoredRow } from "./row.ts";
import { TreeCheck, WIDTH } from "./tree.ts";

export interface LogCheck {
  /** Entries covered. */
  size: number;
  checkpoints: number;
  /** Entries up to the newest checkpoint; those after it are in the tree, but not signed for yet. */
  signed: number;
  /** Of the entries before this one the texts are archived: their hashes are those of the tree, which alone is held to the checkpoints. */
  archivedBelow: number;
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
  // In the middle of a statement a session can only be given up with its socket.
  const giveUp = () => client.connection.stream.destroy();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    await client.query(
      "begin isolation level repeatable read read only; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    const snapshot = kyselyOver({ query: client.query.bind(client) });
    const size = await readSize(snapshot);
    const { rows: checkpoints } = await sql<StoredCheckpoint>`
      select size, root, note from audit_checkpoints order by size`.execute(snapshot);
    const archivedBelow = await readArchivedBelow(snapshot);
    const signed = checkpoints.at(-1)?.size ?? 0;
    const result = { size, checkpoints: checkpoints.length, signed, archivedBelow };
    const failure =
      (await checkpointFault(checkpoints, await readKeys(snapshot), size, latest)) ??
      (await cosignatureFault(snapshot, checkpoints)) ??
      (await entryFault(client, { size, archivedBelow }, new TreeCheck(snapshot, checkpoints), onProgress)) ??
      (await countsFault(snapshot));
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
  const name = verifiers.at(-1)?.verifier.name;
  if (name !== undefined && isRetiredNote(latest, name)) return null;
  const outside = await outsideCheckpoint(latest, verifiers);
  if (typeof outside === "string")
    return { seq: null, reason: `the newest checkpoint in the data folder: ${outside}` };
  if (outside.size > size) return missing(size, outside.size);
  const inside = checkpoints.find((checkpoint) => checkpoint.size === outside.size);
  if (inside?.root.equals(outside.root)) return null;
  const reason = `the checkpoint of ${outside.size} entries in the data folder is not the database's`;
  return { seq: null, reason };
}

/** What was signed before a rollback was acknowledged is evidence of that, and not of this log. */
function isRetiredNote(note: string, name: string): boolean {
  try {
    return isRetired(parseCheckpoint(note).origin, name);
  } catch {
    return false;
  }
}

async function cosignatureFault(
  snapshot: QueryExecutorProvider,
  checkpoints: readonly StoredCheckpoint[],
): Promise<LogFailure | null> {
  const notes = new Map(checkpoints.map(({ size, note }) => [size, note]));
  const { rows } = await sql<{ size: number; vkey: string; line: string }>`
    select size, vkey, line from audit_cosignatures order by size, vkey`.execute(snapshot);
  for (const { size, vkey, line } of rows) {
    const reason = `a cosignature of the checkpoint of ${size} entries is not its witness's`;
    const note = notes.get(size);
    const found =
      note === undefined
        ? null
        : await openCosignatures(`${note}${line}\n`, [readWitness(vkey)], Number.POSITIVE_INFINITY).catch(
            () => null,
          );
    if (found?.cosignatures.length !== 1) return { seq: null, reason };
  }
  return null;
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

/** Reads all entries in the order of `seq`: each row against its place and itself, and tile by tile against the tree. */
async function entryFault(
  client: pg.PoolClient,
  { size, archivedBelow }: Pick<LogCheck, "size" | "archivedBelow">,
  tree: TreeCheck,
  onProgress: LogCheckOptions["onProgress"],
): Promise<LogFailure | null> {
  // A cursor, and not pages that begin after a seq: of two entries of one seq none is passed over.
  await client.query(
    `declare entries no scroll cursor for select ${COLUMNS} from audit_entries order by seq`,
  );
  let done = 0;
  let before = "";
  for (;;) {
    const { rows } = await client.query<StoredRow>({ text: `fetch ${PAGE} from entries`, types: AS_TEXT });
    if (rows.length === 0) break;
    for (let from = 0; from < rows.length; from += WIDTH) {
      const leaves: Buffer[] = [];
      const kept = done + 1 < archivedBelow ? await tree.hashesOf(done / WIDTH) : null;
      for (const row of rows.slice(from, from + WIDTH)) {
        const expected = done + leaves.length + 1;
        const isArchived = kept !== null && expected < archivedBelow;
        const reason = placeFault(row, expected, before) ?? (isArchived ? null : faultOfRow(row));
        // What the tree tells is of an earlier entry. A second entry of a seq comes after the first.
        if (reason !== null)
          return (await tree.add(leaves)) ?? { seq: Math.min(Number(row.seq), expected), reason };
        const at = leaves.length * 32;
        leaves.push(isArchived ? kept.subarray(at, at + 32) : leafHash(row.body));
        before = row.recorded_at;
      }
      const failure = await tree.add(leaves);
      if (failure !== null) return failure;
      done += leaves.length;
      onProgress?.(done, size);
      // Whatever else the process has to do goes first.
      await nextTurn();
    }
  }
  if (done !== size) return { seq: done + 1, reason: "it is missing" };
  return tree.finish();
}

/** Entries that are read at once: some tiles of the tree. The largest entries together are 40 MB. */
const PAGE = 8 * WIDTH;

const COLUMNS = `seq, id, "timestamp", recorded_at, occurred_at, action_type, vault_address, chain_id, actor_wallet, body`;

/** Columns as PostgreSQL writes them, and times as the API does: a column that holds what no entry holds is named, and no error. */
const AS_TEXT = {
  getTypeParser: (oid: number) => (text: string) =>
    oid === pg.types.builtins.TIMESTAMPTZ ? (rfc3339Of(text) ?? text) : text,
} as pg.CustomTypesConfig;

/** Whether the row is the one that comes next. */
function placeFault(row: StoredRow, expected: number, before: string): string | null {
  if (row.seq !== String(expected))
    return Number(row.seq) > expected ? "it is missing" : "there is another with its seq";
  return row.recorded_at > before ? null : "its time does not follow the entry before it";
}
