/**
 * What those who act on the same vaults in one process share: a line in which work that builds on a vault's state waits for its
 * turn, and the vaults that are in other hands for a while.
 */
import type { TrioKey } from "./deployment.ts";

export interface Floor {
  /** Runs work once whatever stood before it has ended, well or badly. */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Vaults that a scenario has in hand: nobody else pauses or unpauses them. */
  readonly held: Set<TrioKey>;
}

/** A floor of one's own. */
export function createFloor(): Floor {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work) {
      const turn = last.then(work, work);
      last = turn.catch(() => undefined);
      return turn;
    },
    held: new Set(),
  };
}
