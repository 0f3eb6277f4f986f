// What a process notes of itself, and what the others make of it.
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { silentLogger } from "../platform/log.ts";
import { createProcessNote, folderMark, type ProcessNote, type ProcessParts } from "./processes.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => database.db.pool.query("delete from processes"));

const noted = async () =>
  (await database.db.pool.query<{ roles: string[] }>("select roles from processes order by roles")).rows.map(
    ({ roles }) => roles,
  );

/** A process that has noted itself once. */
async function start(parts: Partial<ProcessParts> = {}): Promise<ProcessNote> {
  const note = createProcessNote({
    db: database.db,
    log: silentLogger(),
    roles: ["api", "indexer", "worker"],
    listens: () => ["127.0.0.1:9090"],
    checkpointsIn: async () => "its own folder",
    ...parts,
  });
  const stopping = new AbortController();
  const running = note.task.run(stopping.signal);
  stopping.abort();
  await running;
  return note;
}

test("one process needs no shared storage for its checkpoints", async () => {
  expect(await (await start()).condition()).toEqual({ state: "ok" });
});

test("of several, a worker whose checkpoints another does not see is degraded, and says what to set", async () => {
  const checkpointsIn = async () => "a shared folder";
  const worker = await start({ roles: ["worker"] });
  expect(await worker.condition()).toEqual({ state: "ok" });
  const api = await start({ roles: ["api"], checkpointsIn });
  expect(await worker.condition()).toMatchObject({
    state: "degraded",
    detail: expect.stringContaining("audit.checkpoint_file"),
  });
  expect(await api.condition()).toEqual({ state: "ok" });
});

test("one that has ended, in order or not, counts no more", async () => {
  const [, ended, last] = [await start(), await start(), await start()];
  await ended.close();
  await database.db.pool.query("update processes set seen_at = now() - interval '2 minutes'");
  expect(await last.condition()).toEqual({ state: "ok" });
  await start({ checkpointsIn: async () => "another" });
  expect(await noted()).toHaveLength(1);
  expect((await last.condition()).state).toBe("degraded");
});

test("a folder is the same under another path, and another one is not", async () => {
  const dir = await mkdtemp(join(tmpdir(), "vaultops-folders-"));
  await mkdir(join(dir, "one"));
  await mkdir(join(dir, "two"));
  await symlink(join(dir, "one"), join(dir, "mounted"));
  const [one, two, mounted, absent] = await Promise.all(
    ["one", "two", "mounted", "absent"].map((name) => folderMark(join(dir, name))),
  );
  expect([one === mounted, one === two, one === absent]).toEqual([true, false, false]);
  await rm(dir, { recursive: true });
});
