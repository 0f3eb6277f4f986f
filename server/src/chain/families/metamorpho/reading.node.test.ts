import { type Address, encodeFunctionData, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { execute, passTime } from "../../../../../demo/src/chain.ts";
import { verifyStrategy } from "../../../../../demo/src/families/euler-earn.ts";
import { createMarket } from "../../../../../demo/src/families/metamorpho.ts";
import { describeConformance, directoryOf } from "../../../../test/family-conformance.ts";
import { deployArtifact } from "../../../../test/node.ts";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault, Source } from "../../directory.ts";
import type { Decoded } from "../family/family.ts";
import {
  ALLOCATOR,
  ANYONE,
  CURATOR,
  CuratedWorld,
  FAMILIES,
  GUARDIAN,
  HOLDER,
  type Line,
  OWNER,
  type TestVault,
} from "./test-vaults.ts";

const DAY = 86_400;
const CAP = 1_000_000_000_000n;

let world: CuratedWorld;

beforeAll(async () => {
  world = await CuratedWorld.start();
});
afterAll(() => world?.stop());

describe.each(FAMILIES)("%s", (family) => {
  describeConformance(family, () => (prepared[family] ??= prepare(family)));

  describe("what is read is what the contracts answer at the block", () => {
    let vault: TestVault;
    let line: Line;
    let other: Line;

    beforeAll(async () => {
      vault = await world.vault(family);
      [line, other] = [await world.line(family, "ONE"), await world.line(family, "TWO")];
      await vault.open(line, CAP);
      await vault.open(other, family === "metamorpho" ? 2n ** 184n - 1n : 2n ** 136n - 1n);
      await vault.do(OWNER, "setCurator", [CURATOR]);
      await vault.do(OWNER, "submitGuardian", [GUARDIAN]);
      await vault.do(OWNER, "setIsAllocator", [ALLOCATOR, true]);
      await vault.do(OWNER, "setFeeRecipient", [ANYONE]);
      await vault.do(OWNER, "setFee", [123_456n * 10n ** 12n]);
      await vault.do(OWNER, "setSupplyQueue", [[line.id, other.id]]);
      await vault.deposit(CAP + 500_000n);
      await world.lend(family, line, CAP - 100_000n);
    });

    test("price, assets, supply and fees", async () => {
      await passTime(world.chain, 30 * DAY);
      const reading = await vault.reading();
      const wholeShare = 10n ** BigInt(vault.known.shareDecimals!);
      expect(reading).toMatchObject({
        pps: await vault.view("convertToAssets", wholeShare),
        ppsE18: await vault.view("convertToAssets", wholeShare * 10n ** 18n),
        ppsDecimals: 6,
        totalAssets: await vault.view("totalAssets"),
        totalSupply: await vault.view("totalSupply"),
        freeAssets: 0n,
        lostAssets: 0n,
        name: "Vault",
        symbol: "cUSD",
        feeRates: {
          performanceFeeE18: await vault.view("fee"),
          performanceFeeRecipient: ANYONE,
          managementFeeE18: null,
          managementFeeRecipient: null,
        },
        fees: { performanceFeeBps: 1235n, managementFeeBps: 0n, recipient: ANYONE },
        unread: [],
        failed: {},
      });
      if (family === "metamorpho") expect(reading.pps).toBeGreaterThan(1_000_000n);
    });

    test("roles, with who may allocate by the vault's own word", async () => {
      expect((await vault.reading()).contractRoles).toEqual([
        { role: "owner", account: OWNER },
        { role: "curator", account: CURATOR },
        { role: "guardian", account: GUARDIAN },
        { role: "allocator", account: ALLOCATOR },
        { role: "fee_recipient", account: ANYONE },
      ]);
    });

    test("each line with its worth, interest up to the block included, and its cap; the widest is none", async () => {
      await passTime(world.chain, 30 * DAY);
      const { allocations, totalAssets } = await vault.reading();
      const worth = (each: Line) => vault.worth(each);
      const known = new Map(allocations.map((each) => [each.id, each]));
      expect(known.get(line.id)).toEqual({
        id: line.id,
        kind: family === "metamorpho" ? "market" : "strategy",
        address: family === "metamorpho" ? null : line.id,
        label: family === "metamorpho" ? "ONE/USD 86%" : "ONE",
        assets: await worth(line),
        absoluteCap: CAP,
        isAbsoluteCapped: true,
        relativeCapE18: null,
        isRelativeCapped: false,
      });
      expect(known.get(other.id)).toMatchObject({
        assets: await worth(other),
        absoluteCap: null,
        isAbsoluteCapped: false,
      });
      expect(allocations.reduce((sum, { assets }) => sum + assets!, 0n)).toBe(totalAssets);
    });

    test("trap: withdrawable is what each line could pay, not what it holds; nor what lies in the vault itself", async () => {
      await execute(world.chain, {
        contract: "Token",
        address: world.asset,
        functionName: "mint",
        args: [vault.address, 77n],
        from: ANYONE,
      });
      const { liquidity, allocations } = await vault.reading();
      const left = [await vault.withdrawable(line), await vault.withdrawable(other)];
      expect(liquidity).toEqual({
        idleAssets: 77n,
        withdrawableAssets: left[0]! + left[1]!,
        isExitImmediate: true,
      });
      expect(left[0]! < allocations.find(({ id }) => id === line.id)!.assets! / 1_000n).toBe(true);
      expect(liquidity!.withdrawableAssets).toBe(await vault.view("maxWithdraw", HOLDER));
    });

    test("lines that no event told of are found by the withdraw queue", async () => {
      const { number, hash, timestamp } = await world.client.head();
      const at = { number, hash, timestamp };
      const [untold] = await vault.family.read(world.client, [vault.known], at);
      const told = await vault.reading();
      expect(untold!.allocations).toEqual(told.allocations);
      expect(untold!.liquidity).toEqual(told.liquidity);
      // The next time they are asked for at once.
      const counted = counting(world.client);
      await vault.family.read(counted.client, [vault.known], at);
      expect(counted.requests).toBe(1);
    });

    test("in the steady state one request is made, whatever is waiting", async () => {
      await vault.reading();
      await passTime(world.chain, 60);
      const { number, hash, timestamp } = await world.client.head();
      const counted = counting(world.client);
      const at = { number, hash, timestamp };
      const [reading] = await vault.family.read(
        counted.client,
        [vault.known],
        at,
        new Map(),
        vault.trackedOf(),
      );
      expect(counted.requests).toBe(1);
      expect(reading!.allocations[0]!.assets).not.toBeNull();
    });

    test("a view that the node does not answer leaves its fields unread, and no other", async () => {
      const { number, hash, timestamp } = await world.client.head();
      const selector = family === "metamorpho" ? "0x5c60e39a" : null;
      const broken: ChainClient = {
        ...world.client,
        head: () => world.client.head(),
        multicall: async (calls, ...rest) => {
          const results = await world.client.multicall(calls, ...rest);
          const isAsked = (data: string) =>
            data.startsWith(selector ?? selectorOf("expectedSupplyAssets(address)"));
          return results.map((result, index) =>
            isAsked(calls[index]!.data) ? { success: false, data: "0x", isUnread: true } : result,
          );
        },
      };
      const [reading] = await vault.family.read(
        broken,
        [vault.known],
        { number, hash, timestamp },
        new Map(),
        vault.trackedOf(),
      );
      expect(reading!.unread).toEqual(
        family === "metamorpho" ? ["allocations", "liquidity"] : ["allocations"],
      );
      expect(reading!.contractRoles).toHaveLength(5);
    });
  });

  describe("what waits", () => {
    let vault: TestVault;
    let line: Line;

    beforeAll(async () => {
      vault = await world.vault(family);
      line = await world.line(family, "P");
      await vault.open(line, CAP);
      await vault.do(OWNER, "setCurator", [CURATOR]);
      await vault.do(OWNER, "submitGuardian", [GUARDIAN]);
      await vault.do(OWNER, "submitTimelock", [3 * DAY]);
    });

    test("a raised cap appears with its call, who submitted it and who may revoke it, and goes when accepted", async () => {
      await vault.do(CURATOR, "submitCap", [line.argument, CAP + 1n]);
      const [, due] = await vault.view<[bigint, bigint]>("pendingCap", line.id);
      const submittedAt = Number(await vault.now());
      const { pendingChanges } = await vault.reading();
      const calldata = encodeFunctionData({
        abi: world.chain.artifacts[vault.contract]!.abi,
        functionName: "submitCap",
        args: [line.argument, CAP + 1n],
      });
      expect(pendingChanges).toHaveLength(1);
      expect(pendingChanges[0]).toMatchObject({
        kind: "call",
        current: null,
        id: `cap:${line.id}:${due}`,
        target: vault.address,
        function: "submitCap",
        arguments: { newSupplyCap: String(CAP + 1n) },
        proposed: { function: "submitCap", arguments: pendingChanges[0]!.arguments },
        calldata,
        submittedBy: CURATOR,
        proposer: CURATOR,
        submittedAt,
        executableAt: Number(due),
        effectiveAt: Number(due),
        earliestEffectAt: Number(due),
        isBlocked: false,
        revocableBy: [OWNER, CURATOR, GUARDIAN],
      });
      await passTime(world.chain, 3 * DAY);
      await vault.do(ANYONE, "acceptCap", [line.argument]);
      expect((await vault.reading()).pendingChanges).toEqual([]);
    });

    test("a pending shorter timelock makes the earliest effect of the others earlier, and so does one that was accepted", async () => {
      await vault.do(OWNER, "submitTimelock", [DAY]);
      await vault.do(CURATOR, "submitCap", [line.argument, CAP + 2n]);
      await vault.do(OWNER, "submitGuardian", [ANYONE]);
      const due = async (view: string, ...args: unknown[]) =>
        Number((await vault.view<[unknown, bigint]>(view, ...args))[1]);
      const [timelockDue, capDue] = [await due("pendingTimelock"), await due("pendingCap", line.id)];
      const before = (await vault.reading()).pendingChanges;
      expect(before.map((each) => [each.function, each.revocableBy])).toEqual([
        ["submitTimelock", [OWNER, GUARDIAN]],
        ["submitGuardian", [OWNER, GUARDIAN]],
        ["submitCap", [OWNER, CURATOR, GUARDIAN]],
      ]);
      // The shorter timelock is had three days from its submission, the cap a day after that at the earliest: later than its own time.
      expect(before.map((each) => each.earliestEffectAt)).toEqual(before.map((each) => each.executableAt));
      expect(capDue - timelockDue).toBeLessThan(DAY);

      await vault.do(OWNER, "revokePendingGuardian");
      await vault.do(OWNER, "revokePendingCap", [line.id]);
      await passTime(world.chain, 2 * DAY + DAY / 2);
      await vault.do(CURATOR, "submitCap", [line.argument, CAP + 2n]);
      const shortened = (await vault.reading()).pendingChanges.find((each) => each.function === "submitCap")!;
      expect(shortened.executableAt).toBe(await due("pendingCap", line.id));
      expect(shortened.earliestEffectAt).toBe(timelockDue + DAY);
      expect(shortened.earliestEffectAt!).toBeLessThan(shortened.executableAt!);

      await passTime(world.chain, DAY);
      // The shorter timelock may be accepted by now, and the cap be submitted again under it.
      const ready = (await vault.reading()).pendingChanges.find((each) => each.function === "submitCap")!;
      expect(ready.earliestEffectAt).toBe(Number(await vault.now()) + DAY);
      await vault.do(ANYONE, "acceptTimelock");
      const after = (await vault.reading()).pendingChanges;
      expect(after.map((each) => each.function)).toEqual(["submitCap"]);
      expect(after[0]!.earliestEffectAt).toBe(Number(await vault.now()) + DAY);
      await vault.do(GUARDIAN, "revokePendingCap", [line.id]);
      expect((await vault.reading()).pendingChanges).toEqual([]);
    });

    test("an offered ownership waits for nobody but the one it is offered to", async () => {
      await vault.do(OWNER, "transferOwnership", [ANYONE]);
      expect((await vault.reading()).pendingChanges).toEqual([
        expect.objectContaining({
          kind: "primary_manager",
          current: OWNER,
          proposed: ANYONE,
          proposer: OWNER,
          effectiveAt: null,
          revocableBy: [OWNER],
        }),
      ]);
      expect((await vault.reading()).contractRoles).toContainEqual({
        role: "pending_owner",
        account: ANYONE,
      });
      await vault.do(OWNER, "transferOwnership", [zeroAddress]);
      expect((await vault.reading()).pendingChanges).toEqual([]);
    });

    test("trap: revoking succeeds with nothing pending, and is told as that", async () => {
      for (const [name, args] of [
        ["revokePendingCap", [line.id]],
        ["revokePendingMarketRemoval", [line.id]],
        ["revokePendingTimelock", []],
        ["revokePendingGuardian", []],
      ] as const) {
        const told = await vault.do(OWNER, name, args);
        expect(told.map(({ effects: [effect] }) => [effect!.action, effect!.old])).toEqual([
          ["timelock_revoke", null],
        ]);
      }
      expect((await vault.reading()).pendingChanges).toEqual([]);
    });

    test("trap: a removal that waits is carried out by the queue alone, without an event of its own", async () => {
      const gone = await world.line(family, "GONE");
      await vault.open(gone, 5_000_000n);
      await vault.do(OWNER, "setSupplyQueue", [[gone.id]]);
      await vault.deposit(1_000_000n);
      await vault.do(CURATOR, "submitCap", [gone.argument, 0n]);
      await vault.do(CURATOR, "submitMarketRemoval", [gone.argument]);
      const { pendingChanges } = await vault.reading();
      expect(pendingChanges.map((each) => [each.function, each.executableAt])).toEqual([
        ["submitMarketRemoval", Number(await vault.now()) + DAY],
      ]);
      await passTime(world.chain, DAY);
      const told = await vault.do(OWNER, "updateWithdrawQueue", [[0n]]);
      expect(told.flatMap(({ effects }) => effects.map(({ action, id }) => [action, id]))).toEqual([
        ["queue_change", "withdraw"],
        ["market_remove", gone.id],
      ]);
      const { allocations, pendingChanges: after } = await vault.reading();
      expect([allocations.map(({ id }) => id), after]).toEqual([[line.id], []]);
    });
  });

  test("trap: a loss is kept apart and the price stands: it is told by what the vault lost, once it is booked", async () => {
    const vault = await world.vault(family);
    const line = await world.line(family, "LOST");
    await vault.open(line, CAP);
    await vault.do(OWNER, "setSupplyQueue", [[line.id]]);
    await vault.deposit(10_000_000n);
    await world.lend(family, line, 4_000_000n);
    const before = await vault.reading();
    await world.lose(family, line, 4_000_000n);
    const after = await vault.reading();
    expect(after.pps).toBe(before.pps);
    const worth = after.allocations[0]!.assets!;
    expect(after.totalAssets! - worth).toBeGreaterThanOrEqual(4_000_000n);
    const facts = await vault.deposit(1_000_000n);
    const { lostAssets } = await vault.reading();
    expect(lostAssets).toBe(await vault.view("lostAssets"));
    expect(lostAssets).toBeGreaterThanOrEqual(4_000_000n);
    const losses = facts.flatMap(({ body }) => (body.kind === "governance" ? body.effects : []));
    expect(losses).toEqual([{ action: "loss", old: "0", new: String(lostAssets) }]);
    // The same number again is no other loss.
    const later = await vault.deposit(1_000_000n);
    expect(later.flatMap(({ body }) => (body.kind === "governance" ? body.effects : []))).toEqual([]);
  });

  test("deposits name who called, and their accruals are kept without an entry", async () => {
    const vault = await world.vault(family);
    const line = await world.line(family, "IN");
    await vault.open(line, CAP);
    await vault.do(OWNER, "setSupplyQueue", [[line.id]]);
    const facts = await vault.deposit(1_000_000n);
    expect(facts.map(({ body }) => (body.kind === "governance" ? body.event : body.kind))).toEqual([
      "UpdateLastTotalAssets",
      "UpdateLostAssets",
      "AccrueInterest",
      "shares_minted",
      "deposit",
      "UpdateLastTotalAssets",
    ]);
  });
});

