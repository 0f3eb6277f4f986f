// Signed checkpoints: the log's promise, at a size, of everything up to there. One is made at least every minute while there
// are new entries, kept in the database, in the data folder and wherever else the configuration says.
//
// Guarantee: a checkpoint is signed only over a tree that begins with every tree that was signed before and is known of, in the database
// or outside it. A log that was rewritten in between, or brought back from an older copy, is not signed for: nothing that was kept is
// overwritten, and the service says so.
import { appendFile } from "node:fs/promises";
import { NoteError, type Verifier } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { keepLatest, readKeptNotes } from "./kept-notes.ts";
import {
  addKey,
  currentSigner,
  ensureKey,
  knownVerifiers,
  type PublicKey,
  readKeys,
  SigningKeyMissing,
} from "./keys.ts";
import { type Signer, signCheckpoint } from "./signer.ts";
import { TileReader, TreeUnreadable } from "./tiles.ts";

export interface CheckpointParts {
  db: Database;
  /** Folder of the private keys and of the newest checkpoint: `audit` in the data folder. */
  folder: string;
  /** `audit.signing_keys` of the configuration: private keys in place of the folder's; see keys.ts. */
  signingKeys?: (() => string | null) | undefined;
  /** Names the log in its checkpoints, e.g. `vaultops.example.com/audit`. Kept by the first key. */
  origin: string;
  log: Logger;
  /** A file that every checkpoint is appended to. */
  file?: string | null;
  /** Hands every checkpoint to a witness; a failure is logged and the next checkpoint goes out again. */
  publish?: (note: string) => Promise<void>;
  /** Told by the task of its first outcome and of every refusal: why nothing is signed, null once something is again. */
  onRefusal?: (refusal: SigningRefused | null) => void;
  /** How long entries may stand without a checkpoint. 60,000 unless told. */
  intervalMs?: number;
}

export interface StoredCheckpoint {
  size: number;
  root: Buffer;
  note: string;
}

export interface Checkpoints {
  /** Signs for the log as it stands, or returns the checkpoint of that size. Throws SigningKeyMissing, SigningRefused. */
  sign(): Promise<StoredCheckpoint>;
  /** The newest, or the newest whose size is at least, or exactly, the given; null when there is none. */
  latest(): Promise<StoredCheckpoint | null>;
  ofSize(size: number): Promise<StoredCheckpoint | null>;
  covering(size: number): Promise<StoredCheckpoint | null>;
  keys(): Promise<PublicKey[]>;
  /** Makes a new key that signs from now on. A checkpoint that is due is signed by both, which ties the new to the old. */
  rotateKey(): Promise<PublicKey>;
  task: Task;
}

/** The log is not what was signed, or that cannot be known. The message may be shown to anybody; `place` is what holds the other word. */
export class SigningRefused extends Error {
  readonly place: string;
  readonly signedSize: number | null;

  constructor(message: string, place: string, signedSize: number | null = null) {
    super(message);
    this.place = place;
    this.signedSize = signedSize;
  }
}

