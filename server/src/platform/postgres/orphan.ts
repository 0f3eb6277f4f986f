// What an earlier service has left on a data folder: told apart from a service that still runs, and ended.
// Every process of the server carries the folder's mark in its title, and the postmaster the mark of the service that
// started it, so that neither a number that another process has got since nor a stale lock file misleads.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";
import type { Cluster } from "./cluster.ts";
import { findProcess, listProcesses, type RunningProcess, sendSignal } from "./processes.ts";

/** Names this process, in a form that no later process repeats. */
export async function serviceMark(): Promise<string> {
  return `${process.pid}-${(await findProcess(process.pid))?.startedAt ?? "unknown"}`;
}

/**
 * Ends whatever runs on the folder: orderly first, then by recovery later, then by force; 10 s at most.
 * @throws FolderInUse when a service that lives has started it
 */
export async function endOrphan(
  cluster: Cluster,
  log: Logger,
  options: { isOurs?: boolean } = {},
): Promise<void> {
  const left = await processesOf(cluster);
  const postmaster = await postmasterAmong(left, cluster);
  if (postmaster !== undefined && options.isOurs !== true) await refuseIfOwned(postmaster, cluster);
  if (left.length > 0) {
    log.warn(
      { folder: cluster.dataFolder, pids: left.map((entry) => entry.pid) },
      "ending the database server that an earlier service has left",
    );
    await end(cluster);
  }
  await removeMisleadingLock(cluster);
}

/** A service that lives holds the folder. */
export class FolderInUse extends Error {}

export interface PostmasterFile {
  pid: number;
  port: number;
  isReady: boolean;
}

/** postmaster.pid, as src/include/utils/pidfile.h lays it out: line 1 the process id, 4 the port, 8 the state. */
export async function readPostmasterFile(cluster: Cluster): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster.dataFolder, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0
    ? { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" }
    : null;
}

async function processesOf(cluster: Cluster): Promise<RunningProcess[]> {
  const { mark } = cluster;
  return (await listProcesses()).filter(
    ({ command }) =>
      command.startsWith(`postgres: ${mark}: `) || POSTMASTER.exec(command)?.groups?.mark === mark,
  );
}

/** The program itself, not the shell that watches over it and has the same words among its own. */
const POSTMASTER =
  /^(?!\/bin\/sh ).*\/postgres -D \S+ -c cluster_name=(?<mark>\S+) -c vaultops\.service=(?<pid>\d+)-(?<startedAt>\S+)/;

/** A child that has just been forked still looks like its parent; the lock file tells them apart. */
async function postmasterAmong(
  processes: RunningProcess[],
  cluster: Cluster,
): Promise<RunningProcess | undefined> {
  const alike = processes.filter((entry) => POSTMASTER.test(entry.command));
  const file = await readPostmasterFile(cluster);
  return alike.find((entry) => entry.pid === file?.pid) ?? alike[0];
}

async function refuseIfOwned(postmaster: RunningProcess, cluster: Cluster): Promise<void> {
  const service = POSTMASTER.exec(postmaster.command)?.groups;
  const owner = await findProcess(Number(service?.pid));
  if (owner === null || owner.startedAt !== service?.startedAt) return;
  const who = owner.pid === process.pid ? "this process" : `process ${owner.pid}`;
  throw new FolderInUse(
    `the data folder ${cluster.dataFolder} is in use by another service (${who}): stop it first, or give this one another data_dir`,
  );
}

async function end(cluster: Cluster): Promise<void> {
  for (const [signal, patienceMs] of [
    ["SIGINT", 6000],
    ["SIGQUIT", 2000],
    ["SIGKILL", 2000],
  ] as const) {
    const left = await processesOf(cluster);
    const postmaster = await postmasterAmong(left, cluster);
    // Without a postmaster its children end by themselves as a rule; a statement at work does not hear of it.
    for (const { pid } of postmaster === undefined || signal === "SIGKILL" ? left : [postmaster]) {
      sendSignal(pid, postmaster === undefined && signal === "SIGINT" ? "SIGQUIT" : signal);
    }
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
      if ((await processesOf(cluster)).length === 0) return;
    }
  }
  throw new Error(`the database server left on ${cluster.dataFolder} cannot be ended`);
}

/**
 * PostgreSQL sees through a lock file whose process is gone, but not through one whose number another process of the
 * same user has got since. Removed only then, and only with nothing left running on the folder.
 */
async function removeMisleadingLock(cluster: Cluster): Promise<void> {
  const file = await readPostmasterFile(cluster);
  const holder = file === null ? null : await findProcess(file.pid);
  if (holder === null || (await processesOf(cluster)).length > 0) return;
  // A server that somebody runs on the folder by hand; PostgreSQL refuses to start beside it and says so.
  if (POSTGRES.test(holder.command) && !holder.command.includes("vaultops-")) return;
  await rm(join(cluster.dataFolder, "postmaster.pid"), { force: true });
}

const POSTGRES = /^(\S*\/)?postgres[ :]/;
