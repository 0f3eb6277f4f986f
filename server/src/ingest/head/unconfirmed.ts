// Unconfirmed: the blocks that are held and may yet be undone, as the node has them now.
import { sql } from "kysely";
import type { Block } from "../../chain/client/client.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import type { HeldBlock } from "../block/reconcile.ts";

const BLOCKS_AT_ONCE = 32;

/** The held blocks from a number on to the head, as the node has them. @throws ChainFault `inconsistent` when it has others */
export async function* unconfirmed(context: ChainContext, from: number): AsyncGenerator<Block, void, void> {
  const { store, client } = context;
  const { rows } = await sql<HeldBlock>`
    select number, hash from blocks where chain_id = ${store.chainId} and number >= ${from} order by number`.execute(
    store.db.kysely,
  );
  for (let start = 0; start < rows.length; start += BLOCKS_AT_ONCE) {
    const held = rows.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await client.headers(held.map(({ number }) => number));
    for (const [index, block] of blocks.entries()) {
      if (block.hash !== held[index]!.hash) {
        throw new ChainFault(
          "inconsistent",
          `the node has another block ${block.number} than the one stored`,
        );
      }
      yield block;
    }
  }
}