test("trap: with no timelock a cap is submitted and accepted in one transaction: a pair of entries, and nothing pending", async () => {
  const vault = await world.vault("metamorpho");
  const line = await world.line("metamorpho", "NOW");
  const { abi } = world.chain.artifacts.MetaMorphoV1_1!;
  const calls = [
    encodeFunctionData({ abi, functionName: "submitCap", args: [line.argument, CAP] }),
    encodeFunctionData({ abi, functionName: "acceptCap", args: [line.argument] }),
  ];
  const told = await vault.do(OWNER, "multicall", [calls]);
  const now = String(await vault.now());
  expect(
    told.map(({ event, effects: [effect] }) => [event, effect!.executable_at, effect!.accepted]),
  ).toEqual([
    ["SubmitCap", now, undefined],
    ["SetWithdrawQueue", undefined, undefined],
    ["SetCap", undefined, true],
  ]);
  expect((await vault.reading()).pendingChanges).toEqual([]);
});

test("trap: Euler's factory judges a strategy again when its cap is accepted: until it allows it, the change is blocked", async () => {
  const vault = await world.vault("euler_earn");
  const line = await world.line("euler_earn", "JUDGED");
  await vault.do(OWNER, "submitTimelock", [DAY]);
  await vault.do(OWNER, "submitCap", [line.id, CAP]);
  await verifyStrategy(world.chain, world.euler, line.id, false);
  const blocked = (await vault.reading()).pendingChanges;
  expect(blocked).toEqual([
    expect.objectContaining({ function: "submitCap", isBlocked: true, earliestEffectAt: null }),
  ]);
  await verifyStrategy(world.chain, world.euler, line.id, true);
  expect((await vault.reading()).pendingChanges[0]!.isBlocked).toBe(false);
});

