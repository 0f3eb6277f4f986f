import { type Abi, type AbiEvent, type Address, decodeEventLog, type TransactionReceipt } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountAddress, addressOf } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { connectChain, type DemoChain, deploy, execute, now, passTime, read } from "./chain.ts";
import {
  createTrio,
  deployAggregator,
  deployErc4626Vault,
  deployToken,
  type Trio,
  type VaultSystem,
} from "./deploy.ts";
import {
  claimRedeem,
  depositAssets,
  fulfillRedeems,
  mintTokens,
  payUpkeep,
  pushPps,
  requestRedeem,
} from "./operate.ts";

const MANAGER = accountAddress(0);
const SECOND = accountAddress(1);
const STRANGER = accountAddress(3);
const ALICE = accountAddress(10);
const BOB = accountAddress(11);
const UP = 10n ** 18n;

let anvil: Anvil;
let chain: DemoChain;
let system: VaultSystem;
let usdc: Address;
let trio: Trio;

beforeAll(async () => {
  anvil = await startAnvil();
  chain = await connectChain(anvil.rpcUrl);
  system = await deployAggregator(chain, { upkeepCost: UP, treasuryFeeBps: 2000n });
  usdc = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  trio = await newTrio();
});

afterAll(() => anvil.stop());

async function newTrio(): Promise<Trio> {
  const made = await createTrio(chain, system, {
    asset: usdc,
    name: "Test Vault",
    symbol: "tv",
    secondaryManagers: [SECOND],
    minUpdateIntervalSeconds: 60,
  });
  await payUpkeep(chain, system, made.strategy, 100n * UP);
  return made;
}

function aggregator(from: Address, functionName: string, ...args: readonly unknown[]) {
  return execute(chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
    from,
  });
}

function strategy(of: Trio, from: Address, functionName: string, ...args: readonly unknown[]) {
  return execute(chain, { contract: "SuperVaultStrategy", address: of.strategy, functionName, args, from });
}

function view<T>(functionName: string, of: Trio = trio): Promise<T> {
  const call = {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args: [of.strategy],
  };
  return read<T>(chain, call);
}

function vaultView<T>(of: Trio, functionName: string, ...args: readonly unknown[]): Promise<T> {
  return read<T>(chain, { contract: "SuperVault", address: of.vault, functionName, args });
}

/** Names of the events in a receipt, in order, of those that our contracts know. */
function eventNames(receipt: TransactionReceipt): string[] {
  const contracts = [
    "SuperVaultAggregator",
    "SuperVaultStrategy",
    "SuperVault",
    "SuperVaultEscrow",
    "PPSOracle",
  ];
  const events = contracts.flatMap((name) =>
    (chain.artifacts[name]?.abi ?? ([] as Abi)).filter((item): item is AbiEvent => item.type === "event"),
  );
  return receipt.logs.map((log) => {
    for (const event of events) {
      try {
        return decodeEventLog({ abi: [event], data: log.data, topics: log.topics }).eventName as string;
      } catch {}
    }
    return "?";
  });
}

async function push(of: Trio, pps: bigint, timestamp?: bigint): Promise<string[]> {
  const update = { strategy: of.strategy, pps, ...(timestamp === undefined ? {} : { timestamp }) };
  const names = eventNames(await pushPps(chain, system, [update]));
  return names.filter((name) => name !== "PPSValidated" && name !== "UpkeepSpent");
}

async function reason(call: Promise<unknown>): Promise<string | undefined> {
  const error = await call.then(
    () => undefined,
    (thrown: { walk?: (check: (cause: unknown) => boolean) => { data?: { errorName: string } } }) => thrown,
  );
  const found = error?.walk?.(
    (cause) => typeof cause === "object" && cause !== null && "data" in cause && cause.data !== undefined,
  );
  return found?.data?.errorName;
}

test("a new trio is tied together by its views, with the managers it was given", async () => {
  expect(await vaultView(trio, "strategy")).toBe(trio.strategy);
  expect(await vaultView(trio, "escrow")).toBe(trio.escrow);
  expect(await view("getMainManager")).toBe(MANAGER);
  expect(await view("getSecondaryManagers")).toEqual([SECOND]);
  expect(await view("getPPS")).toBe(1_000_000n);
  const info = { contract: "SuperVaultStrategy", address: trio.strategy };
  expect(await read(chain, { ...info, functionName: "getVaultInfo" })).toEqual([trio.vault, usdc, 6]);
  expect(await read(chain, { ...info, functionName: "getConfigInfo" })).toEqual({
    performanceFeeBps: 1000n,
    managementFeeBps: 0n,
    recipient: addressOf("feeRecipient"),
  });
  expect(await read(chain, { ...info, functionName: "ppsExpiration" })).toBe(86_400n);
  expect(await read(chain, { ...info, functionName: "vaultHwmPps" })).toBe(1_000_000n);
});

