// How long a chain that cannot be followed right now is left alone before the next try.
import { isChainFault } from "../../chain/rpc/fault.ts";
import { ForeignChain } from "./plan.ts";

const MIN_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 15_000;
/** A node that is not of one mind yet will be in a moment, however often it was not. */
const MAX_TRANSIENT_MS = 1_000;

/** After so many failures in a row; `chance` from 0 to 1 spreads chains that failed together. */
export function retryDelayMs(error: unknown, failures: number, chance = Math.random()): number {
  if (error instanceof ForeignChain) return MAX_BACKOFF_MS;
  const most = isChainFault(error, "inconsistent", "block_missing") ? MAX_TRANSIENT_MS : MAX_BACKOFF_MS;
  return Math.min(most, MIN_BACKOFF_MS * 2 ** (failures - 1)) * (0.75 + chance / 2);
}