test("trap: MetaMorpho 1.0 has no losses kept apart: its price falls, and what was lost is not known", async () => {
  const vault = await world.vaultOfVersion1();
  const line = await world.line("metamorpho", "OLD");
  await vault.open(line, CAP);
  await vault.do(OWNER, "setSupplyQueue", [[line.id]]);
  await vault.deposit(10_000_000n);
  await world.lend("metamorpho", line, 4_000_000n);
  const before = await vault.reading();
  await world.lose("metamorpho", line, 4_000_000n);
  const after = await vault.reading();
  expect(after.pps!).toBeLessThan(before.pps!);
  expect(after).toMatchObject({ lostAssets: null, unread: [] });
  expect(after.allocations[0]!.assets).toBe(after.totalAssets);
  const booked = await vault.view("lastTotalAssets");
  const effectsOf = (facts: readonly Decoded[]) =>
    facts.flatMap(({ body }) => (body.kind === "governance" ? body.effects : []));
  expect(effectsOf(await vault.deposit(1_000_000n))).toEqual([
    { action: "loss", old: String(booked), new: String(after.totalAssets) },
  ]);
  expect(effectsOf(await vault.deposit(1_000_000n))).toEqual([]);
});

test.each(FAMILIES)("%s: a factory's vaults are found by its announcements and described", async (name) => {
  const { family, address } = await world.vault(name);
  const factory = name === "metamorpho" ? world.morpho.factory : world.euler.factory;
  const source: Source = { family: name, address: factory, isFactory: true, governor: null, oracles: [] };
  const directory = directoryOf([]);
  directory.addSource(source);
  const logs = [];
  const { number, hash } = await world.client.head();
  const range = { fromBlock: 0, toBlock: number, addresses: directory.addresses() };
  for await (const chunk of world.client.logsInRange(range)) logs.push(...chunk.logs);
  const found = logs.flatMap((log) => family.discover(log, directory) ?? []);
  const vault = found.find((each) => each.address === address)!;
  expect(vault).toMatchObject({ family: name, asset: world.asset, source, strategy: null });
  const identity = { address, strategy: null, source, configuredPrimary: null };
  expect(await family.describe(world.client, identity, { number, hash })).toMatchObject({
    asset: world.asset,
    assetSymbol: "USD",
    assetDecimals: 6,
    shareDecimals: name === "metamorpho" ? 18 : 6,
    name: "Vault",
    symbol: "cUSD",
    managers: { primary: OWNER, secondary: [] },
  });
  directory.addVault(vault);
  const created = logs
    .map((log) => family.decode(log, directory))
    .find((each) => each?.vaultAddress === address);
  expect(created).toMatchObject({
    body: { event: name === "metamorpho" ? "CreateMetaMorpho" : "CreateEulerEarn" },
  });
});

