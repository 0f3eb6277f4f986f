/**
 * What happens once in the history, by day: proposals and their execution, managers who come and go, pauses, rejected
 * prices, yield sources taken up and dropped. Days count from the start; the steps of the market fall on quarters of a day.
 */
import { type Address, keccak256, stringToHex } from "viem";
import { accountAddress, addressOf, depositors } from "../accounts.ts";
import { type DemoChain, deploy, execute, read } from "../chain.ts";
import type { CuratedVaults } from "../curated/raise.ts";
import type { DeployedTrio, TrioKey } from "../deployment.ts";
import { pushPps, requestRedeem } from "../operate.ts";
import { CURATED_SCRIPT } from "./curated-days.ts";
import { type Foundation, UPKEEP_COST } from "./setup.ts";

/** The vaults as far as they have been made. */
export interface Scene {
  readonly chain: DemoChain;
  readonly foundation: Foundation;
  readonly trios: Map<TrioKey, DeployedTrio>;
  /** Absent until they are made. */
  curated?: CuratedVaults;
}

export interface ScriptedEvent {
  readonly day: number;
  /** At the time of the next block, unix seconds. */
  readonly run: (scene: Scene, time: bigint) => Promise<unknown>;
}

const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const OTHER = addressOf("otherManager");
const FORMER = addressOf("formerManager");
const TEMPORARY = addressOf("temporaryManager");
const KEEPER = addressOf("redeemKeeper");
const RECIPIENT = addressOf("feeRecipient");
const DAY_SECONDS = 86_400n;

const ADD = 0;
const CHANGE_ORACLE = 1;
const REMOVE = 2;

const EVENTS: readonly ScriptedEvent[] = [
  { day: 1.1, run: (scene) => governor(scene, "setMinStaleness", 300n) },
  { day: 1.2, run: (scene) => governor(scene, "proposeGlobalHooksRoot", root("global 1")) },
  { day: 1.3, run: (scene) => aggregator(scene, KEEPER, "executeGlobalHooksRootUpdate") },
  {
    day: 2.1,
    run: (scene) => onStrategy(scene, "prime", MANAGER, "proposeStrategyHooksRoot", root("prime 1")),
  },
  { day: 2.2, run: (scene) => onStrategy(scene, "prime", MANAGER, "executeStrategyHooksRootUpdate") },
  { day: 3.1, run: (scene) => strategy(scene, "prime", MANAGER, "managePPSExpiration", 0, 2n * DAY_SECONDS) },
  { day: 10.2, run: (scene) => strategy(scene, "prime", MANAGER, "managePPSExpiration", 1, 0n) },
  {
    day: 3.3,
    run: (scene) => onStrategy(scene, "drawdown", MANAGER, "updateDeviationThreshold", 5n * 10n ** 16n),
  },
  { day: 5.1, run: (scene) => onStrategy(scene, "prime", MANAGER, "proposeMinUpdateIntervalChange", 45n) },
  { day: 8.2, run: (scene) => onStrategy(scene, "prime", KEEPER, "executeMinUpdateIntervalChange") },
  { day: 6.1, run: (scene) => onStrategy(scene, "queued", MANAGER, "proposeMinUpdateIntervalChange", 60n) },
  { day: 7.1, run: (scene) => onStrategy(scene, "queued", MANAGER, "cancelMinUpdateIntervalChange") },
  { day: 8.6, run: handOverAsyncVault },
  { day: 9.1, run: takeUpSecondSources },
  {
    day: 11.1,
    run: (scene) => strategy(scene, "prime", MANAGER, "proposeVaultFeeConfigUpdate", 1200n, 0n, RECIPIENT),
  },
  { day: 18.2, run: (scene) => strategy(scene, "prime", MANAGER, "executeVaultFeeConfigUpdate") },
  { day: 12.1, run: (scene) => onStrategy(scene, "prime", MANAGER, "addSecondaryManager", TEMPORARY) },
  { day: 30.1, run: (scene) => onStrategy(scene, "prime", MANAGER, "removeSecondaryManager", TEMPORARY) },
  { day: 14.1, run: pushTooOften },
  { day: 16.1, run: pushNonsense },
  {
    day: 20.1,
    run: (scene) => onStrategy(scene, "stale", OTHER, "proposeChangePrimaryManager", OTHER, RECIPIENT),
  },
  { day: 27.2, run: (scene) => onStrategy(scene, "stale", OTHER, "executeChangePrimaryManager") },
  { day: 27.3, run: (scene) => onStrategy(scene, "stale", OTHER, "addSecondaryManager", KEEPER) },
  { day: 20.3, run: (scene) => strategy(scene, "prime", KEEPER, "skimPerformanceFee") },
  { day: 30.3, run: (scene) => strategy(scene, "queued", KEEPER, "skimPerformanceFee") },
  { day: 40.3, run: (scene) => strategy(scene, "prime", KEEPER, "skimPerformanceFee") },
  { day: 22.1, run: pushLate },
  { day: 25.1, run: (scene) => onStrategy(scene, "drawdown", SECOND, "pauseStrategy") },
  { day: 25.4, run: unpauseAndReplay },
  { day: 33.1, run: (scene) => asyncVault(scene, "pause") },
  { day: 33.2, run: (scene) => asyncVault(scene, "unpause") },
  {
    day: 34.1,
    run: (scene) => onStrategy(scene, "queued", MANAGER, "proposeStrategyHooksRoot", root("queued 1")),
  },
  { day: 34.2, run: (scene) => onStrategy(scene, "queued", MANAGER, "executeStrategyHooksRootUpdate") },
  { day: 35.1, run: (scene) => governStrategy(scene, "queued", "setStrategyHooksRootVetoStatus", true) },
  { day: 36.1, run: (scene) => governStrategy(scene, "queued", "setStrategyHooksRootVetoStatus", false) },
  { day: 37.1, run: pushOutlier },
  { day: 37.2, run: (scene) => onStrategy(scene, "drawdown", MANAGER, "unpauseStrategy") },
  {
    day: 40.1,
    run: (scene) => onStrategy(scene, "queued", SECOND, "proposeChangePrimaryManager", TEMPORARY, RECIPIENT),
  },
  { day: 42.1, run: (scene) => onStrategy(scene, "queued", MANAGER, "cancelChangePrimaryManager") },
  { day: 43.1, run: (scene) => governStrategy(scene, "paused", "resetHighWaterMark") },
  { day: 45.1, run: (scene) => onStrategy(scene, "upkeepShort", OTHER, "proposeWithdrawUpkeep") },
  { day: 46.2, run: leaveLittleUpkeep },
  { day: 48.1, run: exchangeSources },
  { day: 52.1, run: cancelARedeem },
  { day: 55.1, run: (scene) => onStrategy(scene, "paused", OTHER, "pauseStrategy") },
  // What is stale and what is short of upkeep is somebody's to look after who watches: account 0 is told of both.
  { day: 56.1, run: (scene) => onStrategy(scene, "stale", OTHER, "addSecondaryManager", MANAGER) },
  { day: 56.2, run: (scene) => onStrategy(scene, "upkeepShort", OTHER, "addSecondaryManager", MANAGER) },
  {
    day: 58.1,
    run: (scene) => strategy(scene, "drawdown", MANAGER, "proposeVaultFeeConfigUpdate", 900n, 5n, RECIPIENT),
  },
  { day: 59.1, run: (scene) => onStrategy(scene, "queued", MANAGER, "proposeMinUpdateIntervalChange", 90n) },
  {
    day: 59.2,
    run: (scene) => onStrategy(scene, "exiting", SECOND, "proposeChangePrimaryManager", TEMPORARY, RECIPIENT),
  },
  { day: 59.4, run: (scene) => onStrategy(scene, "exiting", MANAGER, "proposeWithdrawUpkeep") },
  {
    day: 59.6,
    run: (scene) => strategy(scene, "prime", MANAGER, "managePPSExpiration", 0, 3n * DAY_SECONDS),
  },
  {
    day: 59.995,
    run: (scene) => onStrategy(scene, "exiting", MANAGER, "proposeStrategyHooksRoot", root("exiting 1")),
  },
];

