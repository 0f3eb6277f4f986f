// Every governance function of the vault and of its market adapter, driven on a node: one entry of the effect, with who did it, what it
// replaced, and the call that had waited.
import { type Address, type Hex, keccak256, maxUint128, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploy, execute } from "../../../../../demo/src/chain.ts";
import {
  callOf,
  idData,
  marketData,
  submit,
  submitAndRun,
} from "../../../../../demo/src/families/morpho-vault-v2.ts";
import {
  ALLOCATOR,
  CURATOR,
  DEPOSITOR,
  type Entry,
  OWNER,
  RECIPIENT,
  SENTINEL,
  STRANGER,
  TestVault,
} from "./test-vault.ts";

let at: TestVault;

beforeAll(async () => {
  at = await TestVault.start();
  await at.sync();
});
afterAll(() => at?.stop());

const accepted = true;

/** What waits is submitted by the curator and sent by a stranger. */
interface Waited {
  functionName: string;
  args: () => readonly unknown[];
  event: string;
  effect: () => Partial<Entry>;
}

describe("what the owner does at once", () => {
  test.each([
    ["setIsSentinel", [SENTINEL, true], { action: "role_grant", role: "sentinel", account: SENTINEL }],
    ["setIsSentinel", [SENTINEL, false], { action: "role_revoke", role: "sentinel", account: SENTINEL }],
    ["setIsSentinel", [SENTINEL, true], { action: "role_grant", role: "sentinel", account: SENTINEL }],
    [
      "setName",
      ["Finer Dollars"],
      { action: "metadata_change", id: "name", old: "Prime Dollars", new: "Finer Dollars" },
    ],
    ["setSymbol", ["fUSD"], { action: "metadata_change", id: "symbol", old: "pUSD", new: "fUSD" }],
    [
      "setCurator",
      [STRANGER],
      { action: "curator_change", role: "curator", account: STRANGER, old: CURATOR, new: STRANGER },
    ],
    [
      "setCurator",
      [CURATOR],
      { action: "curator_change", role: "curator", account: CURATOR, old: STRANGER, new: CURATOR },
    ],
  ] as const)("%s %j", async (functionName, args, effect) => {
    await at.call(functionName, args, OWNER);
    expect(await at.sync()).toMatchObject([{ ...effect, actor: OWNER }]);
  });

  test("setOwner, and back: the one who gave it away is who acted", async () => {
    await at.call("setOwner", [STRANGER], OWNER);
    await at.call("setOwner", [OWNER], STRANGER);
    expect(await at.sync()).toMatchObject([
      { action: "owner_change", role: "owner", account: STRANGER, old: OWNER, new: STRANGER, actor: OWNER },
      { action: "owner_change", role: "owner", account: OWNER, old: STRANGER, new: OWNER, actor: STRANGER },
    ]);
  });

  test("several in one block: each knows what the one before it left", async () => {
    await at.chain.client.setAutomine(false);
    const args = ["A", "B", "Finer Dollars"].map((name) => [name] as const);
    const sent = args.map((each) =>
      at.chain.client.sendTransaction({
        account: OWNER,
        to: at.known.address,
        data: at.data("setName", each),
        gas: 500_000n,
        chain: null,
      }),
    );
    for (const hash of sent) await hash;
    await at.chain.client.mine({ blocks: 1 });
    await at.chain.client.setAutomine(true);
    expect(await at.sync()).toMatchObject([
      { old: "Finer Dollars", new: "A" },
      { old: "A", new: "B" },
      { old: "B", new: "Finer Dollars" },
    ]);
  });
});

const CAP_ID = () => idData.adapter(at.adapter);

