// An archive of the audit log: its entries from the first on, as text, in files that hold so many each, and a page that ties them to a
// signed checkpoint. It verifies from the folder alone.
import { createReadStream } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { fromBase64 } from "@vaultops/proof";

/** The page of an archive. */
export interface ArchivePage {
  format: typeof FORMAT;
  /** Entries 1 to this are in it. */
  size: number;
  /** Signed, and with the cosignatures that it had: of a log of at least `size` entries. */
  checkpoint: string;
  /** The proof that the checkpoint's log begins with these entries, in base64. */
  consistency: string[];
  files: {
    name: string;
    first: number;
    last: number /** Of the tree up to `last`: says where a fault is, and proves nothing. */;
    root: string;
  }[];
}

export const FORMAT = "vaultops-audit-archive@v1";
const PAGE = "archive.json";

/** What is no archive, or not what it says. The message names the file. */
export class ArchiveFault extends Error {}

export function nameOf(first: number, last: number): string {
  const padded = (seq: number) => String(seq).padStart(12, "0");
  return `entries-${padded(first)}-${padded(last)}.ndjson.gz`;
}

/** Null where there is none yet. @throws ArchiveFault for another page */
export async function readPage(folder: string): Promise<ArchivePage | null> {
  const path = join(folder, PAGE);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    throw new ArchiveFault(`${PAGE} is cut short or damaged`);
  }
  if (!isPage(page)) throw new ArchiveFault(`${PAGE} is no page of an archive (${FORMAT})`);
  return page;
}

function isPage(value: unknown): value is ArchivePage {
  if (typeof value !== "object" || value === null) return false;
  const { format, size, checkpoint, consistency, files } = value as Partial<ArchivePage>;
  return (
    format === FORMAT &&
    Number.isSafeInteger(size) &&
    typeof checkpoint === "string" &&
    Array.isArray(consistency) &&
    consistency.every((hash) => typeof hash === "string" && fromBase64(hash) !== null) &&
    Array.isArray(files) &&
    files.every(
      (file) =>
        Number.isSafeInteger(file?.first) &&
        Number.isSafeInteger(file.last) &&
        file.name === nameOf(file.first, file.last) &&
        typeof file.root === "string",
    )
  );
}

/** On the disk for good, whole or not at all. */
export async function writePage(folder: string, page: ArchivePage): Promise<void> {
  const draft = join(folder, `${PAGE}.new`);
  await writeSynced(draft, `${JSON.stringify(page, null, 1)}\n`);
  await rename(draft, join(folder, PAGE));
  await syncFolder(folder);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * The entries of a file, each its text, split at line feeds alone: texts of others may hold every other separator of lines.
 * @throws ArchiveFault for a file that is missing, cut or damaged
 */
export async function* linesOf(path: string, signal?: AbortSignal): AsyncGenerator<string> {
  const source = createReadStream(path);
  const input = createGunzip();
  source.once("error", (error) => input.destroy(error));
  source.pipe(input).setEncoding("utf8");
  let rest = "";
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      signal?.throwIfAborted();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      if (rest.length > MAX_LENGTH) throw new Error("an entry in it is longer than any");
      yield* lines;
    }
    if (rest !== "") throw new Error("its last entry is cut");
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ArchiveFault(`${path} cannot be read: ${(error as Error).message}`);
  } finally {
    source.destroy();
    input.destroy();
  }
}

/** What a text of zeros, packed into nothing, unpacks to without an end. */
const MAX_LENGTH = 16_000_000;
