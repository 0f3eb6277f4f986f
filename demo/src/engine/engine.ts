/**
 * The demo's engine: does for real what its services' names say, on the demo's chain, and reports all of it to the service through
 * the SDK. Neither waits for the other: with the service away the engine goes on, and what it has to report waits on disk.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { type CloudEvent, createReporter, type ReporterStats } from "../../../sdk/src/report.ts";
import { addressOf } from "../accounts.ts";
import { createFailureLog } from "../actors/failure-log.ts";
import { createRandom } from "../actors/market.ts";
import { createWorkQueue, type WorkQueue } from "../actors/work-queue.ts";
import { connectChain } from "../chain.ts";
import type { TrioKey } from "../deployment.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import { type EngineContext, type Fill, vaultIdOf } from "./engine-context.ts";
import { endLeftovers } from "./intents.ts";
import { openMemory } from "./memory.ts";
import { announce, runServices } from "./runs.ts";
import { reportShards, TICK_SECONDS } from "./shards.ts";
import type { Exit } from "./types.ts";

export const ENGINE_SOURCE = "/engine/demo";

export interface EngineOptions {
  readonly rpcUrl: string;
  readonly deployment: DemoDeployment;
  /** Base address of the service that is reported to. */
  readonly serviceUrl: string;
  readonly token: string;
  /** Where reports wait; what the engine must remember is kept in a file beside it. */
  readonly spoolDir: string;
  readonly signal?: AbortSignal;
  /** One line for each new kind of failure; standard error where left out. */
  readonly log?: (line: string) => void;
  /** Shared with others who change vaults in this process. */
  readonly workQueue?: WorkQueue;
  /** Divides the schedules, for tests; 1 where left out. */
  readonly pace?: number;
}

export interface Engine {
  /** Ends the runs under way, sends what can be sent, and ends. What is left waits on disk. */
  stop(): Promise<void>;
  /** Arms an emergency exit: its sources are locked and emptied, and nothing is put into them. */
  armExit(key: TrioKey, reason: string, by: Address): void;
  stopExit(key: TrioKey, by: Address): void;
  /** Services that do nothing and report nothing for a while. */
  silence(services: readonly string[], forMs: number): void;
  /** Resolves with the next fill that is reported; null once the signal is aborted. */
  nextFill(signal: AbortSignal): Promise<Fill | null>;
  stats(): ReporterStats;
}

// The vault that has been under an emergency exit since before the engine ran: some hours before the history's end.
const EXITING_SINCE_SECONDS = 59.9 * 86_400;
const STOP_WITHIN_MS = 3_000;

/** Starts the engine; resolves once it has taken up what an earlier run left. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const logFailure = createFailureLog("demo engine", options.log);
  const ending = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ending.signal]) : ending.signal;
  const pace = options.pace ?? 1;
  const reporter = await createReporter({
    url: options.serviceUrl,
    token: options.token,
    source: ENGINE_SOURCE,
    spoolDir: options.spoolDir,
    maxBackoffMs: 5_000,
    onRejected: ({ type }: CloudEvent, { code, detail }) =>
      logFailure(`report ${type} refused`, `${code}: ${detail}`),
    onError: (error) => logFailure("reporting", error),
  });
  const context: EngineContext = {
    chain: await connectChain(options.rpcUrl),
    deployment: options.deployment,
    reporter,
    random: createRandom(Date.now()),
    workQueue: options.workQueue ?? createWorkQueue(),
    memory: openMemory(`${options.spoolDir}.json`),
    outstanding: new Map(),
    dueRedeems: new Map(),
    queueLengths: new Map(),
    exits: new Map(),
    onFill: new Set(),
  };
  const silentUntilMs = new Map<string, number>();
  endLeftovers(context);
  announce(context, pace);
  // Whoever armed these has gone with the engine's last run.
  for (const key of [...context.memory.exits.keys()]) disarm(context, key, addressOf("primaryManager"));
  standUnderExit(context);
  const done = Promise.all([
    runServices(context, { signal, pace, silentUntilMs, logFailure }),
    tickShards(context, signal, pace, logFailure),
  ]);
  return {
    stop: async () => {
      ending.abort();
      await done;
      await reporter.stop(STOP_WITHIN_MS);
    },
    armExit: (key, reason, by) => arm(context, key, { sinceMs: Date.now(), reason, by }),
    stopExit: (key, by) => disarm(context, key, by),
    silence: (services, forMs) => {
      for (const service of services) silentUntilMs.set(service, Date.now() + forMs);
    },
    nextFill: (signal) => nextFill(context, signal),
    stats: reporter.stats,
  };
}

function nextFill({ onFill }: EngineContext, signal: AbortSignal): Promise<Fill | null> {
  return new Promise((resolve) => {
    const end = (fill: Fill | null) => {
      onFill.delete(end);
      signal.removeEventListener("abort", giveUp);
      resolve(fill);
    };
    const giveUp = () => end(null);
    onFill.add(end);
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

/** The exit that no run of the engine armed; its name is fixed, so that a restart does not arm it again. */
function standUnderExit(context: EngineContext): void {
  const exit: Exit = {
    sinceMs: (context.deployment.startTimestamp + EXITING_SINCE_SECONDS) * 1000,
    reason: "a yield source reports a shortfall",
    by: addressOf("secondaryManager"),
  };
  context.exits.set("exiting", exit);
  reportExit(context, "exiting", "emergency_exit_arm", exit);
}

function arm(context: EngineContext, key: TrioKey, exit: Exit): void {
  if (context.exits.has(key)) return;
  context.exits.set(key, exit);
  context.memory.exits.set(key, exit);
  context.memory.save();
  reportExit(context, key, "emergency_exit_arm", exit);
}

function disarm(context: EngineContext, key: TrioKey, by: Address): void {
  const exit = context.memory.exits.get(key);
  if (!exit) return;
  context.exits.delete(key);
  context.memory.exits.delete(key);
  context.memory.save();
  reportExit(context, key, "emergency_exit_stop", { ...exit, by });
}

function reportExit(
  context: EngineContext,
  key: TrioKey,
  action_type: "emergency_exit_arm" | "emergency_exit_stop",
  { reason, by, sinceMs }: Exit,
): void {
  const vault = vaultIdOf(context.deployment, key);
  const details = { reason, armed_at: new Date(sinceMs).toISOString() };
  context.reporter.report("vaultops.action", {
    vault,
    id: `${action_type}:${vault}:${sinceMs}`,
    ...(action_type === "emergency_exit_arm" && { time: new Date(sinceMs) }),
    data: { action_type, actor_wallet: by, details },
  });
}

async function tickShards(
  context: EngineContext,
  signal: AbortSignal,
  pace: number,
  logFailure: (what: string, error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await reportShards(context).catch((error) => logFailure("shard state", error));
    await sleep((TICK_SECONDS * 1000) / pace, undefined, { signal }).catch(() => undefined);
  }
}
