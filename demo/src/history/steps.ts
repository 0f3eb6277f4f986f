/** One step of the history's market: what depositors, keepers and prices do in six hours, gathered into one block. */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import * as flows from "../actors/flows.ts";
import { grow, growthPerStep, type Random } from "../actors/market.ts";
import {
  type AsyncRow,
  type PlainState,
  type Position,
  readAsyncRows,
  readPlain,
  readPositions,
  readTrios,
  type TrioState,
} from "../actors/vault-state.ts";
import { ASSETS, type AssetKey, type DeployedTrio, LIVE_TRIOS, TRIOS, type TrioKey } from "../deployment.ts";
import { CURATED_EVERY_DAYS, curatedDays } from "./curated-days.ts";
import { payerOf, UPKEEP_COST } from "./setup.ts";
import type { Scene } from "./special-events.ts";
import type { Timeline } from "./timeline.ts";

export const STEPS_PER_DAY = 4;
const STEPS_PER_YEAR = STEPS_PER_DAY * 365;

// In this week the drawdown vault loses half a percent; its price otherwise climbs like the others'.
const DRAWDOWN_FROM_DAY = 26;
const DRAWDOWN_TO_DAY = 33;
const DRAWDOWN_PPB = -180_000n;

const STALE_FROM_DAY = 57;
const QUEUE_FROM_DAY = 57;
const ASYNC_HANDED_OVER_ON_DAY = 8.6;
const ASYNC_YIELD = 40n * 10n ** 18n;

const HISTORY_END = Number.POSITIVE_INFINITY;

// Past this day nobody tops up the vault's upkeep any more.
const LAST_TOP_UP_DAY: Partial<Record<TrioKey, number>> = { upkeepShort: 44, paused: 54, stale: 54 };

export interface Build {
  readonly timeline: Timeline;
  readonly scene: Scene;
  readonly flow: flows.Flow;
  readonly random: Random;
  /** Of the curated vaults alone. */
  readonly curatedRandom: Random;
  readonly startTimestamp: number;
  readonly feedAnswers: Record<AssetKey, bigint>;
  /** Trios in which someone waits to be fulfilled or to claim. */
  readonly unsettled: Set<TrioKey>;
}

/** A trio with what is known of it at the start of the step. */
interface Known {
  readonly key: TrioKey;
  readonly trio: DeployedTrio;
  readonly state: TrioState;
}

/** What the step will need to know, read in one go before anything is sent. */
interface Reading {
  readonly positions: ReadonlyMap<TrioKey, readonly Position[]>;
  readonly plain: PlainState;
  readonly asyncRows: readonly AsyncRow[];
}

/** One block: first what rests on the price as it stood, the new prices last. */
export async function runStep(build: Build, step: number, time: number): Promise<void> {
  const { scene, flow, random } = build;
  const { plain, async } = scene.foundation;
  const day = step / STEPS_PER_DAY;
  const isFirstOfDay = step % STEPS_PER_DAY === 0;
  const known = await readKnown(scene);
  const open = known.filter(({ key, state }) => {
    return !state.isPaused && !state.isStale && !(key === "stale" && day > STALE_FROM_DAY);
  });
  const redeemFrom = step % 3 === 0 ? chooseForRedeem(build, open, day) : undefined;
  const plainHolder = random.pick(depositors());
  const reading = await readForStep(build, redeemFrom, plainHolder);

  for (const one of open) {
    const isSettling = build.unsettled.has(one.key);
    if (isSettling) await settle(build, one, reading, day);
    if (!isFirstOfDay) continue;
    await flows.accrue(flow, one.trio, one.state);
    // What is settled in this block comes out of the idle assets, so they are no longer what the state says.
    if (!isSettling) await flows.allocateIdle(flow, one.trio, one.state);
  }
  for (let count = 1 + random.below(2); count > 0; count--) {
    await flows.depositSome(flow, random.pick(open).trio, random.pick(depositors()));
  }
  const positions = redeemFrom && reading.positions.get(redeemFrom.key);
  if (redeemFrom && positions) {
    const count = await flows.requestSomeRedeems(flow, redeemFrom.trio, positions, 2);
    if (count > 0) build.unsettled.add(redeemFrom.key);
  }
  await topUp(build, known, day);
  const plainYieldPpb = day > 40 && day < 44 ? -60_000n : growthPerStep(400, STEPS_PER_YEAR);
  await flows.movePlainVault(flow, plain, reading.plain, plainHolder, plainYieldPpb);
  if (day > 1 && step % 2 === 0) {
    const operator = addressOf(day < ASYNC_HANDED_OVER_ON_DAY ? "formerManager" : "redeemKeeper");
    await flows.moveAsyncVault(flow, async, reading.asyncRows, operator);
    // Yield on nothing would make the first share worth all of it, and every price after it absurd.
    const isHeld = reading.asyncRows.some((row) => row.shares > 0n || row.claimableDeposit > 0n);
    if (isHeld) await flows.mint(flow, async.asset, async.vault, ASYNC_YIELD);
  }
  if (scene.curated && step % (CURATED_EVERY_DAYS * STEPS_PER_DAY) === 0)
    await curatedDays(scene.chain, flow, build.curatedRandom, scene.curated, day);
  if (isFirstOfDay) await moveFeeds(build, time);
  await pushAll(build, known, day, time);
  await build.timeline.flush(time);
}