/** Everything that is scripted, in order of time. */
export const SCRIPT: readonly ScriptedEvent[] = [
  ...EVENTS,
  ...CURATED_SCRIPT.map(({ day, act }) => ({
    day,
    run: ({ chain, curated }: Scene) => {
      if (!curated) throw new Error("the curated vaults have not been made yet");
      return act(chain, curated);
    },
  })),
].sort((a, b) => a.day - b.day);

/** A stand-in for a merkle root that a hook generator would publish. */
function root(label: string): `0x${string}` {
  return keccak256(stringToHex(label));
}

function trioOf(scene: Scene, key: TrioKey): DeployedTrio {
  const trio = scene.trios.get(key);
  if (!trio) throw new Error(`${key} has not been made yet`);
  return trio;
}

function aggregator(scene: Scene, from: Address, functionName: string, ...args: readonly unknown[]) {
  const address = scene.foundation.system.aggregator;
  return execute(scene.chain, { contract: "SuperVaultAggregator", address, functionName, args, from });
}

function onStrategy(
  scene: Scene,
  key: TrioKey,
  from: Address,
  functionName: string,
  ...args: readonly unknown[]
) {
  return aggregator(scene, from, functionName, trioOf(scene, key).strategy, ...args);
}

function strategy(
  scene: Scene,
  key: TrioKey,
  from: Address,
  functionName: string,
  ...args: readonly unknown[]
) {
  const address = trioOf(scene, key).strategy;
  return execute(scene.chain, { contract: "SuperVaultStrategy", address, functionName, args, from });
}

function governor(scene: Scene, functionName: string, ...args: readonly unknown[]) {
  const address = scene.foundation.system.governor;
  const from = addressOf("deployer");
  return execute(scene.chain, { contract: "SuperGovernor", address, functionName, args, from });
}

function governStrategy(scene: Scene, key: TrioKey, functionName: string, ...args: readonly unknown[]) {
  return governor(scene, functionName, trioOf(scene, key).strategy, ...args);
}

