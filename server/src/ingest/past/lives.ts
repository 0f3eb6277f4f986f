// Lives: vaults whose announcement has been passed by without them, described from it, and every fact of their past.
import type { Address } from "viem";
import type { RawLog } from "../../chain/client/client.ts";
import type { KnownVault, Source } from "../../chain/directory.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import type { Block } from "../../chain/rpc/raw.ts";
import type { ExtractContext, FoundVault } from "../block/discover.ts";
import { extract } from "../block/extract.ts";
import { type Gap, gapAfter, logsOf } from "../block/gaps.ts";
import type { World } from "../block/world.ts";
import { Timestamps } from "./timestamps.ts";

/** Makes the wanted vaults known to the world, from the blocks that announced them. */
export async function findAnnounced(
  context: ExtractContext,
  world: World,
  sources: readonly Source[],
  announcements: readonly { block_number: number; hash: string }[],
  isWanted: (vault: KnownVault) => boolean,
): Promise<FoundVault[]> {
  const { client, families } = context;
  const found: FoundVault[] = [];
  const addresses = sources.map(({ address }) => address);
  const isAnnouncement = (log: RawLog) => {
    const contract = world.directory.contract(log.address);
    const vault = contract && families[contract.source.family].discover(log, world.directory);
    return vault ? isWanted(vault) : false;
  };
  for (const [number, [first]] of Map.groupBy(announcements, (each) => each.block_number)) {
    const block = await client.blockByNumber(number);
    if (block.hash !== first!.hash)
      throw new ChainFault("inconsistent", `the node has another block ${number} than the one stored`);
    const extracted = await extract(context, world, {
      logs: (await client.logsOfBlock(block, addresses)).filter(isAnnouncement),
      sources: new Set(sources),
      logsOf: async () => [],
      timestampOf: () => block.timestamp,
    });
    found.push(...extracted.found);
  }
  return found;
}

export interface Life {
  /** In chain order. */
  facts: VaultFact[];
  gaps: Gap[];
  /** Blocks whose logs the nodes do not tell. */
  leftOut: LeftOut[];
}

export interface LeftOut {
  block: Block;
  gap: Gap;
}

/**
 * The facts of these vaults that some logs of their addresses hold, of one block or many. The world learns as it goes: `logsOf` fetches what
 * further contracts said that the logs name.
 */
export async function factsIn(
  context: ExtractContext,
  world: World,
  found: readonly FoundVault[],
  all: readonly RawLog[],
  logsOf: (addresses: Address[]) => Promise<readonly RawLog[]>,
): Promise<Life & { hasNewAddresses: boolean }> {
  const { client, families } = context;
  const wanted = new Set(found.map(({ vault }) => vault.address));
  const logs = all.filter((log) => {
    const contract = world.directory.contract(log.address);
    const decoded = contract && families[contract.source.family].decode(log, world.directory);
    if (!decoded) return false;
    if (decoded.needs === "strategy") return true;
    return decoded.vaultAddress !== null && wanted.has(decoded.vaultAddress);
  });
  const timestamps = new Timestamps(client);
  await timestamps.learn(logs);
  const { facts, gaps, hasNewAddresses } = await extract(context, world, {
    logs,
    sources: new Set(found.map(({ vault }) => vault.source)),
    async logsOf(addresses) {
      const more = await logsOf(addresses);
      await timestamps.learn(more);
      return more;
    },
    timestampOf: (log) => timestamps.of(log),
  });
  return {
    facts: facts.filter(({ vaultAddress }) => vaultAddress !== null && wanted.has(vaultAddress)),
    gaps,
    leftOut: [],
    hasNewAddresses,
  };
}

/**
 * Every fact of these vaults in a range. Blocks whose logs the nodes do not tell are left out: those that are known as such (`open`, by
 * number) at once, others when they were waited for.
 */
export async function factsOfRange(
  context: ExtractContext,
  world: World,
  found: readonly FoundVault[],
  range: {
    fromBlock: number;
    toBlock: number;
    checkFrom?: number;
    signal: AbortSignal;
    open?: ReadonlySet<number>;
  },
): Promise<Life> {
  const life: Life = { facts: [], gaps: [], leftOut: [] };
  if (range.fromBlock > range.toBlock) return life;
  const leftOut = new Map<number, LeftOut>();
  const isLeftOut = (block: Block, fault: ChainFault) => {
    const isKnown = range.open?.has(block.number) === true;
    const gap = isKnown ? { ...logsOf(block), reason: fault.code } : gapAfter(context, logsOf(block), fault);
    if (gap) leftOut.set(block.number, { block, gap });
    return gap !== null;
  };
  for (let next = range.fromBlock; next <= range.toBlock; ) {
    const asked = { ...range, fromBlock: next, addresses: addressesOfLives(world, found), isLeftOut };
    for await (const chunk of context.client.logsInRange(asked)) {
      range.signal.throwIfAborted();
      const within = { ...range, fromBlock: chunk.fromBlock, toBlock: chunk.toBlock, isLeftOut };
      const { facts, gaps, hasNewAddresses } = await factsIn(context, world, found, chunk.logs, (addresses) =>
        logsWithin(context, { ...within, addresses }),
      );
      life.facts.push(...facts);
      life.gaps.push(...gaps);
      next = chunk.toBlock + 1;
      // The rest of the range was asked for without the addresses just found.
      if (hasNewAddresses) break;
    }
  }
  life.leftOut.push(...leftOut.values());
  return life;
}

async function logsWithin(
  { client }: ExtractContext,
  range: Parameters<typeof client.logsInRange>[0],
): Promise<RawLog[]> {
  const logs: RawLog[] = [];
  for await (const chunk of client.logsInRange(range)) logs.push(...chunk.logs);
  return logs;
}

/** Whatever tells of these vaults: their own contracts, and those of their sources. */
export function addressesOfLives(world: World, found: readonly FoundVault[]): Address[] {
  const wanted = new Set(found.map(({ vault }) => vault.address));
  const sources = new Set(found.map(({ vault }) => vault.source));
  return world.directory.addresses().filter((address) => {
    const contract = world.directory.contract(address.toLowerCase());
    if (!contract || !sources.has(contract.source)) return false;
    return contract.vault === null || wanted.has(contract.vault.address);
  });
}
