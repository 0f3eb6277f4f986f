// Asking again until a node's answer agrees with what is already known. Nodes behind a load balancer lag one another; what
// one of them lacks is there a moment later, or at another URL.
import { setTimeout as sleep } from "node:timers/promises";
import { MalformedAnswer } from "./raw.ts";
import { RpcError } from "./rpc-error.ts";

export interface SettleOptions {
  /** How long an answer may take to agree. */
  settleMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `ask` with a rising attempt number (which callers turn into another URL) until it returns something other than
 * null, or the time is over: then null. A node that does not know the block yet, or answers nonsense, counts as null.
 */
export async function settle<T>(
  options: SettleOptions,
  ask: (attempt: number) => Promise<T | null>,
): Promise<T | null> {
  const until = Date.now() + options.settleMs;
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(attempt).catch((error: unknown) => {
      if (error instanceof MalformedAnswer) return null;
      if (error instanceof RpcError && error.kind === "unknown_block") return null;
      throw error;
    });
    if (answer !== null) return answer;
    const waitMs = Math.min(50 * 2 ** Math.min(attempt, 6), 2000);
    if (Date.now() + waitMs > until) return null;
    await sleep(waitMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}