const WAITED: readonly Waited[] = [
  {
    functionName: "setIsAllocator",
    args: () => [ALLOCATOR, true],
    event: "SetIsAllocator",
    effect: () => ({ action: "role_grant", role: "allocator", account: ALLOCATOR }),
  },
  ...["ReceiveShares", "SendShares", "ReceiveAssets", "SendAssets"].map((gate) => ({
    functionName: `set${gate}Gate`,
    args: () => [zeroAddress],
    event: `Set${gate}Gate`,
    effect: () => ({ action: "gate_change" as const, account: null, old: zeroAddress, new: zeroAddress }),
  })),
  {
    functionName: "setAdapterRegistry",
    args: () => [at.system.adapterFactory],
    event: "SetAdapterRegistry",
    effect: () => ({
      action: "registry_change",
      account: at.system.adapterFactory,
      old: zeroAddress,
      new: at.system.adapterFactory,
    }),
  },
  ...[() => at.adapter, () => at.vaultAdapter].map((adapter) => ({
    functionName: "addAdapter",
    args: () => [adapter()],
    event: "AddAdapter",
    effect: () => ({ action: "adapter_add" as const, id: adapter(), account: adapter() }),
  })),
  {
    functionName: "removeAdapter",
    args: () => [at.vaultAdapter],
    event: "RemoveAdapter",
    effect: () => ({ action: "adapter_remove", id: at.vaultAdapter, account: at.vaultAdapter }),
  },
  {
    functionName: "setPerformanceFeeRecipient",
    args: () => [RECIPIENT],
    event: "SetPerformanceFeeRecipient",
    effect: () => ({ action: "fee_recipient_change", account: RECIPIENT, old: zeroAddress, new: RECIPIENT }),
  },
  {
    functionName: "setManagementFeeRecipient",
    args: () => [RECIPIENT],
    event: "SetManagementFeeRecipient",
    effect: () => ({ action: "fee_recipient_change", account: RECIPIENT, old: zeroAddress, new: RECIPIENT }),
  },
  {
    functionName: "setPerformanceFee",
    args: () => [10n ** 17n],
    event: "SetPerformanceFee",
    effect: () => ({
      action: "fee_config_update",
      id: "performanceFee",
      old: "0",
      new: (10n ** 17n).toString(),
    }),
  },
  {
    functionName: "setManagementFee",
    args: () => [317_097_919n],
    event: "SetManagementFee",
    effect: () => ({ action: "fee_config_update", id: "managementFee", old: "0", new: "317097919" }),
  },
  {
    functionName: "setForceDeallocatePenalty",
    args: () => [at.adapter, 10n ** 16n],
    event: "SetForceDeallocatePenalty",
    effect: () => ({
      action: "fee_config_update",
      id: "forceDeallocatePenalty",
      account: at.adapter,
      old: "0",
      new: (10n ** 16n).toString(),
    }),
  },
  {
    functionName: "increaseAbsoluteCap",
    args: () => [CAP_ID(), maxUint128],
    event: "IncreaseAbsoluteCap",
    effect: () => ({
      action: "cap_change",
      id: keccak256(CAP_ID()),
      cap_kind: "absolute",
      old: "0",
      new: maxUint128.toString(),
    }),
  },
  {
    functionName: "increaseRelativeCap",
    args: () => [CAP_ID(), 10n ** 18n],
    event: "IncreaseRelativeCap",
    effect: () => ({
      action: "cap_change",
      id: keccak256(CAP_ID()),
      cap_kind: "relative",
      old: "0",
      new: (10n ** 18n).toString(),
    }),
  },
  {
    functionName: "increaseTimelock",
    args: () => ["0x60d54d41", 3600n],
    event: "IncreaseTimelock",
    effect: () => ({ action: "timelock_duration_change", id: "0x60d54d41", old: "0", new: "3600" }),
  },
  {
    functionName: "decreaseTimelock",
    args: () => ["0x60d54d41", 0n],
    event: "DecreaseTimelock",
    effect: () => ({ action: "timelock_duration_change", id: "0x60d54d41", old: "3600", new: "0" }),
  },
  {
    functionName: "abdicate",
    args: () => ["0xdeadbeef"],
    event: "Abdicate",
    effect: () => ({ action: "abdicate", id: "0xdeadbeef" }),
  },
];

describe("what waits: the curator submits, anybody sends it", () => {
  test.each(WAITED.map((each) => [each.functionName, each] as const))(
    "%s",
    async (functionName, { args, event, effect }) => {
      const data = await at.submit(functionName, args());
      const [submitted, ...more] = await at.sync();
      expect(more).toEqual([]);
      expect(submitted).toMatchObject({ action: "timelock_submit", event: "Submit", actor: CURATOR });
      expect(submitted!.call).toMatchObject({
        target: at.known.address,
        function: functionName,
        calldata: data,
      });
      const values = Object.values(submitted!.call!.arguments!);
      expect(values).toEqual(args().map((value) => (typeof value === "bigint" ? value.toString() : value)));
      const waits = await executableAt(at.known.address, data);
      expect(submitted!.executable_at).toBe(waits.toString());

      await at.passTime(Number(waits - (await at.chain.client.getBlock()).timestamp) + 1);
      await at.call(functionName, args(), STRANGER);
      const entries = await at.sync();
      expect(entries).toMatchObject([
        { ...effect(), event, accepted, call: submitted!.call, actor: STRANGER },
      ]);
    },
  );
});

