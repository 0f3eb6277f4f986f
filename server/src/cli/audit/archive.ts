// `vaultops audit archive` and `audit restore`, and `audit verify` of a folder: the log's entries in files that outlive their database.
import { readFile, stat } from "node:fs/promises";
import { NoteError, openByPolicy, parseCheckpoint, parsePolicy, verifyCheckpoint } from "@vaultops/proof";
import { detachArchived } from "../../audit/archive/detach.ts";
import { ArchiveFault, readPage } from "../../audit/archive/folder.ts";
import { restoreArchive } from "../../audit/archive/restore.ts";
import { verifyArchive } from "../../audit/archive/verify.ts";
import { writeArchive } from "../../audit/archive/write.ts";
import { takenByAll } from "../../audit/streams/store.ts";
import { createCheckpoints } from "../../audit/tree/checkpoint.ts";
import { checkpointOf, type Quorum, witnessedSize } from "../../audit/tree/stored.ts";
import { type Database, openDatabase } from "../../platform/db/db.ts";
import { mustOwn } from "../../platform/db/owner.ts";
import { tellSlowly } from "../../platform/progress.ts";
import type { KeyOptions, Print } from "./audit-options.ts";

export interface ArchiveOptions {
  /** What the log is signed with, where no witness is configured. */
  keys: KeyOptions;
  below: number;
  /** Where the archive is. */
  to: string;
  entriesPerFile: number;
  /** As whom archived texts are taken out of the database: its tables' owner. Null: they stay there. */
  ownerUrl: string | null;
  /** Names of `audit.streams`: what one of them has not taken yet stays. */
  streams: readonly string[];
  /** Null where no witness is configured: it then stands under the newest signed checkpoint. */
  quorum: Quorum | null;
  print: Print;
  tell: Print;
  signal: AbortSignal;
}

/** The exit code: 0 it is written and holds, 1 it does not, 130 when it was ended before. */
export async function auditArchiveCommand(options: ArchiveOptions): Promise<number> {
  const { keys, below, to: folder, entriesPerFile, quorum, print, tell, signal } = options;
  const { db } = keys;
  const size = quorum === null ? null : await witnessedSize(db.kysely, quorum);
  if (quorum !== null && size === null)
    throw new Error("no checkpoint has a quorum of witnesses yet, under which an archive could stand");
  const checkpoint =
    size === null ? await createCheckpoints(keys).sign() : (await checkpointOf(db.kysely, size))!;
  const tellProgress = tellSlowly(tell);
  const onProgress = (done: number, total: number) =>
    tellProgress(() => `${done} of ${total} entries archived`);
  try {
    const page = await writeArchive({ db, folder, below, entriesPerFile, checkpoint, signal, onProgress });
    const vouched = quorum === null ? "signed" : "cosigned by a quorum";
    print(
      `OK: entries 1 to ${page.size} are in ${folder}, in ${page.files.length} files, under a checkpoint of ${checkpoint.size} entries (${vouched}).`,
    );
    if (page.size < Math.min(below - 1, checkpoint.size))
      print(
        `Files hold ${entriesPerFile} entries each; the ${Math.min(below - 1, checkpoint.size) - page.size} after them fill none yet.`,
      );
    if (options.ownerUrl !== null)
      await asOwner(options.ownerUrl, async (owner) => {
        const onDetached = (last: number) => tell(`entries 1 to ${last} are archived`);
        const slowest = await takenByAll(db.kysely, options.streams);
        const upTo = slowest?.taken_seq ?? page.size;
        if (upTo < page.size)
          print(`Entries after ${upTo} stay whole: the stream ${slowest!.name} has not taken them yet.`);
        const end = await detachArchived({ owner, page, upTo, signal, onDetached });
        print(
          end === 1
            ? "No partition of the database lies wholly within the archive: nothing was removed."
            : `The database has entries 1 to ${end - 1} without their texts: keep ${folder}, and copies of it.`,
        );
      });
    return 0;
  } catch (error) {
    if (signal.aborted) {
      print("Stopped. What is written or removed whole stays so, and the next run goes on from there.");
      return 130;
    }
    if (!(error instanceof ArchiveFault)) throw error;
    print(`FAILED: ${error.message}.`);
    return 1;
  }
}

export interface RestoreOptions {
  ownerUrl: string;
  folder: string;
  print: Print;
  tell: Print;
  signal: AbortSignal;
}

/** The exit code: 0 the texts are back, 1 the folder is not theirs, 130 when it was ended before. */
export async function auditRestoreCommand(options: RestoreOptions): Promise<number> {
  const { ownerUrl, folder, print, tell, signal } = options;
  const tellProgress = tellSlowly(tell);
  const onProgress = (done: number, total: number) =>
    tellProgress(() => `${done} of ${total} entries restored`);
  try {
    const page = await readPage(folder);
    if (page === null) throw new ArchiveFault(`${folder} is no archive: it has no archive.json`);
    const count = await asOwner(ownerUrl, (owner) =>
      restoreArchive({ owner, folder, page, signal, onProgress }),
    );
    print(`OK: ${count} entries are back, each the one that the log's tree has.`);
    return 0;
  } catch (error) {
    if (signal.aborted) {
      print("Stopped. Partitions that are back stay so, and the next run goes on with the others.");
      return 130;
    }
    if (!(error instanceof ArchiveFault)) throw error;
    print(`FAILED: ${error.message}.`);
    return 1;
  }
}

async function asOwner<T>(url: string, work: (owner: Database) => Promise<T>): Promise<T> {
  const owner = await openDatabase({ url, maxConnections: 2 });
  try {
    await mustOwn(owner);
    return await work(owner);
  } finally {
    await owner.close();
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

export interface VerifyArchiveOptions {
  folder: string;
  keys: readonly string[];
  policy: string | undefined;
  /** Path of a checkpoint's note, instead of the archive's own. */
  checkpoint: string | undefined;
  print: Print;
  tell: Print;
}

/** Checks an archive from its folder alone. The exit code: 0 it holds, 1 it does not. */
export async function verifyArchiveCommand(options: VerifyArchiveOptions): Promise<number> {
  const { folder, keys, policy, print, tell } = options;
  const tellProgress = tellSlowly(tell);
  const onProgress = (done: number, total: number) =>
    tellProgress(() => `${done} of ${total} entries checked`);
  const parsed = policy === undefined ? null : parsePolicy(policy);
  try {
    const page = await readPage(folder);
    if (page === null) throw new ArchiveFault(`${folder} is no archive: it has no archive.json`);
    if (options.checkpoint !== undefined) page.checkpoint = await readFile(options.checkpoint, "utf8");
    const openNote = (note: string) => {
      if (parsed !== null) return openByPolicy(note, parsed);
      return keys.length > 0 ? verifyCheckpoint(note, keys) : Promise.resolve(parseCheckpoint(note));
    };
    const { size, checkpointSize } = await verifyArchive(folder, page, openNote, { onProgress });
    print(
      `OK: entries 1 to ${size} are those that a checkpoint of ${checkpointSize} entries was signed over.`,
    );
    if (parsed === null)
      print(
        keys.length > 0
          ? "Its signature holds; witnesses were NOT asked for (give a --policy)."
          : "Its signature was NOT checked (give the public key by --key, or a --policy).",
      );
    return 0;
  } catch (error) {
    if (!(error instanceof ArchiveFault || error instanceof NoteError)) throw error;
    print(`FAILED: ${error.message}.`);
    return 1;
  }
}
