// The embedded PostgreSQL: a real server of the service's own, under its data folder, for as long as it runs.
// It listens on the loopback address alone and asks for a password. It ends within 10 s of the service's death, however
// the service dies; what an earlier service has left on the folder is ended first, and two services never share one.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";
import { type Account, serverAccount } from "./account.ts";
import { type Binaries, findBinaries } from "./binaries.ts";
import {
  APP_ROLE,
  type Cluster,
  createCluster,
  DATA_DIRECTORY,
  DATABASE,
  OWNER_ROLE,
  readCluster,
  SUPERUSER,
} from "./cluster.ts";
import { endOrphan, FolderInUse, readPostmasterFile, serviceMark } from "./orphan.ts";
import { findProcess } from "./processes.ts";
import { writeSettings } from "./settings.ts";

export interface EmbeddedPostgresOptions {
  /** The service's data folder (`data_dir`); the server's is `postgres` in it. */
  dataDir: string;
  log: Logger;
  /** Default: a free one. */
  port?: number;
  /** For tests: faster, and not safe against a loss of power. */
  isDurable?: boolean;
  /**
   * For commands that an operator runs beside a service: where a service runs on the folder, its server is used (and `stop`
   * leaves it running) instead of being refused.
   */
  mayShare?: boolean;
  /** For commands about what a service has stored: where no database has been made yet, none is made, and that is an error. */
  mustExist?: boolean;
}

