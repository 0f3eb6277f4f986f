// The whole way, on a real node: contracts act, ingestion follows, and every field of a vault's record is what they answer.
import { type Address, type Hex, keccak256, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { passTime, read } from "../../../../demo/src/chain.ts";
import {
  claimRedeem,
  depositAssets,
  fulfillRedeems,
  payUpkeep,
  pushPps,
  requestRedeem,
} from "../../../../demo/src/operate.ts";
import {
  ALICE,
  BOB,
  CHAIN,
  MANAGER,
  openVaultChain,
  SECOND,
  UPKEEP_COST,
  type VaultChain,
  viewsOf,
} from "../../../test/vault-chain.ts";
import { timestampOfSeconds } from "../../platform/http/time.ts";

let world: VaultChain;
let chain: VaultChain["chain"];
let system: VaultChain["system"];
let trio: VaultChain["trio"];
let idle: VaultChain["idle"];
let source: VaultChain["source"];
let tokens: VaultChain["tokens"];
let refresh: VaultChain["refresh"];
let caughtUp: VaultChain["caughtUp"];
let get: VaultChain["get"];
let record: VaultChain["record"];
let manage: VaultChain["manage"];
let timeOf: VaultChain["timeOf"];
let ingest: VaultChain["ingest"];

beforeAll(async () => {
  world = await openVaultChain();
  ({ chain, system, trio, idle, source, tokens, refresh, caughtUp, get, record, manage, timeOf, ingest } =
    world);
});
afterAll(() => world?.close());

const text = async (value: Promise<unknown>) => String(await value);

/** Who stands behind a role with a key of their own. */
const WALLET = {
  kind: "eoa",
  owners: [],
  threshold: null,
  modules: [],
  guard: null,
  module_guard: null,
  fallback_handler: null,
  singleton: null,
  min_delay_seconds: null,
  proposers: null,
  version: null,
};

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
    const { aggregator, strategy, vault } = viewsOf(world, trio);
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

    /** What is the same of all that the contracts hold back: times in the words of every family, and no call of the vault's own. */
    const waits = <C extends { kind: string; proposer: Address; effective_at: string }>(change: C) => ({
      ...change,
      id: expect.stringMatching(new RegExp(`^${change.kind}:[0-9a-f]{16}$`)),
      target: null,
      function: null,
      arguments: null,
      calldata: null,
      submitted_at: expect.any(String),
      submitted_by: change.proposer,
      executable_at: change.effective_at,
      earliest_effect_at: change.effective_at,
      status: "pending",
      revocable_by: [],
    });
    const { remaining_staleness_time: remaining, ...rest } = body;
    // Paused, so flagged: nothing remains, whatever its update alone would give.
    expect(remaining).toBe(0);
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
      pps_would_expire_at: timestampOfSeconds(lastUpdate + expiration),
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
      controllers: [
        { ...WALLET, address: MANAGER, roles: ["primary_manager"] },
        { ...WALLET, address: SECOND, roles: ["secondary_manager"] },
      ],
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
        is_global_root_vetoed: await read(chain, {
          contract: "SuperVaultAggregator",
          address: system.aggregator,
          functionName: "isGlobalHooksRootVetoed",
        }),
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
        waits({
          kind: "primary_manager",
          current: MANAGER,
          proposed: BOB,
          proposer: SECOND,
          effective_at: at(managerTime),
        }),
        waits({
          kind: "pps_expiration",
          current: "86400",
          proposed: "7200",
          proposer: MANAGER,
          effective_at: at(await strategy<bigint>("ppsExpiryThresholdEffectiveTime")),
        }),
        waits({
          kind: "min_update_interval",
          current: "1",
          proposed: "30",
          proposer: MANAGER,
          effective_at: at(intervalTime),
        }),
        waits({
          kind: "hooks_root",
          current: await aggregator("getStrategyHooksRoot"),
          proposed: root,
          proposer: MANAGER,
          effective_at: at(rootTime),
        }),
        waits({
          kind: "upkeep_withdrawal",
          current: balance.toString(),
          proposed: balance.toString(),
          proposer: MANAGER,
          effective_at: at(withdrawalTime),
        }),
        waits({
          kind: "fee_config",
          current: { performance_fee_bps: 1000, management_fee_bps: 0, recipient: addressOf("feeRecipient") },
          proposed: { performance_fee_bps: 2000, management_fee_bps: 100, recipient: BOB },
          proposer: MANAGER,
          effective_at: at(await strategy<bigint>("feeConfigEffectiveTime")),
        }),
      ],
      pending_redeems: { count: 2, shares: "1234567" },
      as_of: {
        block_number: head,
        block_hash: (await chain.client.getBlock({ blockNumber: BigInt(head) })).hash,
        block_timestamp: await timeOf(head),
        confirmed: false,
      },
      contract_roles: [
        { role: "primary_manager", account: MANAGER, since: await timeOf(trio.blockNumber) },
        { role: "secondary_manager", account: SECOND, since: await timeOf(trio.blockNumber) },
      ],
      implementation: null,
      allocations: [
        {
          id: source,
          kind: "strategy",
          address: source,
          label: null,
          assets: "2000000000",
          absolute_cap: null,
          is_absolute_capped: false,
          relative_cap: null,
          is_relative_capped: false,
          share: Math.round((2_000_000_000 / Number(totalAssets)) * 1e12) / 1e12,
        },
      ],
      liquidity: {
        idle_assets: rest.free_assets,
        // Who leaves waits for a settlement.
        withdrawable_assets: null,
        utilisation: null,
      },
      lost_assets: null,
      fees: {
        performance_fee: "0.1",
        performance_fee_recipient: addressOf("feeRecipient"),
        management_fee: "0",
        management_fee_recipient: addressOf("feeRecipient"),
      },
      nav: null,
      attention: [],
      role: "primary_manager",
      is_pps_stale: await aggregator("isPPSStale"),
      staleness_reason: "flagged",
      pps_expires_at: await timeOf(paused.blockNumber),
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
      tvl: await text(viewsOf(world, trio).vault("totalAssets")),
    });
    const { apy_1d, apy_inception, apy_7d } = await record(trio.vault);
    expect(apy_1d).toBeGreaterThan(0);
    expect(apy_inception).toBeGreaterThan(0);
    expect(apy_7d).toBeNull();
  });
});

test("a reorganisation of the blocks that changed a vault is in the next answer", async () => {
  await chain.client.mine({ blocks: 3 });
  await caughtUp();
  const steady = ({ remaining_staleness_time: _, as_of: __, updated_at: ___, ...fields }: Fields) => fields;
  const before = await record(trio.vault);
  const snapshot = await chain.client.snapshot();
  await manage("SuperVaultAggregator", system.aggregator, "pauseStrategy", [trio.strategy]);
  await manage("SuperVaultStrategy", trio.strategy, "manageYieldSource", [source, BOB, 1]);
  await caughtUp();
  const changed = await record(trio.vault);
  expect(changed).toMatchObject({ is_paused: true, yield_sources: [{ oracle: BOB }] });
  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 3 });
  await caughtUp();
  const after = await record(trio.vault);
  expect(steady(after)).toEqual(steady(before));
  // Read again, at a block that stands: what was read at one that was undone counts for nothing.
  const { hash } = await chain.client.getBlock({ blockNumber: BigInt(after.as_of.block_number) });
  expect(after.as_of.block_hash).toBe(hash);
});

type Fields = Record<string, unknown>;
