import type { Logger } from "pino";
import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../../../../demo/src/accounts.ts";
import { deploy, execute, mine, send } from "../../../../../demo/src/chain.ts";
import { artifactOf } from "../../../../../demo/src/compile.ts";
import { depositAssets } from "../../../../../demo/src/operate.ts";
import { type ConformanceSubject, describeConformance } from "../../../../test/family-conformance.ts";
import type { ChainClient } from "../../client/client.ts";
import { ChainFault } from "../../rpc/fault.ts";
import { supervaultFamily } from "./family.ts";
import { family, primary, secondary, TestSystem } from "./test-system.ts";

const deployer = addressOf("deployer");
const [alice, bob] = [demoAccount(10).address, demoAccount(11).address];

let t: TestSystem;

beforeAll(async () => {
  t = await TestSystem.start();
});
afterAll(() => t?.stop());

let subject: ConformanceSubject;

describeConformance("supervault", async () => {
  subject ??= await conformanceSubject();
  return subject;
});

test("an aggregator's governor and oracle are found; where it names none there are none", async () => {
  const bare = { ...t.source, governor: null, oracles: [] };
  expect(await family.related(t.client, bare, "latest")).toEqual({
    governor: t.system.governor,
    oracles: [t.system.oracle],
  });
  const nobody = { ...bare, address: bob };
  expect(await family.related(t.client, nobody, "latest")).toEqual({ governor: null, oracles: [] });
});

