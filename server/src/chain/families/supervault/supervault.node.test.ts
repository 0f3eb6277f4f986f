import { type Address, encodeFunctionData, type Hash, type Hex, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { deploy, execute, mine, now, passTime, send } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import {
  createTrio,
  deployAggregator,
  deployErc4626Vault,
  deployToken,
  emitRawLog,
  enableRawLogs,
  ensureMulticall3,
  type Trio,
  type VaultSystem,
} from "../../../../../demo/src/deploy.ts";
import { encodeEvent, readEventTable } from "../../../../../demo/src/events.ts";
import {
  depositAssets,
  fulfillRedeems,
  payUpkeep,
  pushPps,
  requestRedeem,
} from "../../../../../demo/src/operate.ts";
import { startTestChain, type TestChain } from "../../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../client.ts";
import type { Directory, KnownVault, Source } from "../../directory.ts";
import { ChainFault } from "../../fault.ts";
import type { RawLog } from "../../raw.ts";
import { silentLog } from "../../test-client.ts";
import { type ConformanceSubject, describeConformance, directoryOf } from "../conformance.ts";
import type { Decoded } from "../family.ts";
import { createFamilies } from "../registry.ts";
import { EMITTERS, expectedOf, sampleArgs } from "./expected-facts.ts";

const family = createFamilies(silentLog).supervault;
const primary = addressOf("primaryManager");
const secondary = addressOf("secondaryManager");
const deployer = addressOf("deployer");
const [alice, bob] = [demoAccount(10).address, demoAccount(11).address];

let chain: TestChain;
let client: ChainClient;
let system: VaultSystem;
let source: Source;
let dollars: Trio;
let ether: Trio;
let subject: ConformanceSubject;

beforeAll(async () => {
  chain = await startTestChain();
  await ensureMulticall3(chain);
  client = createChainClient({
    chainId: chain.chainId,
    name: "Test",
    rpcUrls: [chain.rpcUrl],
    log: silentLog,
  });
  system = await deployAggregator(chain, { upkeepCost: 5n });
  source = {
    family: "supervault",
    address: system.aggregator,
    governor: system.governor,
    oracle: system.oracle,
  };
  const usd = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const eth = await deployToken(chain, { name: "Ether", symbol: "ETH", decimals: 18 });
  dollars = await trio(usd, "Dollars");
  ether = await trio(eth, "Ethers");
  await depositAssets(chain, dollars, alice, 1_000_000_000n);
  await mine(chain);
  const at = await head();
  subject = {
    family,
    client,
    vaults: [known(dollars, 6), known(ether, 18)],
    at,
    hostile: [known({ ...ether, strategy: bob, vault: bob, escrow: bob }, 18)],
    notAVault: usd,
    logs: await logsOf(0, at.number, directoryOf([known(dollars, 6), known(ether, 18)])),
    change: async () => {
      await depositAssets(chain, dollars, bob, 5_000_000n);
    },
  };
});
afterAll(async () => {
  await client?.close();
  await chain?.stop();
});

describeConformance("supervault", async () => subject);

test("an aggregator's governor and oracle are found; where it names none there are none", async () => {
  const bare = { ...source, governor: null, oracle: null };
  expect(await family.related(client, bare, "latest")).toEqual({
    governor: system.governor,
    oracle: system.oracle,
  });
  const nobody = { ...bare, address: bob };
  expect(await family.related(client, nobody, "latest")).toEqual({ governor: null, oracle: null });
});

describe("a new vault", () => {
  test("is discovered, with the managers that its block has", async () => {
    const made = await trio(dollars.asset, "New", [secondary, bob]);
    const { vaults, facts } = await follow(Number(made.blockNumber));
    expect(vaults).toMatchObject([
      { address: made.vault, strategy: made.strategy, escrow: made.escrow, asset: made.asset },
    ]);
    expect(facts.find(({ body }) => body.kind === "vault_deployed")).toMatchObject({
      vaultAddress: made.vault,
      needs: null,
      body: { name: "New", symbol: "vNew", primaryManager: primary, secondaryManagers: [secondary, bob] },
    });
    // Its own logs of that block, some of them before the announcement, are its facts too.
    const own = facts.filter(
      ({ vaultAddress, body }) => vaultAddress === made.vault && body.kind === "other",
    );
    expect(own.map(({ body }) => (body.kind === "other" ? `${body.contract}.${body.event}` : ""))).toEqual([
      "vault.Initialized",
      "escrow.Initialized",
      "strategy.Initialized",
    ]);
    const description = await family.describe(
      client,
      { address: made.vault, strategy: made.strategy, source, configuredPrimary: null },
      "latest",
    );
    expect(description).toMatchObject({
      name: "New",
      symbol: "vNew",
      asset: made.asset,
      assetDecimals: 6,
      shareDecimals: 6,
      capabilities: { erc7540_deposit: false, erc7540_redeem: true, erc7575: true },
      managers: { primary, secondary: [secondary, bob] },
    });
  });

  test("changed again in its own block is told as it was deployed", async () => {
    await chain.client.setAutomine(false);
    try {
      const count = await chain.client.readContract({
        abi: artifactOf(chain.artifacts, "SuperVaultAggregator").abi,
        address: system.aggregator,
        functionName: "getCurrentNonce",
      });
      await send(chain, creation("Twice", [secondary]));
      await mine(chain);
      const { strategy } = await lastDeployment();
      expect(count).toBeTypeOf("bigint");
      // The next one, and a change of it, in one block: its address is known from a trial that is undone.
      const snapshot = await chain.client.snapshot();
      await send(chain, creation("Again", [secondary]));
      await mine(chain);
      const next = await lastDeployment();
      await chain.client.revert({ id: snapshot });
      await send(chain, creation("Again", [secondary]));
      await send(chain, aggregatorCall("addSecondaryManager", [next.strategy, bob]));
      await send(chain, aggregatorCall("removeSecondaryManager", [next.strategy, secondary]));
      await mine(chain);
      expect(next.strategy).not.toBe(strategy);
      const { facts } = await follow((await head()).number);
      expect(facts.map(({ body }) => body).filter(({ kind }) => /manager|deployed/.test(kind))).toMatchObject(
        [
          { kind: "vault_deployed", primaryManager: primary, secondaryManagers: [secondary] },
          { kind: "secondary_manager_added", manager: bob },
          { kind: "secondary_manager_removed", manager: secondary },
        ],
      );
    } finally {
      await chain.client.setAutomine(true);
    }
  });

  test("in a block whose state the node has pruned is told from the call that made it", async () => {
    const made = await trio(dollars.asset, "Old", [secondary]);
    await execute(chain, aggregatorCall("addSecondaryManager", [made.strategy, bob]));
    const { facts } = await follow(Number(made.blockNumber), pruned(client));
    expect(facts.find(({ body }) => body.kind === "vault_deployed")?.body).toMatchObject({
      primaryManager: primary,
      secondaryManagers: [secondary],
    });
  });

  test("in such a block, made through a contract, has the managers of today", async () => {
    const wallet = await deploy(chain, "ContractWallet", [primary], deployer);
    const { abi } = artifactOf(chain.artifacts, "SuperVaultAggregator");
    const made = creation("Through", [secondary]);
    const data = encodeFunctionData({ abi, functionName: "createVault", args: made.args! as never });
    const receipt = await execute(chain, {
      contract: "ContractWallet",
      address: wallet,
      functionName: "execute",
      args: [system.aggregator, 0n, data],
      from: primary,
    });
    const { facts } = await follow(Number(receipt.blockNumber), pruned(client));
    expect(facts.find(({ body }) => body.kind === "vault_deployed")?.body).toMatchObject({
      primaryManager: primary,
      secondaryManagers: [secondary],
    });
  });
});

describe("rejected updates that name no strategy", () => {
  const rejections = (facts: Decoded[]) =>
    facts.flatMap(({ body, vaultAddress }) =>
      body.kind === "pps_update_rejected" ? [[body.reason, vaultAddress]] : [],
    );

  test("belong to the one strategy of the call", async () => {
    const { blockNumber } = await pushPps(chain, system, [
      { strategy: dollars.strategy, pps: 1n, timestamp: 1n },
    ]);
    // Older than all is stale before it is not monotonic; a little old is not monotonic.
    const time = await lastUpdate(dollars);
    const second = await pushPps(chain, system, [{ strategy: dollars.strategy, pps: 1n, timestamp: time }]);
    expect(rejections((await follow(Number(blockNumber))).facts)).toEqual([["StaleUpdate", dollars.vault]]);
    expect(rejections((await follow(Number(second.blockNumber))).facts)).toEqual([
      ["TimestampNotMonotonic", dollars.vault],
    ]);
  });

  test("in a batch go to those whose outcome is not named, in order", async () => {
    const third = await trio(dollars.asset, "Third");
    await passTime(chain, 120);
    await Promise.all([payUpkeep(chain, system, ether.strategy, 100n)]);
    const receipt = await pushPps(chain, system, [
      { strategy: dollars.strategy, pps: 1_000_000n, timestamp: await lastUpdate(dollars) },
      { strategy: bob, pps: 1n },
      { strategy: ether.strategy, pps: 10n ** 18n },
      { strategy: third.strategy, pps: 1n, timestamp: (await lastUpdate(third)) + 1n },
    ]);
    const { facts } = await follow(Number(receipt.blockNumber), client, [known(third, 6)]);
    expect(rejections(facts)).toEqual([
      ["TimestampNotMonotonic", dollars.vault],
      ["UnknownStrategy", null],
      ["UpdateTooFrequent", third.vault],
    ]);
    expect(facts.find(({ body }) => body.kind === "pps_updated")?.vaultAddress).toBe(ether.vault);
  });

  test("without the oracle's own events are found by the addresses in the calldata, wrapped or not", async () => {
    const wallet = await deploy(chain, "ContractWallet", [deployer], deployer);
    for (const oracle of [deployer, wallet]) {
      await execute(chain, {
        contract: "SuperGovernor",
        address: system.governor,
        functionName: "setActivePPSOracle",
        args: [oracle],
        from: deployer,
      });
      const times = [await lastUpdate(ether), await lastUpdate(dollars)];
      const args = [
        {
          strategies: [ether.strategy, dollars.strategy],
          ppss: [1n, 2n],
          timestamps: times,
          updateAuthority: deployer,
        },
      ];
      const { abi } = artifactOf(chain.artifacts, "SuperVaultAggregator");
      const data = encodeFunctionData({ abi, functionName: "forwardPPS", args: args as never });
      const receipt = await execute(
        chain,
        oracle === deployer
          ? {
              contract: "SuperVaultAggregator",
              address: system.aggregator,
              functionName: "forwardPPS",
              args,
              from: deployer,
            }
          : {
              contract: "ContractWallet",
              address: wallet,
              functionName: "execute",
              args: [system.aggregator, 0n, data],
              from: deployer,
            },
      );
      expect(rejections((await follow(Number(receipt.blockNumber))).facts)).toEqual([
        ["TimestampNotMonotonic", ether.vault],
        ["TimestampNotMonotonic", dollars.vault],
      ]);
    }
    await execute(chain, {
      contract: "SuperGovernor",
      address: system.governor,
      functionName: "setActivePPSOracle",
      args: [system.oracle],
      from: deployer,
    });
  });
});

describe("state", () => {
  test("price, staleness, upkeep, fees and managers are read from aggregator and strategy", async () => {
    const made = await trio(dollars.asset, "State", [secondary]);
    const vault = known(made, 6);
    const [empty] = await family.read(client, [vault], "latest");
    expect(empty).toMatchObject({
      pps: null,
      ppsDecimals: 6,
      totalSupply: 0n,
      isPaused: false,
      isPpsStaleFlag: false,
    });

    await depositAssets(chain, made, alice, 2_000_000n);
    await payUpkeep(chain, system, made.strategy, 7n);
    await passTime(chain, 120);
    const update = await now(chain);
    await pushPps(chain, system, [{ strategy: made.strategy, pps: 1_100_000n, timestamp: update }]);
    const [reading] = await family.read(client, [vault], "latest");
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
      upkeep: { balance: 2n, requiredBalance: 5n, token: system.upkeepToken },
      merkle: { root: zeroHash, proposedRoot: null, effectiveAt: null, isVetoed: false },
      yieldSources: [],
      pendingChanges: [],
    });

    await execute(chain, aggregatorCall("pauseStrategy", [made.strategy]));
    expect((await family.read(client, [vault], "latest"))[0]).toMatchObject({
      isPaused: true,
      isPpsStaleFlag: true,
    });
  });

  test("what a timelock holds back is read with its time", async () => {
    const made = await trio(dollars.asset, "Pending", [secondary]);
    await payUpkeep(chain, system, made.strategy, 9n);
    const root: Hex = `0x${"ab".repeat(32)}`;
    await execute(chain, aggregatorCall("proposeStrategyHooksRoot", [made.strategy, root]));
    await execute(chain, aggregatorCall("proposeWithdrawUpkeep", [made.strategy]));
    await execute(chain, aggregatorCall("proposeMinUpdateIntervalChange", [made.strategy, 300n]));
    await execute(chain, {
      ...aggregatorCall("proposeChangePrimaryManager", [made.strategy, bob, bob]),
      from: secondary,
    });
    await execute(chain, strategyCall(made, "managePPSExpiration", [0, 7200n]));
    const [reading] = await family.read(client, [known(made, 6)], "latest");
    const byKind = Object.fromEntries(reading!.pendingChanges.map((change) => [change.kind, change]));
    expect(byKind).toMatchObject({
      primary_manager: { current: primary, proposed: bob },
      hooks_root: { current: zeroHash, proposed: root },
      upkeep_withdrawal: { current: "9", proposed: "9" },
      min_update_interval: { current: "60", proposed: "300" },
      pps_expiration: { current: "86400", proposed: "7200" },
    });
    for (const { effectiveAt } of reading!.pendingChanges)
      expect(effectiveAt).toBeGreaterThan(Number(await now(chain)));
    expect(reading!.merkle).toMatchObject({ root: zeroHash, proposedRoot: root });
  });

  test("yield sources are read with what the strategy holds there", async () => {
    const made = await trio(dollars.asset, "Yield");
    const venue = await deployErc4626Vault(chain, { asset: made.asset, name: "Venue", symbol: "VN" });
    await execute(chain, strategyCall(made, "manageYieldSource", [venue, system.yieldSourceOracle, 0]));
    await execute(chain, strategyCall(made, "manageYieldSource", [bob, bob, 0]));
    await depositAssets(chain, made, alice, 1_000_000n);
    await execute(chain, strategyCall(made, "allocate", [venue, 400_000n]));
    const [reading] = await family.read(client, [known(made, 6)], "latest");
    expect(reading!.yieldSources).toEqual([
      { address: venue, oracle: system.yieldSourceOracle, allocationAssets: 400_000n },
      { address: bob, oracle: bob, allocationAssets: null },
    ]);
    expect(reading!.freeAssets).toBe(600_000n);
  });

  test("redemptions: requested, fulfilled into the escrow, and the facts of it", async () => {
    const made = await trio(dollars.asset, "Redeem");
    await depositAssets(chain, made, alice, 1_000_000n);
    const from = (await requestRedeem(chain, made, alice, 400_000n)).blockNumber;
    await fulfillRedeems(chain, made, [alice]);
    const [reading] = await family.read(client, [known(made, 6)], "latest");
    expect(reading).toMatchObject({ escrowedAssets: 400_000n, totalSupply: 600_000n });
    const { facts } = await follow(Number(from), client, [known(made, 6)], (await head()).number);
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
    aggregator: system.aggregator,
    governor: system.governor,
    oracle: system.oracle,
    vault: dollars.vault,
    strategy: dollars.strategy,
    escrow: dollars.escrow,
  };
  for (const address of Object.values(contracts)) await enableRawLogs(chain, address);
  const table = readEventTable();
  const from = (await head()).number + 1;
  for (const entry of table) {
    const args = sampleArgs(entry.abi, dollars.strategy);
    await emitRawLog(chain, contracts[EMITTERS[entry.section]!], encodeEvent(entry.signature, args));
  }
  await emitRawLog(chain, dollars.vault, { topics: [table[1]!.topic], data: "0x1234" });
  const directory = directoryOf([known(dollars, 6), known(ether, 18)]);
  const logs = await logsOf(from, (await head()).number, directory);
  expect(logs).toHaveLength(table.length + 1);
  for (const [index, entry] of table.entries()) {
    const decoded = family.decode(logs[index]!, directory);
    expect([entry.signature, decoded?.body.kind]).toEqual([entry.signature, expectedOf(entry)?.kind]);
  }
  expect(family.decode(logs.at(-1)!, directory)).toBeNull();
});

