import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addSecretKey, openSecretBox, SecretBoxError } from "./secret-box.ts";

const KEY_A = Buffer.alloc(32, 1).toString("base64");
const KEY_B = Buffer.alloc(32, 2).toString("base64");
const SECRET = "xoxb-planted-secret 🔑";

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "vaultops-secrets-"));
  file = join(dir, "keys", "secrets");
});
afterEach(() => rmSync(dir, { recursive: true }));

test("what is sealed opens for its own context alone, and shows nothing of its content", () => {
  const box = openSecretBox({ keys: KEY_A, file });
  const sealed = box.seal(SECRET, "row 1");
  expect(box.open(sealed, "row 1")).toBe(SECRET);
  expect(box.open(box.seal("", "row 1"), "row 1")).toBe("");
  expect(() => box.open(sealed, "row 2")).toThrow(SecretBoxError);
  expect(sealed).not.toContain("planted");
  expect(box.seal(SECRET, "row 1")).not.toBe(sealed);
});

test("no bit of a sealed value can be changed, and no part of it left out", () => {
  const box = openSecretBox({ keys: KEY_A, file });
  const sealed = box.seal(SECRET, "row");
  const [version, id, content] = sealed.split(".") as [string, string, string];
  const bytes = Buffer.from(content, "base64url");
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    expect(() => box.open(`${version}.${id}.${changed.toString("base64url")}`, "row")).toThrow(
      SecretBoxError,
    );
  }
  for (const length of [0, 1, 12, 27, 28, bytes.length - 1]) {
    const cut = bytes.subarray(0, length).toString("base64url");
    expect(() => box.open(`${version}.${id}.${cut}`, "row")).toThrow(SecretBoxError);
  }
  for (const text of ["", "v1", `v2.${id}.${content}`, `v1.000000000000.${content}`, SECRET])
    expect(() => box.open(text, "row")).toThrow(SecretBoxError);
});

test("the first of the configured keys seals and every one opens", () => {
  const old = openSecretBox({ keys: KEY_A, file }).seal(SECRET, "row");
  const both = openSecretBox({ keys: `${KEY_B}, ${KEY_A}`, file });
  expect(both.open(old, "row")).toBe(SECRET);
  expect([both.isCurrent(old), both.isCurrent(both.seal(SECRET, "row"))]).toEqual([false, true]);
  expect(() => openSecretBox({ keys: KEY_B, file }).open(old, "row")).toThrow(SecretBoxError);
});

test("a first key is made where none is configured, readable by its owner alone, and found again", () => {
  const first = openSecretBox({ keys: null, file });
  expect(first.isNew).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const sealed = first.seal(SECRET, "row");
  const again = openSecretBox({ keys: null, file });
  expect([again.isNew, again.open(sealed, "row")]).toEqual([false, SECRET]);
});

test("a key added to the file seals in a process that runs already, and the last one still opens", async () => {
  const running = openSecretBox({ keys: null, file });
  const old = running.seal(SECRET, "row");
  const ids = await addSecretKey(file, async () => false);
  expect(ids).toHaveLength(2);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const fresh = running.seal(SECRET, "row");
  expect([running.isCurrent(old), running.isCurrent(fresh)]).toEqual([false, true]);
  expect([running.open(old, "row"), running.open(fresh, "row")]).toEqual([SECRET, SECRET]);
});

test("a key older than the last is kept exactly while something is sealed under it", async () => {
  openSecretBox({ keys: null, file });
  await addSecretKey(file, async () => false);
  const [second, first] = (await addSecretKey(file, async () => true)).slice(1);
  expect(first).toBeDefined();
  const ids = await addSecretKey(file, async (id) => id === first);
  expect(ids).toHaveLength(3);
  expect(ids).not.toContain(second);
  expect(ids).toContain(first);
});

test("a damaged ring stops the start, and the error names the place but nothing of its content", () => {
  const message = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return (error as Error).message;
    }
    return "nothing was thrown";
  };
  const configured = message(() => openSecretBox({ keys: "c2hvcnQ=", file }));
  expect(configured).toContain("secrets.keys");
  expect(configured).not.toContain("c2hvcnQ=");
  openSecretBox({ keys: null, file });
  const good = readFileSync(file, "utf8");
  writeFileSync(file, `${good}half-a-key\n`);
  const damaged = message(() => openSecretBox({ keys: null, file }));
  expect(damaged).toContain(file);
  expect(damaged).not.toContain("half-a-key");
});
