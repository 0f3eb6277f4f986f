// Work that is done at start and again and again.
import { isDatabaseUnavailable } from "../db/db.ts";
import type { Logger } from "../log.ts";
import { Wake } from "../wake.ts";
import type { Task } from "./feature.ts";

export interface Rounds extends Omit<Task, "run"> {
  /** The pause between the end of a round and the next. */
  ms: number;
  log: Logger;
  /** Called once at start: hands over what ends a pause before its time. */
  wakenBy?(wake: () => void, signal: AbortSignal): void;
}

/** What failed is done again after its pause, or after a minute where that is longer. */
const RETRY_MS = 60_000;

/** A task of rounds. A round that fails is logged, but for a database that is away, which whoever uses it most will say. */
export function every(
  { ms, log, wakenBy, ...task }: Rounds,
  round: (signal: AbortSignal) => Promise<unknown>,
): Task {
  return {
    ...task,
    async run(signal) {
      const wake = new Wake();
      const call = () => wake.call();
      signal.addEventListener("abort", call, { once: true });
      wakenBy?.(call, signal);
      while (!signal.aborted) {
        let pauseMs = ms;
        try {
          await round(signal);
        } catch (error) {
          if (signal.aborted) return;
          pauseMs = Math.min(ms, RETRY_MS);
          const told = { err: error, task: task.name, retry_in_ms: pauseMs };
          if (isDatabaseUnavailable(error)) log.debug(told, "a round of a task failed");
          else log.warn(told, "a round of a task failed");
        }
        await wake.wait(pauseMs);
      }
    },
  };
}