function known(made: Pick<Trio, "vault" | "strategy" | "escrow" | "asset">, decimals: number): KnownVault {
  return {
    family: "supervault",
    address: made.vault,
    source,
    strategy: made.strategy,
    escrow: made.escrow,
    asset: made.asset,
    assetDecimals: decimals,
    shareDecimals: decimals,
    configuredPrimary: null,
    capabilities: { erc7540_deposit: false, erc7540_redeem: true, erc7575: true },
  };
}

function trio(asset: Address, name: string, secondaryManagers: Address[] = []): Promise<Trio> {
  return createTrio(chain, system, { asset, name, symbol: `v${name}`, secondaryManagers });
}

function creation(name: string, secondaryManagers: Address[]) {
  const params = {
    asset: dollars.asset,
    name,
    symbol: `v${name}`,
    mainManager: primary,
    secondaryManagers,
    minUpdateInterval: 60n,
    maxStaleness: 86_400n,
    feeConfig: { performanceFeeBps: 0n, managementFeeBps: 0n, recipient: primary },
  };
  return aggregatorCall("createVault", [params]);
}

function aggregatorCall(functionName: string, args: unknown[]) {
  return { contract: "SuperVaultAggregator", address: system.aggregator, functionName, args, from: primary };
}

function strategyCall(made: Trio, functionName: string, args: unknown[]) {
  return { contract: "SuperVaultStrategy", address: made.strategy, functionName, args, from: primary };
}

