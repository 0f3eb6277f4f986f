// A database that was brought back from an older copy, measured against a checkpoint that was kept elsewhere. The whole drill, with a real
// point-in-time recovery, is test/recovery.db.test.ts.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { record } from "../../audit/append/record.ts";
import { createCheckpoints } from "../../audit/tree/checkpoint.ts";
import { readKeys } from "../../audit/tree/keys.ts";
import { silentLogger } from "../../platform/log.ts";
import { tellSinceCheckpoint } from "./since-checkpoint.ts";

const home = await mkdtemp(join(tmpdir(), "vaultops-since-"));
const made: TestDatabase[] = [];
afterAll(async () => {
  for (const each of made) await each.drop();
  await rm(home, { recursive: true, force: true });
});

/** A log of so many entries, and its checkpoint, signed by the key in a folder of its own. */
async function signedLog(count: number) {
  const folder = await mkdtemp(join(home, "audit-"));
  const t = await createTestDatabase();
  made.push(t);
  const entries = Array.from({ length: count }, (_, n) => chainEntry(n));
  await t.db.transaction((tx) => record(tx, entries));
  const origin = "vaultops.test/audit";
  const { note } = await createCheckpoints({ db: t.db, folder, origin, log: silentLogger() }).sign();
  return { t, note, folder };
}

async function compared(
  { db }: TestDatabase,
  text: string,
  { folder, ...options }: { folder: string; key?: string },
) {
  const lines: string[] = [];
  const note = join(home, "note");
  await writeFile(note, text);
  const print = (line: string) => void lines.push(line);
  const isWhole = await tellSinceCheckpoint({ db, keys: { folder }, note, print, ...options });
  return [isWhole, lines.join("\n")];
}

it("says that nothing is lacking where the log begins with what was signed", async () => {
  const { t, note, folder } = await signedLog(300);
  expect(await compared(t, note, { folder })).toEqual([
    true,
    "OK: all 300 entries of the checkpoint are there; 0 came after it.",
  ]);
  const more = Array.from({ length: 7 }, (_, n) => chainEntry(300 + n));
  await t.db.transaction((tx) => record(tx, more));
  expect(await compared(t, note, { folder })).toEqual([
    true,
    expect.stringMatching(/^OK: all 300 .* 7 came after it/),
  ]);
});

it("names the entries that an older log lacks, and sees through one that was continued", async () => {
  const { note, folder } = await signedLog(320);
  const [older, continued] = [await signedLog(300), await signedLog(400)];
  expect(await compared(older.t, note, { folder })).toEqual([
    false,
    expect.stringMatching(
      /^LACKING: entries 301 to 320 are missing.*\nThe database's own newest checkpoint covers 300/,
    ),
  ]);
  expect(await compared(continued.t, note, { folder })).toEqual([
    false,
    expect.stringMatching(/^FAILED: the first 320 entries are not those/),
  ]);
});

it("believes only what a key of this log has signed: the database's, the folder's, or one that is named", async () => {
  const { t, note, folder: elsewhere } = await signedLog(20);
  const { t: older, folder } = await signedLog(19);
  expect(await compared(older, note, { folder })).toEqual([
    false,
    expect.stringContaining("signed by no key of this log"),
  ]);
  const lines: string[] = [];
  const told = (line: string) => void lines.push(line);
  const key = join(home, "keys.txt");
  await writeFile(key, `${(await readKeys(t.db.kysely))[0]!.vkey}\n`);
  expect(await compared(older, note, { folder, key })).toEqual([
    false,
    expect.stringContaining("LACKING: entry 20 is missing"),
  ]);
  expect(await tellSinceCheckpoint({ db: t.db, keys: { folder: elsewhere }, note: home, print: told })).toBe(
    false,
  );
  expect(lines).toEqual([`FAILED: ${home} is a folder, and a checkpoint is a file.`]);
  expect(await compared(t, note.replace("\n20\n", "\n21\n"), { folder: elsewhere })).toEqual([
    false,
    expect.stringContaining("is no checkpoint"),
  ]);
});