test("revoke: by the curator or a sentinel", async () => {
  for (const from of [CURATOR, SENTINEL]) {
    const data = await at.submit("setIsAllocator", [STRANGER, true]);
    await at.call("revoke", [data], from);
    const [, revoked, ...more] = await at.sync();
    expect(more).toEqual([]);
    expect(revoked).toMatchObject({
      action: "timelock_revoke",
      actor: from,
      call: { function: "setIsAllocator", calldata: data },
    });
  }
});

test("caps are lowered at once, by the curator or a sentinel", async () => {
  const id = keccak256(CAP_ID());
  await at.call("decreaseAbsoluteCap", [CAP_ID(), 1_000_000_000n], CURATOR);
  await at.call("decreaseRelativeCap", [CAP_ID(), 9n * 10n ** 17n], SENTINEL);
  expect(await at.sync()).toMatchObject([
    {
      action: "cap_change",
      id,
      cap_kind: "absolute",
      old: maxUint128.toString(),
      new: "1000000000",
      actor: CURATOR,
    },
    {
      action: "cap_change",
      id,
      cap_kind: "relative",
      old: (10n ** 18n).toString(),
      new: (9n * 10n ** 17n).toString(),
      actor: SENTINEL,
    },
  ]);
});

test("setMaxRate and allocations are the allocator's", async () => {
  const market = at.market();
  for (const id of [idData.collateral(at.ether), idData.market(at.adapter, market)]) {
    await at.govern("increaseAbsoluteCap", [id, 10n ** 12n]);
    await at.govern("increaseRelativeCap", [id, 10n ** 18n]);
  }
  await at.deposit(1_000_000n);
  await at.sync();
  await at.call("setMaxRate", [10n ** 9n], ALLOCATOR);
  await at.call("allocate", [at.adapter, marketData(market), 500_000n], ALLOCATOR);
  await at.call("deallocate", [at.adapter, marketData(market), 100_000n], SENTINEL);
  expect(await at.sync()).toMatchObject([
    { action: "max_rate_change", old: "0", new: (10n ** 9n).toString(), actor: ALLOCATOR },
    { action: "allocation_change", event: "Allocate", id: at.adapter, actor: ALLOCATOR },
    { action: "allocation_change", event: "Deallocate", id: at.adapter, actor: SENTINEL },
  ]);
});

test("trap 9: the data of a liquidity adapter is a hash in the log: it is read at the block, and never another's", async () => {
  const market = marketData(at.market());
  await at.call("setLiquidityAdapterAndData", [at.adapter, market], ALLOCATOR);
  expect(await at.sync()).toMatchObject([
    {
      action: "liquidity_adapter_change",
      account: at.adapter,
      old: { adapter: zeroAddress, data: "0x" },
      new: { adapter: at.adapter, data: market },
      actor: ALLOCATOR,
    },
  ]);
  // Twice in one transaction: what the first one set, nobody can say.
  const calls = [
    at.data("setLiquidityAdapterAndData", [at.adapter, "0x1234"]),
    at.data("setLiquidityAdapterAndData", [at.adapter, market]),
  ];
  await at.call("multicall", [calls], ALLOCATOR);
  expect(await at.sync()).toMatchObject([
    { old: { adapter: at.adapter, data: market }, new: { adapter: at.adapter, data: null } },
    { old: { adapter: at.adapter, data: null }, new: { adapter: at.adapter, data: market } },
  ]);
});

test("what a deposit or a withdrawal moves to and from the liquidity adapter is no entry", async () => {
  await at.deposit(200_000n);
  await at.call("withdraw", [700_000n, DEPOSITOR, DEPOSITOR], DEPOSITOR);
  expect(await at.sync()).toEqual([]);
  const moved = at.facts
    .slice(-12)
    .flatMap(({ body }) => (body.kind === "governance" ? [body.event] : [body.kind]));
  expect(moved).toEqual(expect.arrayContaining(["Allocate", "Deallocate", "deposit", "withdraw"]));
});

test("trap 14: a way out by force is anybody's, and one entry", async () => {
  const market = marketData(at.market());
  await at.call("forceDeallocate", [at.adapter, market, 100_000n, DEPOSITOR], DEPOSITOR);
  const entries = await at.sync();
  expect(entries).toMatchObject([{ action: "force_deallocate", id: at.adapter, actor: DEPOSITOR }]);
  // One of the allocator's own beside it stays an entry.
  await at.call("setLiquidityAdapterAndData", [zeroAddress, "0x"], ALLOCATOR);
  await at.sync();
  await at.call(
    "multicall",
    [
      [
        at.data("deallocate", [at.adapter, market, 1000n]),
        at.data("withdraw", [10n, ALLOCATOR, ALLOCATOR]),
      ].slice(0, 1),
    ],
    ALLOCATOR,
  );
  expect(await at.sync()).toMatchObject([
    { action: "allocation_change", event: "Deallocate", actor: ALLOCATOR },
  ]);
});

