// docs/operations/backup.md, run as it stands: a real PostgreSQL of Debian's archives its log, is backed up, lost, and brought back to a moment; and the
// checkpoint that was kept elsewhere says what is lacking.
import { type ExecFileException, execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { record } from "../src/audit/append/record.ts";
import { createCheckpoints } from "../src/audit/tree/checkpoint.ts";
import { type Database, openDatabase } from "../src/platform/db/db.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { silentLogger } from "../src/platform/log.ts";
import { chainEntry } from "./audit.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { freePort } from "./free-port.ts";

const GUIDE = fileURLToPath(new URL("../../docs/operations/backup.md", import.meta.url));
const CLI = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const BIN = debianBinaries();

/** Of the newest version that is installed with what a base backup takes; null where there is none. */
function debianBinaries(): string | null {
  const root = "/usr/lib/postgresql";
  const found = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const bins = found.map((version) => join(root, version, "bin"));
  return (
    bins.find((bin) => existsSync(join(bin, "pg_basebackup")) && existsSync(join(bin, "postgres"))) ?? null
  );
}

let dir: string;
let port: number;
let account: { uid: number; gid: number } | null;
let blocks: Map<string, { language: string; text: string }[]>;
const running = new Set<string>();

beforeAll(async () => {
  if (BIN === null) return;
  dir = await mkdtemp(join(tmpdir(), "vaultops-recovery-"));
  port = await freePort();
  account = await serverAccount();
  blocks = blocksOf(await readFile(GUIDE, "utf8"));
  for (const name of ["archive", "backups", "data"]) {
    await mkdir(join(dir, name), { mode: 0o700 });
    if (account !== null) await chown(join(dir, name), account.uid, account.gid);
  }
  await chmod(dir, 0o755);
  await writeFile(join(dir, "vaultops"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(join(dir, "vaultops.yaml"), `data_dir: ${dir}/service\n`);
});
afterAll(async () => {
  if (BIN === null) return;
  for (const data of running) await asServer(`pg_ctl --pgdata="${data}" --mode=immediate stop`);
  await rm(dir, { recursive: true, force: true });
});

/** PostgreSQL does not run as root; the package brings its account. */
async function serverAccount(): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [, , uid, gid] = line!.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/** The guide's code by the heading that it stands under. */
function blocksOf(text: string) {
  const found = new Map<string, { language: string; text: string }[]>();
  for (const part of text.split(/^## /m).slice(1)) {
    const heading = part.slice(0, part.indexOf("\n"));
    const code = [...part.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
    found.set(
      heading,
      code.map(([, language = "", body = ""]) => ({
        language,
        text: body.replaceAll("/backups/archive", `${dir}/archive`),
      })),
    );
  }
  return found;
}

function commands(heading: string): string[] {
  const found = (blocks.get(heading) ?? [])
    .filter(({ language }) => language === "sh")
    .map(({ text }) => text);
  expect(found, heading).not.toEqual([]);
  return found;
}

const superuserUrl = () => `postgres://postgres@127.0.0.1:${port}/vaultops`;
const urlAs = (role: string) => `postgres://${role}:secret@127.0.0.1:${port}/vaultops`;
let moment = "";

interface Ran {
  code: number;
  output: string;
}

function run(script: string, as: { uid: number; gid: number } | null): Promise<Ran> {
  const env = {
    ...bareEnvironment,
    PATH: `${dir}:${BIN}:${process.env.PATH}`,
    SUPERUSER_URL: superuserUrl(),
    BACKUPS: `${dir}/backups`,
    DATA_DIR: `${dir}/service`,
    KEYS: `${dir}/keys.tgz`,
    NOTE: `${dir}/note`,
    RESTORED: `${dir}/data/restored`,
    MOMENT: moment,
    CONFIG: `${dir}/vaultops.yaml`,
    VAULTOPS_DATABASE__URL: urlAs("vaultops_app"),
    VAULTOPS_DATABASE__OWNER_URL: urlAs("vaultops_owner"),
  };
  return new Promise((resolve) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    const child = execFile("/bin/sh", ["-euc", script], { env, cwd: dir, ...as }, done);
    child.stdin?.end();
  });
}

async function asServer(script: string): Promise<void> {
  const { code, output } = await run(script, account);
  expect([code, output], script).toEqual([0, expect.anything()]);
}

async function asOperator(script: string): Promise<void> {
  const { code, output } = await run(script, null);
  expect([code, output], script).toEqual([0, expect.anything()]);
}

async function startPrimary(): Promise<void> {
  const data = `${dir}/data/primary`;
  await asServer(`initdb --pgdata="${data}" --username=postgres --auth=trust --no-sync`);
  const [archiving] = (blocks.get("Archive") ?? []).filter(({ language }) => language === "ini");
  await appendFile(
    `${data}/postgresql.conf`,
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nfsync = off\n${archiving!.text}`,
  );
  await asServer(`pg_ctl --pgdata="${data}" --log="${dir}/data/log" --wait start`);
  running.add(data);
  await execute(`postgres://postgres@127.0.0.1:${port}/postgres`, [
    "create role vaultops_owner login password 'secret'",
    "create role vaultops_app login password 'secret'",
    "create database vaultops owner vaultops_owner",
  ]);
}

async function execute(url: string, statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let last: pg.QueryResult | null = null;
  for (const statement of statements) last = await client.query(statement);
  await client.end();
  return last!;
}

let count = 0;
async function write(db: Database, entries: number): Promise<void> {
  const made = Array.from({ length: entries }, () => chainEntry(count++));
  await db.transaction((tx) => record(tx, made));
}

it.skipIf(BIN === null)(
  `the guide's commands bring a database back to a moment, and say which entries it lacks${BIN === null ? " (skipped: no PostgreSQL of Debian's is installed)" : ""}`,
  async () => {
    await startPrimary();
    await migrate({ ownerUrl: urlAs("vaultops_owner"), appUrl: urlAs("vaultops_app"), log: silentLogger() });
    const db = await openDatabase({ url: urlAs("vaultops_app") });
    const checkpoints = createCheckpoints({
      db,
      folder: `${dir}/service/audit`,
      origin: "vaultops.test/audit",
      log: silentLogger(),
    });
    await write(db, 100);
    const early = (await checkpoints.sign()).note;
    const [baseBackup, keys] = commands("A base backup, and the keys") as [string, string];
    await asServer(baseBackup);
    await asOperator(keys);

    await write(db, 50);
    await sleep(50);
    moment = (await execute(superuserUrl(), ["select clock_timestamp()::text as now"])).rows[0].now;
    await sleep(50);
    await write(db, 30);
    await checkpoints.sign();
    for (const command of commands("A checkpoint, kept elsewhere")) await asOperator(command);
    const { rows } = await execute(superuserUrl(), ["select pg_walfile_name(pg_switch_wal()) as name"]);
    while (!existsSync(`${dir}/archive/${rows[0].name}`)) await sleep(50);
    await db.close();
    await asServer(`pg_ctl --pgdata="${dir}/data/primary" --mode=immediate stop`);
    running.clear();

    for (const command of commands("Back to a moment")) await asServer(command);
    running.add(`${dir}/data/restored`);
    while ((await execute(superuserUrl(), ["select pg_is_in_recovery() as is_on"])).rows[0].is_on)
      await sleep(50);
    const [verify] = commands("What a restore lacks") as [string];
    const lacking = await run(verify, null);
    const [, printed] = blocks.get("What a restore lacks")!;
    for (const line of printed!.text.trim().split("\n")) expect(lacking.output).toContain(line);
    expect(lacking.code).toBe(1);

    await writeFile(`${dir}/note`, early);
    expect(await run(verify, null)).toMatchObject({
      code: 0,
      output: expect.stringContaining("OK: all 100 entries of the checkpoint are there; 50 came after it."),
    });
  },
);
