// A primary and its streaming standby, synchronous, behind one address: real servers of the embedded make. The primary is killed as a machine
// that loses its power is, the standby promoted, and the address leads there.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { migrate } from "../../src/platform/db/migrate.ts";
import { silentLogger } from "../../src/platform/log.ts";
import { serverAccount } from "../../src/platform/postgres/account.ts";
import { findBinaries } from "../../src/platform/postgres/binaries.ts";
import { DATA_DIRECTORY } from "../../src/platform/postgres/cluster.ts";
import { startEmbeddedPostgres } from "../../src/platform/postgres/postgres.ts";
import { freePort } from "../free-port.ts";
import { startProxy } from "../restartable-postgres.ts";

export interface PostgresPair {
  /** By way of the address that leads to whoever is the primary. */
  url: string;
  ownerUrl: string;
  superuserUrl: string;
  /** The standby's own address, as the application's role and as the superuser. */
  standbyUrl: string;
  standbySuperuserUrl: string;
  /** Ends the standby. */
  stopStandby(): Promise<void>;
  /** Kills the primary, promotes the standby, and has the address lead there. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const dir = await mkdtemp(join(tmpdir(), "vaultops-pair-"));
  const homes = [join(dir, "primary"), join(dir, "standby")] as const;
  const log = silentLogger();
  const start = () => startEmbeddedPostgres({ dataDir: homes[0], log, isDurable: false });
  const first = await start();
  await migrate({ ownerUrl: first.ownerUrl, appUrl: first.appUrl, log });
  await first.stop();
  // A base backup of a server that stands still, with its owner, who may be another than this process.
  await promisify(execFile)("cp", ["-a", homes[0], homes[1]]);
  const primary = await start();
  const standby = await startStandby(homes[1], primary.superuserUrl);
  await execute(
    primary.superuserUrl,
    "alter system set synchronous_standby_names = '*'",
    "alter system set synchronous_commit = on",
    "select pg_reload_conf()",
  );
  await until(
    primary.superuserUrl,
    "select count(*) = 1 as done from pg_stat_replication where sync_state = 'sync'",
  );
  const proxy = await startProxy();
  const urls = {
    url: proxy.to(primary.appUrl),
    ownerUrl: proxy.to(primary.ownerUrl),
    superuserUrl: proxy.to(primary.superuserUrl),
  };
  return {
    ...urls,
    standbyUrl: atPort(primary.appUrl, standby.port),
    standbySuperuserUrl: atPort(primary.superuserUrl, standby.port),
    stopStandby: () => standby.stop(),
    async failOver() {
      const lock = await readFile(join(homes[0], "postgres/data/postmaster.pid"), "utf8");
      process.kill(Number(lock.split("\n")[0]), "SIGKILL");
      const superuserUrl = atPort(primary.superuserUrl, standby.port);
      await execute(superuserUrl, "select pg_promote()");
      proxy.to(superuserUrl);
    },
    async stop() {
      await proxy.close();
      await Promise.all([primary.stop(), standby.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function startStandby(home: string, primaryUrl: string) {
  const { hostname, port: primaryPort, username, password } = new URL(primaryUrl);
  const data = join(home, "postgres/data");
  const account = await serverAccount(data, silentLogger());
  const binaries = await findBinaries(account, home, silentLogger());
  await writeFile(join(data, "standby.signal"), "");
  await appendFile(
    join(data, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${hostname} port=${primaryPort} user=${username} password=${password}'\n`,
  );
  const port = await freePort();
  const child = spawn(binaries.postgres, ["-D", DATA_DIRECTORY, "-c", `port=${port}`], {
    cwd: data,
    ...account,
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const kill = () => child.kill("SIGQUIT");
  process.once("exit", kill);
  return {
    port,
    async stop() {
      kill();
      await ended;
      process.off("exit", kill);
    },
  };
}

function atPort(url: string, port: number): string {
  const own = new URL(url);
  own.port = String(port);
  return own.toString();
}

async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function until(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  while (!(await client.query(text)).rows[0].done) await sleep(50);
  await client.end();
}
