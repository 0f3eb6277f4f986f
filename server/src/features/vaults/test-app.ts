// Vaults to ask for, for tests of the vault routes: rows as ingestion would leave them, the app over them, and a clock that the
// tests hold. One vault has everything, others stand at the edges of what is known.
import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { expect } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { plainTokenGuard } from "../../../test/caller.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { ACTOR, readingOf, SyntheticChain, syntheticAddress } from "../../../test/synthetic-chain.ts";
import type { FactBody } from "../../chain/facts.ts";
import type { Database } from "../../platform/db/db.ts";
import { silentLogger } from "../../platform/log.ts";
import { vaultsFeature } from "./feature.ts";
import { vaultsProjection } from "./project.ts";

export const CHAIN = 8453;
export const OTHER_CHAIN = 1;
export const DAY = 86_400;
export const T0 = 1_770_000_000;
export const [RICH, POOR, UNPRICED, EMPTY, UNREAD] = [10, 11, 12, 13, 14].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
export const [USDC, WETH, STRANGE] = [1, 2, 3].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
export const [PRIMARY, NOBODY, MAINTAINER] = [50, 51, 52].map(syntheticAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
export const HOSTILE = `"}],"x":'</script>\u2028`;

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  body: any;
}

export interface VaultApp {
  database: TestDatabase;
  chain: SyntheticChain;
  /** What the service takes for now. */
  clock: { nowMs: number };
  get(url: string, headers?: Record<string, string>): Promise<Answer>;
  /** The answer is 304 to whoever names its entity tag among others. */
  expectNotModified(url: string, headers?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

export async function openVaultApp(): Promise<VaultApp> {
  const database = await createTestDatabase();
  const chain = new SyntheticChain(database.db, vaultsProjection, CHAIN);
  await chain.start();
  await new SyntheticChain(database.db, vaultsProjection, OTHER_CHAIN).start();
  await fill(chain, database.db.pool);
  const clock = { nowMs: (T0 + 40 * DAY) * 1000 };
  const held = { now: () => clock.nowMs };
  const app: FastifyInstance = await buildTestApp({
    clock: held,
    guard: plainTokenGuard(database.db, [MAINTAINER]),
    features: [
      vaultsFeature({
        publicUrl: "https://vaults.example",
        db: database.db,
        clock: held,
        log: silentLogger(),
        notifier: { listen() {} },
        maxAgeMs: 0,
      }),
    ],
  });
  const get = async (url: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await app.inject({ method: "GET", url, headers });
    const text = response.body;
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: text === "" ? null : JSON.parse(text),
    };
  };
  return {
    database,
    chain,
    clock,
    get,
    async expectNotModified(url, headers = {}) {
      const first = await get(url, headers);
      expect(first.status).toBe(200);
      const again = await get(url, { ...headers, "if-none-match": `"x", ${first.headers.etag}` });
      expect(again.status).toBe(304);
      expect(again.text).toBe("");
      expect(again.headers.etag).toBe(first.headers.etag);
    },
    async close() {
      await app.close();
      await database.drop();
    },
  };
}

/** The documented shape, with nothing missing and nothing undocumented. */
export function expectShape(schema: TSchema, value: unknown): void {
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

/** Forty days of a vault whose price grows by 0.01 % a day, and vaults at the edges of what is known. */
async function fill(chain: SyntheticChain, pool: Database["pool"]): Promise<void> {
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
    ppsE18: null,
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
    merkle: {
      root: "0x01",
      proposedRoot: "0x02",
      effectiveAt: T0,
      isVetoed: false,
      isGlobalRootVetoed: false,
    },
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
            currentExpiration: 86_400n,
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
  await pool.query(
    "insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted) select distinct wallet, chain_id, vault_address, true from vault_roles",
  );
}
