// Which processes run, told apart by more than their number: a process id is reused, a pair of id and start is not.
// Reads what every user may read of every process, so that it works for root without special capabilities too.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

export interface RunningProcess {
  pid: number;
  /** The arguments joined by spaces; a process may have replaced them by a title, as PostgreSQL's do. */
  command: string;
  /** When it started, in a form that only serves to compare. */
  startedAt: string;
}

/** Every process that runs now and can be seen from here. The dead that nobody has collected yet are left out. */
export async function listProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== "linux") return listByPs();
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => readProc(Number(pid))));
  return found.filter((entry) => entry !== null);
}

/** The process with this id, or null when none runs. */
export async function findProcess(pid: number): Promise<RunningProcess | null> {
  if (process.platform === "linux") return readProc(pid);
  return (await listByPs()).find((entry) => entry.pid === pid) ?? null;
}

/** Sends a signal; a process that has ended meanwhile is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function readProc(pid: number): Promise<RunningProcess | null> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    // The name in parentheses may hold anything; the fields after it are: state, ppid, …, start time the 20th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    return { pid, command: command.replaceAll("\0", " ").trim(), startedAt: fields[19] ?? "" };
  } catch {
    return null;
  }
}

async function listByPs(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)("ps", ["-axww", "-o", "pid=,stat=,lstart=,command="], {
    env: { ...process.env, LC_ALL: "C" },
    maxBuffer: 64 * 1024 * 1024,
  });
  const line = /^\s*(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;
  return stdout.split("\n").flatMap((text) => {
    const match = line.exec(text);
    if (match === null || match[2]!.startsWith("Z")) return [];
    return [{ pid: Number(match[1]), command: match[4]!.trim(), startedAt: match[3]!.replace(/\W+/g, "-") }];
  });
}