async function lastUpdate(made: Trio): Promise<bigint> {
  const [reading] = await family.read(client, [known(made, 6)], "latest");
  return BigInt(reading!.lastPpsUpdate!);
}

async function lastDeployment(): Promise<{ strategy: Address }> {
  const { vaults } = await follow((await head()).number);
  return { strategy: vaults.at(-1)!.strategy! };
}

async function head(): Promise<{ number: number; hash: Hash }> {
  const { number, hash } = await client.head();
  return { number, hash };
}

async function logsOf(fromBlock: number, toBlock: number, directory: Directory): Promise<RawLog[]> {
  const logs: RawLog[] = [];
  for await (const chunk of client.logsInRange({ fromBlock, toBlock, addresses: directory.addresses() }))
    logs.push(...chunk.logs);
  return logs;
}

/** What ingestion does with blocks: discover, fetch what belongs to the new, decode, complete. */
async function follow(
  fromBlock: number,
  reader: ChainClient = client,
  more: KnownVault[] = [],
  toBlock = fromBlock,
): Promise<{ vaults: KnownVault[]; facts: Decoded[] }> {
  const directory = directoryOf([known(dollars, 6), known(ether, 18), ...more]);
  const vaults = (await logsOf(fromBlock, toBlock, directory)).flatMap(
    (log) => family.discover(log, directory) ?? [],
  );
  for (const vault of vaults) directory.addVault(vault);
  const decoded = (await logsOf(fromBlock, toBlock, directory)).flatMap(
    (log) => family.decode(log, directory) ?? [],
  );
  return { vaults, facts: await family.complete(reader, decoded, directory) };
}

/** The same client, of a node that keeps no state but the newest. */
function pruned(of: ChainClient): ChainClient {
  return {
    ...of,
    multicall: async (calls, at) => {
      if (at !== "latest") throw new ChainFault("state_missing", "pruned");
      return await of.multicall(calls, at);
    },
  };
}
