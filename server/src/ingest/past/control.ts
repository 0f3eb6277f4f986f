// Past: what those who stand behind roles did in blocks that the head did not take: in an outage that is filled in as the past is, and in a block
// whose logs are told late. Those are followed who were known to stand there before; how their contracts stand now, the head asks for by view.
//
// Who held which role when, before a vault was followed, no view tells without an archive: what is older is told of nobody.
import type { Address } from "viem";
import type { RawLog } from "../../chain/client/client.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { NO_HASH } from "../../chain/projection.ts";
import { type ControlContext, type ControlWorld, takeControl } from "../block/control.ts";
import type { Gap } from "../block/gaps.ts";

export interface ControlPast {
  /** In chain order. */
  facts: VaultFact[];
  gaps: Gap[];
  /** Whose contracts are to be asked again. */
  accounts: Address[];
}

/** The addresses whose logs it needs. */
export function addressesOfControl({ control }: Pick<ControlWorld, "control">): Address[] {
  return [...control.followed.values()];
}

/** The logs are in chain order. The world learns as it goes. */
export async function controlPastOf(
  context: ControlContext,
  world: ControlWorld,
  logs: readonly RawLog[],
  timestampOf: (log: RawLog) => number,
): Promise<ControlPast> {
  const past: ControlPast = { facts: [], gaps: [], accounts: [] };
  const followed = logs.filter(({ address }) => world.control.followed.has(address));
  for (const [number, own] of Map.groupBy(followed, ({ blockNumber }) => blockNumber)) {
    const [first] = own;
    const { facts, gaps, states } = await takeControl(context, world, {
      block: { number, hash: first!.blockHash, parentHash: NO_HASH, timestamp: timestampOf(first!) },
      logs: own,
      readings: new Map(),
      isReadable: false,
      logsOf: async () => [],
    });
    past.facts.push(...facts);
    past.gaps.push(...gaps);
    past.accounts.push(...states.keys());
  }
  return past;
}

/** Both in one order. */
export function inChainOrder(facts: readonly VaultFact[], more: readonly VaultFact[]): VaultFact[] {
  if (more.length === 0) return [...facts];
  return [...facts, ...more].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}
