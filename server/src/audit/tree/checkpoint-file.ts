// `audit.checkpoint_file`: every checkpoint is appended to it. What was appended last is remembered in the data folder, so that it is told of where
// the file was emptied, cut, taken away or exchanged for an older one since, whether the service ran then or not.
import { appendFile, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCheckpoint } from "@vaultops/proof";

export interface CheckpointFile {
  /** @throws what the file system does; `trouble` then says so until it succeeds */
  append(note: string): Promise<void>;
  /** What the operator is to know of the file; null: nothing. */
  trouble(): Promise<string | null>;
}

interface Mark {
  file: string;
  note: string;
  /** The note ends at this byte, or before. */
  end: number;
}

/** More than stands between a note and the end of the file that it had when it had been appended: what other processes appended meanwhile. */
const WINDOW_BYTES = 65_536;

export function createCheckpointFile(path: string, folder: string): CheckpointFile {
  const markPath = join(folder, "checkpoint-file");
  let failure: string | null = null;

  return {
    async append(note) {
      try {
        await appendFile(path, `${note}\n`);
        const found = await stat(path);
        // Of a pipe nothing can be read again.
        const mark: Mark = { file: path, note, end: found.size };
        if (found.isFile()) await writeFile(markPath, JSON.stringify(mark), { mode: 0o600 });
        failure = null;
      } catch (error) {
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        failure = `A signed checkpoint could not be appended to audit.checkpoint_file (${code}).`;
        throw error;
      }
    },
    async trouble() {
      const mark = await readMark(markPath);
      if (mark?.file === path && !(await holds(mark))) {
        const { size } = parseCheckpoint(mark.note);
        return `audit.checkpoint_file no longer holds the checkpoint of ${size} entries that was appended to it: it was emptied, cut, taken away or exchanged.`;
      }
      return failure;
    },
  };
}

/** Null where there is none that can be read, as after a loss of power. */
async function readMark(path: string): Promise<Mark | null> {
  try {
    const mark: Mark = JSON.parse(await readFile(path, "utf8"));
    parseCheckpoint(mark.note);
    return mark;
  } catch {
    return null;
  }
}

async function holds({ file: path, note, end }: Mark): Promise<boolean> {
  const file = await open(path, "r").catch(() => null);
  try {
    const start = Math.max(0, end - WINDOW_BYTES);
    const read = await file?.read(Buffer.alloc(end - start), 0, end - start, start);
    return read?.buffer.subarray(0, read.bytesRead).includes(note) ?? false;
  } catch {
    // What cannot be read holds nothing, such as a folder.
    return false;
  } finally {
    await file?.close();
  }
}