test("a vault says which of ERC-7540 and ERC-7575 it is", async () => {
  const supports = (id: string) => vaultView<boolean>(trio, "supportsInterface", id);
  expect(await supports("0x01ffc9a7")).toBe(true);
  expect(await supports("0x620ee8e4")).toBe(true);
  expect(await supports("0x2f0a18c5")).toBe(true);
  expect(await supports("0xce3bbe50")).toBe(false);
  expect(await supports("0xffffffff")).toBe(false);
});

test("a price is taken, or refused by the event that says why", async () => {
  const own = await newTrio();
  await passTime(chain, 120);
  const time = await now(chain);
  expect(await push(own, 1_010_000n, time)).toEqual(["PPSUpdated"]);
  expect(await view("getPPS", own)).toBe(1_010_000n);
  expect(await view("getLastUpdateTimestamp", own)).toBe(time);
  expect(await push(own, 1_020_000n, time)).toEqual(["TimestampNotMonotonic"]);
  await passTime(chain, 30);
  expect(await push(own, 1_020_000n, time + 10n)).toEqual(["UpdateTooFrequent"]);
  expect(await push(own, 1_020_000n, time + 9000n)).toEqual(["ProvidedTimestampExceedsBlockTimestamp"]);
  expect(await push(own, 1_020_000n, time - 90_000n)).toEqual(["StaleUpdate"]);
  expect(await push({ ...own, strategy: STRANGER }, 1n, time)).toEqual(["UnknownStrategy"]);
  expect(await view("getPPS", own)).toBe(1_010_000n);
});

test("a pause stops deposits and prices; the price stays stale after it until a fresh one", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000n);
  expect(await reason(aggregator(STRANGER, "pauseStrategy", own.strategy))).toBe(
    "UNAUTHORIZED_UPDATE_AUTHORITY",
  );
  expect(eventNames(await aggregator(SECOND, "pauseStrategy", own.strategy))).toEqual(["StrategyPaused"]);
  expect(await view("isStrategyPaused", own)).toBe(true);
  expect(await reason(depositAssets(chain, own, ALICE, 5n))).toBe("STRATEGY_PAUSED");
  await passTime(chain, 120);
  expect(await push(own, 1_010_000n)).toEqual(["PPSUpdateRejectedStrategyPaused"]);
  const before = await now(chain);
  expect(eventNames(await aggregator(MANAGER, "unpauseStrategy", own.strategy))).toEqual([
    "StrategyUnpaused",
  ]);
  expect(await view("isPPSStale", own)).toBe(true);
  expect(await reason(depositAssets(chain, own, ALICE, 5n))).toBe("STALE_PPS");
  expect(await push(own, 1_010_000n, before)).toEqual(["StaleSignatureAfterUnpause"]);
  await passTime(chain, 120);
  expect(await push(own, 1_010_000n)).toEqual(["StrategyPPSStaleReset", "PPSUpdated"]);
  expect(await view("isPPSStale", own)).toBe(false);
});

test("a price past its expiry blocks deposits and redeem requests", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000n);
  await passTime(chain, 86_500);
  expect(await reason(depositAssets(chain, own, ALICE, 1_000_000n))).toBe("PPS_EXPIRED");
  expect(await reason(requestRedeem(chain, own, ALICE, 1000n))).toBe("PPS_EXPIRED");
});

test("a price that costs more upkeep than there is pauses the strategy as stale", async () => {
  const own = await createTrio(chain, system, { asset: usdc, name: "Poor", symbol: "p" });
  await payUpkeep(chain, system, own.strategy, UP + UP / 2n);
  await passTime(chain, 120);
  expect(await push(own, 1_000_001n)).toEqual(["PPSUpdated"]);
  expect(await view("getUpkeepBalance", own)).toBe(UP / 2n);
  await passTime(chain, 120);
  expect(await push(own, 1_000_002n)).toEqual(["StrategyPaused", "StrategyPPSStale", "InsufficientUpkeep"]);
  expect([await view("isStrategyPaused", own), await view("isPPSStale", own)]).toEqual([true, true]);
});