describe("the market adapter's own timelock", () => {
  test("its functions are the vault's entries, by the vault's curator", async () => {
    const adapter = at.marketAdapter;
    await submitAndRun(at.chain, adapter, "setSkimRecipient", [RECIPIENT], STRANGER);
    await submitAndRun(at.chain, adapter, "increaseTimelock", ["0x12345678", 60n]);
    expect(await at.sync()).toMatchObject([
      {
        action: "timelock_submit",
        actor: CURATOR,
        call: { target: at.adapter, function: "setSkimRecipient" },
      },
      {
        action: "fee_config_update",
        id: "skimRecipient",
        old: zeroAddress,
        new: RECIPIENT,
        accepted,
        call: { target: at.adapter },
        actor: STRANGER,
      },
      { action: "timelock_submit", actor: CURATOR },
      { action: "timelock_duration_change", id: "0x12345678", old: "0", new: "60", accepted },
    ]);
    await submitAndRun(at.chain, adapter, "abdicate", ["0x12345678"]);
    const data = callOf(at.chain, "MorphoMarketAdapter", "decreaseTimelock", ["0x87654321", 0n]);
    await submit(at.chain, adapter, data);
    await execute(at.chain, {
      contract: "MorphoMarketAdapter",
      address: at.adapter,
      functionName: "revoke",
      args: [data],
      from: SENTINEL,
    });
    await execute(at.chain, {
      contract: "MorphoMarketAdapter",
      address: at.adapter,
      functionName: "skim",
      args: [at.ether],
      from: RECIPIENT,
    });
    expect(await at.sync()).toMatchObject([
      { action: "timelock_submit" },
      { action: "abdicate", id: "0x12345678", accepted },
      { action: "timelock_submit" },
      {
        action: "timelock_revoke",
        actor: SENTINEL,
        call: { target: at.adapter, function: "decreaseTimelock" },
      },
      { action: "fee_config_update", id: "skim", account: at.ether, new: "0", actor: RECIPIENT },
    ]);
  });

  test("burnt shares are a loss, and so is what the vault then finds", async () => {
    const marketId = keccak256(marketData(at.market()));
    await at.deposit(500_000n);
    await at.call("allocate", [at.adapter, marketData(at.market()), 400_000n], ALLOCATOR);
    await at.sync();
    await submitAndRun(at.chain, at.marketAdapter, "burnShares", [marketId]);
    await at.call("accrueInterest", [], STRANGER);
    const [submitted, burnt, loss, ...more] = await at.sync();
    expect(submitted).toMatchObject({ action: "timelock_submit" });
    expect(burnt).toMatchObject({
      action: "loss",
      id: marketId,
      new: "0",
      accepted,
      call: { function: "burnShares" },
    });
    expect(loss).toMatchObject({ action: "loss", event: "AccrueInterest" });
    expect(BigInt(String(loss!.old)) - BigInt(String(loss!.new))).toBeGreaterThan(390_000n);
    expect(more).toEqual([]);
  });
});

test("an adapter that is not timelocked: its recipient is the owner's word", async () => {
  await at.govern("addAdapter", [at.vaultAdapter]);
  await at.sync();
  const call = { contract: "MorphoErc4626Adapter", address: at.vaultAdapter, from: OWNER };
  await execute(at.chain, { ...call, functionName: "setSkimRecipient", args: [RECIPIENT] });
  const [entry, ...more] = await at.sync();
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ action: "fee_config_update", id: "skimRecipient", actor: OWNER });
  expect(entry).not.toHaveProperty("accepted");
});

test("gates and the registry: what they were is told", async () => {
  const gate = await deploy(at.chain, "MorphoGate");
  await at.govern("setSendAssetsGate", [gate]);
  await at.govern("setSendAssetsGate", [zeroAddress]);
  const effects = (await at.sync()).filter(({ action }) => action === "gate_change");
  expect(effects).toMatchObject([
    { id: "sendAssetsGate", old: zeroAddress, new: gate, account: gate },
    { id: "sendAssetsGate", old: gate, new: zeroAddress, account: null },
  ]);
});

async function executableAt(address: Address, data: Hex): Promise<bigint> {
  const { abi } = at.chain.artifacts.MorphoVaultV2!;
  return (await at.chain.client.readContract({
    address,
    abi,
    functionName: "executableAt",
    args: [data],
  })) as bigint;
}
