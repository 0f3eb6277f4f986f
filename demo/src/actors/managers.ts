/** What the managers of the demo's live vaults do now and then: one thing at a time, always something that can be done. */
import type { Address } from "viem";
import { addressOf } from "../accounts.ts";
import type { Transaction } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import type { TrioKey } from "../deployment.ts";
import { viewOfTrio } from "../operate.ts";
import { type ActorContext, readLiveVaults } from "./actor-context.ts";
import type { TrioState } from "./vault-state.ts";

const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const KEEPER = addressOf("redeemKeeper");
const TEMPORARY = addressOf("temporaryManager");
const ADD = 0;
const REMOVE = 2;
const PAUSE_PERCENT = 8;

type Act = (context: ActorContext, key: TrioKey, state: TrioState) => Promise<unknown>;

const ACTS: readonly Act[] = [
  changeYieldSource,
  changeYieldSource,
  changeSecondaryManager,
  skim,
  proposeInterval,
];

/** Ends a pause, else does one thing to one vault; leaves alone what a scenario has in hand. */
export async function manage(context: ActorContext): Promise<void> {
  const live = (await readLiveVaults(context)).filter(({ key }) => !context.reserved.has(key));
  for (const { key, state } of live) if (state.isPaused) return act(context, key, MANAGER, "unpauseStrategy");
  if (context.random.chance(PAUSE_PERCENT) && !context.reserved.has("drawdown"))
    return act(context, "drawdown", SECOND, "pauseStrategy");
  const { key, state } = context.random.pick(live);
  await context.random.pick(ACTS)(context, key, state);
}

async function changeYieldSource(context: ActorContext, key: TrioKey, state: TrioState): Promise<void> {
  const { yieldSources, strategy } = context.deployment.trios[key];
  const inUse = new Set(state.sourcesInUse);
  const unused = yieldSources.find((source) => !inUse.has(source));
  const call = { contract: "SuperVaultStrategy", address: strategy };
  if (unused) {
    const args = [unused, context.deployment.system.yieldSourceOracle, ADD];
    return submit(context, { ...call, functionName: "manageYieldSource", args, from: MANAGER });
  }
  const index = context.random.below(yieldSources.length);
  const source = yieldSources[index];
  const allocated = state.allocated[index] ?? 0n;
  if (allocated > 0n)
    await submit(context, { ...call, functionName: "deallocate", args: [source, allocated], from: KEEPER });
  const args = [source, context.deployment.system.yieldSourceOracle, REMOVE];
  await submit(context, { ...call, functionName: "manageYieldSource", args, from: MANAGER });
}

async function changeSecondaryManager(context: ActorContext, key: TrioKey): Promise<void> {
  const managers = await viewOfTrio<readonly Address[]>(context, key, "getSecondaryManagers");
  const isThere = managers.includes(TEMPORARY);
  await act(context, key, MANAGER, isThere ? "removeSecondaryManager" : "addSecondaryManager", TEMPORARY);
}

async function proposeInterval(context: ActorContext, key: TrioKey): Promise<void> {
  const [, effectiveTime] = await viewOfTrio<readonly [bigint, bigint]>(
    context,
    key,
    "getProposedMinUpdateInterval",
  );
  if (effectiveTime === 0n) await act(context, key, MANAGER, "proposeMinUpdateIntervalChange", 35n);
  else await act(context, key, MANAGER, "cancelMinUpdateIntervalChange");
}

async function skim(context: ActorContext, key: TrioKey): Promise<void> {
  const { abi } = artifactOf(context.chain.artifacts, "SuperVaultStrategy");
  const address = context.deployment.trios[key].strategy;
  const call = { address, functionName: "skimPerformanceFee" };
  // Refused for half a day after an unpause: tried before it is sent, so that nothing reverts on the chain.
  const tried = context.chain.client.simulateContract({ ...call, abi, account: KEEPER });
  const isPossible = await tried.then(() => true).catch(() => false);
  if (isPossible) await submit(context, { ...call, contract: "SuperVaultStrategy", from: KEEPER });
}

function act(
  context: ActorContext,
  key: TrioKey,
  from: Address,
  functionName: string,
  ...more: readonly unknown[]
): Promise<void> {
  const { system, trios } = context.deployment;
  const args = [trios[key].strategy, ...more];
  return submit(context, {
    contract: "SuperVaultAggregator",
    address: system.aggregator,
    functionName,
    args,
    from,
  });
}

async function submit(context: ActorContext, transaction: Transaction): Promise<void> {
  await context.flow.submit(transaction);
}
