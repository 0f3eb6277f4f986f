import { type Hex, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { execute, now, passTime } from "../../../../../demo/src/chain.ts";
import { deployErc4626Vault, emitRawLog, enableRawLogs } from "../../../../../demo/src/deploy.ts";
import { encodeEvent, readEventTable } from "../../../../../demo/src/events.ts";
import {
  depositAssets,
  fulfillRedeems,
  payUpkeep,
  pushPps,
  requestRedeem,
} from "../../../../../demo/src/operate.ts";
import { EMITTERS, expectedOf, sampleArgs } from "../../../../test/expected-facts.ts";
import { family, primary, secondary, TestSystem } from "./test-system.ts";

const [alice, bob] = [demoAccount(10).address, demoAccount(11).address];

let t: TestSystem;

beforeAll(async () => {
  t = await TestSystem.start();
});
afterAll(() => t?.stop());

describe("state", () => {
  test("price, staleness, upkeep, fees and managers are read from aggregator and strategy", async () => {
    const made = await t.trio(t.dollars.asset, "State", [secondary]);
    const vault = t.known(made, 6);
    const [empty] = await family.read(t.client, [vault], "latest");
    expect(empty).toMatchObject({
      pps: null,
      ppsDecimals: 6,
      totalSupply: 0n,
      isPaused: false,
      isPpsStaleFlag: false,
    });

    await depositAssets(t.chain, made, alice, 2_000_000n);
    await payUpkeep(t.chain, t.system, made.strategy, 7n);
    await passTime(t.chain, 120);
    const update = await now(t.chain);
    await pushPps(t.chain, t.system, [{ strategy: made.strategy, pps: 1_100_000n, timestamp: update }]);
    const [reading] = await family.read(t.client, [vault], "latest");
    expect(reading).toMatchObject({
      pps: 1_100_000n,
      totalAssets: 2_200_000n,
      totalSupply: 2_000_000n,
      freeAssets: 2_000_000n,
      escrowedAssets: 0n,
      lastPpsUpdate: Number(update),
      ppsExpirationSeconds: 86_400,
      maxStalenessSeconds: 86_400,
      minUpdateIntervalSeconds: 60,
      isPaused: false,
      isPpsStaleFlag: false,
      hwmPps: 1_000_000n,
      fees: { performanceFeeBps: 1000n, managementFeeBps: 0n, recipient: addressOf("feeRecipient") },
      managers: { primary, secondary: [secondary] },
      upkeep: { balance: 2n, requiredBalance: 5n, token: t.system.upkeepToken },
      merkle: { root: zeroHash, proposedRoot: null, effectiveAt: null, isVetoed: false },
      yieldSources: [],
      pendingChanges: [],
    });

    await execute(t.chain, t.aggregatorCall("pauseStrategy", [made.strategy]));
    expect((await family.read(t.client, [vault], "latest"))[0]).toMatchObject({
      isPaused: true,
      isPpsStaleFlag: true,
    });
  });

  test("what a timelock holds back is read with its time", async () => {
    const made = await t.trio(t.dollars.asset, "Pending", [secondary]);
    await payUpkeep(t.chain, t.system, made.strategy, 9n);
    const root: Hex = `0x${"ab".repeat(32)}`;
    await execute(t.chain, t.aggregatorCall("proposeStrategyHooksRoot", [made.strategy, root]));
    await execute(t.chain, t.aggregatorCall("proposeWithdrawUpkeep", [made.strategy]));
    await execute(t.chain, t.aggregatorCall("proposeMinUpdateIntervalChange", [made.strategy, 300n]));
    await execute(t.chain, {
      ...t.aggregatorCall("proposeChangePrimaryManager", [made.strategy, bob, bob]),
      from: secondary,
    });
    await execute(t.chain, t.strategyCall(made, "managePPSExpiration", [0, 7200n]));
    const [reading] = await family.read(t.client, [t.known(made, 6)], "latest");
    const byKind = Object.fromEntries(reading!.pendingChanges.map((change) => [change.kind, change]));
    expect(byKind).toMatchObject({
      primary_manager: { current: primary, proposed: bob },
      hooks_root: { current: zeroHash, proposed: root },
      upkeep_withdrawal: { current: "9", proposed: "9" },
      min_update_interval: { current: "60", proposed: "300" },
      pps_expiration: { current: "86400", proposed: "7200" },
    });
    for (const { effectiveAt } of reading!.pendingChanges)
      expect(effectiveAt).toBeGreaterThan(Number(await now(t.chain)));
    expect(reading!.merkle).toMatchObject({ root: zeroHash, proposedRoot: root });
  });

  test("yield sources are read with what the strategy holds there", async () => {
    const made = await t.trio(t.dollars.asset, "Yield");
    const venue = await deployErc4626Vault(t.chain, { asset: made.asset, name: "Venue", symbol: "VN" });
    await execute(t.chain, t.strategyCall(made, "manageYieldSource", [venue, t.system.yieldSourceOracle, 0]));
    await execute(t.chain, t.strategyCall(made, "manageYieldSource", [bob, bob, 0]));
    await depositAssets(t.chain, made, alice, 1_000_000n);
    await execute(t.chain, t.strategyCall(made, "allocate", [venue, 400_000n]));
    const [reading] = await family.read(t.client, [t.known(made, 6)], "latest");
    expect(reading!.yieldSources).toEqual([
      { address: venue, oracle: t.system.yieldSourceOracle, allocationAssets: 400_000n },
      { address: bob, oracle: bob, allocationAssets: null },
    ]);
    expect(reading!.freeAssets).toBe(600_000n);
  });

  test("redemptions: requested, fulfilled into the escrow, and the facts of it", async () => {
    const made = await t.trio(t.dollars.asset, "Redeem");
    await depositAssets(t.chain, made, alice, 1_000_000n);
    const from = (await requestRedeem(t.chain, made, alice, 400_000n)).blockNumber;
    await fulfillRedeems(t.chain, made, [alice]);
    const [reading] = await family.read(t.client, [t.known(made, 6)], "latest");
    expect(reading).toMatchObject({ escrowedAssets: 400_000n, totalSupply: 600_000n });
    const { facts } = await t.follow(Number(from), {
      more: [t.known(made, 6)],
      toBlock: (await t.head()).number,
    });
    const kinds = facts
      .filter(({ vaultAddress, body }) => vaultAddress === made.vault && body.kind !== "other")
      .map(({ body }) => body.kind);
    expect(kinds).toEqual([
      "redeem_requested",
      "redeem_claimable",
      "shares_burned",
      "redeem_requests_fulfilled",
    ]);
  });
});

// Last, because it puts proxies in place of the contracts.
test("every event of the table, emitted on the node, comes back as the fact decided for it", async () => {
  const contracts = {
    aggregator: t.system.aggregator,
    governor: t.system.governor,
    oracle: t.system.oracle,
    vault: t.dollars.vault,
    strategy: t.dollars.strategy,
    escrow: t.dollars.escrow,
  };
  for (const address of Object.values(contracts)) await enableRawLogs(t.chain, address);
  const table = readEventTable();
  const from = (await t.head()).number + 1;
  for (const entry of table) {
    const args = sampleArgs(entry.abi, t.dollars.strategy);
    await emitRawLog(t.chain, contracts[EMITTERS[entry.section]!], encodeEvent(entry.signature, args));
  }
  await emitRawLog(t.chain, t.dollars.vault, { topics: [table[1]!.topic], data: "0x1234" });
  const directory = t.directory();
  const logs = await t.logsOf(from, (await t.head()).number, directory);
  expect(logs).toHaveLength(table.length + 1);
  for (const [index, entry] of table.entries()) {
    const decoded = family.decode(logs[index]!, directory);
    expect([entry.signature, decoded?.body.kind]).toEqual([entry.signature, expectedOf(entry)?.kind]);
  }
  expect(family.decode(logs.at(-1)!, directory)).toBeNull();
});
