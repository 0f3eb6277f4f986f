import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testAddress } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import {
  ingestTokenCreateCommand,
  ingestTokenListCommand,
  ingestTokenRevokeCommand,
} from "../cli/engine-token.ts";
import { createToken, createTokens } from "./tokens.ts";

let database: TestDatabase;
const out: string[] = [];
const told: string[] = [];
const print = (line: string) => void out.push(line);
const tell = (line: string) => void told.push(line);

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  out.length = 0;
  told.length = 0;
  await database.owner.pool.query("truncate ingest_tokens");
});

const create = (options: { source?: string; name?: string; chains?: string; vaults?: string } = {}) =>
  ingestTokenCreateCommand({ db: database.db, source: "/engine/main", print, tell, ...options });
const authenticate = (token: string, configured: Parameters<typeof createTokens>[1] = []) =>
  createTokens(database.db, configured).of(`Bearer ${token}`);

describe("ingest-token create", () => {
  test("prints the token alone on standard output, once; the database holds its hash alone", async () => {
    expect(await create({ chains: "1, 8453", vaults: `1:${testAddress(0xab).toLowerCase()}` })).toBe(0);
    const [token, ...rest] = out as [string];
    expect(rest).toEqual([]);
    expect(token).toMatch(/^vaultops_ingest_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/);
    expect(told.join()).not.toContain(token);
    const { rows } = await database.db.pool.query("select * from ingest_tokens");
    expect(rows).toHaveLength(1);
    expect(rows[0].token_sha256).toEqual(createHash("sha256").update(token).digest());
    expect(JSON.stringify(rows)).not.toContain(token.slice(-43));
    expect(await authenticate(token)).toMatchObject({
      source: "/engine/main",
      chains: new Set([1, 8453]),
      vaults: new Set([`1:${testAddress(0xab)}`]),
    });
  });

  test("says which option is wrong", async () => {
    await expect(create({ source: "" })).rejects.toThrow("--source");
    await expect(create({ chains: "1,x" })).rejects.toThrow("--chains contains x");
    await expect(create({ vaults: "0x1" })).rejects.toThrow("--vaults contains 0x1");
  });
});

describe("ingest-token list and revoke", () => {
  test("show every token with its scope and last use, and none of the tokens themselves", async () => {
    await create({ name: "keepers" });
    await create({ source: "/engine/b", chains: "1" });
    const [first] = out.splice(0) as [string];
    await authenticate(first);
    await ingestTokenListCommand({ db: database.db, print });
    expect(out).toHaveLength(3);
    expect(out[1]).toMatch(/^[0-9a-f]{12} {2}valid +\/engine\/main +keepers +every vault +\S+Z +\S+Z$/);
    expect(out[2]).toMatch(/\/engine\/b +\/engine\/b +chains 1 +\S+Z +never$/);
    expect(out.join()).not.toContain("vaultops_ingest_");
  });

  test("a revoked token is refused at once, and revoking tells when there is no such token", async () => {
    await create();
    const token = out[0] as string;
    const id = token.split("_")[2] as string;
    expect(await ingestTokenRevokeCommand({ db: database.db, id, tell })).toBe(0);
    await expect(authenticate(token)).rejects.toMatchObject({ code: "invalid_token" });
    expect(await ingestTokenRevokeCommand({ db: database.db, id, tell })).toBe(0);
    expect(await ingestTokenRevokeCommand({ db: database.db, id: "none", tell })).toBe(1);
    out.length = 0;
    await ingestTokenListCommand({ db: database.db, print });
    expect(out[1]).toContain("revoked");
  });
});

describe("tokens", () => {
  test("one of the configuration is known by its hash", async () => {
    const token_sha256 = createHash("sha256").update("any text").digest("hex");
    const configured = [{ source: "/engine/c", token_sha256, chains: [1], vaults: [] }];
    // RFC 6750 has no spaces in a token.
    await expect(authenticate("any text", configured)).rejects.toMatchObject({ code: "invalid_token" });
    const plain = [
      { ...configured[0]!, token_sha256: createHash("sha256").update("any-text").digest("hex") },
    ];
    expect(await authenticate("any-text", plain)).toMatchObject({
      source: "/engine/c",
      chains: new Set([1]),
    });
  });

  test("the right id with another secret is refused", async () => {
    const scope = { name: "x", source: "/x", chains: [], vaults: [] };
    const { token } = await createToken(database.db, scope);
    const other = await createToken(database.db, scope);
    await expect(authenticate(token.slice(0, 29) + other.token.slice(29))).rejects.toMatchObject({
      code: "invalid_token",
    });
  });
});