test("a market without a collateral holds what nobody borrows, and is called so", async () => {
  const vault = await world.vault("metamorpho");
  const { id, params } = await createMarket(world.chain, world.morpho, { loanToken: world.asset });
  await vault.open({ id, argument: params }, CAP);
  await vault.do(OWNER, "setSupplyQueue", [[id]]);
  await vault.deposit(1_000_000n);
  await passTime(world.chain, DAY);
  expect((await vault.reading()).allocations).toEqual([
    expect.objectContaining({ label: "idle USD", assets: 1_000_000n }),
  ]);
});

const prepared: Partial<Record<string, ReturnType<typeof prepare>>> = {};

async function prepare(family: (typeof FAMILIES)[number]) {
  const vaults = [await world.vault(family), await world.vault(family)];
  for (const vault of vaults) {
    const line = await world.line(family, "C");
    await vault.open(line, CAP);
    await vault.do(OWNER, "setSupplyQueue", [[line.id]]);
    await vault.deposit(1_000_000n);
  }
  const [first] = vaults as [TestVault];
  const { number } = await world.client.head();
  const hostile = await Promise.all(
    [0, 1].map(async (): Promise<KnownVault> => ({ ...first.known, address: await hostileVault() })),
  );
  const at = await world.client.head();
  return {
    family: first.family,
    client: world.client,
    vaults: vaults.map(({ known }) => known),
    at: { number: at.number, hash: at.hash },
    change: async () => void (await first.deposit(5n)),
    hostile,
    notAVault: world.asset,
    logs: (await Promise.all(vaults.map((vault) => vault.logs(0, number)))).flat(),
  };
}

/** Answers whatever it is asked with the widest number. */
async function hostileVault(): Promise<Address> {
  // PUSH32 ff… PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const runtime = `7f${"ff".repeat(32)}5f5260205ff3`;
  const bytecode =
    `0x60${(runtime.length / 2).toString(16)}600c60003960${(runtime.length / 2).toString(16)}6000f3${runtime}` as const;
  return await deployArtifact(
    world.chain,
    { Hostile: { abi: [], bytecode, runtimeBytecode: "0x" } },
    "Hostile",
  );
}

function counting(client: ChainClient) {
  const counted = {
    requests: 0,
    client: {
      ...client,
      chainId: client.chainId,
      multicall: async (...args: Parameters<ChainClient["multicall"]>) => {
        if (args[0].length > 0) counted.requests += 1;
        return await client.multicall(...args);
      },
    } as ChainClient,
  };
  return counted;
}

function selectorOf(signature: string): string {
  const name = signature.split("(")[0]!;
  return encodeFunctionData({
    abi: world.chain.artifacts.EulerEarn!.abi,
    functionName: name,
    args: [zeroAddress],
  }).slice(0, 10);
}
