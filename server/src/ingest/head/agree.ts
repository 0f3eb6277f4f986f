// Agree: what may count as confirmed where a quorum of nodes is configured, and which block the nodes are held against.
import { sql } from "kysely";
import type { Block } from "../../chain/client/client.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import type { HeldBlock } from "../block/reconcile.ts";

/** Blocks this far below the head are no matter of opinion between nodes that are well. */
const SETTLED_DEPTH = 32;

/** A block up to `number` that is held here and that enough nodes have; what keeps them from it otherwise, in words for an operator. */
export async function agreedUpTo(
  { client, store, settings }: Pick<ChainContext, "client" | "store" | "settings">,
  number: number,
): Promise<{ number: number } | { warning: string }> {
  if (client.quorum <= 1) return { number };
  const agreed = await client.agreed(number, tagOf(settings.confirmations));
  if (!agreed)
    return {
      warning: `fewer than ${client.quorum} nodes agree on block ${number}, so nothing more is confirmed`,
    };
  const held = await heldAt({ store }, agreed.number);
  if (held === null || held === agreed.hash) return { number: agreed.number };
  return { warning: `${client.quorum} nodes have another block ${agreed.number} than the one stored` };
}

/** The block to begin or go on from, which counts as confirmed at once. @throws ChainFault when the nodes do not agree on one */
export async function confirmedBase(context: Pick<ChainContext, "client" | "settings">, number: number) {
  const { client, settings } = context;
  if (client.quorum <= 1) return await knownBlock(client, number);
  const agreed = await client.agreed(number, tagOf(settings.confirmations));
  if (agreed) return agreed;
  throw new ChainFault("unavailable", `fewer than ${client.quorum} nodes agree on block ${number}`);
}

/**
 * The block that the node has at that height, by its number and by its hash alike: everything is built on it, so that one
 * answer must not decide.
 * @throws ChainFault `inconsistent` when it has not
 */
export async function knownBlock(client: ChainContext["client"], number: number): Promise<Block> {
  const { hash } = await client.blockByNumber(number);
  const block = await client.blockByHash(hash);
  if (block?.number === number) return block;
  throw new ChainFault("inconsistent", `the node does not know its block ${number} by its hash`);
}

/** Tells the client which block decides between nodes on different branches. */
export function holdNodesAgainst({ client, store }: Pick<ChainContext, "client" | "store">): void {
  const settled = Math.min(store.confirmed, (store.head?.number ?? 0) - SETTLED_DEPTH);
  const held = store.window.find(({ number }) => number === settled);
  if (held) client.trust(held);
}

/** null where nothing is held at that height: it is among those in between that hold nothing of interest. */
async function heldAt({ store }: Pick<ChainContext, "store">, number: number): Promise<string | null> {
  const inMemory = store.window.find((block) => block.number === number);
  if (inMemory) return inMemory.hash;
  const { rows } = await sql<HeldBlock>`
    select number, hash from blocks where chain_id = ${store.chainId} and number = ${number}`.execute(
    store.db.kysely,
  );
  return rows[0]?.hash ?? null;
}

function tagOf(confirmations: ChainContext["settings"]["confirmations"]): "safe" | "finalized" | null {
  return typeof confirmations === "number" ? null : confirmations;
}
