// Signed checkpoints: the log's promise, at a size, of everything up to there. One is made at least every minute while there
// are new entries, kept in the database, in the data folder and wherever else the configuration says.
//
// Guarantee: a checkpoint is signed only over a tree that begins with that of the checkpoint before it; a log that was
// rewritten in between is not signed for, and the service says so.
import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Tx } from "../platform/db.ts";
import type { Task } from "../platform/feature.ts";
import type { Logger } from "../platform/log.ts";
import { addKey, currentSigner, ensureKey, type PublicKey, readKeys, SigningKeyMissing } from "./keys.ts";
import { type Signer, signCheckpoint } from "./note.ts";
import { TileReader, TreeUnreadable } from "./tiles.ts";

export interface CheckpointParts {
  db: Database;
  /** Folder of the private keys and of the newest checkpoint: `audit` in the data folder. */
  folder: string;
  /** Names the log in its checkpoints, e.g. `vaultops.example.com/audit`. Kept by the first key. */
  origin: string;
  log: Logger;
  /** A file that every checkpoint is appended to. */
  file?: string | null;
  /** Hands every checkpoint to a witness; a failure is logged and the next checkpoint goes out again. */
  publish?: (note: string) => Promise<void>;
  /** How long entries may stand without a checkpoint. 60,000 unless told. */
  intervalMs?: number;
}

export interface StoredCheckpoint {
  size: number;
  root: Buffer;
  note: string;
}

export interface Checkpoints {
  /** Signs for the log as it stands, or returns the checkpoint of that size. Throws SigningKeyMissing, TreeUnreadable. */
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

/** The newest checkpoint outside the database: what a database that was rolled back is measured against. */
export const LATEST_FILE = "latest-checkpoint";

export function createCheckpoints(parts: CheckpointParts): Checkpoints {
  const { db, folder, origin, log, intervalMs = 60_000 } = parts;
  const tiles = new TileReader(db.pool);
  const select = async (rest: string, values: unknown[] = []): Promise<StoredCheckpoint | null> => {
    const text = `select size, root, note from audit_checkpoints ${rest} limit 1`;
    return (await db.pool.query(text, values)).rows[0] ?? null;
  };

  /** One signer at a time, in one transaction; `fresh` is the checkpoint it wrote, to be handed on after the commit. */
  const locked = async <T>(run: (tx: Tx) => Promise<{ result: T; fresh: StoredCheckpoint | null }>) => {
    const { result, fresh } = await db.transaction(async (tx) => {
      await sql`select pg_advisory_xact_lock(8247604153321403)`.execute(tx);
      if (await ensureKey(tx, folder, origin)) log.info({ folder }, "made the audit log's signing key");
      return run(tx);
    });
    if (fresh !== null) await handOn(fresh);
    return result;
  };

  const handOn = async (checkpoint: StoredCheckpoint) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, LATEST_FILE);
    await writeFile(`${path}.new`, checkpoint.note, { mode: 0o600 });
    await rename(`${path}.new`, path);
    try {
      if (parts.file) await appendFile(parts.file, `${checkpoint.note}\n`);
      await parts.publish?.(checkpoint.note);
    } catch (error) {
      log.error({ err: error, size: checkpoint.size }, "an audit checkpoint could not be handed on");
    }
  };

  const signed = async (tx: Tx, signers: readonly Signer[], size: number, last: StoredCheckpoint | null) => {
    if (last !== null && last.size > size) {
      throw new TreeUnreadable(`the audit log ends at ${size}, but a checkpoint covers ${last.size} entries`);
    }
    if (last !== null && !(await tiles.root(last.size)).equals(last.root)) {
      throw new TreeUnreadable(`the audit tree of ${last.size} entries is not the one that was signed`);
    }
    const root = await tiles.root(size);
    const fresh = { size, root, note: signCheckpoint({ origin: signers[0]!.name, size, root }, signers) };
    await sql`insert into audit_checkpoints (size, root, note) values (${size}, ${root}, ${fresh.note})`.execute(
      tx,
    );
    return fresh;
  };

  const standing = async (tx: Tx) => {
    const size = await sql<{ size: number }>`
      select coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size`.execute(tx);
    const last = await sql<StoredCheckpoint>`
      select size, root, note from audit_checkpoints order by size desc limit 1`.execute(tx);
    return { size: size.rows[0]!.size, last: last.rows[0] ?? null };
  };

  const checkpoints: Checkpoints = {
    sign: () =>
      locked(async (tx) => {
        const { size, last } = await standing(tx);
        if (last !== null && last.size === size) return { result: last, fresh: null };
        const fresh = await signed(tx, [await currentSigner(tx, folder)], size, last);
        return { result: fresh, fresh };
      }),
    latest: () => select("order by size desc"),
    ofSize: (size) => select("where size = $1", [size]),
    covering: (size) => select("where size >= $1 order by size", [size]),
    keys: () => readKeys(db),
    rotateKey: () =>
      locked(async (tx) => {
        const { size, last } = await standing(tx);
        const old = await currentSigner(tx, folder).catch((error) => {
          if (error instanceof SigningKeyMissing) return null;
          throw error;
        });
        const name = old?.name ?? (await nameOfLog(tx)) ?? origin;
        const isSigned = last !== null && last.size === size;
        const result = { vkey: "", from_size: isSigned ? size + 1 : size };
        const signer = await addKey(tx, folder, name, result.from_size);
        result.vkey = signer.vkey;
        if (isSigned) return { result, fresh: null };
        const fresh = await signed(tx, old === null ? [signer] : [signer, old], size, last);
        return { result, fresh };
      }),
    task: {
      name: "audit checkpoints",
      role: "worker",
      async run(signal) {
        while (!signal.aborted) {
          await checkpoints
            .sign()
            .catch((error) => log.error({ err: error }, "no audit checkpoint was signed"));
          await sleep(intervalMs, undefined, { signal }).catch(() => {});
        }
      },
    },
  };
  return checkpoints;
}

/** The newest checkpoint in the data folder, or null. */
export async function readLatestFile(folder: string): Promise<string | null> {
  try {
    return await readFile(join(folder, LATEST_FILE), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function nameOfLog(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{
    vkey: string;
  }>`select vkey from audit_keys order by from_size, created_at limit 1`.execute(tx);
  return rows[0]?.vkey.split("+")[0] ?? null;
}
