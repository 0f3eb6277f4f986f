// Where the head is followed from: the block that counts as confirmed, from which a chain is begun, or taken up again where it is far behind.
// What lies before, or between, is filled in as the past is.
import { sql } from "kysely";
import type { Block } from "../../chain/client/client.ts";
import { ChainFault, isChainFault } from "../../chain/rpc/fault.ts";
import { confirmUpTo } from "../block/confirm.ts";
import { type ChainContext, historyJudge } from "../block/context.ts";
import { insertBlocks } from "../block/rows.ts";
import type { World } from "../block/world.ts";
import { confirmedBase, knownBlock } from "./agree.ts";

/**
 * The block that counts as confirmed under the node's head: by depth, or as the node's tag says. May be below 0. `warning` says why
 * nothing is confirmed.
 */
export async function confirmedTarget(
  { settings, client, store }: ChainContext,
  head: Block,
): Promise<{ target: number; warning: string | null }> {
  const { confirmations } = settings;
  if (typeof confirmations === "number") return { target: head.number - confirmations, warning: null };
  const tagged = await client.finality(confirmations);
  const held = tagged && store.window.find(({ number }) => number === tagged.number);
  // The node is of two minds where what it calls final is not what it serves as its chain.
  const isOffChain = held && held.hash !== tagged?.hash;
  if (tagged !== null && !isOffChain) return { target: tagged.number, warning: null };
  const warning = isOffChain
    ? `the node's ${confirmations} block is not on its chain`
    : `the node knows no ${confirmations} block, so nothing is confirmed`;
  if (store.head) return { target: -1, warning };
  throw new ChainFault("refused", `${warning}: set confirmations of the chain to a number`);
}

/** The first block ever stored is the newest confirmed one: all before it is the past. */
export async function begin(context: ChainContext, target: number): Promise<void> {
  const { store, client, log } = context;
  const base = await confirmedBase(context, Math.max(0, target));
  const genesis =
    base.number === 0
      ? base
      : await knownBlock(client, 0).catch((error: unknown) => {
          // A node may not serve its first blocks any more; then the chain is known by where it was first met.
          if (isChainFault(error, "block_missing", "state_missing", "refused")) return base;
          throw error;
        });
  await store.commit(
    { head: base, confirmed: base.number, anchor: { number: genesis.number, hash: genesis.hash } },
    (tx) => insertBlocks(tx, store.chainId, [{ ...base, isEmpty: true }]),
  );
  store.pushBlocks([base]);
  log.info({ block: base.number }, "following the chain from here; earlier blocks are filled in");
}

/**
 * Goes on from the confirmed block; everything between is left to be filled in as the past is. False where that is no further than what
 * is held.
 */
export async function jump(
  context: ChainContext,
  target: number,
  loaded: () => Promise<World>,
): Promise<boolean> {
  const { store, recorder, log } = context;
  const from = store.head!.number;
  const base = await confirmedBase(context, target);
  if (base.number <= from) return false;
  await confirmUpTo(store, from, recorder, historyJudge(context, await loaded()));
  await store.commit({ head: base, confirmed: base.number }, async (tx) => {
    await insertBlocks(tx, store.chainId, [{ ...base, isEmpty: true }]);
    await sql`
      update sources set next_block = ${from + 1} where chain_id = ${store.chainId} and next_block is null`.execute(
      tx,
    );
  });
  for (const source of store.joined) source.nextBlock = from + 1;
  store.restartWindow(base);
  log.info({ from, to: base.number }, "far behind: filling in the blocks in between");
  return true;
}
