// A database that was brought back from an older copy is never signed over: nothing is signed, nothing that was kept is overwritten, and
// the service says so.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { auditCondition, noteSigning } from "../../features/alerts/judge/system-notes.ts";
import { silentLogger } from "../../platform/log.ts";
import { type CheckpointParts, createCheckpoints, SigningRefused } from "../tree/checkpoint.ts";
import { keepLatest, LATEST_FILE } from "../tree/kept-notes.ts";
import { record } from "./record.ts";

const made: TestDatabase[] = [];
afterAll(async () => {
  for (const each of made) await each.drop();
  await rm(base, { recursive: true, force: true });
});
const base = await mkdtemp(join(tmpdir(), "vaultops-went-back-"));
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(base, "audit-"));
  file = `${folder}.txt`;
});

async function database(): Promise<TestDatabase> {
  const t = await createTestDatabase();
  made.push(t);
  return t;
}

const checkpointsOf = (t: TestDatabase, parts: Partial<CheckpointParts> = {}) =>
  createCheckpoints({
    db: t.db,
    folder,
    file,
    origin: "vaultops.test/audit",
    log: silentLogger(),
    ...parts,
  });

let operations = 0;
async function write(t: TestDatabase, count: number): Promise<void> {
  const entries = Array.from({ length: count }, () => chainEntry(operations++));
  await t.db.transaction((tx) => record(tx, entries));
}

/** A database of 200 signed entries, and one as an older copy of it is: it knows the key, and not what was signed. */
async function signedAndOlder(): Promise<{ signed: TestDatabase; older: TestDatabase }> {
  const [signed, older] = [await database(), await database()];
  await write(signed, 200);
  await checkpointsOf(signed).sign();
  const { rows } = await signed.db.pool.query("select vkey, from_size from audit_keys");
  for (const { vkey, from_size } of rows)
    await older.db.pool.query("insert into audit_keys (vkey, from_size) values ($1, $2)", [vkey, from_size]);
  return { signed, older };
}

const kept = async () => [await readFile(join(folder, LATEST_FILE), "utf8"), await readFile(file, "utf8")];
const count = async (t: TestDatabase) =>
  (await t.db.pool.query("select count(*)::int as n from audit_checkpoints")).rows[0].n;

describe("a database that is older than what was signed", () => {
  it.each([
    ["with fewer entries", 150],
    ["continued to the same number of entries", 200],
    ["continued beyond it", 300],
  ])("%s is not signed for, and what was kept stays", async (_, size) => {
    const { signed, older } = await signedAndOlder();
    await write(older, size);
    const before = await kept();
    for (const parts of [{}, { file: null }])
      await expect(checkpointsOf(older, parts).sign()).rejects.toThrow(SigningRefused);
    await expect(checkpointsOf(older).rotateKey()).rejects.toThrow(SigningRefused);
    expect(await kept()).toEqual(before);
    expect(await count(older)).toBe(0);

    // The database that was signed for goes on as if nothing had been.
    await write(signed, 10);
    expect((await checkpointsOf(signed).sign()).size).toBe(210);
  });

  it("is recognised by either file alone, and by a key that it does not know", async () => {
    const { older } = await signedAndOlder();
    await write(older, 150);
    await rm(join(folder, LATEST_FILE));
    await expect(checkpointsOf(older).sign()).rejects.toThrow(SigningRefused);

    const stranger = await database();
    await write(stranger, 150);
    await expect(checkpointsOf(stranger).sign()).rejects.toThrow(SigningRefused);
  });

  it("is recognised under a running service, which has read the tree before", async () => {
    const t = await database();
    await write(t, 600);
    const checkpoints = checkpointsOf(t);
    await checkpoints.sign();
    await t.owner.pool.query(`alter table audit_tiles disable trigger all;
      update audit_tiles set hashes = overlay(hashes placing '\\x0000000000000000' from 1 for 8), root = overlay(root placing '\\x0000000000000000' from 1 for 8) where level = 0 and index = 1;
      alter table audit_tiles enable trigger all`);
    await expect(checkpoints.sign()).rejects.toThrow(SigningRefused);
  });

  it("is told by /readyz and to the alerts, until it is signed again", async () => {
    const { signed, older } = await signedAndOlder();
    await write(older, 150);
    const told = new AbortController();
    let refusal: SigningRefused | null = null;
    const onRefusal = (given: SigningRefused | null) => {
      refusal = given;
      told.abort();
    };
    await checkpointsOf(older, { onRefusal }).task.run(told.signal);
    expect(refusal).toMatchObject({ signedSize: 200 });
    await noteSigning(older.db, refusal);
    const { state, detail } = await auditCondition(older.db);
    expect(state).toBe("degraded");
    expect(detail).toContain("200");
    expect(detail).not.toContain(folder);

    const signs = new AbortController();
    await checkpointsOf(signed, { onRefusal: () => signs.abort() }).task.run(signs.signal);
    await noteSigning(older.db, null);
    expect(await auditCondition(older.db)).toEqual({ state: "ok" });
  });
});

describe("what is kept outside", () => {
  it("that is no checkpoint is not overwritten either; an empty file, as a loss of power leaves it, is", async () => {
    const t = await database();
    await write(t, 5);
    await mkdir(folder, { recursive: true });
    const path = join(folder, LATEST_FILE);
    await writeFile(path, "something else");
    await expect(checkpointsOf(t).sign()).rejects.toThrow(SigningRefused);
    expect(await readFile(path, "utf8")).toBe("something else");
    await writeFile(path, "");
    expect((await checkpointsOf(t).sign()).size).toBe(5);
  });

  it("may be shared with other logs and hold torn lines", async () => {
    const [other, t] = [await database(), await database()];
    await write(other, 50);
    const elsewhere = await mkdtemp(join(base, "audit-"));
    await checkpointsOf(other, { folder: elsewhere }).sign();
    await writeFile(file, `${await readFile(file, "utf8")}vaultops.test/audit\n9`);
    await write(t, 5);
    expect((await checkpointsOf(t).sign()).size).toBe(5);
  });

  it("is the newest note, in whatever order processes hand theirs on, and no draft is left", async () => {
    const t = await database();
    const checkpoints = checkpointsOf(t);
    const notes: string[] = [];
    for (let n = 1; n <= 5; n += 1) {
      await write(t, 1);
      notes.push((await checkpoints.sign()).note);
    }
    await rm(join(folder, LATEST_FILE));
    for (const n of [3, 0, 4, 1]) await keepLatest(folder, notes[n]!);
    expect(await readFile(join(folder, LATEST_FILE), "utf8")).toBe(notes[4]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});