function asyncVault(
  scene: Scene,
  functionName: string,
  args: readonly unknown[] = [],
  from: Address = OTHER,
) {
  const address = scene.foundation.async.vault;
  return execute(scene.chain, { contract: "AsyncVault", address, functionName, args, from });
}

function push(scene: Scene, target: Address, pps: bigint, timestamp: bigint) {
  return pushPps(scene.chain, scene.foundation.system, [{ strategy: target, pps, timestamp }]);
}

function storedPps(scene: Scene, key: TrioKey): Promise<bigint> {
  const { strategy: address } = trioOf(scene, key);
  return read<bigint>(scene.chain, { contract: "SuperVaultStrategy", address, functionName: "getStoredPPS" });
}

async function handOverAsyncVault(scene: Scene): Promise<void> {
  const address = scene.foundation.async.vault;
  const role = await read(scene.chain, { contract: "AsyncVault", address, functionName: "OPERATOR_ROLE" });
  await asyncVault(scene, "transferOwnership", [OTHER], FORMER);
  await asyncVault(scene, "grantRole", [role, KEEPER]);
  await asyncVault(scene, "revokeRole", [role, FORMER]);
}

async function takeUpSecondSources(scene: Scene): Promise<void> {
  for (const key of ["prime", "drawdown", "queued", "exiting"] as const) {
    const source = trioOf(scene, key).yieldSources[1];
    await strategy(
      scene,
      key,
      MANAGER,
      "manageYieldSource",
      source,
      scene.foundation.system.yieldSourceOracle,
      ADD,
    );
  }
}

// The second comes too soon, the third has the time of the first.
async function pushTooOften(scene: Scene, time: bigint): Promise<void> {
  const pps = await storedPps(scene, "prime");
  const target = trioOf(scene, "prime").strategy;
  await push(scene, target, pps + 1n, time);
  await push(scene, target, pps + 2n, time + 1n);
  await push(scene, target, pps + 3n, time);
}

async function pushNonsense(scene: Scene, time: bigint): Promise<void> {
  await push(scene, TEMPORARY, 1_000_000n, time);
  await push(scene, trioOf(scene, "queued").strategy, await storedPps(scene, "queued"), time + 3600n);
}

async function pushLate(scene: Scene, time: bigint): Promise<void> {
  await push(
    scene,
    trioOf(scene, "paused").strategy,
    await storedPps(scene, "paused"),
    time - 2n * DAY_SECONDS,
  );
}

async function unpauseAndReplay(scene: Scene, time: bigint): Promise<void> {
  await onStrategy(scene, "drawdown", MANAGER, "unpauseStrategy");
  await push(scene, trioOf(scene, "drawdown").strategy, await storedPps(scene, "drawdown"), time - 60n);
}

async function pushOutlier(scene: Scene, time: bigint): Promise<void> {
  const pps = await storedPps(scene, "drawdown");
  await push(scene, trioOf(scene, "drawdown").strategy, (pps * 80n) / 100n, time);
}

async function leaveLittleUpkeep(scene: Scene): Promise<void> {
  await onStrategy(scene, "upkeepShort", OTHER, "executeWithdrawUpkeep");
  await onStrategy(scene, "upkeepShort", OTHER, "depositUpkeep", UPKEEP_COST * 38n + UPKEEP_COST / 4n);
}

async function exchangeSources(scene: Scene): Promise<void> {
  const { yieldSources, strategy: holder } = trioOf(scene, "prime");
  const [first, , third] = yieldSources;
  if (!first || !third) throw new Error("prime has fewer yield sources than planned");
  const view = { contract: "Erc4626Vault", address: first, functionName: "maxWithdraw", args: [holder] };
  await strategy(scene, "prime", KEEPER, "deallocate", first, await read<bigint>(scene.chain, view));
  const oracle = scene.foundation.system.yieldSourceOracle;
  await strategy(
    scene,
    "prime",
    MANAGER,
    "manageYieldSources",
    [first, third],
    [oracle, oracle],
    [REMOVE, ADD],
  );
  const newOracle = await deploy(scene.chain, "YieldSourceOracle");
  const changed = trioOf(scene, "drawdown").yieldSources[0];
  await strategy(scene, "drawdown", MANAGER, "manageYieldSource", changed, newOracle, CHANGE_ORACLE);
}

async function cancelARedeem(scene: Scene): Promise<void> {
  const trio = trioOf(scene, "drawdown");
  const from = depositors()[0] ?? accountAddress(10);
  const vault = { contract: "SuperVault", address: trio.vault };
  const shares = await read<bigint>(scene.chain, { ...vault, functionName: "balanceOf", args: [from] });
  await strategy(scene, "drawdown", from, "setRedeemSlippage", 100);
  await requestRedeem(scene.chain, trio, from, shares / 3n);
  await execute(scene.chain, { ...vault, functionName: "cancelRedeemRequest", args: [0n, from], from });
  await strategy(scene, "drawdown", KEEPER, "fulfillCancelRedeemRequests", [from]);
  await execute(scene.chain, {
    ...vault,
    functionName: "claimCancelRedeemRequest",
    args: [0n, from, from],
    from,
  });
}