test("the log tells an aggregator's address without a contract from a contract that names no governor", async () => {
  const told: string[] = [];
  const log = { warn: (_fields: object, message: string) => told.push(message) };
  const loud = supervaultFamily(log as unknown as Logger);
  for (const address of [bob, t.dollars.asset])
    await loud.related(t.client, { ...t.source, address, governor: null, oracles: [] }, "latest");
  expect(told).toEqual([
    expect.stringMatching(/^no contract at the aggregator's address/),
    expect.stringMatching(/^the aggregator names no governor/),
  ]);
});

describe("a new vault", () => {
  test("is discovered, with the managers that its block has", async () => {
    const made = await t.trio(t.dollars.asset, "New", [secondary, bob]);
    const { vaults, facts } = await t.follow(Number(made.blockNumber));
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
      t.client,
      { address: made.vault, strategy: made.strategy, source: t.source, configuredPrimary: null },
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
    await t.chain.client.setAutomine(false);
    try {
      // A vault and a change of it in one block: its address is known from a trial that is undone.
      const snapshot = await t.chain.client.snapshot();
      await send(t.chain, creation("Again", [secondary]));
      await mine(t.chain);
      const next = await lastDeployment();
      await t.chain.client.revert({ id: snapshot });
      await send(t.chain, creation("Again", [secondary]));
      await send(t.chain, t.aggregatorCall("addSecondaryManager", [next.strategy, bob]));
      await send(t.chain, t.aggregatorCall("removeSecondaryManager", [next.strategy, secondary]));
      await mine(t.chain);
      const { facts } = await t.follow((await t.head()).number);
      expect(facts.map(({ body }) => body).filter(({ kind }) => /manager|deployed/.test(kind))).toMatchObject(
        [
          { kind: "vault_deployed", primaryManager: primary, secondaryManagers: [secondary] },
          { kind: "secondary_manager_added", manager: bob },
          { kind: "secondary_manager_removed", manager: secondary },
        ],
      );
    } finally {
      await t.chain.client.setAutomine(true);
    }
  });

  test("made and changed by a contract in one transaction has the managers that its making named", async () => {
    await t.chain.client.setAutomine(false);
    try {
      const snapshot = await t.chain.client.snapshot();
      const wallet = await walletOf(primary);
      await through(wallet, creation("Nested", [secondary]));
      await mine(t.chain);
      const next = await lastDeployment();
      await t.chain.client.revert({ id: snapshot });
      const again = await walletOf(primary);
      await through(again, creation("Nested", [secondary]));
      await send(t.chain, t.aggregatorCall("addSecondaryManager", [next.strategy, bob]));
      await send(t.chain, t.aggregatorCall("removeSecondaryManager", [next.strategy, secondary]));
      await mine(t.chain);
      const { facts } = await t.follow((await t.head()).number);
      const named = facts.find(({ body }) => body.kind === "vault_deployed")?.body;
      expect(named).toMatchObject({ primaryManager: primary, secondaryManagers: [secondary] });
    } finally {
      await t.chain.client.setAutomine(true);
    }
  });

  test("in a block whose state the node has pruned is told from the call that made it", async () => {
    const made = await t.trio(t.dollars.asset, "Old", [secondary]);
    await execute(t.chain, t.aggregatorCall("addSecondaryManager", [made.strategy, bob]));
    const { facts } = await t.follow(Number(made.blockNumber), { reader: pruned(t.client) });
    expect(facts.find(({ body }) => body.kind === "vault_deployed")?.body).toMatchObject({
      primaryManager: primary,
      secondaryManagers: [secondary],
    });
  });

  test("in such a block, made through a contract, has the managers of today", async () => {
    const wallet = await deploy(t.chain, "ContractWallet", [primary], deployer);
    const { abi } = artifactOf(t.chain.artifacts, "SuperVaultAggregator");
    const made = creation("Through", [secondary]);
    const data = encodeFunctionData({ abi, functionName: "createVault", args: made.args! as never });
    const receipt = await execute(t.chain, {
      contract: "ContractWallet",
      address: wallet,
      functionName: "execute",
      args: [t.system.aggregator, 0n, data],
      from: primary,
    });
    const { facts } = await t.follow(Number(receipt.blockNumber), { reader: pruned(t.client) });
    expect(facts.find(({ body }) => body.kind === "vault_deployed")).toMatchObject({
      body: { primaryManager: primary, secondaryManagers: [secondary] },
      isPartial: true,
    });
  });
});

describe("a proposal of another price expiry", () => {
  let made: Awaited<ReturnType<typeof t.trio>>;
  let blockNumber: number;
  beforeAll(async () => {
    made = await t.trio(t.dollars.asset, "Expiry");
    await execute(t.chain, t.strategyCall(made, "managePPSExpiration", [0, 7200n]));
    const second = await execute(t.chain, t.strategyCall(made, "managePPSExpiration", [0, 3600n]));
    blockNumber = Number(second.blockNumber);
  });

  const proposal = async (reader?: ChainClient) => {
    const more = [t.known(made, 6)];
    const { facts } = await t.follow(blockNumber, { more, ...(reader && { reader }) });
    return facts.find(({ body }) => body.kind === "pps_expiration_proposed")!;
  };

  test("that stands already tells the expiry in force, and the one that it replaces, apart", async () => {
    const { body, isPartial } = await proposal();
    expect(body).toMatchObject({
      currentExpiration: 86_400n,
      currentProposedThreshold: 7200n,
      ppsExpiration: 3600n,
    });
    expect(isPartial).toBe(undefined);
  });

  test("is told as partial where the node has not the state of its block", async () => {
    const { body, isPartial } = await proposal(pruned(t.client));
    expect([isPartial, body]).toMatchObject([true, { currentExpiration: null, ppsExpiration: 3600n }]);
  });
});

/** A contract wallet of somebody's, in the block to come. */
async function walletOf(owner: Address): Promise<Address> {
  await t.chain.client.setAutomine(true);
  const wallet = await deploy(t.chain, "ContractWallet", [owner], deployer);
  await t.chain.client.setAutomine(false);
  return wallet;
}

async function through(wallet: Address, call: ReturnType<typeof creation>): Promise<void> {
  const { abi } = artifactOf(t.chain.artifacts, call.contract);
  const data = encodeFunctionData({ abi, functionName: call.functionName, args: call.args! as never });
  await send(t.chain, {
    contract: "ContractWallet",
    address: wallet,
    functionName: "execute",
    args: [call.address, 0n, data],
    from: primary,
  });
}

async function conformanceSubject(): Promise<ConformanceSubject> {
  await depositAssets(t.chain, t.dollars, alice, 1_000_000_000n);
  const at = await t.head();
  return {
    family,
    client: t.client,
    vaults: [t.known(t.dollars, 6), t.known(t.ether, 18)],
    at,
    hostile: [t.known({ ...t.ether, strategy: bob, vault: bob, escrow: bob }, 18)],
    notAVault: t.dollars.asset,
    logs: await t.logsOf(0, at.number, t.directory()),
    change: async () => {
      await depositAssets(t.chain, t.dollars, bob, 5_000_000n);
    },
  };
}

function creation(name: string, secondaryManagers: Address[]) {
  const params = {
    asset: t.dollars.asset,
    name,
    symbol: `v${name}`,
    mainManager: primary,
    secondaryManagers,
    minUpdateInterval: 60n,
    maxStaleness: 86_400n,
    feeConfig: { performanceFeeBps: 0n, managementFeeBps: 0n, recipient: primary },
  };
  return t.aggregatorCall("createVault", [params]);
}

async function lastDeployment(): Promise<{ strategy: Address }> {
  const { vaults } = await t.follow((await t.head()).number);
  return { strategy: vaults.at(-1)!.strategy! };
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
