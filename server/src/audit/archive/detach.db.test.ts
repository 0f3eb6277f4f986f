// The texts of archived entries leave the database and come back, and what every reader of the log does over them in between.
import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { auditArchiveCommand, auditRestoreCommand } from "../../cli/audit/archive.ts";
import { systemClock } from "../../platform/clock.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { missingOf } from "../append/standing.ts";
import { countExport } from "../export/sql.ts";
import { readBetween, readById, readPage, readWalk } from "../read/query.ts";
import { createForwarder } from "../streams/forward.ts";
import { readStates } from "../streams/store.ts";
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

function archive(folder: string, options: Partial<Parameters<typeof auditArchiveCommand>[0]> = {}, of = t) {
  const keys = {
    db: of.db,
    folder: join(base, of === t ? "audit" : "other audit"),
    origin: "vaultops.test/audit",
    log: silentLogger(),
    print: () => {},
  };
  return auditArchiveCommand({
    keys,
    below: 601,
    to: folder,
    entriesPerFile: 200,
    ownerUrl: of.ownerUrl,
    streams: [],
    quorum: null,
    print: () => {},
    tell: () => {},
    signal: new AbortController().signal,
    ...options,
  });
}

function restore(folder: string, signal = new AbortController().signal) {
  return auditRestoreCommand({ ownerUrl: t.ownerUrl, folder, print: () => {}, tell: () => {}, signal });
}

const archived = async () =>
  (await t.db.pool.query("select count(*) from audit_partitions where archived_at is not null")).rows[0]
    .count;

/** A log of as many entries as the other's. */
let stranger: TestDatabase;

beforeAll(async () => {
  [t, stranger] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await t.db.pool.query("select audit_ensure_partitions(100)");
  const entries = (from: number) => Array.from({ length: 700 }, (_, n) => chainEntry(from + n));
  await t.db.transaction((tx) => record(tx, entries(0)));
  await stranger.db.transaction((tx) => record(tx, entries(10_000)));
  bytes = await bytesOf();
  root = await new TileReader(t.db.kysely).root(700);
});
afterAll(async () => {
  await Promise.all([t.drop(), stranger.drop()]);
  await rm(base, { recursive: true, force: true });
});

/** Changes one digit of one entry of a file, and packs it again. */
async function alter(path: string): Promise<void> {
  const lines = gunzipSync(await readFile(path))
    .toString()
    .split("\n");
  lines[150] = lines[150]!.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
  await writeFile(path, gzipSync(lines.join("\n")));
}
const FIRST = "entries-000000000001-000000000200.ndjson.gz";

describe("nothing is removed", () => {
  const refused = () => archive(folder).catch((error) => error.code);
  let folder: string;
  /** A whole archive, from which nothing was removed yet. */
  let whole: string;
  beforeAll(async () => {
    whole = join(base, "whole");
    expect(await archive(whole, { ownerUrl: null })).toBe(0);
  });

  it.each<[string, () => Promise<unknown>, unknown]>([
    ["where the disk is full", () => symlink("/dev/full", join(folder, `${FIRST}.new`)), "ENOSPC"],
    [
      "where the disk is full at the end",
      () => symlink("/dev/full", join(folder, "archive.json.new")),
      "ENOSPC",
    ],
    [
      "where there can be no such folder",
      async () => {
        await writeFile(join(base, "a file"), "");
        folder = join(base, "a file", "archive");
      },
      "ENOTDIR",
    ],
    [
      "where the folder has another log's archive",
      async () => {
        expect(await archive(folder, { ownerUrl: null }, stranger)).toBe(0);
      },
      1,
    ],
    [
      "where a file of the archive was altered",
      async () => {
        await cp(whole, folder, { recursive: true });
        await alter(join(folder, FIRST));
      },
      1,
    ],
    [
      "where a file of the archive was emptied",
      async () => {
        await cp(whole, folder, { recursive: true });
        await writeFile(join(folder, FIRST), "");
      },
      1,
    ],
    [
      "where the archive's page was cut",
      async () => {
        await cp(whole, folder, { recursive: true });
        await writeFile(join(folder, "archive.json"), "{");
      },
      1,
    ],
    [
      "where the archive's page names a file whose numbers do not follow",
      async () => {
        await cp(whole, folder, { recursive: true });
        const path = join(folder, "archive.json");
        const page = JSON.parse(await readFile(path, "utf8")) as { files: { name: string; first: number }[] };
        const second = page.files[1]!;
        const name = second.name.replace("201", "002");
        await rename(join(folder, second.name), join(folder, name));
        Object.assign(second, { name, first: 2 });
        await writeFile(path, JSON.stringify(page));
      },
      1,
    ],
  ])("%s", async (_, spoil, code) => {
    folder = await mkdtemp(join(base, "to-"));
    await spoil();
    expect(await refused()).toBe(code);
    expect(await archived()).toBe(0);
    expect((await bytesOf()) === bytes).toBe(true);
  });

  it("where the command is ended before", async () => {
    expect(await archive(to, { signal: AbortSignal.abort() })).toBe(130);
    expect([await archived(), await bytesOf()]).toEqual([0, bytes]);
  });

  it("of what a stream has not taken yet", async () => {
    await t.db.pool.query("insert into log_streams (name, taken_seq) values ('slow', 150), ('of before', 3)");
    const said: string[] = [];
    const print = (line: string) => void said.push(line);
    expect(await archive(to, { streams: ["slow", "that never began"], print })).toBe(0);
    expect(said).toContain("Entries after 150 stay whole: the stream slow has not taken them yet.");
    expect(await archived()).toBe(1);
  });
});

