// Signing keys on disk: who may read them, which one signs, how long the others stay.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeProtectedHeader } from "jose";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeIssuerKey, openGivenIssuerKeys, openIssuerKeys, rotateIssuerKey } from "./keys.ts";

const HOUR_MS = 3_600_000;
let root: string;
let dir: string;
let nowMs: number;
const clock = { now: () => nowMs };

beforeEach(async () => {
  nowMs = Date.parse("2026-05-09T10:00:00Z");
  root = await mkdtemp(join(tmpdir(), "identity-"));
  dir = join(root, "data", "identity");
});
afterEach(() => rm(root, { recursive: true }));

const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const published = async (keys: { jwks(): Promise<{ keys: { kid?: string }[] }> }) =>
  (await keys.jwks()).keys.map(({ kid }) => kid);

test("the first start makes a key that only the service's user can read, later ones keep it", async () => {
  const first = await openIssuerKeys(dir, clock);
  expect(first.isNew).toBe(true);
  const [name = ""] = await readdir(dir);
  expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  const second = await openIssuerKeys(dir, clock);
  expect(second.isNew).toBe(false);
  expect(await second.jwks()).toEqual(await first.jwks());
});

test("no private part is published", async () => {
  const { keys } = await (await openIssuerKeys(dir, clock)).jwks();
  expect(keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "crv", "kid", "kty", "use", "x", "y"]]);
});

test("after a rotation the new key signs, without a restart, and the old one stays until its last token has run out", async () => {
  const keys = await openIssuerKeys(dir, clock);
  const [old] = await published(keys);
  nowMs += HOUR_MS;
  const fresh = await rotateIssuerKey(dir, clock);
  expect(kidOf(await keys.sign({}))).toBe(fresh);
  expect(await published(keys)).toEqual([fresh, old]);
  nowMs += 24 * HOUR_MS;
  expect(await published(keys)).toEqual([fresh, old]);
  nowMs += 301_000;
  expect(await published(keys)).toEqual([fresh]);
  await rotateIssuerKey(dir, clock);
  expect(await readdir(dir)).toHaveLength(2);
});

test("the newest key signs even where the clock was set back", async () => {
  const keys = await openIssuerKeys(dir, clock);
  nowMs -= HOUR_MS;
  const fresh = await rotateIssuerKey(dir, clock);
  expect(kidOf(await keys.sign({}))).toBe(fresh);
});

test("other files are left alone; a damaged key is named, and nothing of it is said", async () => {
  await openIssuerKeys(dir, clock);
  await writeFile(join(dir, "README.txt"), "hello");
  await writeFile(join(dir, ".half.tmp"), "{");
  await openIssuerKeys(dir, clock);
  const [name = ""] = (await readdir(dir)).filter((file) => file.endsWith(".json"));
  const text = await readFile(join(dir, name), "utf8");
  await writeFile(join(dir, name), text.slice(0, -10));
  const error = await openIssuerKeys(dir, clock).catch((caught: Error) => caught);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toContain(name);
  expect((error as Error).message).not.toContain(JSON.parse(text).jwk.d);
});

test("keys that are given sign in place of files, and a newer one takes over where it is added", async () => {
  const first = await makeIssuerKey(clock);
  nowMs += HOUR_MS;
  const second = await makeIssuerKey(clock);
  let given = first;
  const [one, other] = await Promise.all([1, 2].map(() => openGivenIssuerKeys(() => given, clock)));
  const [old] = await published(one!);
  expect(kidOf(await other!.sign({}))).toBe(old);
  given = `${first}${second}`;
  const fresh = kidOf(await one!.sign({}));
  expect(fresh).not.toBe(old);
  expect(await published(other!)).toEqual([fresh, old]);
  given = "{";
  await expect(one!.sign({})).rejects.toThrow("auth.embedded.keys is not a signing key");
});

test("the files of the folder are what the configuration takes, line by line", async () => {
  const files = await openIssuerKeys(dir, clock);
  nowMs += HOUR_MS;
  await rotateIssuerKey(dir, clock);
  const texts = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), "utf8")));
  const given = await openGivenIssuerKeys(() => texts.join(""), clock);
  expect(await given.jwks()).toEqual(await files.jwks());
});
