// The registry of tokens: the task that keeps it, and its route, one block for each status code.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type Address, getAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { silentLogger } from "../../platform/log.ts";
import { tokensFeature } from "./feature.ts";
import { type RefreshParts, TokenRefresh } from "./refresh.ts";
import { type PriceAnswer, savePrices, type TokenId } from "./store.ts";

const [BASE, MAINNET] = [8453, 1];
const [USDC, WETH, MUTE] = [0xa1, 0xb2, 0xc3].map(testAddress) as [Address, Address, Address];
const E18 = 10n ** 18n;
const NOW_MS = 1_770_000_000_000;

let database: TestDatabase;
let app: FastifyInstance;
let folder: string;
let nowMs = NOW_MS;
/** What the fake parts answer. */
let metadata: Map<Address, { symbol: string | null; name: string | null; decimals: number | null }>;
let answers: Map<Address, PriceAnswer>;
let reads: number;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "tokens-"));
  for (const chainId of [BASE, MAINNET]) await addChain(database.db, chainId);
  app = await buildTestApp({
    clock: { now: () => nowMs },
    features: [tokensFeature({ ...parts(), notifier: { listen() {} }, maxAgeMs: 0 })],
  });
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
  await database.drop();
});
beforeEach(async () => {
  await database.owner.pool.query("truncate tokens, token_prices, price_points; delete from vaults");
  nowMs = NOW_MS;
  reads = 0;
  metadata = new Map([
    [USDC, { symbol: "USDC", name: "USD Coin", decimals: 6 }],
    [WETH, { symbol: "WETH", name: "Wrapped Ether", decimals: 18 }],
    [MUTE, { symbol: null, name: null, decimals: null }],
  ]);
  answers = new Map<Address, PriceAnswer>([
    [USDC, { usdE18: E18, updatedAt: 1_769_999_990, source: "static" }],
    [WETH, { usdE18: 3100n * E18 + 5n, updatedAt: 1_769_999_990, source: "chainlink" }],
  ]);
});

function parts(given: Partial<RefreshParts> = {}): RefreshParts {
  return {
    db: database.db,
    clock: { now: () => nowMs },
    log: silentLogger(),
    readTokens: async (_chainId, addresses) => {
      reads += 1;
      return new Map(addresses.map((address) => [address, metadata.get(address)!]));
    },
    latestPrices: async (tokens: readonly TokenId[]) =>
      tokens.map(
        ({ address }) => answers.get(address) ?? { unavailable: "no price source covers this token" },
      ),
    tokenLists: [],
    fetchJson: () => Promise.reject(new Error("no network here")),
    ...given,
  };
}

/** A vault whose asset is the token (as addVault makes them: the vault's own address). */
async function hold(...tokens: Address[]): Promise<void> {
  for (const token of tokens) await addVault(database.db, BASE, token);
}

async function get(query = "", headers: Record<string, string> = {}) {
  const response = await app.inject({ method: "GET", url: `/api/v1/registry/token-assets${query}`, headers });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.body === "" ? null : JSON.parse(response.body),
  };
}

async function points(token: Address): Promise<number> {
  const { rows } = await database.db.pool.query<{ n: number }>(
    "select count(*)::int as n from price_points where address = $1",
    [token],
  );
  return rows[0]!.n;
}

