// `vaultops audit verify-consistency`: that a log only grew between two checkpoints, checked offline.
import { readFile } from "node:fs/promises";
import {
  type Checkpoint,
  fromBase64,
  NoteError,
  parseCheckpoint,
  verifyCheckpoint,
  verifyConsistency,
} from "@vaultops/proof";
import type { Print } from "./audit-options.ts";
import { readKeyFile } from "./key-file.ts";

export interface VerifyConsistencyOptions {
  /** Paths of two checkpoints' notes. */
  earlier: string;
  later: string;
  /** Path of what `GET /api/v1/audit/proof/consistency` answered for their sizes. */
  proof: string;
  /** Path of a file of vkeys, one a line; `#` begins a comment. */
  key?: string | undefined;
  print: Print;
}

/** The exit code: 0 the later log begins with the earlier one, 1 that is not shown. */
export async function auditVerifyConsistencyCommand(options: VerifyConsistencyOptions): Promise<number> {
  const { earlier, later, proof, key, print } = options;
  const keys = key === undefined ? null : await readKeyFile(key);
  try {
    const from = await readCheckpoint(earlier, keys);
    const to = await readCheckpoint(later, keys);
    if (from.origin !== to.origin)
      throw new NotShown(`they are of two logs, ${from.origin} and ${to.origin}`);
    if (from.size > to.size) throw new NotShown(`${earlier} is of a larger log than ${later}`);
    if (!verifyConsistency(from, to, await readProof(proof, from.size, to.size)))
      throw new NotShown(
        `the proof does not lead from the log of ${from.size} entries to that of ${to.size}`,
      );
    print(`OK: the log of ${to.size} entries begins with the one of ${from.size}: it only grew.`);
    print(
      keys === null
        ? "The signatures of the checkpoints were NOT checked (give the public key by --key)."
        : `Both checkpoints are signed by ${from.origin}.`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof NotShown)) throw error;
    print(`FAILED: ${error.message}.`);
    return 1;
  }
}

/** Why it is not shown. */
class NotShown extends Error {}

async function readCheckpoint(path: string, keys: readonly string[] | null): Promise<Checkpoint> {
  const note = await readFile(path, "utf8");
  try {
    return keys === null ? parseCheckpoint(note) : await verifyCheckpoint(note, keys);
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    throw new NotShown(`${path} is not valid: ${error.message}`);
  }
}

/** The hashes of an answer for exactly these sizes. */
async function readProof(path: string, from: number, to: number): Promise<Uint8Array[]> {
  const hashes = hashesOf(await readFile(path, "utf8"), from, to);
  if (hashes === null) throw new NotShown(`${path} is no proof from ${from} to ${to} entries`);
  return hashes;
}

function hashesOf(text: string, from: number, to: number): Uint8Array[] | null {
  let answer: { from?: unknown; to?: unknown; hashes?: unknown } | null;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  if (answer?.from !== from || answer.to !== to || !Array.isArray(answer.hashes)) return null;
  const hashes = answer.hashes.map((hash) => (typeof hash === "string" ? fromBase64(hash) : null));
  return hashes.every((hash) => hash !== null) ? hashes : null;
}
