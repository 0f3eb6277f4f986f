/**
 * The people who go on using the demo's vaults, and the market: deposits, redeems asked for and taken back, yield that arrives,
 * managers who change yield sources and one another. What keepers do is the engine's (`engine/`). Tasks run one at a time, each
 * sends its transactions together and sees them mined; the managers wait for their turn with the engine, so that neither builds
 * on a state that the other is changing. What fails is logged, and the next task goes on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { depositors } from "../accounts.ts";
import { connectChain, executeTogether, now, type Transaction } from "../chain.ts";
import { ASSETS, type AssetKey, TRIOS } from "../deployment.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import { type ActorContext, readLiveVaults } from "./actor-context.ts";
import { CURATORS_EVERY_MS, governCurated, keepCurated, useCurated } from "./curators.ts";
import { createFailureLog } from "./failure-log.ts";
import * as flows from "./flows.ts";
import { manage } from "./managers.ts";
import { createRandom, growthPerStep, type Random } from "./market.ts";
import { assetsBehind, readAsyncRows, readPlain, readPositions } from "./vault-state.ts";
import { createWorkQueue, type WorkQueue } from "./work-queue.ts";

export interface ActorsOptions {
  readonly rpcUrl: string;
  readonly deployment: DemoDeployment;
  readonly signal?: AbortSignal;
  /** One line for each new kind of failure; standard error where left out. */
  readonly log?: (line: string) => void;
  /** Shared with the engine. */
  readonly workQueue?: WorkQueue;
}

export interface Actors {
  /** Ends them; resolves once the task under way is done. */
  stop(): Promise<void>;
}

interface Task {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (context: ActorContext) => Promise<unknown>;
  /** Changes what the engine builds on, so it waits for its turn. */
  readonly takesTurn?: boolean;
}

const YIELD_EVERY_MS = 45_000;
const YIELDS_PER_YEAR = (365 * 86_400_000) / YIELD_EVERY_MS;

const TASKS: readonly Task[] = [
  { name: "yield", everyMs: YIELD_EVERY_MS, run: yieldSome },
  { name: "deposit", everyMs: 7_000, run: depositSomewhere },
  { name: "request redeem", everyMs: 35_000, run: requestRedeem },
  { name: "take a request back", everyMs: 240_000, run: takeRequestBack },
  { name: "use the plain vault", everyMs: 25_000, run: usePlainVault },
  { name: "use the request vault", everyMs: 30_000, run: useAsyncVault },
  { name: "use the curated vaults", everyMs: 20_000, run: useCurated },
  { name: "keep the curated vaults", everyMs: CURATORS_EVERY_MS, run: keepCurated },
  { name: "govern the curated vaults", everyMs: 600_000, run: governCurated },
  { name: "move the feeds", everyMs: 120_000, run: moveFeeds },
  { name: "manage", everyMs: 75_000, run: manage, takesTurn: true },
];

/** Starts the actors on a chain that `prepareDemoChain` made; returns at once. */
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
  const logFailure = createFailureLog("demo actors", options.log);
  const workQueue = options.workQueue ?? createWorkQueue();
  const random = createRandom(Date.now());
  const due = TASKS.map((task, index) => ({ task, atMs: Date.now() + index * 500 }));
  let context: ActorContext | undefined;
  while (!signal.aborted) {
    due.sort((a, b) => a.atMs - b.atMs);
    const next = due[0];
    if (!next || !(await waitUntil(next.atMs, signal))) return;
    try {
      context ??= await enter(options, random, workQueue);
      const work = perform.bind(null, context, next.task);
      await (next.task.takesTurn ? workQueue.run(work) : work());
    } catch (error) {
      logFailure(next.task.name, error);
    }
    next.atMs = Date.now() + (next.task.everyMs * (70 + random.below(60))) / 100;
  }
}

async function enter(options: ActorsOptions, random: Random, workQueue: WorkQueue): Promise<ActorContext> {
  const chain = await connectChain(options.rpcUrl);
  const flow: flows.Flow = { random, submit: async () => {} };
  return { chain, deployment: options.deployment, flow, random, reserved: workQueue.reserved };
}

/** Lets a task gather its transactions, sends them in that order, and waits until each stands in a block. */
async function perform(context: ActorContext, task: Task): Promise<void> {
  const gathered: Transaction[] = [];
  const submit = async (transaction: Transaction) => {
    gathered.push(transaction);
  };
  await task.run({ ...context, flow: { ...context.flow, submit } });
  await executeTogether(context.chain, gathered);
}

async function waitUntil(atMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(Math.max(0, atMs - Date.now()), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** Yield of the live vaults arrives in their fullest source; what was pushed as price is never left unbacked. */
async function yieldSome(context: ActorContext): Promise<void> {
  for (const { key, state } of await readLiveVaults(context)) {
    if (state.isPaused) continue;
    const trio = context.deployment.trios[key];
    const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
    const behind = assetsBehind(trio, state.totalSupply, state.pps);
    let target = held;
    if (behind > held) target = behind;
    const spread = BigInt(50 + context.random.below(101));
    const growth = (target * growthPerStep(TRIOS[key].apyBps, YIELDS_PER_YEAR) * spread) / 100_000_000_000n;
    await flows.yieldInto(context.flow, trio, state, target + growth - held);
  }
}

async function depositSomewhere(context: ActorContext): Promise<void> {
  const open = (await readLiveVaults(context)).filter(({ state }) => !state.isPaused && !state.isStale);
  if (open.length === 0) return;
  const { key } = context.random.pick(open);
  await flows.depositSome(context.flow, context.deployment.trios[key], context.random.pick(depositors()));
}

async function requestRedeem(context: ActorContext): Promise<void> {
  const open = (await readLiveVaults(context)).filter(({ state }) => !state.isPaused && !state.isStale);
  if (open.length === 0) return;
  const trio = context.deployment.trios[context.random.pick(open).key];
  await flows.requestSomeRedeems(context.flow, trio, await readPositions(context.chain, trio), 1);
}

/** One who waits in the queue thinks better of it; who comes next there is about to be paid, and is left alone. */
async function takeRequestBack(context: ActorContext): Promise<void> {
  const { vault } = context.deployment.trios.queued;
  const positions = await readPositions(context.chain, context.deployment.trios.queued);
  const from = positions.find((position) => position.pendingShares > 0n)?.owner;
  if (from === undefined) return;
  const call = { contract: "SuperVault", address: vault, functionName: "cancelRedeemRequest" };
  await context.flow.submit({ ...call, args: [0n, from], from });
}

async function usePlainVault(context: ActorContext): Promise<void> {
  const { chain, deployment, random, flow } = context;
  const holder = random.pick(depositors());
  const state = await readPlain(chain, deployment.plain.vault, holder);
  await flows.movePlainVault(flow, deployment.plain, state, holder, growthPerStep(400, YIELDS_PER_YEAR));
}

async function useAsyncVault(context: ActorContext): Promise<void> {
  const { chain, deployment, flow } = context;
  const rows = await readAsyncRows(chain, deployment.async.vault);
  await flows.requestOnAsyncVault(flow, deployment.async, rows);
}

async function moveFeeds(context: ActorContext): Promise<void> {
  const { chain, deployment, random, flow } = context;
  const time = await now(chain);
  for (const key of Object.keys(ASSETS) as AssetKey[]) {
    const swing = BigInt(random.below(401)) - 200n;
    const answer = ASSETS[key].usdE8 + (ASSETS[key].usdE8 * swing) / 1_000_000n;
    await flows.setFeed(flow, deployment.feeds[key], answer, time);
  }
}
