import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { deploy, execute, passTime } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import { payUpkeep, pushPps } from "../../../../../demo/src/operate.ts";
import type { Decoded } from "../family/family.ts";
import { TestSystem } from "./test-system.ts";

const deployer = addressOf("deployer");
const bob = demoAccount(11).address;

let t: TestSystem;

beforeAll(async () => {
  t = await TestSystem.start();
});
afterAll(() => t?.stop());

describe("rejected updates that name no strategy", () => {
  const rejections = (facts: Decoded[]) =>
    facts.flatMap(({ body, vaultAddress }) =>
      body.kind === "pps_update_rejected" ? [[body.reason, vaultAddress]] : [],
    );

  test("belong to the one strategy of the call", async () => {
    const { blockNumber } = await pushPps(t.chain, t.system, [
      { strategy: t.dollars.strategy, pps: 1n, timestamp: 1n },
    ]);
    // Older than all is stale before it is not monotonic; a little old is not monotonic.
    const time = await t.lastUpdate(t.dollars);
    const second = await pushPps(t.chain, t.system, [
      { strategy: t.dollars.strategy, pps: 1n, timestamp: time },
    ]);
    expect(rejections((await t.follow(Number(blockNumber))).facts)).toEqual([
      ["StaleUpdate", t.dollars.vault],
    ]);
    expect(rejections((await t.follow(Number(second.blockNumber))).facts)).toEqual([
      ["TimestampNotMonotonic", t.dollars.vault],
    ]);
  });

  test("in a batch go to those whose outcome is not named, in order", async () => {
    const third = await t.trio(t.dollars.asset, "Third");
    await passTime(t.chain, 120);
    await Promise.all([payUpkeep(t.chain, t.system, t.ether.strategy, 100n)]);
    const receipt = await pushPps(t.chain, t.system, [
      { strategy: t.dollars.strategy, pps: 1_000_000n, timestamp: await t.lastUpdate(t.dollars) },
      { strategy: bob, pps: 1n },
      { strategy: t.ether.strategy, pps: 10n ** 18n },
      { strategy: third.strategy, pps: 1n, timestamp: (await t.lastUpdate(third)) + 1n },
    ]);
    const { facts } = await t.follow(Number(receipt.blockNumber), { more: [t.known(third, 6)] });
    expect(rejections(facts)).toEqual([
      ["TimestampNotMonotonic", t.dollars.vault],
      ["UnknownStrategy", null],
      ["UpdateTooFrequent", third.vault],
    ]);
    expect(facts.find(({ body }) => body.kind === "pps_updated")?.vaultAddress).toBe(t.ether.vault);
  });

  test("tell which price at which time was refused, though the event does not say", async () => {
    await payUpkeep(t.chain, t.system, t.dollars.strategy, 100n);
    await passTime(t.chain, 120);
    const time = (await t.lastUpdate(t.dollars)) + 1n;
    const receipt = await pushPps(t.chain, t.system, [
      { strategy: t.ether.strategy, pps: 7n, timestamp: await t.lastUpdate(t.ether) },
      { strategy: t.dollars.strategy, pps: 123n, timestamp: time },
    ]);
    const { facts } = await t.follow(Number(receipt.blockNumber));
    const refused = facts.flatMap(({ body, vaultAddress }) =>
      body.kind === "pps_update_rejected" ? [[vaultAddress, body.pps, body.timestamp]] : [],
    );
    expect(refused).toEqual([
      [t.ether.vault, 7n, await t.lastUpdate(t.ether)],
      [t.dollars.vault, 123n, time],
    ]);
  });

  test("without the oracle's own events are found by the addresses in the calldata, wrapped or not", async () => {
    const wallet = await deploy(t.chain, "ContractWallet", [deployer], deployer);
    for (const oracle of [deployer, wallet]) {
      await execute(t.chain, {
        contract: "SuperGovernor",
        address: t.system.governor,
        functionName: "setActivePPSOracle",
        args: [oracle],
        from: deployer,
      });
      const times = [await t.lastUpdate(t.ether), await t.lastUpdate(t.dollars)];
      const args = [
        {
          strategies: [t.ether.strategy, t.dollars.strategy],
          ppss: [1n, 2n],
          timestamps: times,
          updateAuthority: deployer,
        },
      ];
      const { abi } = artifactOf(t.chain.artifacts, "SuperVaultAggregator");
      const data = encodeFunctionData({ abi, functionName: "forwardPPS", args: args as never });
      const receipt = await execute(
        t.chain,
        oracle === deployer
          ? {
              contract: "SuperVaultAggregator",
              address: t.system.aggregator,
              functionName: "forwardPPS",
              args,
              from: deployer,
            }
          : {
              contract: "ContractWallet",
              address: wallet,
              functionName: "execute",
              args: [t.system.aggregator, 0n, data],
              from: deployer,
            },
      );
      expect(rejections((await t.follow(Number(receipt.blockNumber))).facts)).toEqual([
        ["TimestampNotMonotonic", t.ether.vault],
        ["TimestampNotMonotonic", t.dollars.vault],
      ]);
    }
    await execute(t.chain, {
      contract: "SuperGovernor",
      address: t.system.governor,
      functionName: "setActivePPSOracle",
      args: [t.system.oracle],
      from: deployer,
    });
  });
});