test("a price too far off fails its check and pauses the strategy", async () => {
  const own = await newTrio();
  await aggregator(MANAGER, "updateDeviationThreshold", own.strategy, UP / 100n);
  await passTime(chain, 120);
  expect(await push(own, 1_100_000n)).toEqual(["StrategyCheckFailed", "StrategyPaused", "StrategyPPSStale"]);
  expect(await view("getPPS", own)).toBe(1_000_000n);
});

test("a redeem goes from request to claimable to withdrawal", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000_000n);
  await depositAssets(chain, own, BOB, 500_000_000n);
  const requested = await requestRedeem(chain, own, ALICE, 400_000_000n);
  expect(eventNames(requested).slice(-3)).toEqual(["SharesEscrowed", "RedeemRequestPlaced", "RedeemRequest"]);
  await requestRedeem(chain, own, BOB, 100_000_000n);
  await passTime(chain, 120);
  await push(own, 1_100_000n);
  await mintTokens(chain, usdc, own.strategy, 150_000_000n);
  expect(await vaultView(own, "pendingRedeemRequest", 0n, ALICE)).toBe(400_000_000n);
  const fulfilled = eventNames(await fulfillRedeems(chain, own, [ALICE, BOB], SECOND));
  expect(fulfilled.filter((name) => name === "RedeemClaimable")).toHaveLength(2);
  expect(fulfilled.at(-1)).toBe("RedeemRequestsFulfilled");
  expect(await vaultView(own, "maxWithdraw", ALICE)).toBe(440_000_000n);
  expect(await vaultView(own, "getEscrowedAssets")).toBe(550_000_000n);
  expect(await vaultView(own, "totalSupply")).toBe(1_000_000_000n);
  expect(eventNames(await claimRedeem(chain, own.vault, ALICE))).toContain("Withdraw");
  expect(await vaultView(own, "getEscrowedAssets")).toBe(110_000_000n);
});

test("a redeem request is cancelled and its shares come back", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000n);
  await requestRedeem(chain, own, ALICE, 300_000n);
  const vault = { contract: "SuperVault", address: own.vault, from: ALICE };
  await execute(chain, { ...vault, functionName: "cancelRedeemRequest", args: [0n, ALICE] });
  expect(await reason(requestRedeem(chain, own, ALICE, 1n))).toBe("CANCELLATION_REDEEM_REQUEST_PENDING");
  await strategy(own, MANAGER, "fulfillCancelRedeemRequests", [ALICE]);
  const claimed = await execute(chain, {
    ...vault,
    functionName: "claimCancelRedeemRequest",
    args: [0n, ALICE, ALICE],
  });
  expect(eventNames(claimed).at(-1)).toBe("CancelRedeemClaim");
  expect(await vaultView(own, "balanceOf", ALICE)).toBe(1_000_000n);
});

test("proposals take effect after their timelocks and not before", async () => {
  const own = await newTrio();
  const root = `0x${"ab".repeat(32)}`;
  await aggregator(MANAGER, "proposeStrategyHooksRoot", own.strategy, root);
  const [proposed, effectiveTime] = await view<[string, bigint]>("getProposedStrategyHooksRoot", own);
  expect([proposed, effectiveTime]).toEqual([root, (await now(chain)) + 900n]);
  expect(await reason(aggregator(BOB, "executeStrategyHooksRootUpdate", own.strategy))).toBe(
    "ROOT_UPDATE_NOT_READY",
  );
  await passTime(chain, 901);
  await aggregator(BOB, "executeStrategyHooksRootUpdate", own.strategy);
  expect(await view("getStrategyHooksRoot", own)).toBe(root);

  await strategy(own, MANAGER, "proposeVaultFeeConfigUpdate", 2000n, 10n, BOB);
  await strategy(own, MANAGER, "managePPSExpiration", 0, 3600n);
  await aggregator(MANAGER, "proposeWithdrawUpkeep", own.strategy);
  await aggregator(MANAGER, "proposeMinUpdateIntervalChange", own.strategy, 90n);
  expect(await reason(strategy(own, MANAGER, "executeVaultFeeConfigUpdate"))).toBe("INVALID_TIMESTAMP");
  expect(await reason(aggregator(MANAGER, "executeWithdrawUpkeep", own.strategy))).toBe(
    "UPKEEP_WITHDRAWAL_NOT_READY",
  );
  await passTime(chain, 7 * 86_400 + 1);
  expect(eventNames(await strategy(own, MANAGER, "executeVaultFeeConfigUpdate"))).toEqual([
    "VaultFeeConfigUpdated",
    "HWMPPSUpdated",
  ]);
  expect(eventNames(await strategy(own, MANAGER, "managePPSExpiration", 1, 0n))).toEqual([
    "PPSExpiryThresholdUpdated",
  ]);
  expect(eventNames(await aggregator(BOB, "executeWithdrawUpkeep", own.strategy)).at(-1)).toBe(
    "UpkeepWithdrawn",
  );
  expect(eventNames(await aggregator(BOB, "executeMinUpdateIntervalChange", own.strategy))).toEqual([
    "MinUpdateIntervalChanged",
  ]);
  expect(await view("getMinUpdateInterval", own)).toBe(90n);
  expect(await view("getUpkeepBalance", own)).toBe(0n);
});

