// Signed checkpoints: the log's promise, at a size, of everything up to there. One is made at least every minute while there
// are new entries, kept in the database, in the data folder and wherever else the configuration says.
//
// Guarantee: a checkpoint is signed only over a tree that begins with every tree that was signed before and is known of, in the database
// or outside it. A log that was rewritten in between, or brought back from an older copy, is not signed for: nothing that was kept is
// overwritten, and the service says so.
import { parseCheckpoint } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { createCheckpointFile } from "./checkpoint-file.ts";
import { type KeptNote, keepLatest } from "./kept-notes.ts";
import {
  addKey,
  currentSigners,
  ensureKey,
  type PublicKey,
  readKeys,
  retireReplaced,
  SigningKeyMissing,
} from "./keys.ts";
import { acknowledge, type Rollback } from "./rollback.ts";
import { type Signer, signCheckpoint } from "./signer.ts";
import { type HeldNote, nameOfLog, type Outside, SigningRefused, standingOf } from "./standing.ts";
import { checkpointCovering, checkpointOf, newestCheckpoint, type StoredCheckpoint } from "./stored.ts";
import { TileReader } from "./tiles.ts";

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
  /** Who else holds what was signed. */
  elsewhere?: Elsewhere;
  /** Told of every checkpoint that this process signs, after its commit. */
  onSigned?: (checkpoint: StoredCheckpoint) => void;
  /** Told by the task of its first outcome and of every refusal: why nothing is signed, null once something is again. */
  onRefusal?: (refusal: SigningRefused | null) => void;
  /** Told by the task each time what is to be known of `file`; null: nothing. */
  onFile?: (trouble: string | null) => void;
  /** How long entries may stand without a checkpoint. 60,000 unless told. */
  intervalMs?: number;
}

export interface Elsewhere {
  /** What is held of the log of that name, as far as it can be had now. */
  notes(origin: string): Promise<HeldNote[]>;
  /** Keeps a note that the log does not bear out, so that it counts when its holder cannot be asked any more. */
  keep(note: HeldNote): Promise<void>;
}

export interface Checkpoints {
  /** Signs for the log as it stands, or returns the checkpoint of that size. Throws SigningKeyMissing, SigningRefused. */
  sign(): Promise<StoredCheckpoint>;
  /** The newest, or the newest whose size is at least, or exactly, the given; null when there is none. */
  latest(): Promise<StoredCheckpoint | null>;
  ofSize(size: number): Promise<StoredCheckpoint | null>;
  covering(size: number): Promise<StoredCheckpoint | null>;
  keys(): Promise<PublicKey[]>;
  /** Makes a new key that signs from now on, beside the one before until `finishRotation`. A checkpoint that is due is signed by both. */
  rotateKey(): Promise<PublicKey>;
  /** Only the newest key signs from now on. Resolves with those that sign no more. */
  finishRotation(): Promise<string[]>;
  /** Goes on under another name where what was signed is lost for good; see rollback.ts. */
  acknowledgeRollback(reason: string): Promise<Rollback>;
  task: Task;
}

