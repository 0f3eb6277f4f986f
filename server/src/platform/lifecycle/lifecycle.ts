// The life of the process: tasks beside the API, and an end that loses nothing.
//
// Guarantee: after SIGTERM or SIGINT no new work begins, requests and tasks in flight finish, connections close, and the process exits
// with 0 within 15 seconds, cutting off what has not ended by then. A second signal exits at once. A task that throws is logged and
// started again, and `/readyz` says so meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Logger } from "../log.ts";
import type { Task } from "./feature.ts";
import type { Condition, Readiness } from "./health.ts";

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** A run that lasted this long was not a failed start: the next backoff starts again. */
const STABLE_AFTER_MS = 60_000;
/** How long work in flight may take to end, of the 15 s in all. */
const DRAIN_MS = 11_000;
export const END_MS = 14_000;
/** A Ctrl-C reaches a process from the terminal and again from the npm that started it: within this time that is one signal. */
const SAME_SIGNAL_MS = 300;

/** Something that must end when the process does. */
export interface Closable {
  name: string;
  close(): Promise<unknown>;
}

export interface LifecycleParts {
  log: Logger;
  clock: Clock;
  readiness: Readiness;
  tasks: readonly Task[];
  /** Ended first and together with the tasks: listeners, which finish their requests. */
  listeners: readonly (Closable & { cutOff?(): void })[];
  /** Closed after those, one by one in this order: what requests and tasks use. */
  resources: readonly Closable[];
}

/** A running process: its tasks are going. */
export interface Lifecycle {
  /** Resolves when everything has ended, or was cut off at the deadline. Asking twice is asking once. */
  stop(reason: string): Promise<void>;
}

/** Starts the tasks. */
export function startLifecycle(parts: LifecycleParts): Lifecycle {
  const { log, readiness, clock } = parts;
  const controller = new AbortController();
  const supervisors = parts.tasks.map((task) => new Supervisor(task, log, clock));
  for (const supervisor of supervisors)
    readiness.add({ name: `task ${supervisor.name}`, check: () => supervisor.condition() });
  const running = supervisors.map((supervisor) => ({
    name: supervisor.name,
    ended: supervisor.run(controller.signal),
  }));
  let ending: Promise<void> | null = null;

  async function end(reason: string): Promise<void> {
    log.info({ reason }, "stopping");
    readiness.stopping();
    controller.abort(new Error("the service is stopping"));
    const work = [
      ...running.map(({ name, ended }) => ({ name: `task ${name}`, ended })),
      ...parts.listeners.map((listener) => ({ name: listener.name, ended: closed(listener, log) })),
    ];
    const late = await endedBy(work, DRAIN_MS);
    if (late.length > 0) {
      log.warn({ late }, "work in progress did not end in time and is cut off");
      for (const listener of parts.listeners) listener.cutOff?.();
    }
    for (const resource of parts.resources) {
      const [stuck] = await endedBy(
        [{ name: resource.name, ended: closed(resource, log) }],
        END_MS - DRAIN_MS,
      );
      if (stuck !== undefined) log.warn({ late: [stuck] }, "did not close in time");
    }
    log.info("stopped");
  }

  return { stop: (reason) => (ending ??= end(reason)) };
}

/**
 * Ends the process on SIGTERM and SIGINT: 0 after an orderly end, within 15 s; at once on a second signal. Also names a fault that
 * nothing caught before the process dies of it.
 */
export function exitOnSignals(lifecycle: Lifecycle, log: Logger): void {
  let stoppingSinceMs: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < SAME_SIGNAL_MS) return;
      log.warn({ signal }, "second signal: exiting at once");
      process.exit(1);
    }
    stoppingSinceMs = performance.now();
    // Not unref'd: this is what ends the process when something never does.
    setTimeout(() => process.exit(0), END_MS);
    lifecycle.stop(signal).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error; the service stops");
    process.exit(1);
  });
}

/** Runs one task for as long as the process lives. */
class Supervisor {
  readonly name: string;
  readonly #task: Task;
  readonly #log: Logger;
  readonly #clock: Clock;
  #failures = 0;
  #startedAtMs = 0;
  #isWaiting = false;

  constructor(task: Task, log: Logger, clock: Clock) {
    this.name = task.name;
    this.#task = task;
    this.#log = log.child({ task: task.name });
    this.#clock = clock;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#startedAtMs = this.#clock.now();
      this.#isWaiting = false;
      try {
        await this.#task.run(signal);
        if (!signal.aborted) this.#log.info("task ended by itself");
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (this.#clock.now() - this.#startedAtMs >= STABLE_AFTER_MS) this.#failures = 0;
        const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#failures);
        this.#failures++;
        this.#isWaiting = true;
        this.#log.error({ err: error, retry_in_ms: backoffMs }, "task failed");
        await sleep(backoffMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Failed from its throw until a later run has lasted as long as the first backoff. */
  condition(): Condition {
    if (this.#failures === 0) return { state: "ok" };
    const isBack = !this.#isWaiting && this.#clock.now() - this.#startedAtMs >= FIRST_BACKOFF_MS;
    return isBack
      ? { state: "ok" }
      : { state: "failed", detail: `failed ${this.#failures} times in a row and is started again` };
  }
}

async function closed(part: Closable, log: Logger): Promise<void> {
  try {
    await part.close();
  } catch (error) {
    log.error({ err: error, part: part.name }, "could not be closed");
  }
}

/** Waits for all, at most that long. Returns the names of those that had not ended. */
async function endedBy(
  work: readonly { name: string; ended: Promise<unknown> }[],
  timeoutMs: number,
): Promise<string[]> {
  const late = new Set(work.map(({ name }) => name));
  const cancel = new AbortController();
  const all = Promise.all(work.map(({ name, ended }) => ended.finally(() => late.delete(name))));
  await Promise.race([all, sleep(timeoutMs, undefined, { signal: cancel.signal }).catch(() => undefined)]);
  cancel.abort();
  return [...late];
}
