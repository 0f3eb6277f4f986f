/** What the managers of the demo's live vaults do now and then: one thing at a time, always something that can be done. */
import type { Address } from "viem";
import { addressOf } from "./accounts.ts";
import { read, type Transaction } from "./chain.ts";
import { artifactOf } from "./compile.ts";
import type { TrioKey } from "./deployment.ts";
import type { TrioState } from "./history-state.ts";
import { readLive, type Stage } from "./stage.ts";

const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const KEEPER = addressOf("redeemKeeper");
const TEMPORARY = addressOf("temporaryManager");
const ADD = 0;
const REMOVE = 2;
const PAUSE_PERCENT = 8;

type Act = (stage: Stage, key: TrioKey, state: TrioState) => Promise<unknown>;

const ACTS: readonly Act[] = [
  changeYieldSource,
  changeYieldSource,
  changeSecondaryManager,
  skim,
  proposeInterval,
];

/** Ends a pause, else does one thing to one vault; leaves alone what a scenario has in hand. */
export async function manage(stage: Stage): Promise<void> {
  const live = (await readLive(stage)).filter(({ key }) => !stage.held.has(key));
  for (const { key, state } of live) if (state.isPaused) return act(stage, key, MANAGER, "unpauseStrategy");
  if (stage.random.chance(PAUSE_PERCENT) && !stage.held.has("drawdown"))
    return act(stage, "drawdown", SECOND, "pauseStrategy");
  const { key, state } = stage.random.pick(live);
  await stage.random.pick(ACTS)(stage, key, state);
}

async function changeYieldSource(stage: Stage, key: TrioKey, state: TrioState): Promise<void> {
  const { yieldSources, strategy } = stage.deployment.trios[key];
  const inUse = new Set(state.sourcesInUse);
  const unused = yieldSources.find((source) => !inUse.has(source));
  const call = { contract: "SuperVaultStrategy", address: strategy };
  if (unused) {
    const args = [unused, stage.deployment.system.yieldSourceOracle, ADD];
    return submit(stage, { ...call, functionName: "manageYieldSource", args, from: MANAGER });
  }
  const index = stage.random.below(yieldSources.length);
  const source = yieldSources[index];
  const allocated = state.allocated[index] ?? 0n;
  if (allocated > 0n)
    await submit(stage, { ...call, functionName: "deallocate", args: [source, allocated], from: KEEPER });
  const args = [source, stage.deployment.system.yieldSourceOracle, REMOVE];
  await submit(stage, { ...call, functionName: "manageYieldSource", args, from: MANAGER });
}

async function changeSecondaryManager(stage: Stage, key: TrioKey): Promise<void> {
  const managers = await view<readonly Address[]>(stage, key, "getSecondaryManagers");
  const isThere = managers.includes(TEMPORARY);
  await act(stage, key, MANAGER, isThere ? "removeSecondaryManager" : "addSecondaryManager", TEMPORARY);
}

async function proposeInterval(stage: Stage, key: TrioKey): Promise<void> {
  const [, effectiveTime] = await view<readonly [bigint, bigint]>(stage, key, "getProposedMinUpdateInterval");
  if (effectiveTime === 0n) await act(stage, key, MANAGER, "proposeMinUpdateIntervalChange", 35n);
  else await act(stage, key, MANAGER, "cancelMinUpdateIntervalChange");
}

async function skim(stage: Stage, key: TrioKey): Promise<void> {
  const { abi } = artifactOf(stage.chain.artifacts, "SuperVaultStrategy");
  const address = stage.deployment.trios[key].strategy;
  const call = { address, functionName: "skimPerformanceFee" };
  // Refused for half a day after an unpause: tried before it is sent, so that nothing reverts on the chain.
  const tried = stage.chain.client.simulateContract({ ...call, abi, account: KEEPER });
  const isPossible = await tried.then(() => true).catch(() => false);
  if (isPossible) await submit(stage, { ...call, contract: "SuperVaultStrategy", from: KEEPER });
}

function view<T>(stage: Stage, key: TrioKey, functionName: string): Promise<T> {
  const { system, trios } = stage.deployment;
  const args = [trios[key].strategy];
  return read<T>(stage.chain, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
  });
}

function act(
  stage: Stage,
  key: TrioKey,
  from: Address,
  functionName: string,
  ...more: readonly unknown[]
): Promise<void> {
  const { system, trios } = stage.deployment;
  const args = [trios[key].strategy, ...more];
  return submit(stage, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
    from,
  });
}

async function submit(stage: Stage, transaction: Transaction): Promise<void> {
  await stage.flow.submit(transaction);
}
