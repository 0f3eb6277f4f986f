/**
 * What those who act on the same vaults in one process share: a queue in which work that builds on a vault's state waits for its
 * turn, and the vaults that a scenario has reserved for a while.
 */
import type { TrioKey } from "../deployment.ts";

/** A trio, or all the curated vaults. */
export type Reservable = TrioKey | "curated";

export interface WorkQueue {
  /** Runs work once whatever stood before it has ended, well or badly. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Vaults that a scenario has reserved: nobody else pauses or unpauses them. */
  readonly reserved: Set<Reservable>;
}

/** An empty queue. */
export function createWorkQueue(): WorkQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const turn = last.then(work, work);
      last = turn.catch(() => undefined);
      return turn;
    },
    reserved: new Set(),
  };
}
