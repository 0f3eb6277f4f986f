// Fill samples: states of vaults in the past that the nodes did not answer when the past was filled in are read once they do.
//
// Guarantee: a sample is written with its gap in one transaction, so it comes once, and in the order of blocks. One whose state the node
// has not is closed without, as where the past is filled in; at one that it fails to answer the next call goes on.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import { NO_HASH } from "../../chain/projection.ts";
import type { VaultReading } from "../../chain/reading.ts";
import { isAboutOneThing, isChainFault } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import { project } from "../block/projection.ts";
import { loadWorld } from "../block/world.ts";
import { readAsOf } from "../past/history.ts";
import type { Filled } from "./fill.ts";

const AT_ONCE = 16;

interface OpenBlock {
  number: number;
  hash: Hash;
  timestamp: number;
  vaults: Address[];
}

export async function fillSamples(context: ChainContext, signal: AbortSignal): Promise<Filled> {
  const { store, log } = context;
  const open = await openBlocks(context);
  let isAny = false;
  for (const block of open) {
    signal.throwIfAborted();
    try {
      await fillSample(context, block);
      isAny = true;
    } catch (error) {
      if (!isAboutOneThing(error)) throw error;
      log.info({ err: error, block: block.number }, "the node does not answer a state of the past yet");
      break;
    }
  }
  if (isAny) log.info({ chain_id: store.chainId }, "samples of the past that lacked are read");
  return { isWaiting: open.length > 0, isAny, vaults: [], accounts: [] };
}

async function openBlocks({ store }: ChainContext): Promise<OpenBlock[]> {
  const { rows } = await sql<OpenBlock>`
    select g.block_number as number, b.hash, extract(epoch from b.block_timestamp)::bigint as timestamp,
           json_agg(g.subject) as vaults
      from chain_gaps g join blocks b on b.chain_id = g.chain_id and b.number = g.block_number
     where g.chain_id = ${store.chainId} and g.filled_at is null and g.lacks = 'sample'
     group by g.block_number, b.hash, b.block_timestamp
     order by g.block_number limit ${AT_ONCE}`.execute(store.db.kysely);
  return rows;
}

/** @throws ChainFault while the node does not answer */
async function fillSample(
  context: ChainContext,
  { number, hash, timestamp, vaults }: OpenBlock,
): Promise<void> {
  const { store, seeds, projections } = context;
  const { chainId } = store;
  const sources = store.sources.map(({ source }) => source);
  const world = await loadWorld(store.db, { chainId, sources, upTo: number, seeds });
  const known = vaults.flatMap((vault) => world.directory.vault(vault) ?? []);
  const at = { number, hash, timestamp };
  const readings = await readAsOf(context, known, at, world.tracked.all).catch((error: unknown) => {
    if (isChainFault(error, "state_missing", "other_block")) return new Map<Address, VaultReading>();
    throw error;
  });
  await store.commit({}, async (tx) => {
    const block = { chainId, number, hash, timestamp, parentHash: NO_HASH };
    await project(projections, tx, [{ block, facts: [], readings }]);
    await sql`
      update chain_gaps set filled_at = now()
       where chain_id = ${chainId} and block_number = ${number} and lacks = 'sample' and filled_at is null
         and subject = any(${vaults}::text[])`.execute(tx);
  });
}
