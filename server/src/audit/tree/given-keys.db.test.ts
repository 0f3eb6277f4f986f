// Signing keys that the configuration gives: several processes sign by the same ones, each with a folder of its own.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCheckpoint, readVerifier } from "@vaultops/proof";
import { beforeAll, expect, test } from "vitest";
import { chainEntry } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { silentLogger } from "../../platform/log.ts";
import { record } from "../append/record.ts";
import { createCheckpoints } from "./checkpoint.ts";
import { SigningKeyMissing } from "./keys.ts";
import { readSigner, writeSigner } from "./signer.ts";

const [FIRST, SECOND] = [1, 2].map(() => writeSigner("vaultops.test/audit", randomBytes(32))) as [
  string,
  string,
];
const vkeyOf = (key: string) => readSigner(key).vkey;

let database: TestDatabase;
let base: string;
let given: string;
let entries = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  base = await mkdtemp(join(tmpdir(), "vaultops-given-keys-"));
  return async () => {
    await database.drop();
    await rm(base, { recursive: true });
  };
});

/** What a process of its own has, with a folder of its own. */
const processOf = (name: string) =>
  createCheckpoints({
    db: database.db,
    folder: join(base, name),
    signingKeys: () => given,
    origin: "vaultops.test/audit",
    log: silentLogger(),
  });
const write = () => database.db.transaction((tx) => record(tx, [chainEntry(entries++)]));
const signedBy = async (note: string, ...keys: string[]) =>
  (
    await openCheckpoint(
      note,
      keys.map((key) => readVerifier(vkeyOf(key))),
    )
  ).signedBy.map(({ vkey }) => vkey);

test("the first given key signs from the first start on, in every process, and none is made in a folder", async () => {
  given = `${FIRST}${SECOND}`;
  await write();
  expect(await signedBy((await processOf("a").sign()).note, FIRST)).toEqual([vkeyOf(FIRST)]);
  await write();
  expect(await signedBy((await processOf("b").sign()).note, FIRST)).toEqual([vkeyOf(FIRST)]);
  expect((await processOf("a").keys()).map(({ vkey }) => vkey)).toEqual([vkeyOf(FIRST)]);
  expect((await readdir(join(base, "b"))).filter((name) => name.startsWith("signing-key"))).toEqual([]);
});

test("rotate-key goes on to the first that never signed, and says so where there is none", async () => {
  await write();
  expect((await processOf("a").rotateKey()).vkey).toBe(vkeyOf(SECOND));
  await write();
  expect(await signedBy((await processOf("b").sign()).note, SECOND)).toEqual([vkeyOf(SECOND)]);
  await expect(processOf("a").rotateKey()).rejects.toThrow(/never signed|has not signed yet/);
});

test("a process that lacks the key does not sign, and names the key and no secret", async () => {
  given = FIRST;
  await write();
  const error = await processOf("c")
    .sign()
    .catch((caught: Error) => caught);
  expect(error).toBeInstanceOf(SigningKeyMissing);
  expect((error as Error).message).toContain(readSigner(SECOND).id);
  expect((error as Error).message).not.toContain("PRIVATE");
});