export function createCheckpoints(parts: CheckpointParts): Checkpoints {
  const { db, folder, origin, log, intervalMs = 60_000 } = parts;
  const keyPlace = { folder, given: parts.signingKeys };
  const select = async (rest: string, values: unknown[] = []): Promise<StoredCheckpoint | null> => {
    const text = `select size, root, note from audit_checkpoints ${rest} limit 1`;
    return (await db.pool.query(text, values)).rows[0] ?? null;
  };

  /** One signer at a time, in one transaction; `fresh` is the checkpoint it wrote, to be handed on after the commit. */
  const locked = async <T>(run: (tx: Tx) => Promise<{ result: T; fresh: StoredCheckpoint | null }>) => {
    const { result, fresh } = await db.transaction(async (tx) => {
      await lockSigners(tx);
      if (await ensureKey(tx, keyPlace, origin)) log.info({ folder }, "created the audit log's signing key");
      return run(tx);
    });
    if (fresh !== null) await handOn(fresh);
    return result;
  };

  const handOn = async (checkpoint: StoredCheckpoint) => {
    try {
      await db.transaction(async (tx) => {
        await lockSigners(tx);
        await keepLatest(folder, checkpoint.note);
      });
      if (parts.file) await appendFile(parts.file, `${checkpoint.note}\n`);
      await parts.publish?.(checkpoint.note);
    } catch (error) {
      log.error({ err: error, size: checkpoint.size }, "a signed audit checkpoint could not be passed on");
    }
  };

  const signed = async (tx: Tx, signers: readonly Signer[], size: number) => {
    const root = await new TileReader(db.pool).root(size);
    const fresh = { size, root, note: signCheckpoint({ origin: signers[0]!.name, size, root }, signers) };
    await sql`insert into audit_checkpoints (size, root, note) values (${size}, ${root}, ${fresh.note})`.execute(
      tx,
    );
    return fresh;
  };

  /** Where the log stands. @throws SigningRefused where something was signed that it does not begin with */
  const standing = async (tx: Tx) => {
    const size = await sql<{ size: number }>`
      select coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size`.execute(tx);
    const last = await sql<StoredCheckpoint>`
      select size, root, note from audit_checkpoints order by size desc limit 1`.execute(tx);
    const standing = { size: size.rows[0]!.size, last: last.rows[0] ?? null };
    await holdTo(standing, await knownVerifiers(tx, keyPlace));
    return standing;
  };

  const holdTo = async (
    { size, last }: { size: number; last: StoredCheckpoint | null },
    keys: readonly Verifier[],
  ) => {
    const kept = await readKeptNotes(folder, parts.file ?? null, keys).catch((error) => {
      throw error instanceof NoteError ? new SigningRefused(UNREADABLE, error.message) : error;
    });
    // Read anew each time: hashes that were kept from before would hide that a database went back under a running service.
    const tiles = new TileReader(db.pool);
    for (const note of [...kept, ...(last === null ? [] : [{ ...last, place: "the database" }])]) {
      if (note.size > size) throw new SigningRefused(wentBack(note.size, size), note.place, note.size);
      const root = await tiles.root(note.size).catch((error) => {
        throw error instanceof TreeUnreadable ? new SigningRefused(NO_TREE, error.message) : error;
      });
      if (!root.equals(note.root)) throw new SigningRefused(otherTree(note.size), note.place, note.size);
    }
  };

  /** Who is told of refusals knows that there is none. */
  let isTold = false;
  const checkpoints: Checkpoints = {
    sign: () =>
      locked(async (tx) => {
        const { size, last } = await standing(tx);
        if (last !== null && last.size === size) return { result: last, fresh: null };
        const fresh = await signed(tx, [await currentSigner(tx, keyPlace)], size);
        return { result: fresh, fresh };
      }),
    latest: () => select("order by size desc"),
    ofSize: (size) => select("where size = $1", [size]),
    covering: (size) => select("where size >= $1 order by size", [size]),
    keys: () => readKeys(db),
    rotateKey: () =>
      locked(async (tx) => {
        const { size, last } = await standing(tx);
        const old = await currentSigner(tx, keyPlace).catch((error) => {
          if (error instanceof SigningKeyMissing) return null;
          throw error;
        });
        const name = old?.name ?? (await nameOfLog(tx)) ?? origin;
        const isSigned = last !== null && last.size === size;
        const result = { vkey: "", from_size: isSigned ? size + 1 : size };
        const signer = await addKey(tx, keyPlace, name, result.from_size);
        result.vkey = signer.vkey;
        if (isSigned) return { result, fresh: null };
        const fresh = await signed(tx, old === null ? [signer] : [signer, old], size);
        return { result, fresh };
      }),
    task: every({ name: "audit checkpoints", role: "worker", ms: intervalMs, log }, async () => {
      try {
        await checkpoints.sign();
        if (!isTold) parts.onRefusal?.(null);
        isTold = true;
      } catch (error) {
        if (!(error instanceof SigningRefused)) throw error;
        log.fatal({ reason: error.message, place: error.place }, "the audit log is no longer signed");
        parts.onRefusal?.(error);
        isTold = false;
      }
    }),
  };
  return checkpoints;
}

const UNREADABLE =
  "A checkpoint kept outside the database cannot be read, so nothing is signed. The service's log names the file: look at it, and move it away if it is not evidence.";

const NO_TREE =
  "The tree over the entries that were signed cannot be read, so nothing is signed: run `vaultops audit verify`.";

const WAY_OUT =
  "Nothing is signed and nothing kept is overwritten until the database with those entries is back; entries are still written. If it is lost for good, keep the note that the service's log names as evidence, and only then move it away.";

function wentBack(signed: number, size: number): string {
  return `A checkpoint of ${signed} entries was signed, and the log ends at ${size}: the database is older than what was signed. ${WAY_OUT}`;
}

function otherTree(signed: number): string {
  return `The first ${signed} entries are not those that were signed: the log was rewritten, or brought back from an older copy and continued. ${WAY_OUT}`;
}

async function lockSigners(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(8247604153321403)`.execute(tx);
}

async function nameOfLog(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{
    vkey: string;
  }>`select vkey from audit_keys order by from_size, created_at limit 1`.execute(tx);
  return rows[0]?.vkey.split("+")[0] ?? null;
}
