// What a witness has last cosigned of each log, on the disk for good.
//
// Guarantee: each state follows the one it was judged by. States are numbered files that are linked into place whole, so that of two writers,
// in one process or two, one fails; a number is never used again. Killed at any point, the folder holds the state before or the one after.
import { createHash, randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";

export interface Kept {
  /** 0: none yet. */
  number: number;
  /** The note as it was cosigned; null where none was. */
  note: string | null;
}

/** How a log is called in paths: the SHA-256 of its origin. */
export function originHash(origin: string): string {
  return createHash("sha256").update(origin).digest("hex");
}

export async function readKept(folder: string, hash: string): Promise<Kept> {
  // The newest may be removed by another process between the two, once there is a newer one.
  for (;;) {
    const number = (await numbersIn(join(folder, hash))).at(-1) ?? 0;
    if (number === 0) return { number, note: null };
    try {
      return { number, note: await readFile(fileOf(folder, hash, number), "utf8") };
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

/** Puts the note in the place after `before`; false where another has gone on from there meanwhile. */
export async function keep(folder: string, hash: string, before: number, note: string): Promise<boolean> {
  const own = join(folder, hash);
  await mkdir(own, { recursive: true, mode: 0o700 });
  const draft = join(own, `draft-${randomBytes(8).toString("hex")}`);
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(note);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, fileOf(folder, hash, before + 1));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(draft);
  }
  await Promise.all([own, folder].map(syncFolder));
  const numbers = await numbersIn(own);
  // A place that was emptied long ago is no place to go on from.
  if (numbers.at(-1) !== before + 1) return false;
  for (const number of numbers.slice(0, -KEPT)) await unlink(fileOf(folder, hash, number)).catch(() => {});
  return true;
}

/** Of each log, against an administrator's slip. */
const KEPT = 8;

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => (/^\d{12}$/.test(name) ? [Number(name)] : [])).sort((a, b) => a - b);
}

function fileOf(folder: string, hash: string, number: number): string {
  return join(folder, hash, String(number).padStart(12, "0"));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
