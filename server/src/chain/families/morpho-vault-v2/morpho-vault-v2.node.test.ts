// The family on a node: what every family promises, and each field of a reading against the contract's own answer at the block.
import { type Address, type Hex, keccak256, maxUint128, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { read } from "../../../../../demo/src/chain.ts";
import { idData, marketData } from "../../../../../demo/src/families/morpho-vault-v2.ts";
import { depositAssets } from "../../../../../demo/src/operate.ts";
import { type ConformanceSubject, describeConformance } from "../../../../test/family-conformance.ts";
import { compileForeignContracts } from "../../../../test/foreign-contracts.ts";
import { deployArtifact } from "../../../../test/node.ts";
import type { ChainClient } from "../../client/client.ts";
import type { VaultReading } from "../../reading.ts";
import {
  ALLOCATOR,
  CURATOR,
  DEPOSITOR,
  OWNER,
  RECIPIENT,
  SENTINEL,
  STRANGER,
  TestVault,
} from "./test-vault.ts";

const WAD = 10n ** 18n;
let at: TestVault;
let subject: ConformanceSubject;
let reading: VaultReading;
/** The block of that reading. */
let readAt: bigint;

beforeAll(async () => {
  at = await TestVault.start();
  await at.sync();
  await at.call("setIsSentinel", [SENTINEL, true], OWNER);
  await at.govern("setIsAllocator", [ALLOCATOR, true]);
  await at.govern("setIsAllocator", [STRANGER, true]);
  await at.govern("setIsAllocator", [STRANGER, false]);
  await at.govern("addAdapter", [at.adapter]);
  await at.govern("addAdapter", [at.vaultAdapter]);
  for (const id of [
    idData.adapter(at.adapter),
    idData.collateral(at.ether),
    idData.market(at.adapter, at.market()),
  ]) {
    await at.govern("increaseAbsoluteCap", [id, 10n ** 12n]);
    await at.govern("increaseRelativeCap", [id, WAD / 2n]);
  }
  await at.govern("increaseAbsoluteCap", [idData.adapter(at.vaultAdapter), maxUint128]);
  await at.govern("increaseRelativeCap", [idData.adapter(at.vaultAdapter), WAD]);
  await at.govern("increaseAbsoluteCap", ["0x0badc0de", 5n]);
  await at.govern("setPerformanceFeeRecipient", [RECIPIENT]);
  await at.govern("setManagementFeeRecipient", [OWNER]);
  await at.govern("setPerformanceFee", [123_456_789_012_345_678n]);
  await at.govern("setManagementFee", [634_195_839n]);
  await at.call("setMaxRate", [10n ** 9n], ALLOCATOR);
  await at.deposit(10_000_000_000n);
  await at.call("allocate", [at.adapter, marketData(at.market()), 4_000_000_000n], ALLOCATOR);
  await at.call("allocate", [at.vaultAdapter, "0x", 3_000_000_000n], ALLOCATOR);
  await depositAssets(at.chain, { vault: at.bare.address, asset: at.ether }, DEPOSITOR, 5n * WAD);
  await at.onMarket("borrow", [at.market(), 3_500_000_000n, STRANGER]);
  await at.onMarket("earn", [at.market(), 100_000_000n]);
  await at.passTime(86_400);
  reading = await at.read();
  readAt = await at.chain.client.getBlockNumber();

  const foreign = await compileForeignContracts();
  const hostile = [];
  for (const harm of [0n, 1n, 2n, 3n]) {
    const address = await deployArtifact(at.chain, foreign, "HostileVault", [at.dollar, harm]);
    hostile.push({ ...at.bare, address, source: { ...at.bare.source, address } });
  }
  await at.chain.client.setBlockGasLimit({ gasLimit: 30_000_000n });
  await at.chain.client.mine({ blocks: 1 });
  const { number, hash } = await at.client.head();
  subject = {
    family: at.family,
    client: at.client,
    vaults: [at.known, at.bare],
    at: { number, hash },
    hostile,
    notAVault: at.dollar,
    logs: at.logs,
    change: () => at.deposit(1_000_000n),
  };
});
afterAll(() => at?.stop());

describeConformance("morpho_vault_v2", async () => subject);

describe("a reading is what the contracts say at its block", () => {
  test("price, supply, assets and what lies idle", async () => {
    expect(reading).toMatchObject({
      pps: await view("convertToAssets", [WAD]),
      ppsE18: await view("convertToAssets", [WAD * WAD]),
      ppsDecimals: 6,
      totalAssets: await view("totalAssets"),
      totalSupply: await view("totalSupply"),
      freeAssets: 3_000_000_000n,
      name: "Prime Dollars",
      symbol: "pUSD",
      isPaused: null,
      lostAssets: null,
      nav: null,
      unread: [],
      failed: {},
    });
    expect(reading.totalAssets).toBeGreaterThan(10_000_000_000n);
  });

  test("who holds which role: of those that were ever named, whom the contract confirms", () => {
    expect(reading.contractRoles).toEqual([
      { role: "owner", account: OWNER },
      { role: "curator", account: CURATOR },
      { role: "sentinel", account: SENTINEL },
      { role: "allocator", account: ALLOCATOR },
    ]);
    expect(reading.managers.primary).toBe(OWNER);
  });

  test("fees to the last digit, the management fee for 365 days, and in basis points the nearest", () => {
    expect(reading.feeRates).toEqual({
      performanceFeeE18: 123_456_789_012_345_678n,
      performanceFeeRecipient: RECIPIENT,
      managementFeeE18: 634_195_839n * 31_536_000n,
      managementFeeRecipient: OWNER,
    });
    expect(reading.fees).toEqual({ performanceFeeBps: 1235n, managementFeeBps: 200n, recipient: RECIPIENT });
  });

  test("trap 12: ids are an adapter, a collateral, a market in an adapter, or what nobody knows, each at today's worth", async () => {
    const marketId = keccak256(marketData(at.market()));
    const inMarket = await ofAdapter(at.adapter, "MorphoMarketAdapter", "expectedSupplyAssets", [marketId]);
    const inVault = await ofAdapter(at.vaultAdapter, "MorphoErc4626Adapter", "realAssets", []);
    expect(inMarket).toBe(4_099_999_999n);
    const half = {
      absoluteCap: 10n ** 12n,
      isAbsoluteCapped: true,
      relativeCapE18: WAD / 2n,
      isRelativeCapped: true,
    };
    const capless = {
      absoluteCap: null,
      isAbsoluteCapped: false,
      relativeCapE18: null,
      isRelativeCapped: false,
    };
    expect(reading.allocations).toEqual([
      {
        id: keccak256(idData.adapter(at.adapter)),
        kind: "adapter",
        address: at.adapter,
        label: null,
        assets: inMarket,
        ...half,
      },
      {
        id: keccak256(idData.adapter(at.vaultAdapter)),
        kind: "adapter",
        address: at.vaultAdapter,
        label: null,
        assets: inVault,
        ...capless,
      },
      {
        id: keccak256(idData.collateral(at.ether)),
        kind: "collateral",
        address: at.ether,
        label: "WETH",
        assets: inMarket,
        ...half,
      },
      {
        id: keccak256(idData.market(at.adapter, at.market())),
        kind: "market",
        address: at.adapter,
        label: "WETH 86 %",
        assets: inMarket,
        ...half,
      },
      {
        id: keccak256("0x0badc0de"),
        kind: "strategy",
        address: null,
        label: null,
        assets: null,
        absoluteCap: 5n,
        isAbsoluteCapped: true,
        relativeCapE18: 0n,
        isRelativeCapped: true,
      },
    ]);
    for (const { id, absoluteCap, relativeCapE18 } of reading.allocations) {
      expect(absoluteCap ?? maxUint128).toBe(await view("absoluteCap", [id]));
      expect(relativeCapE18 ?? WAD).toBe(await view("relativeCap", [id]));
    }
  });

  test("trap 10: what is booked is not what it is worth", async () => {
    const booked = await view("allocation", [keccak256(idData.adapter(at.adapter))]);
    expect(booked).toBe(4_000_000_000n);
    expect(reading.allocations[0]!.assets).toBe(4_099_999_999n);
  });

  test("trap 13: the greatest number of 128 bits is no cap, and neither is a share of one", () => {
    expect(reading.allocations[1]).toMatchObject({
      isAbsoluteCapped: false,
      absoluteCap: null,
      isRelativeCapped: false,
      relativeCapE18: null,
    });
  });
});

describe("trap 8: `maxWithdraw` is always 0: what can be paid out is what lies idle and what the liquidity adapter gets back", () => {
  const liquidity = async () => (await at.read()).liquidity!;

  test("without one it is what lies idle", async () => {
    expect(await view("maxWithdraw", [DEPOSITOR])).toBe(0n);
    const idle = 3_000_000_000n;
    expect(reading.liquidity).toEqual({ idleAssets: idle, withdrawableAssets: idle, isExitImmediate: true });
  });

  test("a market gives no more than others have not borrowed", async () => {
    await at.call("setLiquidityAdapterAndData", [at.adapter, marketData(at.market())], ALLOCATOR);
    const before = await liquidity();
    expect(before.withdrawableAssets).toBe(before.idleAssets + 500_000_000n);
    await at.onMarket("borrow", [at.market(), 400_000_000n, STRANGER]);
    const { idleAssets, withdrawableAssets } = await liquidity();
    expect(withdrawableAssets).toBe(idleAssets + 100_000_000n);
    await at.call("withdraw", [withdrawableAssets, DEPOSITOR, DEPOSITOR], DEPOSITOR);
    expect(await liquidity()).toMatchObject({ idleAssets: 0n, withdrawableAssets: 0n });
    await expect(at.call("withdraw", [1n, DEPOSITOR, DEPOSITOR], DEPOSITOR)).rejects.toThrow();
  });

  test("a market in which nothing is borrowed gives what the adapter has there, and not what others have", async () => {
    const other = at.market(5n * 10n ** 17n);
    const own = idData.market(at.adapter, other);
    await at.govern("increaseAbsoluteCap", [own, 10n ** 12n]);
    for (const id of [own, idData.adapter(at.adapter), idData.collateral(at.ether)])
      await at.govern("increaseRelativeCap", [id, WAD]);
    await at.call("setLiquidityAdapterAndData", [zeroAddress, "0x"], ALLOCATOR);
    await at.deposit(700n);
    await at.call("allocate", [at.adapter, marketData(other), 600n], ALLOCATOR);
    await at.call("setLiquidityAdapterAndData", [at.adapter, marketData(other)], ALLOCATOR);
    expect(await liquidity()).toMatchObject({ idleAssets: 100n, withdrawableAssets: 100n + 600n });
  });

  test("an ERC-4626 vault gives what it lets the adapter withdraw", async () => {
    await at.call("setLiquidityAdapterAndData", [at.vaultAdapter, "0x"], ALLOCATOR);
    expect(await liquidity()).toMatchObject({
      idleAssets: 100n,
      withdrawableAssets: 100n + 3_000_000_000n,
    });
  });

  test("one that is no adapter of the vault gives nothing", async () => {
    await at.call("setLiquidityAdapterAndData", [STRANGER, "0x"], ALLOCATOR);
    expect(await liquidity()).toMatchObject({ idleAssets: 100n, withdrawableAssets: 100n });
  });
});

test("once it has found its way, one round of views reads a vault", async () => {
  await at.read();
  let rounds = 0;
  const counting: ChainClient = {
    ...at.client,
    head: () => at.client.head(),
    multicall: (...args: Parameters<ChainClient["multicall"]>) => {
      rounds += 1;
      return at.client.multicall(...args);
    },
  };
  const head = await at.client.head();
  await at.family.read(counting, [at.known], { number: head.number, hash: head.hash }, new Map(), at.tracked);
  expect(rounds).toBe(1);
});

async function view(functionName: string, args: readonly unknown[] = []): Promise<unknown> {
  return await read(
    at.chain,
    { contract: "MorphoVaultV2", address: at.known.address, functionName, args },
    readAt,
  );
}

async function ofAdapter(
  address: Address,
  contract: string,
  functionName: string,
  args: readonly Hex[],
): Promise<unknown> {
  return await read(at.chain, { contract, address, functionName, args });
}
