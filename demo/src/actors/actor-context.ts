/** What the live actors share: the chain, what stands on it, and the state of the vaults that they keep up. */
import type { DemoChain } from "../chain.ts";
import { LIVE_TRIOS, type TrioKey } from "../deployment.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import type { Flow } from "./flows.ts";
import type { Random } from "./market.ts";
import { readTrios, type TrioState } from "./vault-state.ts";
import type { Reservable } from "./work-queue.ts";

export interface ActorContext {
  readonly chain: DemoChain;
  readonly deployment: DemoDeployment;
  readonly flow: Flow;
  readonly random: Random;
  /** Vaults that a scenario has reserved. */
  readonly reserved: ReadonlySet<Reservable>;
}

/** The trios that are kept up, with their state at the latest block. */
export async function readLiveVaults(
  context: ActorContext,
): Promise<readonly { key: TrioKey; state: TrioState }[]> {
  const { trios, system } = context.deployment;
  const states = await readTrios(
    context.chain,
    system.aggregator,
    LIVE_TRIOS.map((key) => trios[key]),
  );
  return LIVE_TRIOS.flatMap((key, index) => {
    const state = states[index];
    return state ? [{ key, state }] : [];
  });
}
