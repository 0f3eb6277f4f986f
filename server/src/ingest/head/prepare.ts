// Prepare: everything about a new block that must be known before its transaction begins. Logs of many blocks are asked for
// at once; blocks come out in order, for a vault announced in one is followed in the next.
import type { Address } from "viem";
import type { Block } from "../../chain/client/client.ts";
import type { VaultReading } from "../../chain/reading.ts";
import type { ChainContext } from "../block/context.ts";
import { type Extracted, extract } from "../block/extract.ts";
import type { World } from "../block/world.ts";
import type { Sampler } from "./sampler.ts";

export interface PreparedBlock extends Extracted {
  block: Block;
  readings: Map<Address, VaultReading>;
}

/** The world learns as it goes. `nodeHead` tells how old the blocks are. */
export async function* prepareBlocks(
  context: ChainContext,
  world: World,
  sampler: Sampler,
  blocks: readonly Block[],
  nodeHead: number,
): AsyncGenerator<PreparedBlock, void, void> {
  const { client, store } = context;
  const askedFor = world.directory.addresses();
  const known = new Set(askedFor);
  const pending = blocks.map((block) => client.logsOfBlock(block, askedFor));
  // A failure is met when its block is; until then it must not count as unhandled.
  for (const logs of pending) logs.catch(() => {});

  for (const [index, block] of blocks.entries()) {
    const later = world.directory.addresses().filter((address) => !known.has(address));
    const logs = [await pending[index]!, await client.logsOfBlock(block, later)].flat();
    const sources = new Set(
      store.joined.filter(({ startBlock }) => startBlock <= block.number).map(({ source }) => source),
    );
    const extracted = await extract(context, world, {
      logs,
      sources,
      logsOf: (addresses) => client.logsOfBlock(block, addresses),
      timestampOf: () => block.timestamp,
    });
    const isNewest = index === blocks.length - 1;
    const readings = await sampler.read(world, block, extracted.facts, { nodeHead, isNewest });
    yield { block, ...extracted, readings };
  }
}
