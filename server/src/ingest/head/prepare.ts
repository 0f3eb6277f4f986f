// Prepare: everything about a new block that must be known before its transaction begins. Logs of many blocks are asked for
// at once; blocks come out in order, for a vault announced in one is followed in the next.
import type { Address } from "viem";
import type { Block, ChainClient, RawLog } from "../../chain/client/client.ts";
import type { VaultReading } from "../../chain/reading.ts";
import { ChainFault, isAboutOneThing } from "../../chain/rpc/fault.ts";
import type { ChainContext } from "../block/context.ts";
import type { ControlTaken } from "../block/control.ts";
import { type Extracted, extract } from "../block/extract.ts";
import { type Gap, logsOf, orGap } from "../block/gaps.ts";
import type { World } from "../block/world.ts";
import type { Control } from "./control.ts";
import type { Sampler } from "./sampler.ts";

export interface PreparedBlock extends Extracted {
  block: Block;
  readings: Map<Address, VaultReading>;
  /** Who stands behind the roles, where anything of it changed. */
  control?: ControlTaken;
}

/** The world learns as it goes. `nodeHead` tells how old the blocks are. */
export async function* prepareBlocks(
  context: ChainContext,
  world: World,
  { sampler, control }: { sampler: Sampler; control: Control },
  blocks: readonly Block[],
  nodeHead: number,
): AsyncGenerator<PreparedBlock, void, void> {
  const { client, store } = context;
  const addresses = () => [...world.directory.addresses(), ...world.control.followed.values()];
  const askedFor = addresses();
  const known = new Set(askedFor);
  const pending = blocks.map((block) => client.logsOfBlock(block, askedFor));
  // A failure is met when its block is; until then it must not count as unhandled.
  for (const logs of pending) logs.catch(() => {});

  for (const [index, block] of blocks.entries()) {
    const later = addresses().filter((address) => !known.has(address));
    const gaps: Gap[] = [];
    const orWithout = async (ask: () => Promise<RawLog[]>) => {
      const known = gaps.length;
      const logs = await orGap(context, gaps, logsOf(block), ask, () => []);
      if (gaps.length > known) await expectOnChain(client, block);
      return logs;
    };
    const logs = await orWithout(async () => {
      const asked = Promise.all([pending[index]!, client.logsOfBlock(block, later)]);
      return (await asked.catch((error) => unlessAllFail(error, pending, index))).flat();
    });
    const sources = new Set(
      store.joined.filter(({ startBlock }) => startBlock <= block.number).map(({ source }) => source),
    );
    const extracted = await extract(context, world, {
      logs,
      sources,
      logsOf: (addresses) => orWithout(() => client.logsOfBlock(block, addresses)),
      timestampOf: () => block.timestamp,
    });
    const isNewest = index === blocks.length - 1;
    const readings = await sampler.read(world, block, extracted.facts, { nodeHead, isNewest });
    const taken = await control.take(world, {
      block,
      logs,
      readings,
      facts: extracted.facts,
      isNewest,
      nodeHead,
      logsOf: (addresses) => orWithout(() => client.logsOfBlock(block, addresses)),
    });
    const facts = [...extracted.facts, ...taken.facts].sort((a, b) => a.logIndex - b.logIndex);
    gaps.push(...taken.gaps);
    yield { block, ...extracted, facts, gaps: [...extracted.gaps, ...gaps], readings, control: taken };
  }
}

/**
 * A header that was told wrong has no logs, and would never have: before a block is stored without them it is asked for once more.
 * @throws ChainFault when the node has another block there
 */
async function expectOnChain(client: ChainClient, block: Block): Promise<void> {
  const told = await client.blockByNumber(block.number);
  if (told.hash !== block.hash)
    throw new ChainFault("inconsistent", `the node told two different blocks ${block.number}`);
}

/** A node that tells no block's logs is not well and is waited for; one that tells others' may never tell this one's. */
async function unlessAllFail(
  error: unknown,
  pending: readonly Promise<RawLog[]>[],
  failed: number,
): Promise<never> {
  if (!isAboutOneThing(error)) throw error;
  const others = await Promise.allSettled(pending.filter((_, index) => index !== failed));
  if (others.some(({ status }) => status === "fulfilled")) throw error;
  throw new ChainFault("unavailable", error.message, { cause: error });
}
