import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { openIssuerKeys } from "../auth/issuer/keys.ts";
import { type Config, loadConfig, secretRingOf } from "../config/load.ts";
import { systemClock } from "../platform/clock.ts";
import { openSecretBox, sealedIn } from "../platform/secret-box.ts";
import { keysRotateCommand } from "./rotate-keys.ts";

const SECRET = "planted-secret";
const KEYS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64")) as [string, string];

let database: TestDatabase;
let dir: string;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-keys-"));
  await database.db.pool.query("delete from idempotency_keys");
});
afterEach(() => rm(dir, { recursive: true }));

function configOf(env: Record<string, string> = {}): Config {
  return loadConfig({ env: { VAULTOPS_DATA_DIR: dir, VAULTOPS_AUTH__EMBEDDED__ENABLED: "true", ...env } });
}

/** Puts a secret into the database, sealed under the ring's first key. Returns what reads it back. */
async function sealOne(config: Config): Promise<(config: Config) => Promise<string>> {
  const id = randomUUID();
  const context = sealedIn("idempotency_keys", "sealed_answer", id);
  await database.db.pool.query(
    "insert into idempotency_keys (id, wallet, route, key, sealed_answer, created_at) values ($1::uuid, 'w', 'r', 'k', $2, now())",
    [id, openSecretBox(secretRingOf(config)).seal(SECRET, context)],
  );
  return async (now) => {
    const { rows } = await database.db.pool.query(
      "select sealed_answer from idempotency_keys where id = $1",
      [id],
    );
    return openSecretBox(secretRingOf(now)).open(rows[0].sealed_answer, context);
  };
}

async function rotate(config: Config): Promise<string[]> {
  const lines: string[] = [];
  const code = await keysRotateCommand({ config, db: database.db, print: (line) => lines.push(line) });
  expect(code).toBe(0);
  expect(lines.join("\n")).not.toContain(SECRET);
  return lines;
}

test("a ring in the data folder gets a new key, everything is sealed under it, and the issuer signs with another", async () => {
  const config = configOf();
  const read = await sealOne(config);
  const before = await (await openIssuerKeys(join(dir, "identity"), systemClock)).jwks();
  const lines = await rotate(config);
  expect(await read(config)).toBe(SECRET);
  expect(lines.some((line) => line.startsWith("secrets: re-encrypted 1 value"))).toBe(true);
  const after = await (await openIssuerKeys(join(dir, "identity"), systemClock)).jwks();
  expect(after.keys[0]?.kid).not.toBe(before.keys[0]?.kid);
  expect(after.keys.map(({ kid }) => kid)).toContain(before.keys[0]?.kid);
  for (const word of ["secrets:", "identity provider:", "audit log:"])
    expect(lines.some((line) => line.startsWith(word))).toBe(true);
});

test("again and again it keeps everything readable, and gives up keys that nothing is sealed under", async () => {
  const config = configOf();
  const read = await sealOne(config);
  for (let round = 0; round < 4; round += 1) {
    await rotate(config);
    expect(await read(config)).toBe(SECRET);
  }
});

test("with keys of the configuration everything is sealed under the first, after which the older may go", async () => {
  const read = await sealOne(configOf({ VAULTOPS_SECRETS__KEYS: KEYS[0] }));
  await rotate(configOf({ VAULTOPS_SECRETS__KEYS: `${KEYS[1]},${KEYS[0]}` }));
  expect(await read(configOf({ VAULTOPS_SECRETS__KEYS: KEYS[1] }))).toBe(SECRET);
});