export interface EmbeddedPostgres {
  /** Role `vaultops_owner`: migrations. */
  ownerUrl: string;
  /** Role `vaultops_app`: everything else. */
  appUrl: string;
  superuserUrl: string;
  /** Resolves, with the reason, when the server ends without having been stopped; the service cannot go on then. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the server, creating it first where there is none, and resolves when it takes connections.
 * @throws Error that says what to do: there is none and must be, another service runs on the folder, the folder is of another major version, no
 *   programs for this machine, or whatever the server said when it would not start (disk full, port taken)
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const dataDir = resolve(options.dataDir);
  const home = join(dataDir, "postgres");
  const isDurable = options.isDurable ?? true;
  if (options.mustExist === true && (await readCluster(home)) === null) throw new Error(noDatabase(home));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const account = await serverAccount(join(home, "data"), log);
  const binaries = await findBinaries(account, dataDir, log);
  if ((await readCluster(home)) === null) {
    log.info({ folder: home }, "creating the embedded database");
    await createCluster(home, binaries, account, isDurable);
  }
  const cluster = await readCluster(home);
  if (cluster === null) {
    throw new Error(
      `${home} contains no complete database: credentials.json or the folder data is missing from it`,
    );
  }
  await checkVersion(cluster, binaries);
  try {
    await endOrphan(cluster, log);
  } catch (error) {
    if (options.mayShare === true && error instanceof FolderInUse) return share(cluster);
    throw error;
  }
  await writeSettings(cluster.dataFolder, isDurable);

  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    try {
      return await launch(cluster, binaries, account, port, log);
    } catch (error) {
      const isPortTaken = /could not bind|could not create any TCP/.test(String(error));
      if (!isPortTaken || options.port !== undefined || attempt === 5) throw error;
    }
  }
}

/** How the server of a service that runs on the folder is reached; null where none takes connections. Starts and changes nothing. */
export async function findRunningPostgres(
  dataDir: string,
): Promise<Pick<EmbeddedPostgres, "ownerUrl" | "appUrl" | "superuserUrl"> | null> {
  const cluster = await readCluster(join(resolve(dataDir), "postgres"));
  const file = cluster === null ? null : await readPostmasterFile(cluster);
  if (cluster === null || file?.isReady !== true || (await findProcess(file.pid)) === null) return null;
  return urlsOf(cluster, file.port);
}

function noDatabase(home: string): string {
  return (
    `there is no database in ${home} yet. Name the service's configuration by --config or VAULTOPS_CONFIG; ` +
    "a new service creates its database at its first start, or with vaultops migrate"
  );
}

async function launch(
  cluster: Cluster,
  binaries: Binaries,
  account: Account | null,
  port: number,
  log: Logger,
): Promise<EmbeddedPostgres> {
  const script = await readFile(new URL("./watchdog.sh", import.meta.url), "utf8");
  const identity = [
    `cluster_name=${cluster.mark}`,
    `vaultops.service=${await serviceMark()}`,
    `port=${port}`,
  ];
  const args = ["-D", DATA_DIRECTORY, ...identity.flatMap((setting) => ["-c", setting])];
  const child = spawn("/bin/sh", ["-c", script, "vaultops-postgres-watchdog", binaries.postgres, ...args], {
    cwd: cluster.dataFolder,
    ...account,
    // Its own session: an interrupt typed at the service's terminal must not end the database before the service.
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", ...ALLOCATOR },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const said = relayLog(child, log);
  child.stdin.on("error", () => {});
  let isStopping = false;
  const exited = new Promise<string>((resolveExit) => {
    child.on("error", (error) => resolveExit(error.message));
    // Not its streams' end: where the watchdog alone was killed, the server holds them open.
    child.on("exit", (code, signal) => {
      setTimeout(() => resolveExit(`exit ${code ?? signal}: ${said.slice(-10).join(" · ")}`), 50);
    });
  });
  const postmasterPid = await ready(cluster, child, exited);
  // The service may end without a word: the pipe's end is the word.
  for (const handle of [child, ...(child.stdio as unknown as Socket[])]) handle.unref();

  log.info(
    { port, folder: cluster.dataFolder, postmaster_pid: postmasterPid },
    "the embedded database is ready",
  );
  return {
    ...urlsOf(cluster, port),
    ended: exited.then((reason) => (isStopping ? new Promise<string>(() => {}) : reason)),
    async stop() {
      isStopping = true;
      child.ref();
      child.stdin.end();
      await exited;
      // Where the watchdog itself was killed, the server has outlived it.
      await endOrphan(cluster, log, { isOurs: true });
    },
  };
}

/** The server that a running service holds, as soon as it takes connections. */
async function share(cluster: Cluster): Promise<EmbeddedPostgres> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
    const file = await readPostmasterFile(cluster);
    if (file?.isReady === true) {
      return { ...urlsOf(cluster, file.port), ended: new Promise(() => {}), stop: async () => {} };
    }
    await sleep(50);
  }
  throw new Error(
    `the database server on ${cluster.dataFolder}, which another service has started, accepts no connections`,
  );
}

function urlsOf(
  cluster: Cluster,
  port: number,
): Pick<EmbeddedPostgres, "ownerUrl" | "appUrl" | "superuserUrl"> {
  const url = (role: string, password: string) =>
    `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
  return {
    ownerUrl: url(OWNER_ROLE, cluster.passwords.owner),
    appUrl: url(APP_ROLE, cluster.passwords.app),
    superuserUrl: url(SUPERUSER, cluster.passwords.superuser),
  };
}

/** Resolves with the postmaster's process id when it says that it takes connections; recovery takes the time it takes. */
async function ready(cluster: Cluster, child: ChildProcess, exited: Promise<string>): Promise<number> {
  let failure: string | undefined;
  exited.then((reason) => (failure = reason));
  let pid = 0;
  child.stdout?.once("data", (chunk: Buffer) => (pid = Number(chunk.toString())));
  for (;;) {
    if (failure !== undefined) throw startFailure(failure);
    const file = await readPostmasterFile(cluster);
    if (pid !== 0 && file?.pid === pid && file.isReady) return pid;
    await sleep(15);
  }
}

function startFailure(reason: string): Error {
  if (/lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(reason)) {
    return new Error(`another service has just started on the same data folder: ${reason}`);
  }
  return new Error(`the embedded database did not start: ${reason}`);
}

/** The server's own messages, without statements or values; the last ones are kept for errors. */
function relayLog(child: ChildProcess, log: Logger): string[] {
  const said: string[] = [];
  let rest = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      said.push(line.replace(/^\w{5} /, ""));
      if (said.length > 40) said.shift();
      if (SERIOUS.test(line)) log.warn({ postgres: line }, "the embedded database says");
      else log.debug({ postgres: line }, "the embedded database says");
    }
  });
  return said;
}

// Errors of statements are their senders' to deal with; out of disk or memory (53), input and output (58) and
// PostgreSQL's own faults (XX) are an operator's, and so is whatever ends a session or the server.
const SERIOUS = /^\w{5} (FATAL|PANIC):|^(53|58|XX)\w{3} ERROR:/;

async function checkVersion(cluster: Cluster, binaries: Binaries): Promise<void> {
  const found = (await readFile(join(cluster.dataFolder, "PG_VERSION"), "utf8")).trim();
  if (found === String(binaries.majorVersion)) return;
  throw new Error(
    `the database in ${cluster.dataFolder} was created by PostgreSQL ${found}, this release brings ${binaries.majorVersion}: ` +
      "carry it over with pg_upgrade or a dump and restore (docs/operations/database.md), or go back to the earlier release",
  );
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolveListen, reject) => {
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", resolveListen);
  });
  const address = probe.address();
  await new Promise((resolveClose) => probe.close(resolveClose));
  if (address === null || typeof address === "string") throw new Error("no free port on 127.0.0.1");
  return address.port;
}

// Where page faults are dear (virtual machines), giving memory back to the system after each large result makes
// such results four to five times slower.
const ALLOCATOR = {
  MALLOC_TOP_PAD_: "8388608",
  MALLOC_MMAP_THRESHOLD_: "536870912",
  MALLOC_TRIM_THRESHOLD_: "536870912",
};
