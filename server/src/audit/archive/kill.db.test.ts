// The commands over an archive are killed at any moment, or their database restarts under them, while the service appends: each entry stays where it
// was or where it was going, whole, and who runs the command again gets what it is for. More often where VAULTOPS_FULL is set.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseCheckpoint } from "@vaultops/proof";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { type RestartablePostgres, startRestartablePostgres } from "../../../test/restartable-postgres.ts";
import { record } from "../append/record.ts";
import { verifyLog } from "../verify/log.ts";
import { readPage } from "./folder.ts";
import type { Asked } from "./test-command.ts";
import { verifyArchive } from "./verify.ts";

const ROUNDS = process.env.VAULTOPS_FULL === undefined ? 4 : 90;
const [PARTITION, SIZE] = [256, 2_560];
const base = await mkdtemp(join(tmpdir(), "vaultops-killed-"));
const folder = join(base, "archive");
let t: RestartablePostgres;
let original: Awaited<ReturnType<typeof partitionsOf>>;
/** Entries that the writer was told of as written. */
let written = 0;
let writing: Promise<void>;
let isDone = false;

/** Of each partition that was full at the start: whether it is archived, and a digest of its texts, in one snapshot. */
async function partitionsOf(): Promise<{ from: number; isArchived: boolean; digest: string }[]> {
  const { rows } = await t.owner.pool.query(
    `select from_seq::float8 as from, archived_at is not null as "isArchived", (
       select md5(string_agg(body, E'\\n' order by seq)) from audit_entries where seq >= from_seq and seq < to_seq) as digest
     from audit_partitions where to_seq <= $1 order by from_seq`,
    [SIZE + 1],
  );
  return rows;
}

/** As the service does, over every restart of the database. */
async function write(): Promise<void> {
  for (let n = SIZE; !isDone; ) {
    const entries = [chainEntry(n), chainEntry(n + 1)];
    const outcome = await t.db
      .transaction((tx) => record(tx, entries))
      .then(
        () => "written",
        // Told again after an answer that was lost.
        (error) => (error.code === "23505" ? "written" : "away"),
      );
    if (outcome === "written") [n, written] = [n + 2, written + 2];
    await sleep(outcome === "written" ? 2 : 50);
  }
}

beforeAll(async () => {
  t = await startRestartablePostgres();
  await t.db.pool.query("select audit_ensure_partitions($1)", [PARTITION]);
  for (let n = 0; n < SIZE; n += PARTITION) {
    const entries = Array.from({ length: PARTITION }, (_, i) => chainEntry(n + i));
    await t.db.transaction((tx) => record(tx, entries));
    await t.db.pool.query("select audit_ensure_partitions($1)", [PARTITION]);
  }
  original = await partitionsOf();
  expect(original.length).toBe(SIZE / PARTITION);
  writing = write();
});
afterAll(async () => {
  isDone = true;
  await writing;
  await t.drop();
  await rm(base, { recursive: true, force: true });
});

function start(command: Asked["command"]): ChildProcess {
  const asked: Asked = {
    command,
    url: t.url,
    ownerUrl: t.ownerUrl,
    keys: join(base, "keys"),
    folder,
    below: SIZE + 1,
    entriesPerFile: PARTITION,
  };
  const program = join(import.meta.dirname, "test-command.ts");
  return spawn(process.execPath, [program, JSON.stringify(asked)], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Resolves with the exit code, null where it was killed, and how long it ran. */
async function run(
  command: Asked["command"],
  whileRunning: (child: ChildProcess) => Promise<unknown> = async () => {},
): Promise<{ code: number | null; tookMs: number; said: string }> {
  const child = start(command);
  let said = "";
  child.stderr!.on("data", (text) => {
    said += text;
  });
  const ended = once(child, "exit");
  await once(child.stdout!, "data");
  const startedAt = performance.now();
  await Promise.all([whileRunning(child), ended]);
  return { code: (await ended)[0], tookMs: performance.now() - startedAt, said };
}

/** Every text is in the database or in an archive that verifies from its folder, and the log is one. Gives how many partitions are archived. */
async function expectWhole(): Promise<number> {
  const check = await verifyLog({ pool: t.db.pool, folder: null });
  expect(check.failure).toBe(null);
  const now = await partitionsOf();
  const archived = now.filter(({ isArchived }) => isArchived).length;
  // What is archived is the log's beginning.
  expect(now.slice(archived)).toEqual(original.slice(archived));
  if (archived === 0) return 0;
  const page = (await readPage(folder))!;
  const { size } = await verifyArchive(folder, page, async (note) => parseCheckpoint(note));
  expect(size).toBeGreaterThanOrEqual(archived * PARTITION);
  return archived;
}

it(`${ROUNDS} times at any moment, and then to its end: nothing is lost`, async () => {
  expect(await run("detach")).toMatchObject({ code: 0 });
  expect(await expectWhole()).toBe(SIZE / PARTITION);
  const { code, tookMs } = await run("restore");
  expect(code).toBe(0);
  expect(await expectWhole()).toBe(0);
  await rm(folder, { recursive: true });

  const commands = ["archive", "detach", "restore"] as const;
  for (let round = 0; round < ROUNDS; round += 1) {
    const isRestarted = round % 3 === 2;
    // An archive is needed to restore from; and what is archived alone is restored.
    const command = round === 0 ? "archive" : commands[1 + (Math.floor(round / 2) % 2)]!;
    const atMs = Math.random() * tookMs * 1.2;
    const { code: ended } = await run(command, async (child) => {
      await sleep(atMs);
      if (isRestarted) await t.restart();
      else child.kill("SIGKILL");
    });
    const story = `${command} ${isRestarted ? "under a restart" : "killed"} after ${Math.round(atMs)} ms: ${ended}`;
    await expectWhole().catch((error) => {
      throw new Error(story, { cause: error });
    });
  }
  expect(await run("detach")).toMatchObject({ code: 0 });
  expect(await expectWhole()).toBe(SIZE / PARTITION);
  expect(await run("restore")).toMatchObject({ code: 0 });
  expect(await expectWhole()).toBe(0);
  isDone = true;
  await writing;
  const { rows } = await t.db.pool.query("select count(*)::int as n from audit_entries");
  expect(rows[0].n).toBe(SIZE + written);
});