it("removes the texts of whole partitions within the archive", async () => {
  expect(await archive(to)).toBe(0);
  // The third partition, which all at once made wide, goes beyond the archive.
  expect(await archived()).toBe(2);
  expect((await bytesOf()).length).toBeLessThan(bytes.length);
});

it.each<[string, () => Promise<unknown>, unknown]>([
  [
    "a page counts them, keeps their places and leaves them out",
    async () => {
      const page = await readPage(t.db.kysely, { filter, order: "asc", limit: 250, offset: 0 });
      return [page.total, page.length, page.below, JSON.parse(`[${page.entries}]`).length];
    },
    [700, 250, 201, 50],
  ],
  [
    "a walk goes on after them",
    async () => {
      const { entries, total } = await readWalk(t.db.kysely, { filter, after: 0, limit: 2 });
      return [JSON.parse(`[${entries}]`)[0].seq, total];
    },
    ["201", 700],
  ],
  [
    "a stream goes on after them",
    async () =>
      (await readBetween(t.db.kysely, { filter, after: 0, upTo: 700, limit: 1 }))!.map(({ seq }) => seq),
    [201],
  ],
  [
    "an export counts what it holds",
    () => countExport(t.db.kysely, { filter, order: "asc", size: 700 }),
    500,
  ],
  [
    "an entry by its id is known to be archived",
    async () => {
      const { rows } = await t.db.pool.query(
        "select id from audit_entries where seq in (7, 207) order by seq",
      );
      return Promise.all(rows.map(async ({ id }) => (await readById(t.db.kysely, id))?.is_archived));
    },
    [true, false],
  ],
  ["the tree is the same", async () => (await new TileReader(t.db.kysely).root(700)).equals(root), true],
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
  [
    "a receiver of a new stream gets the others, from the first on",
    async () => streamed("new"),
    ["up to date", 201, 700, 500],
  ],
  [
    "a stream that had begun stops, and says what it lacks",
    async () => [
      await streamed("slow"),
      (await readStates(t.db.kysely, ["slow"])).map(({ trouble, message, taken_seq }) => [
        trouble,
        message,
        taken_seq,
      ]),
    ],
    [["stopped"], [["missing", "entries 151 to 200 are archived", 150]]],
  ],
  ["an archive elsewhere is not begun without them", () => archive(join(base, "other")), 1],
  ["the archive is added to", () => archive(to), 0],
])("over archived entries %s", async (_, read, expected) => {
  expect(await read()).toEqual(expected);
});

/** What a round sends: how it ended, the first and the last entry, and how many. */
async function streamed(name: string): Promise<unknown[]> {
  const receiver = await startReceiver();
  const egress = createEgress({ allowedNetworks: [], allowHttp: false });
  try {
    const parts = { db: t.db, request: egress.request, clock: systemClock, log: silentLogger() };
    const place = { name, type: "http_ndjson", url: receiver.url, token: () => null } as const;
    const outcome = await createForwarder(parts, place)(new AbortController().signal);
    const text = receiver.received.map(({ body }) => body.toString()).join("");
    const seqs = [...text.matchAll(/^.*"seq":"(\d+)"/gm)].map(([, seq]) => Number(seq));
    return seqs.length === 0 ? [outcome] : [outcome, seqs[0], seqs.at(-1), seqs.length];
  } finally {
    await egress.close();
    await receiver.close();
  }
}

describe("nothing is brought back", () => {
  it.each<[string, (folder: string) => Promise<unknown>]>([
    ["from another log's archive", (folder) => archive(folder, { ownerUrl: null }, stranger)],
    ["from a folder without an archive", async () => {}],
    [
      "from a file that was altered",
      async (folder) => {
        await cp(to, folder, { recursive: true });
        await alter(join(folder, FIRST));
      },
    ],
    [
      "from a file that was cut",
      async (folder) => {
        await cp(to, folder, { recursive: true });
        const bytes = await readFile(join(folder, FIRST));
        await writeFile(join(folder, FIRST), bytes.subarray(0, bytes.length >> 1));
      },
    ],
    [
      "where a file is missing",
      async (folder) => {
        await cp(to, folder, { recursive: true });
        await rm(join(folder, FIRST));
      },
    ],
    [
      "where the archive is shorter than what is archived",
      async (folder) => {
        expect(await archive(folder, { ownerUrl: null, entriesPerFile: 100, below: 101 }, stranger)).toBe(0);
      },
    ],
  ])("%s", async (_, make) => {
    const folder = await mkdtemp(join(base, "from-"));
    await make(folder);
    const was = await bytesOf();
    expect(await restore(folder)).toBe(1);
    expect(await archived()).toBe(2);
    expect((await bytesOf()) === was).toBe(true);
  });
});

it("of two commands at once one waits, and neither holds the log against the other", async () => {
  const codes = await Promise.all([
    restore(to).catch(() => 1),
    archive(to).catch(() => 1),
    restore(to).catch(() => 1),
  ]);
  expect(codes).toContain(0);
  expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
  expect(await archive(to)).toBe(0);
  expect(await archived()).toBe(2);
});

it("brings back the same bytes once, and nothing where it is ended before", async () => {
  expect(await restore(to, AbortSignal.abort())).toBe(130);
  expect(await archived()).toBe(2);
  expect(await restore(to)).toBe(0);
  expect([await archived(), await bytesOf()]).toEqual([0, bytes]);
  expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
  expect(await restore(to)).toBe(1);
});

it("a partition that is said to be archived, and is not, is told of by the check and brought back", async () => {
  await t.owner.pool.query("update audit_partitions set archived_at = now() where from_seq = 1");
  expect((await verifyLog({ pool: t.db.pool, folder: null })).archivedBelow).toBe(101);
  expect(await restore(to)).toBe(0);
  expect([await archived(), await bytesOf()]).toEqual([0, bytes]);
  expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
});
