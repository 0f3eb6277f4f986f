/** Runs each service on its schedule and reports every run: when it began and ended, how, and why not where it failed. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addressOf } from "../accounts.ts";
import { type EngineContext, vaultIdOf } from "./engine-context.ts";
import { EngineFault, faultOf } from "./fault.ts";
import { SERVICES, type Service } from "./services.ts";
import type { Outcome, Outcomes, VaultKey } from "./types.ts";

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Divides the schedules; 1 is the demo's own pace. */
  readonly pace: number;
  /** Services that keep silent until a moment, unix milliseconds. */
  readonly silentUntilMs: ReadonlyMap<string, number>;
  readonly logFailure: (what: string, error: unknown) => void;
}

const PAUSED_BY = addressOf("otherManager");
const PAUSED_SERVICE = "fulfill_swaps";
const STAGGER_MS = 700;

/** Says once how every service is set. The vault that its manager paused long ago has a service paused as well. */
export function announce(context: EngineContext, pace: number): void {
  for (const { name, title, scheduleSeconds, vaults } of SERVICES) {
    const data = {
      service: name,
      display_name: title,
      is_enabled: true,
      is_paused: false,
      schedule_seconds: scheduleSeconds / pace,
    };
    for (const key of vaults)
      context.reporter.report("vaultops.service.state", { vault: vaultIdOf(context.deployment, key), data });
    if (name !== PAUSED_SERVICE) continue;
    const vault = vaultIdOf(context.deployment, "paused");
    context.reporter.report("vaultops.service.state", {
      vault,
      id: `paused:${vault}:${name}`,
      data: { ...data, is_paused: true, paused_by: PAUSED_BY, reason: "the vault is paused by its manager" },
    });
  }
}

/** Runs all services until the signal; resolves when the last run under way has ended. */
export async function runServices(context: EngineContext, options: RunOptions): Promise<void> {
  await Promise.all(SERVICES.map((service, index) => keepRunning(context, service, index, options)));
}

async function keepRunning(
  context: EngineContext,
  service: Service,
  index: number,
  options: RunOptions,
): Promise<void> {
  const everyMs = (service.scheduleSeconds * 1000) / options.pace;
  let dueMs = Date.now() + (index * STAGGER_MS) / options.pace;
  while (await waitUntil(dueMs, options.signal)) {
    if ((options.silentUntilMs.get(service.name) ?? 0) <= Date.now()) {
      await runOnce(context, service, options).catch((error) => options.logFailure(service.name, error));
    }
    dueMs = Math.max(dueMs + everyMs, Date.now());
  }
}

/** One run of a service for each of its vaults, one vault after another. */
async function runOnce(context: EngineContext, service: Service, options: RunOptions): Promise<void> {
  const { run, vaults } = service;
  const inTurn = <T>(work: () => Promise<T>) => (service.takesTurn ? context.workQueue.run(work) : work());
  if ("together" in run) {
    await inTurn(() => reported(context, service, vaults, options, async () => run.together(context)));
    return;
  }
  for (const key of vaults) {
    if (options.signal.aborted) return;
    await inTurn(() => reported(context, service, [key], options, async () => run.each(context, key)));
  }
}

async function reported(
  context: EngineContext,
  service: Service,
  keys: readonly VaultKey[],
  { pace, logFailure }: RunOptions,
  work: () => Promise<Outcome | Outcomes>,
): Promise<void> {
  const startedAt = new Date();
  const result = await work().catch(faultOf);
  const finishedAt = new Date();
  for (const key of keys) {
    const outcome =
      typeof result === "string" || result instanceof EngineFault ? result : (result.get(key) ?? "skipped");
    const runId = randomUUID();
    const isFault = outcome instanceof EngineFault;
    if (isFault && !isRefusal(outcome)) logFailure(`${service.name} of ${key}`, outcome);
    context.reporter.report("vaultops.service.run", {
      vault: vaultIdOf(context.deployment, key),
      id: `run:${runId}`,
      data: {
        service: service.name,
        run_id: runId,
        status: isFault ? "failed" : outcome,
        started_at: startedAt.toISOString(),
        finished_at: finishedAt.toISOString(),
        schedule_seconds: service.scheduleSeconds / pace,
        ...(isFault && { error: `${outcome.code}: ${outcome.message}` }),
      },
    });
  }
}

// What a contract refuses is part of the show, and reported; only what is wrong with the demo itself goes to the screen.
function isRefusal({ code, hash }: EngineFault): boolean {
  return hash !== undefined || !["ENGINE_ERROR", "NODE_UNAVAILABLE"].includes(code);
}

async function waitUntil(atMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(Math.max(0, atMs - Date.now()), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