async function readKnown(scene: Scene): Promise<readonly Known[]> {
  const trios = [...scene.trios];
  const deployed = trios.map(([, trio]) => trio);
  const states = await readTrios(scene.chain, scene.foundation.system.aggregator, deployed);
  return trios.flatMap(([key, trio], index) => {
    const state = states[index];
    return state ? [{ key, trio, state }] : [];
  });
}

// In the last days the requests all go to the vault that is to end with a queue.
function chooseForRedeem(build: Build, open: readonly Known[], day: number): Known | undefined {
  if (day > QUEUE_FROM_DAY) return open.find(({ key }) => key === "queued");
  const settled = open.filter(({ key }) => !build.unsettled.has(key));
  return settled.length === 0 ? undefined : build.random.pick(settled);
}

async function readForStep(
  build: Build,
  redeemFrom: Known | undefined,
  plainHolder: Address,
): Promise<Reading> {
  const { chain, trios, foundation } = build.scene;
  const keys = new Set(build.unsettled);
  if (redeemFrom) keys.add(redeemFrom.key);
  const wanted = [...trios].filter(([key]) => keys.has(key));
  const [positions, plain, asyncRows] = await Promise.all([
    Promise.all(wanted.map(([, trio]) => readPositions(chain, trio))),
    readPlain(chain, foundation.plain.vault, plainHolder),
    readAsyncRows(chain, foundation.async.vault),
  ]);
  return {
    positions: new Map(wanted.map(([key], index) => [key, positions[index] ?? []])),
    plain,
    asyncRows,
  };
}

async function settle(
  build: Build,
  { key, trio, state }: Known,
  reading: Reading,
  day: number,
): Promise<void> {
  const positions = reading.positions.get(key) ?? [];
  await flows.claimFulfilled(build.flow, trio, positions);
  const isKept = key === "queued" && day > QUEUE_FROM_DAY;
  if (!isKept) await flows.fulfillPending(build.flow, trio, state, positions);
  const isSettled = (position: Position) => position.pendingShares === 0n && position.claimableAssets === 0n;
  if (positions.every(isSettled)) build.unsettled.delete(key);
}

async function topUp(build: Build, known: readonly Known[], day: number): Promise<void> {
  for (const { key, trio, state } of known) {
    if (state.upkeepBalance >= UPKEEP_COST * 30n || day > (LAST_TOP_UP_DAY[key] ?? HISTORY_END)) continue;
    await depositUpkeep(build, key, trio, UPKEEP_COST * 100n);
  }
}

/** Live vaults are updated far more often than the history was; their upkeep is to last for days. Queued, not mined. */
export async function fillUpkeep(build: Build): Promise<void> {
  for (const key of LIVE_TRIOS) {
    const trio = build.scene.trios.get(key);
    if (trio) await depositUpkeep(build, key, trio, UPKEEP_COST * 10_000n);
  }
}

function depositUpkeep(build: Build, key: TrioKey, trio: DeployedTrio, amount: bigint): Promise<unknown> {
  const address = build.scene.foundation.system.aggregator;
  const deposit = { contract: "SuperVaultAggregator", address, functionName: "depositUpkeep" };
  return build.flow.submit({ ...deposit, args: [trio.strategy, amount], from: payerOf(key) });
}

async function moveFeeds(build: Build, time: number): Promise<void> {
  const { random, feedAnswers, scene, flow } = build;
  for (const key of Object.keys(ASSETS) as AssetKey[]) {
    const isStable = key === "usdc" || key === "dai";
    const swing = BigInt(random.below(isStable ? 400 : 30_000)) - (isStable ? 200n : 15_000n);
    // Stable ones stay about their price, the others wander.
    const from = isStable ? ASSETS[key].usdE8 : feedAnswers[key];
    feedAnswers[key] = from + (from * swing) / 1_000_000n;
    await flows.setFeed(flow, scene.foundation.feeds[key], feedAnswers[key], BigInt(time));
  }
}

async function pushAll(build: Build, known: readonly Known[], day: number, time: number): Promise<void> {
  const updates = known.flatMap(({ key, trio, state }) => {
    if (key === "stale" && day > STALE_FROM_DAY) return [];
    // A paused vault is left alone, but for the one try that shows a refusal.
    if (state.isPaused && !(key === "drawdown" && day < DRAWDOWN_FROM_DAY)) return [];
    const inDrawdown = key === "drawdown" && day > DRAWDOWN_FROM_DAY && day <= DRAWDOWN_TO_DAY;
    const growth = inDrawdown ? DRAWDOWN_PPB : growthPerStep(TRIOS[key].apyBps, STEPS_PER_YEAR);
    return [
      { strategy: trio.strategy, pps: grow(state.pps, growth, build.random), timestamp: BigInt(time - 5) },
    ];
  });
  if (updates.length > 0) await flows.pushPrices(build.flow, build.scene.foundation.system.oracle, updates);
}
