// The whole way, on a real node: contracts act, ingestion follows, and every field of a vault's record is what the contracts answer.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { type Address, type Hex, keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountAddress, addressOf } from "../../../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../../../demo/src/anvil.ts";
import { connectChain, type DemoChain, execute, now, passTime, read } from "../../../../demo/src/chain.ts";
import {
  createTrio,
  deployAggregator,
  deployAsyncVault,
  deployBytes32Token,
  deployErc4626Vault,
  deployNamelessToken,
  deployToken,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../demo/src/deploy.ts";
import {
  claimRedeem,
  depositAssets,
  fulfillRedeems,
  mintTokens,
  payUpkeep,
  pushPps,
  requestRedeem,
} from "../../../../demo/src/operate.ts";
import { buildTestApp } from "../../../test/app.ts";
import { as, plainTokenGuard } from "../../../test/caller.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { type RunningIngest, startIngest } from "../../../test/ingest.ts";
import { createChainClient } from "../../chain/client.ts";
import { readTokens } from "../../chain/tokens.ts";
import { systemClock } from "../../platform/clock.ts";
import { timestampOfSeconds } from "../../platform/http/time.ts";
import { silentLogger } from "../../platform/log.ts";
import { tokensFeature } from "../tokens/feature.ts";
import { TokenRefresh } from "../tokens/refresh.ts";
import { vaultsFeature } from "./feature.ts";

const CHAIN = 31_337;
const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const [ALICE, BOB] = [accountAddress(10), accountAddress(11)];
const UPKEEP_COST = 5n * 10n ** 18n;

let anvil: Anvil;
let chain: DemoChain;
let database: TestDatabase;
let ingest: RunningIngest;
let app: FastifyInstance;
let system: VaultSystem;
let trio: Trio;
let idle: Trio;
let plain: { vault: Address; asset: Address };
let queued: { vault: Address; asset: Address };
let source: Address;
let refresh: TokenRefresh;
const tokens: Record<"dollar" | "ether" | "coin" | "nameless", Address> = {} as never;
const client = () =>
  createChainClient({ chainId: CHAIN, name: "test", rpcUrls: [anvil.rpcUrl], log: silentLogger() });

beforeAll(async () => {
  database = await createTestDatabase();
  anvil = await startAnvil({ chainId: CHAIN });
  chain = await connectChain(anvil.rpcUrl);
  await ensureMulticall3(chain);
  system = await deployAggregator(chain, { upkeepCost: UPKEEP_COST });
  tokens.dollar = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  tokens.ether = await deployToken(chain, { name: "Ether", symbol: "ETH", decimals: 18 });
  tokens.coin = await deployBytes32Token(chain, { name: "Old Coin", symbol: "OLD", decimals: 8 });
  tokens.nameless = await deployNamelessToken(chain, 8);
  const terms = { secondaryManagers: [SECOND], minUpdateIntervalSeconds: 1 };
  trio = await createTrio(chain, system, { asset: tokens.dollar, name: "Trio", symbol: "TRI", ...terms });
  idle = await createTrio(chain, system, { asset: tokens.ether, name: "Idle", symbol: "IDL", ...terms });
  const plainOf = (asset: Address, decimalsOffset: number) =>
    deployErc4626Vault(chain, { asset, name: "Plain", symbol: "PLN", decimalsOffset });
  plain = { vault: await plainOf(tokens.dollar, 6), asset: tokens.dollar };
  queued = {
    vault: await deployAsyncVault(chain, { asset: tokens.ether, name: "Queue", symbol: "QUE" }),
    asset: tokens.ether,
  };
  source = await plainOf(tokens.dollar, 0);
  const unnamed = await plainOf(tokens.nameless, 0);
  const old = await plainOf(tokens.coin, 0);
  ingest = startIngest(database.db, [
    {
      rpcUrls: [anvil.rpcUrl],
      confirmations: 2,
      sources: [
        { family: "supervault", aggregator: system.aggregator },
        {
          family: "erc4626",
          vaults: [plain.vault, queued.vault, unnamed, old].map((address) => ({
            address,
            primary_manager: null,
          })),
        },
      ],
    },
  ]);
  const tokenParts = {
    db: database.db,
    clock: systemClock,
    log: silentLogger(),
    readTokens: (_chainId: number, addresses: readonly Address[]) =>
      readTokens(client(), addresses, "latest"),
    latestPrices: async (asked: readonly { address: Address }[]) =>
      asked.map(({ address }) =>
        address === tokens.dollar
          ? { usdE18: 999_900_000_000_000_000n, updatedAt: 1_700_000_000, source: "chainlink" }
          : { unavailable: "no price source covers this token" },
      ),
    tokenLists: [],
    fetchJson: () => Promise.reject(new Error("no list is configured")),
  };
  refresh = new TokenRefresh(tokenParts);
  app = await buildTestApp({
    guard: plainTokenGuard(database.db),
    features: [
      vaultsFeature({
        db: database.db,
        clock: systemClock,
        log: silentLogger(),
        notifier: { listen() {} },
        maxAgeMs: 0,
      }),
      tokensFeature(tokenParts),
    ],
  });
});
afterAll(async () => {
  await app?.close();
  await ingest?.stop();
  await anvil?.stop();
  await database?.drop();
});

/** Waits until what is stored is what the node says now, every source included. Returns the head's number. */
async function caughtUp(): Promise<number> {
  const head = await chain.client.getBlock({ blockTag: "latest" });
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    const { rows } = await database.db.pool.query<{ is_there: boolean }>(
      `select head_hash = $2 and not exists (select from sources s where s.chain_id = c.chain_id and s.next_block is not null)
         as is_there from chains c where chain_id = $1`,
      [CHAIN, head.hash],
    );
    if (rows[0]?.is_there) return Number(head.number);
  }
  throw new Error(`not at block ${head.number}: ${JSON.stringify(ingest.status())}`);
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
async function get(url: string, wallet = MANAGER): Promise<any> {
  const response = await app.inject({ method: "GET", url, headers: as(wallet) });
  expect(response.statusCode, response.body).toBe(200);
  return JSON.parse(response.body);
}

const record = (vault: Address, wallet = MANAGER) => get(`/api/v1/vaults/${CHAIN}/${vault}`, wallet);
const text = async (value: Promise<unknown>) => String(await value);

function views(of: Trio) {
  const call =
    (contract: string, address: Address) =>
    <T>(functionName: string, args: readonly unknown[] = []) =>
      read<T>(chain, { contract, address, functionName, args });
  const aggregator = call("SuperVaultAggregator", system.aggregator);
  return {
    aggregator: <T>(functionName: string) => aggregator<T>(functionName, [of.strategy]),
    strategy: call("SuperVaultStrategy", of.strategy),
    vault: call("SuperVault", of.vault),
  };
}

function manage(
  contract: string,
  address: Address,
  functionName: string,
  args: readonly unknown[],
  from = MANAGER,
) {
  return execute(chain, { contract, address, functionName, args, from });
}

async function timeOf(block: bigint | number): Promise<string> {
  const { timestamp } = await chain.client.getBlock({ blockNumber: BigInt(block) });
  return timestampOfSeconds(Number(timestamp));
}

describe("a trio", () => {
  test("has every field of its record from its contracts", async () => {
    await payUpkeep(chain, system, trio.strategy, 12n * 10n ** 18n);
    await pushPps(chain, system, [{ strategy: trio.strategy, pps: 1_000_000n }]);
    await depositAssets(chain, trio, ALICE, 5_000_000_000n);
    await depositAssets(chain, trio, BOB, 1_234_567n);
    const added = await manage("SuperVaultStrategy", trio.strategy, "manageYieldSource", [
      source,
      system.yieldSourceOracle,
      0,
    ]);
    await manage("SuperVaultStrategy", trio.strategy, "allocate", [source, 2_000_000_000n]);
    await passTime(chain, 3600);
    await pushPps(chain, system, [{ strategy: trio.strategy, pps: 1_002_000n }]);
    await requestRedeem(chain, trio, ALICE, 1_000_000n);
    await requestRedeem(chain, trio, BOB, 234_567n);
    const fees = [2000n, 100n, BOB];
    await manage("SuperVaultStrategy", trio.strategy, "proposeVaultFeeConfigUpdate", fees);
    await manage("SuperVaultStrategy", trio.strategy, "managePPSExpiration", [0, 7200n]);
    await manage("SuperVaultAggregator", system.aggregator, "proposeMinUpdateIntervalChange", [
      trio.strategy,
      30n,
    ]);
    const root: Hex = keccak256(stringToHex("root"));
    await manage("SuperVaultAggregator", system.aggregator, "proposeStrategyHooksRoot", [
      trio.strategy,
      root,
    ]);
    await manage("SuperVaultAggregator", system.aggregator, "proposeWithdrawUpkeep", [trio.strategy]);
    await manage(
      "SuperVaultAggregator",
      system.aggregator,
      "proposeChangePrimaryManager",
      [trio.strategy, BOB, BOB],
      SECOND,
    );
    const paused = await manage("SuperVaultAggregator", system.aggregator, "pauseStrategy", [trio.strategy]);
    await refresh.step();
    const head = await caughtUp();
    const { aggregator, strategy, vault } = views(trio);
    const body = await record(trio.vault);
    const lastUpdate = Number(await aggregator<bigint>("getLastUpdateTimestamp"));
    const expiration = Number(await strategy<bigint>("ppsExpiration"));
    const totalAssets = await vault<bigint>("totalAssets");
    const balance = await aggregator<bigint>("getUpkeepBalance");
    const upkeepToken = system.upkeepToken;
    const [, managerTime] = await aggregator<[Address, bigint]>("getPendingManagerChange");
    const [, rootTime] = await aggregator<[Hex, bigint]>("getProposedStrategyHooksRoot");
    const [, intervalTime] = await aggregator<[bigint, bigint]>("getProposedMinUpdateInterval");
    const [, withdrawalTime] = await aggregator<[bigint, bigint]>("pendingUpkeepWithdrawals");
    const at = (seconds: bigint) => timestampOfSeconds(Number(seconds));

    const { remaining_staleness_time: remaining, ...rest } = body;
    const clock = Math.max(Math.floor(Date.now() / 1000), Number(await now(chain)));
    expect(Math.abs(remaining - Math.max(0, lastUpdate + expiration - clock))).toBeLessThanOrEqual(2);
    expect(rest).toEqual({
      vault_id: `${CHAIN}:${trio.vault}`,
      vault_address: trio.vault,
      chain_id: CHAIN,
      family: "supervault",
      name: "Trio",
      symbol: "TRI",
      vault_share_decimals: 6,
      underlying_asset_address: tokens.dollar,
      underlying_asset_symbol: "USD",
      underlying_asset_decimals: 6,
      tvl: totalAssets.toString(),
      tvl_usd: Math.round(Number(totalAssets) * 0.9999) / 1e6,
      tvl_usd_unavailable_reason: null,
      apy: null,
      apy_1d: null,
      apy_7d: null,
      apy_30d: null,
      // 0.2 % in an hour, annualised as it is.
      apy_inception: expect.any(Number),
      pps: "1002000",
      is_paused: true,
      created_at: await timeOf(trio.blockNumber),
      updated_at: await timeOf(head),
      unavailable_reasons: Object.fromEntries(
        ["1d", "7d", "30d"].map((window) => [`apy_${window}`, "history_too_short"]),
      ),
      strategy_address: trio.strategy,
      escrow_address: trio.escrow,
      current_pps: await text(aggregator("getPPS")),
      pps_decimals: 6,
      last_pps_update_timestamp: timestampOfSeconds(lastUpdate),
      pps_expires_at: timestampOfSeconds(lastUpdate + expiration),
      pps_expiration_seconds: expiration,
      max_staleness_seconds: Number(await aggregator("getMaxStaleness")),
      min_update_interval_seconds: Number(await aggregator("getMinUpdateInterval")),
      hwm_pps: await text(strategy("vaultHwmPps")),
      reported_pps: null,
      is_paused_since: await timeOf(paused.blockNumber),
      emergency_exit: { is_armed: false, since: null, by: null },
      total_assets: totalAssets.toString(),
      total_supply: await text(vault("totalSupply")),
      escrowed_assets: await text(vault("getEscrowedAssets")),
      free_assets: await text(
        read(chain, {
          contract: "Token",
          address: tokens.dollar,
          functionName: "balanceOf",
          args: [trio.strategy],
        }),
      ),
      fee_config: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: addressOf("feeRecipient") },
      managers: { primary: MANAGER, secondary: [SECOND] },
      upkeep_info: {
        balance: balance.toString(),
        token: upkeepToken,
        threshold: {
          required_balance: UPKEEP_COST.toString(),
          shortfall: (UPKEEP_COST - balance).toString(),
        },
      },
      activation: {
        is_active: false,
        status: "insufficient_upkeep",
        reason: `The upkeep balance is ${UPKEEP_COST - balance} short of what an update of the price costs.`,
      },
      merkle: {
        root: await aggregator("getStrategyHooksRoot"),
        proposed_root: root,
        effective_at: at(rootTime),
        is_vetoed: false,
      },
      yield_sources: [
        {
          address: source,
          oracle: system.yieldSourceOracle,
          added_at: await timeOf(added.blockNumber),
          allocation_assets: "2000000000",
        },
      ],
      pending_changes: [
        {
          kind: "primary_manager",
          current: MANAGER,
          proposed: BOB,
          proposer: SECOND,
          effective_at: at(managerTime),
        },
        {
          kind: "pps_expiration",
          current: "86400",
          proposed: "7200",
          proposer: MANAGER,
          effective_at: at(await strategy<bigint>("ppsExpiryThresholdEffectiveTime")),
        },
        {
          kind: "min_update_interval",
          current: "1",
          proposed: "30",
          proposer: MANAGER,
          effective_at: at(intervalTime),
        },
        {
          kind: "hooks_root",
          current: await aggregator("getStrategyHooksRoot"),
          proposed: root,
          proposer: MANAGER,
          effective_at: at(rootTime),
        },
        {
          kind: "upkeep_withdrawal",
          current: balance.toString(),
          proposed: balance.toString(),
          proposer: MANAGER,
          effective_at: at(withdrawalTime),
        },
        {
          kind: "fee_config",
          current: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: addressOf("feeRecipient") },
          proposed: { performance_fee_bps: 2000, management_fee_bps: 100, recipient: BOB },
          proposer: MANAGER,
          effective_at: at(await strategy<bigint>("feeConfigEffectiveTime")),
        },
      ],
      pending_redeems: { count: 2, shares: "1234567" },
      as_of: {
        block_number: head,
        block_hash: (await chain.client.getBlock({ blockNumber: BigInt(head) })).hash,
        block_timestamp: await timeOf(head),
        confirmed: false,
      },
      role: "primary_manager",
      is_pps_stale: await aggregator("isPPSStale"),
    });
  });

  test("without supply has no price, and with 18 decimals no rounding", async () => {
    expect(await record(idle.vault)).toMatchObject({
      current_pps: null,
      tvl: "0",
      total_supply: "0",
      tvl_usd: null,
      tvl_usd_unavailable_reason: "no price source covers this token",
      unavailable_reasons: { pps: "no_supply", apy_7d: "no_pps" },
      pps_decimals: 18,
    });
    await depositAssets(chain, idle, ALICE, 3n * 10n ** 18n + 1n);
    await caughtUp();
    expect(await record(idle.vault)).toMatchObject({
      current_pps: (10n ** 18n).toString(),
      total_assets: "3000000000000000001",
    });
  });

  test("is confirmed once its block is deep enough, and nothing else changes by that", async () => {
    const before = await record(trio.vault);
    await chain.client.mine({ blocks: 2 });
    await caughtUp();
    await ingest.until("confirmed", (status) => (status.confirmed ?? -1) >= before.as_of.block_number);
    const after = await record(trio.vault);
    expect(after.as_of).toEqual({ ...before.as_of, confirmed: true });
    const still = ({ as_of: _, remaining_staleness_time: __, ...fields }: Record<string, unknown>) => fields;
    expect(still(after)).toEqual(still(before));
  });

  test("shows its queue shrink as requests are fulfilled, cancelled and claimed", async () => {
    await manage("SuperVaultAggregator", system.aggregator, "unpauseStrategy", [trio.strategy]);
    await payUpkeep(chain, system, trio.strategy, 50n * 10n ** 18n);
    await passTime(chain, 60);
    await pushPps(chain, system, [{ strategy: trio.strategy, pps: 1_002_100n }]);
    await fulfillRedeems(chain, trio, [ALICE]);
    await caughtUp();
    expect(await record(trio.vault)).toMatchObject({
      is_paused: false,
      is_paused_since: null,
      is_pps_stale: false,
      activation: { is_active: true, status: "active", reason: null },
      pending_redeems: { count: 1, shares: "234567" },
    });
    await claimRedeem(chain, trio.vault, ALICE);
    await manage("SuperVault", trio.vault, "cancelRedeemRequest", [0n, BOB], BOB);
    await manage("SuperVaultStrategy", trio.strategy, "fulfillCancelRedeemRequests", [[BOB]]);
    await manage("SuperVault", trio.vault, "claimCancelRedeemRequest", [0n, BOB, BOB], BOB);
    await caughtUp();
    expect((await record(trio.vault)).pending_redeems).toEqual({ count: 0, shares: "0" });
  });

  test("has in its history what it was worth: supply times price, as the contract reckons", async () => {
    await passTime(chain, 86_400);
    const receipt = await pushPps(chain, system, [{ strategy: trio.strategy, pps: 1_002_500n }]);
    await caughtUp();
    const { points } = await get(`/api/v1/vaults/${CHAIN}/${trio.vault}/pps`);
    expect(points.map((point: { pps: string }) => point.pps)).toEqual([
      null,
      null,
      "1000000",
      "1002000",
      "1002100",
      "1002500",
    ]);
    expect(points.at(-1)).toMatchObject({
      block_number: Number(receipt.blockNumber),
      tvl: await text(views(trio).vault("totalAssets")),
    });
    const { apy_1d, apy_inception, apy_7d } = await record(trio.vault);
    expect(apy_1d).toBeGreaterThan(0);
    expect(apy_inception).toBeGreaterThan(0);
    expect(apy_7d).toBeNull();
  });
});

