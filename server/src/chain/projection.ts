// What a projection is given: blocks of a chain, in order, each with what concerns the followed vaults in it.
import type { Address, Hash } from "viem";
import type { VaultFact } from "./facts.ts";
import type { VaultReading } from "./reading.ts";
import type { BlockHeader } from "./rpc/raw.ts";

export interface ChainBlock extends BlockHeader {
  chainId: number;
}

/**
 * The row of the block is stored already. `readings` holds the state, as of this block, of vaults that were touched by a fact,
 * joined the head, or were due for a sample; in the past it is mostly empty.
 */
export interface ProjectedBlock {
  block: ChainBlock;
  facts: readonly VaultFact[];
  readings: ReadonlyMap<Address, VaultReading>;
}

/** Readings by block number and vault. */
export type ReadingsByBlock = ReadonlyMap<number, ReadonlyMap<Address, VaultReading>>;

/** The blocks of facts that are in chain order, with the readings made at them. */
export function blocksOfFacts(
  facts: readonly VaultFact[],
  readings: ReadingsByBlock = new Map(),
): ProjectedBlock[] {
  return [...Map.groupBy(facts, ({ blockNumber }) => blockNumber)].map(([number, group]) => {
    const { chainId, blockHash: hash, blockTimestamp: timestamp } = group[0]!;
    return {
      block: { chainId, number, hash, parentHash: NO_HASH, timestamp },
      facts: group,
      readings: readings.get(number) ?? new Map(),
    };
  });
}

/** A block known from its logs alone has no parent hash to tell, and no projection has a use for one. */
export const NO_HASH: Hash = `0x${"0".repeat(64)}`;
