// Archives of a log: written, gone on with, killed in between, and every way in which one can be spoilt.
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { auditArchiveCommand } from "../../cli/audit/archive.ts";
import { auditVerifyFileCommand } from "../../cli/audit/audit.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { createCheckpoints } from "../tree/checkpoint.ts";
import { type ArchivePage, nameOf } from "./folder.ts";

const base = await mkdtemp(join(tmpdir(), "vaultops-archive-"));
let t: TestDatabase;
let keyFile: string;
/** 600 entries of 700, in three files. */
let whole: string;
let to: string;
const keysOf = () => ({
  db: t.db,
  folder: join(base, "audit"),
  origin: "vaultops.test/audit",
  log: silentLogger(),
  print: () => {},
});

async function archive(below: number, folder: string, signal = new AbortController().signal) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const options = {
    keys: keysOf(),
    below,
    to: folder,
    entriesPerFile: 200,
    ownerUrl: null,
    streams: [],
    quorum: null,
    signal,
  };
  return { code: await auditArchiveCommand({ ...options, print, tell: () => {} }), said: lines.join("\n") };
}

async function verify(folder: string) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  return {
    code: await auditVerifyFileCommand({ file: folder, key: keyFile, print }),
    said: lines.join("\n"),
  };
}

let operations = 0;
async function writeEntries(count: number): Promise<void> {
  const entries = Array.from({ length: count }, () => chainEntry(operations++));
  await t.db.transaction((tx) => record(tx, entries));
}

beforeAll(async () => {
  t = await createTestDatabase();
  await writeEntries(700);
  await createCheckpoints(keysOf()).sign();
  keyFile = join(base, "keys.txt");
  const { rows } = await t.db.pool.query("select vkey from audit_keys");
  await writeFile(keyFile, `${rows[0].vkey}\n`);
  whole = join(base, "whole");
  expect(await archive(10_000, whole)).toMatchObject({
    code: 0,
    said: expect.stringContaining("entries 1 to 600"),
  });
});
afterAll(async () => {
  await t.drop();
  await rm(base, { recursive: true, force: true });
});
beforeEach(async () => {
  to = await mkdtemp(join(base, "to-"));
});

