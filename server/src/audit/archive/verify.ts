// An archive checked from its folder alone: every entry hashed in its order, the tree over them held to the checkpoint by the proof, the
// checkpoint to keys or a policy.
//
// Guarantee: an archive holds only if each byte of each entry, their order and their number are those that were signed for.
import { join } from "node:path";
import { Frontier, fromBase64, verifyConsistency } from "@vaultops/proof";
import { leafHash, sha256 } from "../tree/tree.ts";
import { ArchiveFault, type ArchivePage, linesOf } from "./folder.ts";

/** How the checkpoint is opened: by keys or a policy. Throws NoteError. */
export type OpenNote = (note: string) => Promise<{ size: number; root: Uint8Array }>;

export interface VerifyOptions {
  signal?: AbortSignal | undefined;
  /** Told often: how many entries have been checked, of how many. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** @throws ArchiveFault that names what does not hold, NoteError for the checkpoint */
export async function verifyArchive(
  folder: string,
  page: ArchivePage,
  openNote: OpenNote,
  { signal, onProgress }: VerifyOptions = {},
): Promise<{ size: number; checkpointSize: number }> {
  const checkpoint = await openNote(page.checkpoint);
  const tree = new Frontier(sha256);
  for (const { name, first, last, root } of page.files) {
    if (first !== tree.size + 1 || last < first)
      throw new ArchiveFault(`${name} does not follow the file before it, which ends at entry ${tree.size}`);
    await addFile(tree, join(folder, name), { first, last }, signal, (done) => onProgress?.(done, page.size));
    if (Buffer.from(tree.root()).toString("base64") !== root)
      throw new ArchiveFault(`${name} does not hold the entries that were archived`);
  }
  if (tree.size !== page.size)
    throw new ArchiveFault(`it says that it holds ${page.size} entries, and its files hold ${tree.size}`);
  const hashes = page.consistency.map((hash) => fromBase64(hash)!);
  if (!verifyConsistency({ size: tree.size, root: tree.root() }, checkpoint, hashes, sha256))
    throw new ArchiveFault(
      `the log of ${checkpoint.size} entries that was signed does not begin with these ${tree.size}`,
    );
  return { size: tree.size, checkpointSize: checkpoint.size };
}

/** Adds the entries of one file to the tree. @throws ArchiveFault */
export async function addFile(
  tree: Frontier,
  path: string,
  { first, last }: { first: number; last: number },
  signal?: AbortSignal,
  onProgress?: (done: number) => void,
): Promise<void> {
  for await (const line of linesOf(path, signal)) {
    if (tree.size === last) throw new ArchiveFault(`${path} holds more than entries ${first} to ${last}`);
    tree.add(leafHash(line));
    if (tree.size % 1000 === 0) onProgress?.(tree.size);
  }
  if (tree.size !== last) throw new ArchiveFault(`${path} ends at entry ${tree.size}, not at ${last}`);
}
