// How long actions have to wait, for the catalogue: asked of the contracts all together, and kept for a while. Where the node does not answer it is
// not known.
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import type { ChainClient } from "../../../chain/client/client.ts";
import type { Action } from "../../../chain/families/family/action.ts";
import { isChainFault } from "../../../chain/rpc/fault.ts";
import type { BlockRef, Call, CallResult } from "../../../chain/rpc/raw.ts";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { Foreteller } from "./foreteller.ts";

export interface Delays {
  of(
    chainId: number,
    vault: Address,
    actions: readonly Action[],
  ): Promise<ReadonlyMap<string, number | null>>;
}

const KEPT_MS = 60_000;
const MOST_MS = 3_000;
const MOST_KEPT = 1_000;
const NONE: ReadonlyMap<string, number | null> = new Map();

export function createDelays(foreteller: Foreteller, nowMs: () => number): Delays {
  const kept = new BoundedCache<
    string,
    { untilMs: number; asked: Promise<ReadonlyMap<string, number | null>> }
  >(MOST_KEPT);
  const beginAsking: Delays["of"] = async (chainId, vault, actions) => {
    try {
      return await ask(foreteller, chainId, vault, actions);
    } catch (error) {
      if (isChainFault(error)) return NONE;
      throw error;
    }
  };
  return {
    async of(chainId, vault, actions) {
      const key = `${chainId}:${vault}`;
      let known = kept.get(key);
      if (known === undefined || known.untilMs <= nowMs()) {
        const begun = { untilMs: nowMs() + KEPT_MS, asked: beginAsking(chainId, vault, actions) };
        begun.asked.catch(() => {
          if (kept.get(key) === begun) kept.delete(key);
        });
        kept.set(key, begun);
        known = begun;
      }
      // Nobody waits for a node that does badly, and it is not asked again meanwhile: what it tells later is told the next time.
      return await Promise.race([known.asked, sleep(MOST_MS, NONE, { ref: false })]);
    },
  };
}

async function ask(
  foreteller: Foreteller,
  chainId: number,
  vault: Address,
  actions: readonly Action[],
): Promise<ReadonlyMap<string, number | null>> {
  const waiting = actions.filter(({ delaySeconds }) => delaySeconds !== undefined);
  if (waiting.length === 0) return NONE;
  const standing = await foreteller.stand(chainId, vault);
  if (standing === null) return NONE;
  const context = { ...standing, multicall: together(standing.multicall) };
  return new Map(
    await Promise.all(
      waiting.map(async (action) => [action.name, await action.delaySeconds!(context)] as const),
    ),
  );
}

/** What is asked for in one turn goes out as one. All ask at the same block. */
function together(multicall: ChainClient["multicall"]): ChainClient["multicall"] {
  let waiting: { calls: Call[]; answers: Promise<CallResult[]> } | null = null;
  return async (calls, at: BlockRef) => {
    waiting ??= begin(at);
    const batch = waiting;
    const from = batch.calls.length;
    batch.calls.push(...calls);
    return (await batch.answers).slice(from, from + calls.length);
  };

  function begin(at: BlockRef) {
    const calls: Call[] = [];
    const answers = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      waiting = null;
      return multicall(calls, at);
    });
    return { calls, answers };
  }
}
