// `vaultops audit verify --since-checkpoint NOTE`: what a restored database lacks of what a checkpoint, kept elsewhere, was signed over.
import { readFile } from "node:fs/promises";
import { type Checkpoint, NoteError, openCheckpoint, readVerifier } from "@vaultops/proof";
import { type KeyPlace, knownVerifiers } from "../../audit/tree/keys.ts";
import { compareWithCheckpoint } from "../../audit/verify/against-checkpoint.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Print } from "./audit-options.ts";
import { readKeyFile } from "./key-file.ts";

export interface SinceCheckpointOptions {
  db: Database;
  /** Where the log's signing keys are. */
  keys: KeyPlace;
  /** Path of the checkpoint's note. */
  note: string;
  /** Path of a file of vkeys, for a key that is younger than the restored database and not in the folder. */
  key?: string | undefined;
  print: Print;
}

/** Whether the log has everything that the checkpoint was signed over. */
export async function tellSinceCheckpoint(options: SinceCheckpointOptions): Promise<boolean> {
  const { db, print } = options;
  const checkpoint = await readCheckpoint(options);
  if (typeof checkpoint === "string") {
    print(`FAILED: ${checkpoint}.`);
    return false;
  }
  const { size, signed, outcome } = await compareWithCheckpoint(db, checkpoint);
  if (outcome === "whole") {
    print(
      `OK: all ${checkpoint.size} entries of the checkpoint are there; ${size - checkpoint.size} came after it.`,
    );
    return true;
  }
  if (outcome === "other") {
    print(
      `FAILED: the first ${checkpoint.size} entries are not those that the checkpoint was signed over: the log was continued from an older copy, or rewritten.`,
    );
    return false;
  }
  const first = size + 1;
  const which =
    first === checkpoint.size ? `entry ${first} is` : `entries ${first} to ${checkpoint.size} are`;
  print(`LACKING: ${which} missing. The checkpoint holds ${checkpoint.size} entries, the log ${size}.`);
  const unsigned =
    signed < size
      ? `; that ${signed + 1} to ${size} are those that were signed, only a copy that reaches further can show`
      : "";
  print(`The database's own newest checkpoint covers ${signed} entries${unsigned}.`);
  return false;
}

/** Null for a folder. */
async function readNote(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EISDIR") return null;
    throw error;
  });
}

/** The note, signed by a key of the log's; else what is wrong with it. */
async function readCheckpoint({ db, keys, note, key }: SinceCheckpointOptions): Promise<Checkpoint | string> {
  const known = await db.transaction((tx) => knownVerifiers(tx, keys));
  const given = key === undefined ? [] : (await readKeyFile(key)).map(readVerifier);
  const text = await readNote(note);
  if (text === null) return `${note} is a folder, and a checkpoint is a file`;
  try {
    const opened = await openCheckpoint(text, [...known, ...given]);
    if (opened.signedBy.length > 0) return opened;
    return `${note} is signed by no key of this log: name the key by --key if it is younger than the database`;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return `${note} is no checkpoint: ${error.message}`;
  }
}