describe("vaults that the configuration names", () => {
  test("an ERC-4626 vault whose shares have six decimals more is priced by whole shares, and follows a donation", async () => {
    expect((await record(plain.vault)).unavailable_reasons.pps).toBe("no_supply");
    await depositAssets(chain, plain, ALICE, 1_000_000n);
    await caughtUp();
    const before = await record(plain.vault, ALICE);
    expect(before).toMatchObject({
      family: "erc4626",
      role: null,
      vault_share_decimals: 12,
      underlying_asset_decimals: 6,
      current_pps: "1000000",
      pps_decimals: 6,
      tvl: "1000000",
      remaining_staleness_time: null,
      is_pps_stale: false,
      upkeep_info: null,
      activation: null,
      managers: { primary: MANAGER, secondary: [] },
      created_at: null,
      is_paused: null,
    });
    await mintTokens(chain, plain.asset, plain.vault, 9_000_000n);
    await passTime(chain, 60);
    await depositAssets(chain, plain, BOB, 10n);
    await caughtUp();
    const after = await record(plain.vault);
    const whole = {
      contract: "Erc4626Vault",
      address: plain.vault,
      functionName: "convertToAssets",
      args: [10n ** 12n],
    };
    expect(after.current_pps).toBe(await text(read(chain, whole)));
    expect(BigInt(after.current_pps)).toBeGreaterThan(9_000_000n);
    // Tenfold in a minute, annualised, is no number: null, with the reason.
    expect(after.apy_inception).toBeNull();
    expect(after.unavailable_reasons.apy_inception).toBe("out_of_range");
  });

  test("an ERC-7540 vault shows its requests, its pause and since when", async () => {
    await mintTokens(chain, queued.asset, ALICE, 10n ** 18n);
    const approve = {
      contract: "Token",
      address: queued.asset,
      functionName: "approve",
      args: [queued.vault, 10n ** 18n],
    };
    await execute(chain, { ...approve, from: ALICE });
    const call = (functionName: string, args: readonly unknown[], from: Address) =>
      manage("AsyncVault", queued.vault, functionName, args, from);
    await call("requestDeposit", [10n ** 18n, ALICE, ALICE], ALICE);
    await call("fulfillDeposits", [[ALICE]], MANAGER);
    await call("deposit", [10n ** 18n, ALICE], ALICE);
    const shares = await read<bigint>(chain, {
      contract: "AsyncVault",
      address: queued.vault,
      functionName: "totalSupply",
    });
    await call("requestRedeem", [shares / 4n, ALICE, ALICE], ALICE);
    const paused = await call("pause", [], MANAGER);
    await caughtUp();
    expect(await record(queued.vault)).toMatchObject({
      is_paused: true,
      is_paused_since: await timeOf(paused.blockNumber),
      current_pps: (10n ** 18n).toString(),
      pending_redeems: { count: 1, shares: (shares / 4n).toString() },
      role: "primary_manager",
    });
    await call("unpause", [], MANAGER);
    await call("fulfillRedeems", [[ALICE]], MANAGER);
    await caughtUp();
    expect(await record(queued.vault)).toMatchObject({
      is_paused: false,
      is_paused_since: null,
      pending_redeems: { count: 0, shares: "0" },
    });
  });

  test("assets with odd names are shown as far as they tell them", async () => {
    await refresh.step();
    const assets = await get("/api/v1/registry/token-assets");
    const by = (address: Address) => assets.find((asset: { address: Address }) => asset.address === address);
    expect(by(tokens.coin)).toMatchObject({ symbol: "OLD", name: "Old Coin", decimals: 8 });
    expect(by(tokens.nameless)).toMatchObject({ symbol: null, name: null, decimals: 8 });
    expect(by(tokens.dollar)).toMatchObject({ symbol: "USD", price_usd: 0.9999, price_source: "chainlink" });
    expect(by(system.upkeepToken)).toMatchObject({ symbol: "UP", decimals: 18, price_usd: null });
    const listing = await get("/api/v1/public/vaults");
    expect(listing).toHaveLength(6);
    expect(listing.filter((vault: { tvl_usd: number | null }) => vault.tvl_usd !== null)).toHaveLength(2);
  });
});

test("a reorganisation of the blocks that changed a vault is in the next answer", async () => {
  await chain.client.mine({ blocks: 3 });
  await caughtUp();
  const steady = ({ remaining_staleness_time: _, ...fields }: Record<string, unknown>) => fields;
  const before = steady(await record(trio.vault));
  const snapshot = await chain.client.snapshot();
  await manage("SuperVaultAggregator", system.aggregator, "pauseStrategy", [trio.strategy]);
  await manage("SuperVaultStrategy", trio.strategy, "manageYieldSource", [source, BOB, 1]);
  await caughtUp();
  const changed = await record(trio.vault);
  expect(changed).toMatchObject({ is_paused: true, yield_sources: [{ oracle: BOB }] });
  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 3 });
  await caughtUp();
  expect(steady(await record(trio.vault))).toEqual({
    ...before,
    as_of: { ...(before.as_of as object), confirmed: true },
  });
});
