// What a step is to write: the chain that is held, reconciled with what the node says, which is asked for whatever that needs to know; and
// whether the node serves that chain at all.
import type { Block } from "../../chain/client/client.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import { type HeldBlock, type PlannedUpdate, type ReconcileRules, reconcile } from "../block/reconcile.ts";

/** The node serves another chain than the one that is stored under this id. */
export class ForeignChain extends Error {
  constructor(chainId: number, anchor: HeldBlock) {
    super(
      `the node serves another chain ${chainId} than the one stored here: its block ${anchor.number} is not ${anchor.hash}. ` +
        "Nothing is written. Point rpc_urls at the right node, or start with an empty database (a development chain that was restarted is a new chain).",
    );
    this.name = "ForeignChain";
  }
}

const ANSWERS_AGAINST_ANCHOR = 3;

/** A chain's anchor, and the node that is asked for it. */
export interface Anchored {
  store: Pick<ChainContext["store"], "chainId" | "anchor">;
  client: Pick<ChainContext["client"], "blockByNumber">;
}

/**
 * Holds the anchor against the node's chain. One answer that speaks against it is a slip, which is asked for again; so much
 * follows from it that every answer must.
 * @throws ForeignChain when it is not on it
 */
export async function checkAnchor({ store, client }: Anchored): Promise<void> {
  if (!store.anchor) return;
  for (let answer = 0; answer < ANSWERS_AGAINST_ANCHOR; answer += 1) {
    const block = await client.blockByNumber(store.anchor.number);
    if (block.hash === store.anchor.hash) return;
  }
  throw new ForeignChain(store.chainId, store.anchor);
}

/** Asks the node whatever reconciling needs to know. @throws ForeignChain, and ChainFault when the node contradicts itself */
export async function planUpdates(
  context: ChainContext,
  head: Block,
  rules: ReconcileRules,
): Promise<PlannedUpdate<Block>[]> {
  const { store, client } = context;
  const seen = new Map<number, Block>();
  let held = store.window;
  let hasOlder = true;
  for (;;) {
    const plan = reconcile({ held, hasOlder, confirmed: store.confirmed }, { head, seen }, rules);
    switch (plan.type) {
      case "updates":
        return plan.updates;
      case "ask":
        for (const block of await client.headers(plan.numbers)) seen.set(block.number, block);
        break;
      case "older": {
        const older = await store.olderThan(held.at(-1)!.number, held.length);
        hasOlder = older.length > 0;
        held = [...held, ...older];
        const { anchor } = store;
        if (!hasOlder && anchor && anchor.number < held.at(-1)!.number) held = [...held, anchor];
        break;
      }
      case "torn":
        throw new ChainFault("inconsistent", "the node's chain changed while it was read");
      case "foreign":
        await checkAnchor(context);
        throw new ChainFault("inconsistent", "the node contradicts itself about the chain's first block");
    }
  }
}