export function createCheckpoints(parts: CheckpointParts): Checkpoints {
  const { db, folder, origin, log, intervalMs = 60_000 } = parts;
  const keyPlace = { folder, given: parts.signingKeys };
  const file = parts.file ? createCheckpointFile(parts.file, folder) : null;
  /** A database that goes back under a running service takes its own checkpoints with it, and this not. */
  let seen: KeptNote | null = null;

  /** What is signed elsewhere is asked for first: nobody is waited for under the lock. */
  const outside = async (): Promise<Outside> => {
    const name = (await db.transaction(nameOfLog)) ?? origin;
    const held = (await parts.elsewhere?.notes(name)) ?? [];
    return { db, keyPlace, file: parts.file ?? null, held, seen };
  };

  /** One signer at a time, in one transaction; `fresh` is the checkpoint it wrote, to be handed on after the commit. */
  const locked = async <T>(
    run: (tx: Tx, known: Outside) => Promise<{ result: T; fresh: StoredCheckpoint | null }>,
  ) => {
    const known = await outside();
    try {
      const { result, fresh } = await db.transaction(async (tx) => {
        await lockSigners(tx);
        if (await ensureKey(tx, keyPlace, origin))
          log.info({ folder }, "created the audit log's signing key");
        return run(tx, known);
      });
      if (fresh !== null) await handOn(fresh);
      return result;
    } catch (error) {
      const kept = error instanceof SigningRefused ? error.kept : null;
      if (known.held.some(({ note }) => note === kept?.note)) await parts.elsewhere?.keep(kept!);
      throw error;
    }
  };

  const handOn = async (checkpoint: StoredCheckpoint) => {
    const { note } = checkpoint;
    seen = remembered(checkpoint);
    try {
      await db.transaction(async (tx) => {
        await lockSigners(tx);
        await keepLatest(folder, note);
      });
      await file?.append(note);
    } catch (error) {
      log.error({ err: error, size: checkpoint.size }, "a signed audit checkpoint could not be passed on");
    }
    parts.onSigned?.(checkpoint);
  };

  const signed = async (tx: Tx, signers: readonly Signer[], size: number) => {
    const root = await new TileReader(db.kysely).root(size);
    const fresh = { size, root, note: signCheckpoint({ origin: signers[0]!.name, size, root }, signers) };
    await sql`insert into audit_checkpoints (size, root, note) values (${size}, ${root}, ${fresh.note})`.execute(
      tx,
    );
    return fresh;
  };

  const lookAtFile = async () => {
    const trouble = (await file?.trouble()) ?? null;
    parts.onFile?.(trouble);
    if (file === null || trouble === null) return;
    log.error({ reason: trouble }, "the file of audit checkpoints is not as it was left");
    // The newest is evidence again at once.
    const newest = await newestCheckpoint(db.kysely);
    if (newest !== null) await file.append(newest.note).catch(() => {});
  };

  /** Who is told of refusals knows that there is none. */
  let isTold = false;
  const checkpoints: Checkpoints = {
    async sign() {
      const checkpoint = await locked(async (tx, known) => {
        const { size, last } = await standingOf(tx, known);
        if (last !== null && last.size === size) return { result: last, fresh: null };
        const fresh = await signed(tx, await currentSigners(tx, keyPlace), size);
        return { result: fresh, fresh };
      });
      seen = remembered(checkpoint);
      return checkpoint;
    },
    latest: () => newestCheckpoint(db.kysely),
    ofSize: (size) => checkpointOf(db.kysely, size),
    covering: (size) => checkpointCovering(db.kysely, size),
    keys: () => readKeys(db.kysely),
    rotateKey: () =>
      locked(async (tx, known) => {
        const { size, last } = await standingOf(tx, known);
        const old = await currentSigners(tx, keyPlace).catch((error) => {
          if (error instanceof SigningKeyMissing) return [];
          throw error;
        });
        const name = old[0]?.name ?? (await nameOfLog(tx)) ?? origin;
        const isSigned = last !== null && last.size === size;
        const signer = await addKey(tx, keyPlace, name, isSigned ? size + 1 : size);
        const result = { vkey: signer.vkey, from_size: isSigned ? size + 1 : size, until_size: null };
        if (isSigned) return { result, fresh: null };
        return { result, fresh: await signed(tx, [signer, ...old], size) };
      }),
    finishRotation: () =>
      locked(async (tx, known) => {
        const { size, last } = await standingOf(tx, known);
        // Without it nothing would be signed from now on.
        await currentSigners(tx, keyPlace);
        const isSigned = last !== null && last.size === size;
        return { result: await retireReplaced(tx, isSigned ? size + 1 : size), fresh: null };
      }),
    async acknowledgeRollback(reason) {
      const rollback = await locked(async (tx, known) => {
        const signers = await currentSigners(tx, keyPlace);
        return { result: await acknowledge(tx, known, signers, reason), fresh: null };
      });
      seen = null;
      await checkpoints.sign();
      return rollback;
    },
    task: every({ name: "audit checkpoints", role: "worker", ms: intervalMs, log }, async () => {
      await lookAtFile();
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

function remembered({ note }: StoredCheckpoint): KeptNote {
  return { ...parseCheckpoint(note), note, place: "this process's memory" };
}

async function lockSigners(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(8247604153321403)`.execute(tx);
}
