/**
 * The people and keepers who go on using the demo's vaults: deposits and redeems, prices pushed on a schedule, managers who
 * change yield sources, roots and one another. Tasks run one at a time, each sends its transactions together and sees them
 * mined, so that none builds on a state that another is changing. What fails is logged, and the next task goes on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hash } from "viem";
import { addressOf, depositors } from "./accounts.ts";
import { connectChain, type DemoChain, now, send, type Transaction } from "./chain.ts";
import { ASSETS, type AssetKey, type DemoDeployment, TRIOS } from "./deployment.ts";
import * as flows from "./flows.ts";
import { readAsyncRows, readPlain, readPositions } from "./history-state.ts";
import { manage } from "./managers.ts";
import { createRandom, grow, growthPerStep, type Random } from "./market.ts";
import { readLive, type Stage } from "./stage.ts";

export interface ActorsOptions {
  readonly rpcUrl: string;
  readonly deployment: DemoDeployment;
  readonly signal?: AbortSignal;
  /** One line for each new kind of failure; standard error where left out. */
  readonly log?: (line: string) => void;
}

export interface Actors {
  /** Ends them; resolves once the task under way is done. */
  stop(): Promise<void>;
}

interface Task {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (stage: Stage) => Promise<unknown>;
}

const FINE = 1_000_000_000_000n;
const PUSH_EVERY_MS = 45_000;
const PUSHES_PER_YEAR = (365 * 86_400_000) / PUSH_EVERY_MS;
// One price in so many is missed, as happens to real keepers.
const MISSED_PUSH_PERCENT = 3;
// The vault with a queue is fulfilled only when it grows beyond this.
const QUEUE_LIMIT = 8;
const RECEIPT_TIMEOUT_MS = 30_000;
const SAME_FAILURE_AGAIN_MS = 60_000;

const TASKS: readonly Task[] = [
  { name: "push prices", everyMs: PUSH_EVERY_MS, run: pushLivePrices },
  { name: "deposit", everyMs: 7_000, run: depositSomewhere },
  { name: "settle redeems", everyMs: 20_000, run: settleRedeems },
  { name: "request redeem", everyMs: 35_000, run: requestRedeem },
  { name: "use the plain vault", everyMs: 25_000, run: usePlainVault },
  { name: "use the request vault", everyMs: 30_000, run: useAsyncVault },
  { name: "move the feeds", everyMs: 120_000, run: moveFeeds },
  { name: "manage", everyMs: 75_000, run: manage },
];

/** Sets the actors going on a chain that `prepareDemoChain` made; returns at once. */
export function startActors(options: ActorsOptions): Actors {
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  const done = runUntil(signal, options);
  return {
    stop: async () => {
      ending.abort();
      await done;
    },
  };
}

async function runUntil(signal: AbortSignal, options: ActorsOptions): Promise<void> {
  const report = createReporter(options.log ?? ((line) => process.stderr.write(`${line}\n`)));
  const random = createRandom(Date.now());
  const due = TASKS.map((task, index) => ({ task, atMs: Date.now() + index * 500 }));
  let stage: Stage | undefined;
  while (!signal.aborted) {
    due.sort((a, b) => a.atMs - b.atMs);
    const next = due[0];
    if (!next || !(await waitUntil(next.atMs, signal))) return;
    try {
      stage ??= await enter(options, random);
      await perform(stage, next.task);
    } catch (error) {
      report(next.task.name, error);
    }
    next.atMs = Date.now() + (next.task.everyMs * (70 + random.below(60))) / 100;
  }
}

async function enter(options: ActorsOptions, random: Random): Promise<Stage> {
  const chain = await connectChain(options.rpcUrl);
  const flow: flows.Flow = { random, submit: async () => {} };
  return { chain, deployment: options.deployment, flow, random, finePrices: new Map() };
}

/** Lets a task gather its transactions, sends them in that order, and waits until each stands in a block. */
async function perform(stage: Stage, task: Task): Promise<void> {
  const gathered: Transaction[] = [];
  const submit = async (transaction: Transaction) => {
    gathered.push(transaction);
  };
  await task.run({ ...stage, flow: { ...stage.flow, submit } });
  const hashes = await Promise.all(gathered.map((transaction) => send(stage.chain, transaction)));
  for (const [index, hash] of hashes.entries()) {
    const status = await statusOf(stage.chain, hash);
    const { contract, functionName } = gathered[index] ?? { contract: "?", functionName: "?" };
    if (status !== "success") throw new Error(`${contract}.${functionName} ${status}`);
  }
}

