// A database that was brought back from an older copy is never signed over: nothing is signed, nothing that was kept is overwritten, and
// the service says so.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseCheckpoint, verifyCheckpoint } from "@vaultops/proof";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { auditAcknowledgeRollbackCommand } from "../../cli/audit/audit.ts";
import { auditCondition, noteSigning } from "../../features/alerts/judge/system-notes.ts";
import { silentLogger } from "../../platform/log.ts";
import { type CheckpointParts, createCheckpoints } from "../tree/checkpoint.ts";
import { keepLatest, LATEST_FILE } from "../tree/kept-notes.ts";
import { SigningRefused } from "../tree/standing.ts";
import { verifyLog } from "../verify/log.ts";
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

describe("a rollback that is acknowledged", () => {
  it("goes on under another name, beside a running service, with an entry that says what was lost", async () => {
    const { older } = await signedAndOlder();
    await write(older, 150);
    const running = checkpointsOf(older);
    await expect(running.sign()).rejects.toThrow(SigningRefused);
    const lost = await readFile(join(folder, LATEST_FILE), "utf8");
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const parts = { db: older.db, folder, file, origin: "vaultops.test/audit", log: silentLogger(), print };
    expect(await auditAcknowledgeRollbackCommand({ ...parts, reason: "the disk burnt" })).toBe(0);
    expect(lines.join("\n")).toContain("vaultops.test/audit-r2");

    const { body } = (await older.db.pool.query("select body from audit_entries where seq = 151")).rows[0];
    expect(JSON.parse(body)).toMatchObject({
      action_type: "audit_rollback_acknowledge",
      details: {
        reason: "the disk burnt",
        log_size: 150,
        signed_size: 200,
        signed_root: lost.split("\n")[2],
        signed_as: "vaultops.test/audit",
        continued_as: "vaultops.test/audit-r2",
      },
    });
    await write(older, 60);
    const { note, size } = await running.sign();
    const keys = await running.keys();
    expect([size, keys.length, parseCheckpoint(note).origin]).toEqual([211, 2, "vaultops.test/audit-r2"]);
    expect(keys.map(({ vkey }) => vkey.split("+")[2])).toEqual(Array(2).fill(keys[0]!.vkey.split("+")[2]));
    expect(await verifyCheckpoint(note, [keys[1]!.vkey])).toMatchObject({ size: 211 });
    expect(await verifyLog({ pool: older.db.pool, folder })).toMatchObject({ failure: null });
    // What was signed under the old name is still there for whoever asks.
    expect(await readFile(join(folder, "checkpoint-before-rollback-200"), "utf8")).toBe(lost);
    expect(await readFile(file, "utf8")).toContain(lost);
    expect((await running.rotateKey()).vkey).toContain("vaultops.test/audit-r2+");
  });

  it("may come again, and a database from before it is refused", async () => {
    const { older, signed } = await signedAndOlder();
    await write(older, 150);
    await checkpointsOf(older).acknowledgeRollback("once");
    await write(signed, 100);
    await expect(checkpointsOf(signed).sign()).rejects.toThrow(SigningRefused);
    const again = await checkpointsOf(signed).acknowledgeRollback("twice");
    expect(again.to).toBe("vaultops.test/audit-r3");
    expect((await checkpointsOf(signed).sign()).size).toBe(301);
  });

  it("is refused where nothing is lost, where the database contradicts itself, and where a note cannot be read", async () => {
    const { signed } = await signedAndOlder();
    await expect(checkpointsOf(signed).acknowledgeRollback("x")).rejects.toThrow(/nothing to acknowledge/);
    await signed.owner.pool.query(
      "insert into audit_checkpoints (size, root, note) select 9000, root, note from audit_checkpoints limit 1",
    );
    await expect(checkpointsOf(signed).acknowledgeRollback("x")).rejects.toThrow(/its own checkpoints/);
    await writeFile(join(folder, LATEST_FILE), "something else");
    await expect(checkpointsOf(signed).acknowledgeRollback("x")).rejects.toThrow(SigningRefused);
    expect((await signed.db.pool.query("select count(*)::int as n from audit_entries")).rows[0].n).toBe(200);
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
