/**
 * Prices per share, as the engine calculates them from the assets that the chain says a vault has: reported, and pushed through
 * the oracle in one transaction. What the aggregator will not take fails the run of that vault, by the aggregator's own reason.
 */
import { type Address, parseEventLogs, type TransactionReceipt } from "viem";
import { addressOf } from "../accounts.ts";
import * as flows from "../actors/flows.ts";
import type { TrioState } from "../actors/vault-state.ts";
import { now, type Transaction } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import { ASSETS, type DeployedTrio, type TrioKey } from "../deployment.ts";
import { UPKEEP_COST } from "../history/setup.ts";
import { type EngineContext, gather, readLiveTrios, readTrio, vaultIdOf } from "./engine-context.ts";
import { EngineFault } from "./fault.ts";
import { transact } from "./transactions.ts";
import type { Outcome, Outcomes, VaultKey } from "./types.ts";

// One push in so many carries a time that is too old, as happens to real keepers: refused, and the price is late.
const LATE_PERCENT = 3;
const LATE_SECONDS = 3600n;
const MANAGER = addressOf("primaryManager");
const LOW_UPKEEP = UPKEEP_COST * 2_000n;

/** Calculates and reports the prices of the live vaults, and pushes those that are due; tells what became of each. */
export async function updatePrices(context: EngineContext): Promise<Outcomes> {
  const outcomes = new Map<VaultKey, Outcome | EngineFault>();
  const vaults = await readLiveTrios(context);
  const time = await pushTime(context);
  const prices = vaults.flatMap(({ key, trio, state }) => {
    const pps = priceOf(trio, state);
    if (pps !== null) reportPrice(context, key, pps);
    if (pps !== null && isDue(state, time)) return [{ key, trio, pps }];
    outcomes.set(key, "skipped");
    return [];
  });
  if (prices.length === 0) return outcomes;
  const timestamp = context.random.chance(LATE_PERCENT) ? time - LATE_SECONDS : time;
  const updates = prices.map(({ trio, pps }) => ({ strategy: trio.strategy, pps, timestamp }));
  const [push] = await gather(context, (flow) =>
    flows.pushPrices(flow, context.deployment.system.oracle, updates),
  );
  const receipt = await transact(context, push as Transaction);
  for (const { key, trio } of prices) outcomes.set(key, outcomeOf(context, receipt, trio.strategy));
  return outcomes;
}

/** Raw asset units per whole share; null without shares. */
export function priceOf(trio: DeployedTrio, state: TrioState): bigint | null {
  if (state.totalSupply === 0n) return null;
  const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
  return (held * 10n ** BigInt(ASSETS[trio.assetKey].decimals)) / state.totalSupply;
}

/**
 * Whether the aggregator takes a price of this time, in unix seconds. A run that stood in line for its turn comes soon after the one before, and a
 * performance fee taken counts as an update: the chain's own record says when the next is due, not the schedule.
 */
export function isDue(
  state: Pick<TrioState, "lastUpdate" | "minUpdateInterval" | "lastUnpause">,
  time: bigint,
): boolean {
  const { lastUpdate, minUpdateInterval, lastUnpause } = state;
  return time > lastUpdate && time - lastUpdate >= minUpdateInterval && time > lastUnpause;
}

/** Pays upkeep in for a vault that runs low. */
export async function topUpUpkeep(context: EngineContext, key: VaultKey): Promise<Outcome> {
  const { trio, state } = await readTrio(context, key as TrioKey);
  if (state.upkeepBalance >= LOW_UPKEEP) return "success";
  await transact(context, {
    contract: "SuperVaultAggregator",
    address: context.deployment.system.aggregator,
    functionName: "depositUpkeep",
    args: [trio.strategy, UPKEEP_COST * 10_000n],
    from: MANAGER,
  });
  return "success";
}

function reportPrice(context: EngineContext, key: TrioKey, value: bigint): void {
  const vault = vaultIdOf(context.deployment, key);
  context.reporter.report("vaultops.pps.report", { vault, data: { value, at: new Date().toISOString() } });
}

async function pushTime(context: EngineContext): Promise<bigint> {
  // Right after a reorg the latest block can be older than the time; the next block will not be.
  const latest = await now(context.chain);
  const wall = BigInt(Math.floor(Date.now() / 1000)) - 2n;
  return latest > wall ? latest : wall;
}

function outcomeOf(
  context: EngineContext,
  receipt: TransactionReceipt,
  strategy: Address,
): Outcome | EngineFault {
  const { abi } = artifactOf(context.chain.artifacts, "SuperVaultAggregator");
  const events = parseEventLogs({ abi, logs: receipt.logs }) as unknown as {
    eventName: string;
    /** Undefined for an event that has none. */
    args?: { strategy?: Address };
  }[];
  const own = events.filter(({ args }) => args?.strategy === strategy).map(({ eventName }) => eventName);
  if (own.includes("PPSUpdated")) return "success";
  // Some refusals name no strategy.
  const reason = own[0] ?? events.find(({ args }) => args?.strategy === undefined)?.eventName ?? "NotTaken";
  return new EngineFault(reason, `the aggregator did not take the price: ${reason}`, receipt.transactionHash);
}
