// The operator's commands on a running log, as a year goes by: exported, the key rotated, exported again, all of it checked offline.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { record } from "../../audit/append/record.ts";
import type { Format } from "../../audit/export/sql.ts";
import { readKeys } from "../../audit/tree/keys.ts";
import { silentLogger } from "../../platform/log.ts";
import {
  auditExportCommand,
  auditRotateKeyCommand,
  auditVerifyFileCommand,
  auditVerifyLogCommand,
} from "./audit.ts";

let t: TestDatabase;
let home: string;
let n = 0;
const write = (count: number) =>
  t.db.transaction((tx) =>
    record(
      tx,
      Array.from({ length: count }, () => chainEntry(n++)),
    ),
  );

beforeAll(async () => {
  t = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), "vaultops-commands-"));
});
afterAll(async () => {
  await t.drop();
  await rm(home, { recursive: true, force: true });
});

const filter = {
  branches: [{ places: "all", actor: null }],
  actions: null,
  from: null,
  to: null,
  timeField: "timestamp",
} as const;

/** Writes an export to a file and returns its path. */
async function exported(name: string, format: Format, proofs: boolean): Promise<string> {
  const out = new PassThrough();
  const written = textOf(out);
  const log = { db: t.db, folder: join(home, "audit"), origin: "vaultops.test/audit", log: silentLogger() };
  const total = await auditExportCommand({ ...log, filter, order: "asc", format, proofs, out });
  expect(total).toBe(n);
  const file = join(home, name);
  await writeFile(file, await written);
  return file;
}

async function verify(file: string, key: string, checkpoint?: string) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  return { code: await auditVerifyFileCommand({ file, key, checkpoint, print }), lines };
}

async function keysFile(name: string, which: (keys: string[]) => string[]): Promise<string> {
  const keys = await readKeys(t.db.kysely);
  const file = join(home, name);
  await writeFile(file, `${which(keys.map(({ vkey }) => vkey)).join("\n")}\n`);
  return file;
}

it("what is exported verifies offline in every format, under the key of its time, after a rotation too", async () => {
  await write(300);
  const early = await exported("early.ndjson", "ndjson", true);
  const first = await keysFile("first.txt", (keys) => keys);
  const { checkpoint } = JSON.parse((await readFile(early, "utf8")).trimEnd().split("\n").at(-1)!);
  const note = join(home, "kept-checkpoint");
  await writeFile(note, checkpoint);
  expect(await verify(early, first)).toMatchObject({ code: 0 });

  await write(10);
  const printed: string[] = [];
  const rotation = {
    db: t.db,
    folder: join(home, "audit"),
    origin: "vaultops.test/audit",
    log: silentLogger(),
  };
  expect(await auditRotateKeyCommand({ ...rotation, print: (line) => printed.push(line) })).toBe(0);
  expect(await auditRotateKeyCommand({ ...rotation, isFinished: true, print: () => {} })).toBe(0);
  const second = await keysFile("second.txt", (keys) => keys.slice(1));
  expect(printed[0]).toContain((await readFile(second, "utf8")).trim());

  await write(50);
  const whole = await exported("whole.json", "json", false);
  const proven = await exported("proven.json", "json", true);
  const rows = await exported("rows.csv", "csv", false);
  for (const [file, depth] of [
    [whole, "the whole log against the signed root"],
    [proven, "every entry against the signed root by its own proof"],
  ] as const) {
    const { code, lines } = await verify(file, second);
    expect([code, lines.join("\n")]).toEqual([0, expect.stringContaining(depth)]);
    expect(lines[1]).toContain("signed by vaultops.test/audit");
    // The key that was replaced signs nothing any more.
    expect(await verify(file, first)).toMatchObject({ code: 1 });
  }
  const late = join(home, "late-checkpoint");
  await writeFile(late, JSON.parse(await readFile(whole, "utf8")).checkpoint);
  expect((await verify(rows, second, late)).lines[0]).toContain("the whole log");

  // A year later: the first file, the key that was kept with it, the checkpoint that was kept elsewhere.
  expect(await verify(early, first, note)).toMatchObject({ code: 0 });
  const print = (line: string) => void printed.push(line);
  expect(await auditVerifyLogCommand({ db: t.db, folder: join(home, "audit"), print })).toBe(0);
  expect(printed.at(-1)).toMatch(/^OK: 360 entries/);
});
