// Writes an archive, or adds to one: whole files of so many entries, each read back and held to the log's own tree before it counts.
//
// Guarantee: nothing of the log is changed. Killed or ended at any point, the folder holds the archive that it held before and whole files
// that the next run takes over; what it takes over it checks as it checks its own.
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Frontier } from "@vaultops/proof";
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import { readArchivedBelow } from "../read/archived.ts";
import type { StoredCheckpoint } from "../tree/stored.ts";
import { TileReader } from "../tree/tiles.ts";
import { sha256 } from "../tree/tree.ts";
import { ArchiveFault, type ArchivePage, FORMAT, nameOf, readPage, syncFolder, writePage } from "./folder.ts";
import { addFile, type VerifyOptions } from "./verify.ts";

export interface WriteOptions extends VerifyOptions {
  db: Pick<Database, "kysely">;
  folder: string;
  /** Only entries before this one. */
  below: number;
  /** Of each file. */
  entriesPerFile: number;
  /** Under which it stands. */
  checkpoint: StoredCheckpoint;
}

/** @throws ArchiveFault for what the folder holds and does not fit this log */
export async function writeArchive(options: WriteOptions): Promise<ArchivePage> {
  const { db, folder, entriesPerFile, checkpoint, onProgress } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const last = Math.min(options.below - 1, checkpoint.size);
  const before = await readPage(folder);
  if (before !== null && before.size > last)
    throw new ArchiveFault(
      `the folder holds ${before.size} entries already, more than are asked for (${last})`,
    );
  const below = await readArchivedBelow(db.kysely);
  const tiles = new TileReader(db.kysely);
  const tree = new Frontier(sha256);
  const files: ArchivePage["files"] = [];
  const take = async (first: number, end: number) => {
    const name = nameOf(first, end);
    const path = join(folder, name);
    if (first !== tree.size + 1 || end < first || end > last)
      throw new ArchiveFault(`the folder's page names ${name} where entry ${tree.size + 1} follows`);
    if ((await stat(path).catch(() => null)) === null) {
      if (first < below)
        throw new ArchiveFault(
          `the folder lacks ${name}, and entries 1 to ${below - 1} are archived: name the folder that holds them, or restore them first`,
        );
      await writeFile(options, path, first, end);
    }
    await addFile(tree, path, { first, last: end }, options.signal, (done) => onProgress?.(done, last));
    const root = await tiles.root(end);
    if (!root.equals(tree.root()))
      throw new ArchiveFault(
        first < below
          ? `${name} does not hold the log's entries, which the database no longer has: look for another copy of it`
          : `${name} does not hold the log's entries: take it away, and run this again`,
      );
    files.push({ name, first, last: end, root: root.toString("base64") });
  };
  for (const { first, last: end } of before?.files ?? []) await take(first, end);
  while (tree.size + entriesPerFile <= last) await take(tree.size + 1, tree.size + entriesPerFile);
  const size = tree.size;
  const hashes = size === 0 ? [] : await tiles.consistencyProof(size, checkpoint.size);
  const page: ArchivePage = {
    format: FORMAT,
    size,
    checkpoint: checkpoint.note,
    consistency: hashes.map((hash) => hash.toString("base64")),
    files,
  };
  await writePage(folder, page);
  return page;
}

/** Under a name of its own until it is whole and on the disk. */
async function writeFile(
  { db, folder, signal }: WriteOptions,
  path: string,
  first: number,
  last: number,
): Promise<void> {
  const draft = `${path}.new`;
  try {
    await pipeline(
      textsOf(db, first, last),
      createGzip(),
      createWriteStream(draft, { mode: 0o600, flush: true }),
      signal === undefined ? {} : { signal },
    );
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Entries that are read at once. */
const BATCH = 2_048;

/** Each on a line of its own. */
async function* textsOf(db: WriteOptions["db"], first: number, last: number): AsyncGenerator<string> {
  for (let after = first - 1; after < last; after += BATCH) {
    const upTo = Math.min(after + BATCH, last);
    const { rows } = await sql<{ body: string }>`
      select body from audit_entries where seq > ${after} and seq <= ${upTo} order by seq`.execute(db.kysely);
    if (rows.length !== upTo - after)
      throw new ArchiveFault(`the log lacks entries between ${after + 1} and ${upTo}`);
    yield `${rows.map(({ body }) => body).join("\n")}\n`;
  }
}
