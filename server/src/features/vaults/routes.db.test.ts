// The routes of vaults, one block for each status code of each, over real rows and the real guard.
import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { as, plainTokenGuard } from "../../../test/caller.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { ACTOR, readingOf, SyntheticChain, syntheticAddress } from "../../../test/synthetic-chain.ts";
import type { FactBody } from "../../chain/facts.ts";
import { silentLogger } from "../../platform/log.ts";
import { vaultsFeature } from "./feature.ts";
import { vaultsProjection } from "./project.ts";
import {
  ApyHistorySchema,
  OwnVaultsSchema,
  PpsHistorySchema,
  PublicVaultSchema,
  VaultRecordSchema,
} from "./schemas.ts";

const CHAIN = 8453;
const OTHER_CHAIN = 1;
const DAY = 86_400;
const T0 = 1_770_000_000;
const [RICH, POOR, UNPRICED, EMPTY, UNREAD] = [10, 11, 12, 13, 14].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const [USDC, WETH, STRANGE] = [1, 2, 3].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const [PRIMARY, NOBODY, MAINTAINER] = [50, 51, 52].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const HOSTILE = `"}],"x":'</script>\u2028`;

let database: TestDatabase;
let app: FastifyInstance;
let chain: SyntheticChain;
/** The service's clock, held by the tests. */
let nowMs = (T0 + 40 * DAY) * 1000;

