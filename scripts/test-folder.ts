// Where the tests put their files: in memory, where there is plenty. A run makes and removes hundreds of databases and nodes' states, tens
// of thousands of files, and on a disk a third of its system time is the file system's. The folder goes with the process that made it; one
// whose run was killed goes with the next run.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const GIB = 2 ** 30;
/** A whole run takes less than half of it at a time. */
const FREE_BYTES = 3 * GIB;
/** With what the tests' processes take beside it. */
const AVAILABLE_BYTES = 6 * GIB;

/** Makes a folder in memory and names it in TMPDIR. Where there is little memory, or no programs may be run from there, all stays as it is. */
export function useMemory(): void {
  const folder = makeFolder();
  if (folder === null) return;
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

function makeFolder(): string | null {
  try {
    removeLeftOvers();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < FREE_BYTES || process.availableMemory() < AVAILABLE_BYTES) return null;
    const folder = mkdtempSync(join(MEMORY, `vaultops-tests-${process.pid}-`));
    if (runsPrograms(folder)) {
      // As the system's own folder for such files: other accounts may use it, too.
      chmodSync(folder, 0o1777);
      return folder;
    }
    rmSync(folder, { recursive: true });
  } catch {
    // No such folder on this system, or not for this user.
  }
  return null;
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

function removeLeftOvers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^vaultops-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
