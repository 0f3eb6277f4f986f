// The texts of archived entries leave the database and come back, and what every reader of the log does over them in between.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { auditArchiveCommand, auditRestoreCommand } from "../../cli/audit/archive.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { missingOf } from "../append/standing.ts";
import { countExport } from "../export/sql.ts";
import { readBetween, readById, readPage, readWalk } from "../read/query.ts";
import { TileReader } from "../tree/tiles.ts";
import { verifyLog } from "../verify/log.ts";

const base = await mkdtemp(join(tmpdir(), "vaultops-detach-"));
const to = join(base, "archive");
let t: TestDatabase;
let bytes: string;
let root: Buffer;
const filter = {
  branches: [{ places: "all", actor: null }],
  actions: null,
  from: null,
  to: null,
  timeField: "timestamp",
} as const;
const bytesOf = async () =>
  (await t.owner.pool.query("select string_agg(body, '' order by seq) as all from audit_entries")).rows[0]
    .all;

function archive(folder: string, signal = new AbortController().signal) {
  const keys = {
    db: t.db,
    folder: join(base, "audit"),
    origin: "vaultops.test/audit",
    log: silentLogger(),
    print: () => {},
  };
  const options = { keys, below: 601, to: folder, entriesPerFile: 200, ownerUrl: t.ownerUrl, quorum: null };
  return auditArchiveCommand({ ...options, print: () => {}, tell: () => {}, signal });
}

function restore(folder: string, signal = new AbortController().signal) {
  return auditRestoreCommand({ ownerUrl: t.ownerUrl, folder, print: () => {}, tell: () => {}, signal });
}

const archived = async () =>
  (await t.db.pool.query("select count(*) from audit_partitions where archived_at is not null")).rows[0]
    .count;

beforeAll(async () => {
  t = await createTestDatabase();
  await t.db.pool.query("select audit_ensure_partitions(100)");
  const entries = Array.from({ length: 700 }, (_, n) => chainEntry(n));
  await t.db.transaction((tx) => record(tx, entries));
  bytes = await bytesOf();
  root = await new TileReader(t.db.pool).root(700);
});
afterAll(async () => {
  await t.drop();
  await rm(base, { recursive: true, force: true });
});

it("removes nothing where it is ended before, and the texts of whole partitions within the archive else", async () => {
  expect(await archive(to, AbortSignal.abort())).toBe(130);
  expect([await archived(), await bytesOf()]).toEqual([0, bytes]);
  expect(await archive(to)).toBe(0);
  // The third partition, which all at once made wide, goes beyond the archive.
  expect(await archived()).toBe(2);
  expect((await bytesOf()).length).toBeLessThan(bytes.length);
});

it.each<[string, () => Promise<unknown>, unknown]>([
  [
    "a page counts them, keeps their places and leaves them out",
    async () => {
      const page = await readPage(t.db.pool, { filter, order: "asc", limit: 250, offset: 0 });
      return [page.total, page.length, page.below, JSON.parse(`[${page.entries}]`).length];
    },
    [700, 250, 201, 50],
  ],
  [
    "a walk goes on after them",
    async () => {
      const { entries, total } = await readWalk(t.db.pool, { filter, after: 0, limit: 2 });
      return [JSON.parse(`[${entries}]`)[0].seq, total];
    },
    ["201", 700],
  ],
  [
    "a stream goes on after them",
    async () =>
      (await readBetween(t.db.pool, { filter, after: 0, upTo: 700, limit: 1 }))!.map(({ seq }) => seq),
    [201],
  ],
  ["an export counts what it holds", () => countExport(t.db.pool, { filter, order: "asc", size: 700 }), 500],
  [
    "an entry by its id is known to be archived",
    async () => {
      const { rows } = await t.db.pool.query(
        "select id from audit_entries where seq in (7, 207) order by seq",
      );
      return Promise.all(rows.map(async ({ id }) => (await readById(t.db.pool, id))?.is_archived));
    },
    [true, false],
  ],
  ["the tree is the same", async () => (await new TileReader(t.db.pool).root(700)).equals(root), true],
  [
    "the log verifies, and says what was not looked at",
    async () => {
      const { failure, archivedBelow } = await verifyLog({ pool: t.db.pool, folder: null });
      return [failure, archivedBelow];
    },
    [null, 201],
  ],
  [
    "an operation is not recorded again",
    () => t.db.transaction((tx) => record(tx, [chainEntry(5)])).catch((error) => error.code),
    "23505",
  ],
  [
    "an operation that is told again is not missing",
    () => t.db.transaction(async (tx) => (await missingOf(tx, [chainEntry(5), chainEntry(9000)])).length),
    1,
  ],
  ["an archive elsewhere is not begun without them", () => archive(join(base, "other")), 1],
  ["the archive is added to", () => archive(to), 0],
])("over archived entries %s", async (_, read, expected) => {
  expect(await read()).toEqual(expected);
});

it("brings back the same bytes once, and nothing where it is ended before", async () => {
  expect(await restore(to, AbortSignal.abort())).toBe(130);
  expect(await archived()).toBe(2);
  expect(await restore(to)).toBe(0);
  expect([await archived(), await bytesOf()]).toEqual([0, bytes]);
  expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
  expect(await restore(to)).toBe(1);
});