describe("an archive", () => {
  it("holds whole files below a seq, under a checkpoint of the whole log, and verifies from itself alone", async () => {
    expect((await readdir(whole)).sort()).toEqual(
      ["archive.json", nameOf(1, 200), nameOf(201, 400), nameOf(401, 600)].sort(),
    );
    expect(await verify(whole)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/1 to 600 .* of 700 .*\n.*signature holds/),
    });
    expect(await archive(401, to)).toMatchObject({
      code: 0,
      said: expect.stringContaining("entries 1 to 400"),
    });
    expect(await archive(400, await mkdtemp(join(base, "to-")))).toMatchObject({
      said: expect.stringContaining("1 to 200"),
    });
    const lines = gunzipSync(await readFile(join(to, nameOf(201, 400))))
      .toString()
      .trimEnd()
      .split("\n");
    const { rows } = await t.db.pool.query(
      "select body from audit_entries where seq between 201 and 400 order by seq",
    );
    expect(lines).toEqual(rows.map(({ body }) => body));
  });

  it("is added to by a later run, under a later checkpoint, and never made shorter", async () => {
    await archive(401, to);
    expect(await archive(10_000, to)).toMatchObject({ code: 0, said: expect.stringContaining("1 to 600") });
    expect(await verify(to)).toMatchObject({ code: 0 });
    expect(await archive(401, to)).toMatchObject({ code: 1, said: expect.stringContaining("already") });
  });

  it("that was ended or killed in between is gone on with, by files that are whole", async () => {
    const ended = AbortSignal.abort();
    expect(await archive(10_000, to, ended)).toMatchObject({ code: 130 });
    expect((await readdir(to)).filter((name) => name.endsWith(".new"))).toEqual([]);
    // As killed after its first file, in the middle of its second.
    await cp(join(whole, nameOf(1, 200)), join(to, nameOf(1, 200)));
    await writeFile(join(to, `${nameOf(201, 400)}.new`), "torn");
    expect(await archive(10_000, to)).toMatchObject({ code: 0 });
    expect(await verify(to)).toMatchObject({ code: 0 });
    // A whole file of another log is not taken over.
    const foreign = await mkdtemp(join(base, "to-"));
    await cp(join(whole, nameOf(201, 400)), join(foreign, nameOf(1, 200)));
    expect(await archive(10_000, foreign)).toMatchObject({
      code: 1,
      said: expect.stringContaining("take it away"),
    });
  });

  const lines = (text: string) => text.trimEnd().split("\n");
  const change = (name: string, how: (lines: string[]) => string[]) => async () => {
    const path = join(to, name);
    const text = gunzipSync(await readFile(path)).toString();
    await writeFile(path, gzipSync(`${how(lines(text)).join("\n")}\n`));
  };
  const page = (how: (page: ArchivePage) => Partial<ArchivePage>) => async () => {
    const path = join(to, "archive.json");
    const value: ArchivePage = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...value, ...how(value) }));
  };
  const second = nameOf(201, 400);
  it.each<[string, () => Promise<unknown>]>([
    ["a file missing", () => rm(join(to, second))],
    ["a file missing from its page too", page(({ files }) => ({ files: files.toSpliced(1, 1) }))],
    [
      "its last file taken out, and its size lowered",
      page(({ files }) => ({ files: files.slice(0, -1), size: 400 })),
    ],
    ["a file doubled in its page", page(({ files }) => ({ files: files.toSpliced(1, 0, files[1]!) }))],
    ["files in another order", page(({ files }) => ({ files: files.toReversed() }))],
    ["one file in the place of another", () => cp(join(to, nameOf(1, 200)), join(to, second))],
    [
      "two files exchanged",
      async () => {
        await rename(join(to, second), join(to, "x"));
        await rename(join(to, nameOf(401, 600)), join(to, second));
        await rename(join(to, "x"), join(to, nameOf(401, 600)));
      },
    ],
    [
      "one digit changed",
      change(second, (all) =>
        all.with(
          7,
          all[7]!.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
        ),
      ),
    ],
    ["an entry taken out", change(second, (all) => all.toSpliced(7, 1))],
    ["an entry doubled", change(second, (all) => all.toSpliced(7, 0, all[7]!))],
    ["two entries exchanged", change(second, (all) => all.with(7, all[8]!).with(8, all[7]!))],
    ["one entry replaced by another", change(second, (all) => all.with(7, all[8]!))],
    ["an entry written with other spaces", change(second, (all) => all.with(7, all[7]!.replace(",", ", ")))],
    [
      "a byte of a file changed",
      async () => {
        const bytes = await readFile(join(to, second));
        bytes[bytes.length >> 1]! ^= 1;
        await writeFile(join(to, second), bytes);
      },
    ],
    [
      "a file cut in the middle",
      async () => {
        const bytes = await readFile(join(to, second));
        await writeFile(join(to, second), bytes.subarray(0, bytes.length >> 1));
      },
    ],
    ["a file emptied", () => writeFile(join(to, second), "")],
    ["something behind a file's last entry", change(second, (all) => [...all, "{}"])],
    ["its page missing", () => rm(join(to, "archive.json"))],
    [
      "its page cut",
      async () =>
        writeFile(join(to, "archive.json"), (await readFile(join(to, "archive.json"), "utf8")).slice(0, 99)),
    ],
    ["another size in its page", page(() => ({ size: 700 }))],
    [
      "a file outside of the folder",
      page(({ files }) => ({ files: files.with(1, { ...files[1]!, name: "../other.ndjson.gz" }) })),
    ],
    ["no proof", page(() => ({ consistency: [] }))],
    ["another proof", page(({ consistency }) => ({ consistency: consistency.toReversed() }))],
    [
      "another checkpoint's size",
      page(({ checkpoint }) => ({ checkpoint: checkpoint.replace("\n700\n", "\n701\n") })),
    ],
    ["no signature", page(({ checkpoint }) => ({ checkpoint: checkpoint.replace(/\u2014.*\n/, "") }))],
  ])("with %s does not verify", async (_, spoil) => {
    await cp(whole, to, { recursive: true });
    expect(await verify(to)).toMatchObject({ code: 0 });
    await spoil();
    expect(await verify(to)).toMatchObject({ code: 1, said: expect.stringMatching(/^FAILED: /) });
  });
});