async function statusOf(chain: DemoChain, hash: Hash): Promise<string> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const receipt = await chain.client.getTransactionReceipt({ hash }).catch(() => undefined);
    if (receipt) return receipt.status;
    await sleep(250);
  }
  return "was not mined";
}

async function waitUntil(atMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(Math.max(0, atMs - Date.now()), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

// A node that is out would otherwise fill the screen with one and the same line.
function createReporter(log: (line: string) => void): (task: string, error: unknown) => void {
  const lastMs = new Map<string, number>();
  return (task, error) => {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const line = `demo actors: ${task}: ${message}`;
    if (Date.now() - (lastMs.get(line) ?? 0) < SAME_FAILURE_AGAIN_MS) return;
    lastMs.set(line, Date.now());
    log(line);
  };
}

async function pushLivePrices(stage: Stage): Promise<void> {
  const { chain, deployment, random, flow, finePrices } = stage;
  if (random.chance(MISSED_PUSH_PERCENT)) return;
  // Right after a reorg the latest block can be older than the time; the next block will not be.
  const latest = await now(chain);
  const wall = BigInt(Math.floor(Date.now() / 1000)) - 2n;
  const timestamp = latest > wall ? latest : wall;
  const updates: { strategy: Address; pps: bigint; timestamp: bigint }[] = [];
  for (const { key, state } of await readLive(stage)) {
    if (state.isPaused) continue;
    const known = finePrices.get(key);
    // A price that the chain changed by itself, by a fee skimmed, is taken over.
    const before = known !== undefined && known / FINE === state.pps ? known : state.pps * FINE;
    const after = grow(before, growthPerStep(TRIOS[key].apyBps, PUSHES_PER_YEAR), random);
    finePrices.set(key, after);
    updates.push({ strategy: deployment.trios[key].strategy, pps: after / FINE, timestamp });
    await flows.accrue(flow, deployment.trios[key], state);
  }
  if (updates.length > 0) await flows.pushPrices(flow, deployment.system.oracle, updates);
}

async function depositSomewhere(stage: Stage): Promise<void> {
  const open = (await readLive(stage)).filter(({ state }) => !state.isPaused && !state.isStale);
  if (open.length === 0) return;
  const { key } = stage.random.pick(open);
  await flows.depositSome(stage.flow, stage.deployment.trios[key], stage.random.pick(depositors()));
}

async function requestRedeem(stage: Stage): Promise<void> {
  const open = (await readLive(stage)).filter(({ state }) => !state.isPaused && !state.isStale);
  if (open.length === 0) return;
  const trio = stage.deployment.trios[stage.random.pick(open).key];
  await flows.requestSomeRedeems(stage.flow, trio, await readPositions(stage.chain, trio), 1);
}

async function settleRedeems(stage: Stage): Promise<void> {
  for (const { key, state } of await readLive(stage)) {
    const trio = stage.deployment.trios[key];
    const positions = await readPositions(stage.chain, trio);
    await flows.claimFulfilled(stage.flow, trio, positions);
    if (state.isPaused || state.isStale) continue;
    const pending = positions.filter((position) => position.pendingShares > 0n);
    const due = key === "queued" ? pending.slice(QUEUE_LIMIT - 2) : pending;
    if (due.length > 0) await flows.fulfillPending(stage.flow, trio, state, due);
    else await flows.allocateIdle(stage.flow, trio, state);
  }
}

async function usePlainVault(stage: Stage): Promise<void> {
  const { chain, deployment, random, flow } = stage;
  const holder = random.pick(depositors());
  const state = await readPlain(chain, deployment.plain.vault, holder);
  await flows.movePlainVault(flow, deployment.plain, state, holder, growthPerStep(400, PUSHES_PER_YEAR));
}

async function useAsyncVault(stage: Stage): Promise<void> {
  const { chain, deployment, flow } = stage;
  const rows = await readAsyncRows(chain, deployment.async.vault);
  await flows.moveAsyncVault(flow, deployment.async, rows, addressOf("redeemKeeper"));
}

async function moveFeeds(stage: Stage): Promise<void> {
  const { chain, deployment, random, flow } = stage;
  const time = await now(chain);
  for (const key of Object.keys(ASSETS) as AssetKey[]) {
    const swing = BigInt(random.below(401)) - 200n;
    const answer = ASSETS[key].usdE8 + (ASSETS[key].usdE8 * swing) / 1_000_000n;
    await flows.setFeed(flow, deployment.feeds[key], answer, time);
  }
}