beforeAll(async () => {
  database = await createTestDatabase();
  chain = new SyntheticChain(database.db, vaultsProjection, CHAIN);
  await chain.start();
  await new SyntheticChain(database.db, vaultsProjection, OTHER_CHAIN).start();
  await fill();
  app = await buildTestApp({
    clock: { now: () => nowMs },
    guard: plainTokenGuard(database.db, [MAINTAINER]),
    features: [
      vaultsFeature({
        db: database.db,
        clock: { now: () => nowMs },
        log: silentLogger(),
        notifier: { listen() {} },
        maxAgeMs: 0,
      }),
    ],
  });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

/** Forty days of a vault whose price grows by 0.01 % a day, and vaults at the edges of what is known. */
async function fill(): Promise<void> {
  const { pool } = database.db;
  const price = (vault: `0x${string}`, pps: bigint) => ({
    vault,
    body: { kind: "pps_updated", pps, timestamp: 0n } as FactBody,
  });
  const mint = (vault: `0x${string}`, shares: bigint) => ({
    vault,
    body: { kind: "shares_minted", to: ACTOR, shares } as FactBody,
  });
  const createdAt = chain.block(1, T0);
  await chain.apply([createdAt]);
  await chain.addVault({
    address: RICH,
    asset: WETH,
    assetDecimals: 18,
    shareDecimals: 18,
    name: HOSTILE,
    createdBlock: 1,
  });
  await chain.addVault({ address: POOR, asset: USDC });
  await chain.addVault({ address: UNPRICED, asset: STRANGE, assetDecimals: 8, family: "erc4626" });
  await chain.addVault({ address: EMPTY, asset: USDC, family: "erc4626", name: null, symbol: null });
  await chain.addVault({ address: UNREAD, asset: USDC });
  const whole = 10n ** 18n;
  await chain.apply(
    Array.from({ length: 41 }, (_, day) =>
      chain.block(10 + day, T0 + day * DAY, [
        ...(day === 0 ? [mint(RICH, 2n * whole)] : []),
        price(RICH, whole + (whole * BigInt(day)) / 10_000n),
      ]),
    ),
  );
  const rich = readingOf({
    pps: whole + (whole * 40n) / 10_000n,
    ppsDecimals: 18,
    totalAssets: 2_008_000_000_000_000_000n,
    totalSupply: 2n * whole,
    escrowedAssets: 5n,
    freeAssets: 2n ** 200n,
    isPaused: true,
    lastPpsUpdate: T0 + 40 * DAY,
    ppsExpirationSeconds: DAY,
    maxStalenessSeconds: 300,
    minUpdateIntervalSeconds: 60,
    isPpsStaleFlag: false,
    hwmPps: whole,
    fees: { performanceFeeBps: 1000n, managementFeeBps: 0n, recipient: NOBODY },
    managers: { primary: PRIMARY, secondary: [NOBODY] },
    upkeep: { balance: 3n, requiredBalance: 10n, token: USDC },
    merkle: { root: "0x01", proposedRoot: "0x02", effectiveAt: T0, isVetoed: false },
    yieldSources: [{ address: NOBODY, oracle: ACTOR, allocationAssets: 7n }],
    pendingChanges: [
      { kind: "pps_expiration", current: "86400", proposed: "3600", proposer: null, effectiveAt: T0 },
    ],
  });
  await chain.apply([
    chain.block(
      60,
      T0 + 40 * DAY + 10,
      [
        { vault: RICH, body: { kind: "vault_paused", account: NOBODY } },
        { vault: RICH, body: { kind: "yield_source_added", source: NOBODY, oracle: ACTOR } },
        {
          vault: RICH,
          body: {
            kind: "pps_expiration_proposed",
            currentProposedThreshold: 0n,
            ppsExpiration: 3600n,
            effectiveTime: BigInt(T0),
          },
        },
        {
          vault: RICH,
          body: {
            kind: "fee_config_proposed",
            performanceFeeBps: 1500n,
            managementFeeBps: 10n,
            recipient: NOBODY,
            effectiveTime: BigInt(T0 + 50 * DAY),
          },
        },
        {
          vault: RICH,
          body: {
            kind: "redeem_requested",
            controller: ACTOR,
            owner: ACTOR,
            requestId: 0n,
            sender: ACTOR,
            shares: 9n,
          },
        },
      ],
      [
        [RICH, rich],
        [
          POOR,
          readingOf({
            pps: 1_000_000n,
            totalAssets: 1_000_000n,
            totalSupply: 1_000_000n,
            isPaused: false,
            lastPpsUpdate: T0 + 39 * DAY,
            ppsExpirationSeconds: DAY,
            isPpsStaleFlag: true,
            upkeep: { balance: 11n, requiredBalance: 10n, token: null },
          }),
        ],
        [
          UNPRICED,
          readingOf({ pps: 100_000_000n, ppsDecimals: 8, totalAssets: 2n ** 255n, totalSupply: 1n }),
        ],
        [EMPTY, readingOf({ totalAssets: 0n, totalSupply: 0n, isPaused: false })],
      ],
    ),
  ]);
  await chain.confirm(55);
  await pool.query(
    "insert into tokens (chain_id, address, symbol, decimals) values ($1, $2, 'USDC', 6), ($1, $3, 'WETH', 18), ($1, $4, null, null)",
    [CHAIN, USDC, WETH, STRANGE],
  );
  await pool.query(
    `insert into token_prices (chain_id, address, price_usd_e18, source, priced_at, unavailable_reason, checked_at, valid_until) values
      ($1, $2, 1e18, 'static', now(), null, now(), null),
      ($1, $3, 3100e18, 'chainlink', now(), null, now(), to_timestamp($5)),
      ($1, $4, null, null, null, 'no price source covers this token', now(), null)`,
    [CHAIN, USDC, WETH, STRANGE, T0 + 100 * DAY],
  );
  await pool.query(
    `insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
     values ($1, $2, to_timestamp($3), to_timestamp($3 + 7200), 3000e18, 'chainlink')`,
    [CHAIN, WETH, T0 + 3 * DAY - 60],
  );
  await pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', 1), ($1, $4, $3, 'secondary_manager', 1)`,
    [CHAIN, RICH, PRIMARY, POOR],
  );
}

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await app.inject({ method: "GET", url, headers });
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: json(response.body),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
function json(text: string): any {
  return text === "" ? null : JSON.parse(text);
}

/** The documented shape, with nothing missing and nothing undocumented. */
function expectShape(schema: TSchema, value: unknown): void {
  const errors = [...Value.Errors(closed(schema), value)].map((error) => JSON.stringify(error));
  expect(errors).toEqual([]);
}

function closed(schema: TSchema): TSchema {
  return JSON.parse(
    JSON.stringify(schema, (_key, part) =>
      part?.type === "object" && part.properties ? { ...part, additionalProperties: false } : part,
    ),
  );
}

async function expectNotModified(url: string, headers: Record<string, string> = {}): Promise<void> {
  const first = await get(url, headers);
  expect(first.status).toBe(200);
  const again = await get(url, { ...headers, "if-none-match": `"x", ${first.headers.etag}` });
  expect(again.status).toBe(304);
  expect(again.text).toBe("");
  expect(again.headers.etag).toBe(first.headers.etag);
}

describe("GET /api/v1/public/vaults", () => {
  const URL = "/api/v1/public/vaults";

  test("200: every deployment, the largest value first, unknown ones last, then by address", async () => {
    const { status, body, headers } = await get(URL);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["cache-control"]).toBe("public, max-age=5");
    expect(headers["access-control-allow-origin"]).toBe("*");
    const unknown = [UNPRICED, UNREAD].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    expect(body.map((vault: { vault_address: string }) => vault.vault_address)).toEqual([
      RICH,
      POOR,
      EMPTY,
      ...unknown,
    ]);
    for (const vault of body) expectShape(PublicVaultSchema, vault);
  });

  test("200: an entry holds exact values, and null with a reason for what is not known", async () => {
    const { body } = await get(URL);
    const by = (address: string) =>
      body.find((vault: { vault_address: string }) => vault.vault_address === address);
    expect(by(RICH)).toEqual({
      vault_id: `${CHAIN}:${RICH}`,
      vault_address: RICH,
      chain_id: CHAIN,
      family: "supervault",
      name: HOSTILE,
      symbol: "V",
      vault_share_decimals: 18,
      underlying_asset_address: WETH,
      underlying_asset_symbol: "WETH",
      underlying_asset_decimals: 18,
      tvl: "2008000000000000000",
      tvl_usd: 6224.8,
      tvl_usd_unavailable_reason: null,
      apy: 0.0370617,
      apy_1d: 0.03705042,
      apy_7d: 0.0370617,
      apy_30d: 0.03710502,
      apy_inception: 0.03712389,
      pps: "1004000000000000000",
      is_paused: true,
      created_at: "2026-02-02T02:40:00.000000Z",
      updated_at: "2026-03-14T02:40:10.000000Z",
      unavailable_reasons: {},
    });
    expect(by(UNPRICED)).toMatchObject({
      tvl: (2n ** 255n).toString(),
      tvl_usd: null,
      tvl_usd_unavailable_reason: "no price source covers this token",
      apy_7d: null,
      apy_inception: null,
      is_paused: null,
      created_at: null,
      unavailable_reasons: { apy_7d: "history_too_short", apy_inception: "history_too_short" },
    });
    expect(by(EMPTY)).toMatchObject({
      name: null,
      symbol: null,
      tvl: "0",
      tvl_usd: 0,
      pps: null,
      apy: null,
      unavailable_reasons: { pps: "no_supply", apy_1d: "no_pps" },
    });
    expect(by(UNREAD)).toMatchObject({
      tvl: null,
      tvl_usd: null,
      tvl_usd_unavailable_reason: "not_read_yet",
      pps: null,
      is_paused: null,
      updated_at: null,
      unavailable_reasons: { tvl: "not_read_yet", pps: "not_read_yet" },
    });
  });

  test("200: chain_id filters", async () => {
    expect((await get(`${URL}?chain_id=${CHAIN}`)).body).toHaveLength(5);
    expect((await get(`${URL}?chain_id=${OTHER_CHAIN}`)).body).toEqual([]);
  });

  test("200: a price that was not checked for too long is no price", async () => {
    const before = nowMs;
    nowMs = (T0 + 100 * DAY) * 1000;
    const { body } = await get(URL);
    nowMs = before;
    const rich = body.find((vault: { vault_address: string }) => vault.vault_address === RICH);
    expect(rich).toMatchObject({ tvl_usd: null, tvl_usd_unavailable_reason: "price_outdated" });
  });

  test("304: with the entity tag of what the client has", () => expectNotModified(URL));

  test("400: an unknown parameter, a chain id that is none", async () => {
    for (const query of ["chainid=1", "chain_id=0", "chain_id=x", "chain_id=", "chain_id=1&chain_id=1"]) {
      expect(await get(`${URL}?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    }
  });

  test("404: a chain that is not followed", async () => {
    expect(await get(`${URL}?chain_id=5`)).toMatchObject({ status: 404, body: { code: "chain_not_found" } });
  });
});

describe("GET /api/v1/vaults", () => {
  const URL = "/api/v1/vaults";

  test("200: the caller's vaults in short", async () => {
    const { status, body, headers } = await get(URL, as(PRIMARY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expectShape(OwnVaultsSchema, body);
    expect(body.vaults).toHaveLength(2);
    expect(body.vaults).toContainEqual({
      vault_id: `${CHAIN}:${RICH}`,
      vault_address: RICH,
      chain_id: CHAIN,
      role: "primary_manager",
      name: HOSTILE,
      symbol: "V",
      is_paused: true,
      is_pps_stale: false,
      remaining_staleness_time: DAY - 10,
    });
    expect(body.vaults).toContainEqual(
      expect.objectContaining({
        vault_address: POOR,
        role: "secondary_manager",
        is_pps_stale: true,
        remaining_staleness_time: 0,
      }),
    );
  });

  test("200: whole records with fields=state, equal to each vault's own", async () => {
    const { body } = await get(`${URL}?fields=state`, as(PRIMARY));
    for (const vault of body.vaults) {
      expectShape(VaultRecordSchema, vault);
      expect(vault).toEqual((await get(`${URL}/${CHAIN}/${vault.vault_address}`, as(PRIMARY))).body);
    }
    expect(body.vaults).toHaveLength(2);
  });

  test("200: nothing for a wallet without a role, all for a registry maintainer", async () => {
    expect((await get(URL, as(NOBODY))).body).toEqual({ vaults: [] });
    const all = (await get(URL, as(MAINTAINER))).body.vaults;
    expect(all).toHaveLength(5);
    expect(all[0].role).toBeNull();
    expect((await get(`${URL}?chain_id=${OTHER_CHAIN}`, as(PRIMARY))).body).toEqual({ vaults: [] });
  });

  test("304: while nothing but the countdown has changed", async () => {
    await expectNotModified(URL, as(PRIMARY));
    const { etag } = (await get(URL, as(PRIMARY))).headers;
    nowMs += 60_000;
    const later = await get(URL, { ...as(PRIMARY), "if-none-match": String(etag) });
    nowMs -= 60_000;
    expect(later.status).toBe(304);
    expect((await get(`${URL}?fields=state`, { ...as(PRIMARY), "if-none-match": String(etag) })).status).toBe(
      200,
    );
  });

  test("400: an unknown value of fields", async () => {
    expect((await get(`${URL}?fields=all`, as(PRIMARY))).status).toBe(400);
  });

  test("401: without a token", async () => {
    const { status, headers, body } = await get(URL);
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toContain("Bearer");
    expect(body.code).toBe("invalid_token");
  });

  test("404: a chain that is not followed", async () => {
    expect((await get(`${URL}?chain_id=5`, as(PRIMARY))).body.code).toBe("chain_not_found");
  });
});

describe("GET /api/v1/vaults/{chain_id}/{address}", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}`;

  test("200: every field, exact", async () => {
    const { status, body, headers } = await get(URL, as(PRIMARY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expect(headers.etag).toMatch(/^W\/"/);
    expectShape(VaultRecordSchema, body);
    expect(body).toMatchObject({
      strategy_address: null,
      escrow_address: null,
      role: "primary_manager",
      current_pps: "1004000000000000000",
      pps_decimals: 18,
      last_pps_update_timestamp: "2026-03-14T02:40:00.000000Z",
      pps_expires_at: "2026-03-15T02:40:00.000000Z",
      pps_expiration_seconds: 86_400,
      max_staleness_seconds: 300,
      min_update_interval_seconds: 60,
      remaining_staleness_time: 86_390,
      is_pps_stale: false,
      hwm_pps: "1000000000000000000",
      reported_pps: null,
      is_paused: true,
      is_paused_since: "2026-03-14T02:40:10.000000Z",
      emergency_exit: { is_armed: false, since: null, by: null },
      total_assets: "2008000000000000000",
      total_supply: "2000000000000000000",
      escrowed_assets: "5",
      free_assets: (2n ** 200n).toString(),
      fee_config: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: NOBODY },
      managers: { primary: PRIMARY, secondary: [NOBODY] },
      upkeep_info: { balance: "3", token: USDC, threshold: { required_balance: "10", shortfall: "7" } },
      activation: { is_active: false, status: "insufficient_upkeep" },
      merkle: {
        root: "0x01",
        proposed_root: "0x02",
        effective_at: "2026-02-02T02:40:00.000000Z",
        is_vetoed: false,
      },
      yield_sources: [
        { address: NOBODY, oracle: ACTOR, added_at: "2026-03-14T02:40:10.000000Z", allocation_assets: "7" },
      ],
      pending_changes: [
        {
          kind: "pps_expiration",
          current: "86400",
          proposed: "3600",
          proposer: ACTOR,
          effective_at: "2026-02-02T02:40:00.000000Z",
        },
        {
          kind: "fee_config",
          current: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: NOBODY },
          proposed: { performance_fee_bps: 1500, management_fee_bps: 10, recipient: NOBODY },
          proposer: ACTOR,
          effective_at: "2026-03-24T02:40:00.000000Z",
        },
      ],
      pending_redeems: { count: 1, shares: "9" },
      as_of: { block_number: 60, block_timestamp: "2026-03-14T02:40:10.000000Z", confirmed: false },
    });
  });

  test("200: for a wallet without a role on it, with role null, and for a vault of which nothing was read", async () => {
    expect((await get(URL, as(NOBODY))).body.role).toBeNull();
    const { body } = await get(`/api/v1/vaults/${CHAIN}/${UNREAD.toLowerCase()}`, as(NOBODY));
    expectShape(VaultRecordSchema, body);
    expect(body).toMatchObject({
      vault_address: UNREAD,
      current_pps: null,
      pps_decimals: 6,
      remaining_staleness_time: null,
      is_pps_stale: false,
      managers: { primary: null, secondary: [] },
      upkeep_info: null,
      activation: null,
      fee_config: null,
      merkle: null,
      yield_sources: [],
      pending_changes: [],
      pending_redeems: { count: 0, shares: "0" },
      as_of: null,
    });
  });

  test("200: without a staleness rule the countdown is null; paid upkeep is an active vault", async () => {
    const plain = (await get(`/api/v1/vaults/${CHAIN}/${UNPRICED}`, as(NOBODY))).body;
    expect(plain).toMatchObject({
      remaining_staleness_time: null,
      is_pps_stale: false,
      pps_expires_at: null,
    });
    const paid = (await get(`/api/v1/vaults/${CHAIN}/${POOR}`, as(NOBODY))).body;
    expect(paid.activation).toEqual({ is_active: true, status: "active", reason: null });
    expect(paid.upkeep_info.threshold.shortfall).toBe("0");
  });

  test("200: the engine's reports are shown where there are any", async () => {
    const place = [CHAIN, POOR];
    await database.db.pool.query(
      `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values
        ($1, $2, 'pps', '{"value": "1000001", "at": "2026-03-14T00:00:00.000000Z"}', now()),
        ($1, $2, 'emergency_exit', '{"is_armed": true, "since": "2026-03-14T00:00:00.000000Z", "by": null}', now())`,
      place,
    );
    expect((await get(`/api/v1/vaults/${CHAIN}/${POOR}`, as(NOBODY))).body).toMatchObject({
      reported_pps: { value: "1000001", at: "2026-03-14T00:00:00.000000Z" },
      emergency_exit: { is_armed: true, since: "2026-03-14T00:00:00.000000Z", by: null },
    });
    await database.owner.pool.query(
      "delete from vault_reports where chain_id = $1 and vault_address = $2",
      place,
    );
  });

  test("200: as_of turns confirmed, and the entity tag with it", async () => {
    const before = await get(URL, as(PRIMARY));
    await chain.confirm(60);
    const after = await get(URL, { ...as(PRIMARY), "if-none-match": String(before.headers.etag) });
    await chain.confirm(55);
    expect(after.body.as_of.confirmed).toBe(true);
  });

  test("304: while only the countdown moves, for the same role", async () => {
    await expectNotModified(URL, as(PRIMARY));
    const { etag } = (await get(URL, as(PRIMARY))).headers;
    nowMs += 3_600_000;
    const later = await get(URL, { ...as(PRIMARY), "if-none-match": String(etag) });
    const whole = await get(URL, as(PRIMARY));
    nowMs -= 3_600_000;
    expect(later.status).toBe(304);
    expect(whole.body.remaining_staleness_time).toBe(DAY - 3600);
    expect((await get(URL, { ...as(NOBODY), "if-none-match": String(etag) })).status).toBe(200);
  });

  test("304 never across a change of is_pps_stale, at the very second", async () => {
    const start = nowMs;
    nowMs = (T0 + 41 * DAY) * 1000 - 1;
    const fresh = await get(URL, as(PRIMARY));
    expect(fresh.body).toMatchObject({ remaining_staleness_time: 1, is_pps_stale: false });
    nowMs += 1;
    const stale = await get(URL, { ...as(PRIMARY), "if-none-match": String(fresh.headers.etag) });
    expect(stale.status).toBe(200);
    expect(stale.body).toMatchObject({ remaining_staleness_time: 0, is_pps_stale: true });
    nowMs -= 1;
    const back = await get(URL, { ...as(PRIMARY), "if-none-match": String(stale.headers.etag) });
    nowMs = start;
    expect(back.status).toBe(200);
  });

  test("400: an address with a wrong checksum, a chain id that is none, a query parameter", async () => {
    const wrong = RICH.replace(/[a-f]/, (digit) => digit.toUpperCase());
    const mixed = wrong === RICH ? RICH.replace(/[A-F]/, (digit) => digit.toLowerCase()) : wrong;
    expect((await get(`/api/v1/vaults/${CHAIN}/${mixed}`, as(PRIMARY))).body.code).toBe("invalid_address");
    expect((await get(`/api/v1/vaults/0/${RICH}`, as(PRIMARY))).status).toBe(400);
    expect((await get(`${URL}?fields=state`, as(PRIMARY))).status).toBe(400);
  });

  test("401: without a token", async () => expect((await get(URL)).status).toBe(401));

  test("404: an unknown chain, an unknown vault", async () => {
    expect((await get(`/api/v1/vaults/5/${RICH}`, as(PRIMARY))).body.code).toBe("chain_not_found");
    expect((await get(`/api/v1/vaults/${OTHER_CHAIN}/${RICH}`, as(PRIMARY))).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("GET /api/v1/vaults/{chain_id}/{address}/pps", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}/pps`;

  test("200: every point, oldest first, with the value of its time", async () => {
    const { status, body, headers } = await get(URL, as(NOBODY));
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("private, no-cache");
    expectShape(PpsHistorySchema, body);
    expect(body.points).toHaveLength(41);
    expect(body.points[3]).toEqual({
      timestamp: "2026-02-05T02:40:00.000000Z",
      pps: "1000300000000000000",
      tvl: "2000600000000000000",
      tvl_usd: 6001.8,
      block_number: 13,
    });
    expect(body.points[4].tvl_usd).toBeNull();
    expect(body.next_cursor).toBeNull();
  });

  test("200: from is inclusive, to exclusive, and pages join without a gap or a repetition", async () => {
    const from = "2026-02-05T02:40:00Z";
    const bounded = await get(`${URL}?from_timestamp=${from}&to_timestamp=2026-02-07T02:40:00Z`, as(NOBODY));
    expect(bounded.body.points.map((point: { block_number: number }) => point.block_number)).toEqual([
      13, 14,
    ]);
    expect((await get(`${URL}?from_timestamp=${from}&to_timestamp=${from}`, as(NOBODY))).body.points).toEqual(
      [],
    );
    for (const interval of ["raw", "hour", "day"]) {
      const walked: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: { points: unknown[]; next_cursor: string | null } = (
          await get(`${URL}?limit=7&interval=${interval}${cursor && `&cursor=${cursor}`}`, as(NOBODY))
        ).body;
        expect(page.points.length).toBeLessThanOrEqual(7);
        walked.push(...page.points);
        cursor = page.next_cursor;
      }
      expect(walked).toEqual((await get(URL, as(NOBODY))).body.points);
    }
  });

  test("200: hour and day give the last point of each that has one", async () => {
    const other = `/api/v1/vaults/${CHAIN}/${POOR}`;
    const at = T0 + 41 * DAY;
    const price = (pps: bigint) => ({
      vault: POOR,
      body: { kind: "pps_updated", pps, timestamp: 0n } as FactBody,
    });
    const mint = { vault: POOR, body: { kind: "shares_minted", to: ACTOR, shares: 5n } as FactBody };
    await chain.apply([
      chain.block(70, at, [mint, price(1n), price(2n)]),
      chain.block(71, at, [price(3n)]),
      chain.block(72, at + 600, [price(4n)]),
      chain.block(73, at + 3 * 3600, [price(5n)]),
      chain.block(74, at + DAY, [price(6n)]),
    ]);
    const pps = async (interval: string) =>
      (await get(`${other}/pps?interval=${interval}`, as(NOBODY))).body.points.map(
        (point: { pps: string }) => point.pps,
      );
    expect(await pps("raw")).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(await pps("hour")).toEqual(["4", "5", "6"]);
    expect(await pps("day")).toEqual(["5", "6"]);
    await chain.undoAbove(60);
    expect(await pps("raw")).toEqual([]);
  });

  test("200: a fixed price values every point", async () => {
    const mint = { vault: POOR, body: { kind: "shares_minted", to: ACTOR, shares: 3_000_000n } as FactBody };
    const price = { vault: POOR, body: { kind: "pps_updated", pps: 1_500_000n, timestamp: 0n } as FactBody };
    await chain.apply([chain.block(70, T0 + 41 * DAY, [mint, price])]);
    const { body } = await get(`/api/v1/vaults/${CHAIN}/${POOR}/pps`, as(NOBODY));
    await chain.undoAbove(60);
    expect(body.points).toMatchObject([{ pps: "1500000", tvl: "4500000", tvl_usd: 4.5 }]);
  });

  test("304: with the entity tag of what the client has", () => expectNotModified(URL, as(NOBODY)));

  test("400: bad bounds, interval, limit and cursor", async () => {
    const queries: [string, string][] = [
      ["from_timestamp=yesterday", "invalid_timestamp"],
      ["from_timestamp=2026-02-02&to_timestamp=2026-02-01", "invalid_timestamp"],
      ["interval=week", "invalid_request"],
      ["limit=0", "invalid_request"],
      ["limit=5001", "invalid_request"],
      ["cursor=AAAA", "invalid_request"],
      [`cursor=${Buffer.from("2026-02-30T00:00:00.000000Z 1 1").toString("base64url")}`, "invalid_request"],
      ["cursor=", "invalid_request"],
      ["offset=1", "invalid_request"],
    ];
    for (const [query, code] of queries) {
      expect(await get(`${URL}?${query}`, as(NOBODY)), query).toMatchObject({ status: 400, body: { code } });
    }
  });

  test("401: without a token", async () => expect((await get(URL)).status).toBe(401));

  test("404: an unknown chain, an unknown vault", async () => {
    expect((await get(`/api/v1/vaults/5/${RICH}/pps`, as(NOBODY))).body.code).toBe("chain_not_found");
    expect((await get(`/api/v1/vaults/${CHAIN}/${NOBODY}/pps`, as(NOBODY))).body.code).toBe(
      "vault_not_found",
    );
  });
});

describe("GET /api/v1/vaults/{chain_id}/{address}/apy", () => {
  const URL = `/api/v1/vaults/${CHAIN}/${RICH}/apy`;

  test("200: the windows, what they came from, and the 7-day figure of each day", async () => {
    const { status, body } = await get(URL, as(NOBODY));
    expect(status).toBe(200);
    expectShape(ApyHistorySchema, body);
    expect(body.windows).toEqual({
      "1d": 0.03705042,
      "7d": 0.0370617,
      "30d": 0.03710502,
      inception: 0.03712389,
    });
    expect(body.window_details["7d"]).toEqual({
      from_timestamp: "2026-03-07T02:40:00.000000Z",
      to_timestamp: "2026-03-14T02:40:00.000000Z",
      from_pps: "1003300000000000000",
      to_pps: "1004000000000000000",
      seconds: 7 * DAY,
    });
    expect(body.points).toHaveLength(41);
    expect(body.points.slice(0, 7).every((point: { apy_7d: null }) => point.apy_7d === null)).toBe(true);
    expect(body.points[7]).toEqual({ timestamp: "2026-02-09T02:40:00.000000Z", apy_7d: 0.0371862 });
    expect(body.points.at(-1).apy_7d).toBe(body.windows["7d"]);
  });

  test("200: a loss of all supply ends a history; what follows begins anew", async () => {
    const reading = (pps: bigint | null) =>
      readingOf({ pps, totalAssets: pps === null ? 0n : 9n, totalSupply: pps === null ? 0n : 9n });
    const at = (n: number) => T0 + 41 * DAY + n * 5 * DAY;
    await chain.apply(
      [1_000_000n, 1_100_000n, null, 500_000n, 500_100n].map((pps, n) =>
        chain.block(80 + n, at(n), [], [[EMPTY, reading(pps)]]),
      ),
    );
    const { body } = await get(`/api/v1/vaults/${CHAIN}/${EMPTY}/apy`, as(NOBODY));
    const history = await get(`/api/v1/vaults/${CHAIN}/${EMPTY}/pps`, as(NOBODY));
    await chain.undoAbove(60);
    expect(body.windows["7d"]).toBeNull();
    expect(body.unavailable_reasons).toMatchObject({ "7d": "history_too_short", "30d": "history_too_short" });
    expect(body.window_details.inception).toMatchObject({ from_pps: "500000", seconds: 5 * DAY });
    expect(body.points.map((point: { apy_7d: number | null }) => point.apy_7d)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(history.body.points.map((point: { pps: string | null }) => point.pps)[2]).toBeNull();
  });

  test("304: with the entity tag of what the client has", () => expectNotModified(URL, as(NOBODY)));

  test("400: an interval that it does not have", async () => {
    expect((await get(`${URL}?interval=raw`, as(NOBODY))).status).toBe(400);
  });

  test("401: without a token", async () => expect((await get(URL)).status).toBe(401));

  test("404: an unknown vault", async () => {
    expect((await get(`/api/v1/vaults/${CHAIN}/${NOBODY}/apy`, as(NOBODY))).body.code).toBe(
      "vault_not_found",
    );
  });
});

test("a reorganisation takes back what its blocks had changed, in the next answer", async () => {
  const url = `/api/v1/vaults/${CHAIN}/${RICH}`;
  const before = await get(url, as(PRIMARY));
  await chain.apply([
    chain.block(
      61,
      T0 + 41 * DAY,
      [{ vault: RICH, body: { kind: "vault_unpaused", account: null } }],
      [[RICH, readingOf({ pps: 5n, totalAssets: 1n, totalSupply: 1n, isPaused: false })]],
    ),
  ]);
  const changed = (await get(url, as(PRIMARY))).body;
  expect(changed).toMatchObject({
    current_pps: "5",
    is_paused: false,
    is_paused_since: null,
    as_of: { block_number: 61 },
  });
  await chain.undoAbove(60);
  await chain.apply([chain.block(61, T0 + 40 * DAY + 12)]);
  const { remaining_staleness_time: _, ...after } = (await get(url, as(PRIMARY))).body;
  const { remaining_staleness_time: __, ...expected } = before.body;
  expect(after).toEqual(expected);
});
