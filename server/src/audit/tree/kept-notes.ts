// Checkpoints outside the database: the newest in the data folder, and the file that every one is appended to. A database that was
// brought back from an older copy knows nothing of what was signed since; these do.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Checkpoint, NoteError, openCheckpoint, parseCheckpoint, type Verifier } from "@vaultops/proof";

/** The newest checkpoint outside the database: what a database that was rolled back is measured against. */
export const LATEST_FILE = "latest-checkpoint";

/** The newest note in the data folder; null where there is none, or an empty file, as a loss of power leaves it. */
export async function readLatestFile(folder: string): Promise<string | null> {
  const path = join(folder, LATEST_FILE);
  // This service puts a file there and nothing else: a link was put there by somebody else, and may lead to an older note.
  const found = await lstat(path).catch(orNull);
  if (found?.isSymbolicLink())
    throw new NoteError(`${path} is a link: look at where it leads, and take it away`);
  const text = await readOrNull(path);
  return text === "" ? null : text;
}

/**
 * Puts the note where `readLatestFile` finds it, on the disk for good, unless a newer one of the same name stands there: processes that share
 * a folder hand their notes on in any order. Call under the signers' lock.
 */
export async function keepLatest(folder: string, note: string): Promise<void> {
  const kept = await readLatestFile(folder);
  const path = join(folder, LATEST_FILE);
  if (kept !== null) {
    const [old, fresh] = [kept, note].map(parseCheckpoint) as [Checkpoint, Checkpoint];
    if (old.origin === fresh.origin && old.size > fresh.size) return;
    // Of the name that the log had before a rollback was acknowledged: evidence, that stays.
    if (old.origin !== fresh.origin)
      await rename(path, join(folder, `checkpoint-before-rollback-${old.size}`));
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(note);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

export interface KeptNote extends Checkpoint {
  /** As it was signed. */
  note: string;
  /** What holds it, for the operator. */
  place: string;
}

/**
 * The newest checkpoints kept outside. What stands in the data folder was written by this service alone and counts whoever's key signed it;
 * of the other file, which may be shared, what one of the keys signed.
 * @throws NoteError that names the file where a note cannot be read
 */
export async function readKeptNotes(
  folder: string,
  file: string | null,
  keys: readonly Verifier[],
  /** Those of the log's present name. */
  current: readonly Verifier[] = keys,
): Promise<KeptNote[]> {
  const notes: KeptNote[] = [];
  const latest = await readLatestFile(folder);
  if (latest !== null) {
    const place = join(folder, LATEST_FILE);
    try {
      notes.push({ place, note: latest, ...(await openCheckpoint(latest, keys)) });
    } catch (cause) {
      throw new NoteError(`${place} is no checkpoint: look at it, and move it away if it is no evidence`, {
        cause,
      });
    }
  }
  const appended = file === null ? null : await newestIn(file, current);
  if (appended !== null) notes.push(appended);
  return notes;
}

const NOTE = /[^\n]+\n\d+\n[A-Za-z0-9+/=]+\n\n(?:\u2014 [^\n]+\n)+/g;
/** Some hundreds of notes: of several processes the newest need not be the last. */
const TAIL_BYTES = 65_536;

async function newestIn(path: string, keys: readonly Verifier[]): Promise<KeptNote | null> {
  let newest: KeptNote | null = null;
  for (const [note] of (await readTail(path)).matchAll(NOTE)) {
    try {
      const opened = await openCheckpoint(note, keys);
      if (opened.signedBy.length > 0 && opened.size >= (newest?.size ?? 0))
        newest = { place: path, note, ...opened };
    } catch (error) {
      // Others' lines, or one that was torn off, are no promise of ours.
      if (!(error instanceof NoteError)) throw error;
    }
  }
  return newest;
}

/** Empty for what is no regular file: a pipe would be waited for. */
async function readTail(path: string): Promise<string> {
  const found = await stat(path).catch(orNull);
  if (!found?.isFile()) return "";
  const file = await open(path, "r");
  try {
    const length = Math.min(found.size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, found.size - length);
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}

function readOrNull(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(orNull);
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