describe("the task", () => {
  test("reads and prices a token as soon as a vault holds it, and reads it once", async () => {
    const refresh = new TokenRefresh(parts());
    await refresh.step();
    expect(reads).toBe(0);
    await hold(USDC);
    await refresh.step();
    await refresh.step();
    expect(reads).toBe(1);
    expect((await get()).body).toMatchObject([{ address: USDC, symbol: "USDC", price_usd: 1 }]);
  });

  test("takes from lists the logo, and names only where the contract is silent", async () => {
    const file = join(folder, "list.json");
    const entry = (address: Address, symbol: string) => ({
      chainId: BASE,
      address,
      symbol,
      name: symbol,
      decimals: 8,
      logoURI: "https://x.example/l.png",
    });
    await writeFile(
      file,
      JSON.stringify({ tokens: [entry(USDC, "FAKE"), entry(MUTE, "LISTED"), entry(MUTE, "SECOND")] }),
    );
    await hold(USDC, MUTE);
    await new TokenRefresh(parts({ tokenLists: ["https://unreachable.example/list.json", file] })).step();
    expect((await get()).body).toMatchObject([
      { address: USDC, symbol: "USDC", decimals: 6, logo_uri: "https://x.example/l.png" },
      { address: MUTE, symbol: "LISTED", name: "LISTED", decimals: 8, logo_uri: "https://x.example/l.png" },
    ]);
  });

  test("goes on when a node is out, and asks again", async () => {
    let isOut = true;
    const whole = parts();
    const refresh = new TokenRefresh({
      ...whole,
      readTokens: (...asked) => (isOut ? Promise.reject(new Error("out")) : whole.readTokens(...asked)),
    });
    await hold(USDC);
    await refresh.step();
    expect((await get()).body).toEqual([]);
    isOut = false;
    await refresh.step();
    expect((await get()).body).toHaveLength(1);
  });

  test("keeps a point of history every ten minutes, and none of what is no price", async () => {
    await hold(USDC, MUTE);
    await new TokenRefresh(parts()).step();
    const check = { validMs: 1000, pointEveryMs: 600_000, pointStandsMs: 7_200_000 };
    const price = (minutes: number, answer: PriceAnswer) =>
      savePrices(database.db, [{ chainId: BASE, address: USDC, answer }], {
        ...check,
        checkedAtMs: NOW_MS + minutes * 60_000,
      });
    expect([await points(USDC), await points(MUTE)]).toEqual([1, 0]);
    await price(9, answers.get(USDC)!);
    expect(await points(USDC)).toBe(1);
    await price(10, answers.get(USDC)!);
    await price(21, { unavailable: "none" });
    expect(await points(USDC)).toBe(2);
  });
});

describe("GET /api/v1/registry/token-assets", () => {
  const fill = async () => {
    await hold(WETH, USDC, MUTE);
    await new TokenRefresh(parts()).step();
  };

  test("200: every token by chain and address, with what is known of it", async () => {
    await fill();
    const { status, body, headers } = await get();
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("public, max-age=30");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(body).toEqual([
      {
        chain_id: BASE,
        address: USDC,
        symbol: "USDC",
        name: "USD Coin",
        decimals: 6,
        logo_uri: null,
        price_usd: 1,
        price_updated_at: "2026-02-02T02:39:50.000000Z",
        price_source: "static",
        price_unavailable_reason: null,
      },
      expect.objectContaining({ address: WETH, price_usd: 3100, price_source: "chainlink" }),
      {
        chain_id: BASE,
        address: MUTE,
        symbol: null,
        name: null,
        decimals: null,
        logo_uri: null,
        price_usd: null,
        price_updated_at: null,
        price_source: null,
        price_unavailable_reason: "no price source covers this token",
      },
    ]);
  });

  test("200: filters by chain and by addresses, in any case, repeated or comma-separated", async () => {
    await fill();
    const of = async (query: string) =>
      (await get(query)).body.map((token: { address: string }) => token.address);
    expect(await of(`?addresses=${USDC.toLowerCase()},${WETH}`)).toEqual([USDC, WETH]);
    expect(await of(`?addresses=${USDC}&addresses=${MUTE}`)).toEqual([USDC, MUTE]);
    expect(await of(`?chain_id=${BASE}&addresses=${getAddress(WETH)}`)).toEqual([WETH]);
    expect(await of(`?chain_id=${MAINNET}`)).toEqual([]);
    expect(await of(`?addresses=${testAddress(0xdead)}`)).toEqual([]);
  });

  test("200: a price that was not checked for too long is shown no more; a fixed one does not age", async () => {
    await fill();
    nowMs = NOW_MS + 86_400_000;
    expect((await get()).body).toMatchObject([
      { address: USDC, price_usd: 1 },
      { address: WETH, price_usd: null, price_source: null, price_unavailable_reason: "price_outdated" },
      { address: MUTE },
    ]);
  });

  test("304: with the entity tag of what the client has", async () => {
    await fill();
    const { etag } = (await get()).headers;
    expect(await get("", { "if-none-match": String(etag) })).toMatchObject({ status: 304, body: null });
  });

  test("400: an unknown parameter, an address that is none", async () => {
    expect((await get("?address=1")).body.code).toBe("invalid_request");
    expect((await get("?addresses=0x12")).body.code).toBe("invalid_address");
    expect((await get("?addresses=")).status).toBe(400);
    expect((await get("?chain_id=base")).status).toBe(400);
  });

  test("404: a chain that is not followed", async () => {
    expect(await get("?chain_id=5")).toMatchObject({ status: 404, body: { code: "chain_not_found" } });
  });
});