test("a change of primary manager clears the secondary ones, silently when executed after the timelock", async () => {
  const own = await newTrio();
  await aggregator(SECOND, "proposeChangePrimaryManager", own.strategy, BOB, BOB);
  const [proposed] = await view<[Address, bigint]>("getPendingManagerChange", own);
  expect(proposed).toBe(BOB);
  expect(await reason(aggregator(BOB, "executeChangePrimaryManager", own.strategy))).toBe(
    "TIMELOCK_NOT_EXPIRED",
  );
  await passTime(chain, 7 * 86_400 + 1);
  const names = eventNames(await aggregator(BOB, "executeChangePrimaryManager", own.strategy));
  expect(names).toEqual(["FeeRecipientChanged", "PrimaryManagerChanged"]);
  expect([await view("getMainManager", own), await view("getSecondaryManagers", own)]).toEqual([BOB, []]);

  await aggregator(BOB, "addSecondaryManager", own.strategy, SECOND);
  const govern = {
    contract: "SuperGovernor",
    address: system.governor,
    functionName: "changePrimaryManager",
  };
  const takeover = await execute(chain, {
    ...govern,
    args: [own.strategy, MANAGER, MANAGER],
    from: addressOf("deployer"),
  });
  expect(eventNames(takeover)).toEqual([
    "SecondaryManagerRemoved",
    "FeeRecipientChanged",
    "PrimaryManagerChanged",
  ]);
});

test("a fee is skimmed above the high-water mark and lowers the price", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000_000n);
  await passTime(chain, 120);
  await push(own, 1_100_000n);
  const names = eventNames(await strategy(own, MANAGER, "skimPerformanceFee"));
  expect(names.slice(-3)).toEqual(["PerformanceFeeSkimmed", "HWMPPSUpdated", "PPSUpdatedAfterSkim"]);
  expect(await view("getPPS", own)).toBe(1_090_000n);
  const mark = { contract: "SuperVaultStrategy", address: own.strategy, functionName: "vaultHwmPps" };
  expect(await read(chain, mark)).toBe(1_090_000n);
});

test("yield sources are listed with their oracles, and assets move in and out of them", async () => {
  const own = await newTrio();
  await depositAssets(chain, own, ALICE, 1_000_000_000n);
  const source = await deployErc4626Vault(chain, { asset: usdc, name: "Source", symbol: "s" });
  const oracle = await deploy(chain, "YieldSourceOracle");
  await strategy(own, MANAGER, "manageYieldSource", source, system.yieldSourceOracle, 0);
  await strategy(own, MANAGER, "manageYieldSource", source, oracle, 1);
  const list = { contract: "SuperVaultStrategy", address: own.strategy, functionName: "getYieldSourcesList" };
  expect(await read(chain, list)).toEqual([{ sourceAddress: source, oracle }]);
  await strategy(own, SECOND, "allocate", source, 600_000_000n);
  const value = { contract: "YieldSourceOracle", address: oracle, functionName: "getTVLByOwnerOfShares" };
  expect(await read(chain, { ...value, args: [source, own.strategy] })).toBe(600_000_000n);
  await strategy(own, SECOND, "deallocate", source, 600_000_000n);
  await strategy(own, MANAGER, "manageYieldSource", source, oracle, 2);
  expect(await read(chain, list)).toEqual([]);
});
