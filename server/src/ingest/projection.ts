// Projection: state that is derived from the chain's facts and written in the same transaction as the block they stand in.
// main.ts hands ingestion the projections of the features (roles, vault state); ingestion knows no feature.
//
// What ingestion promises: facts of one source come in chain order, each exactly once, in a transaction that also holds
// their block's row. While a source is being filled in, blocks of other sources may be applied in between, and far ahead.
// What a projection promises: every row refers to its block with ON DELETE CASCADE (the end of an interval with ON DELETE
// SET NULL), so that a reorganisation, which is DELETE FROM blocks, needs no code of the projection; it does nothing
// outside the given transaction; and its rows can be made anew from the stored facts (`vaultops replay`).
import type { Address } from "viem";
import type { VaultFact } from "../chain/facts.ts";
import type { OpenRequests } from "../chain/families/family.ts";
import type { VaultReading } from "../chain/reading.ts";
import type { BlockHeader } from "../chain/update.ts";
import type { Database, Tx } from "../platform/db.ts";

export interface ChainBlock extends BlockHeader {
  chainId: number;
}

/**
 * One block with what concerns the followed vaults in it. `readings` holds the state, as of this block, of vaults that were
 * touched by a fact, joined the head, or were due for a sample; in the past it is mostly empty.
 */
export interface ProjectedBlock {
  block: ChainBlock;
  facts: VaultFact[];
  readings: Map<Address, VaultReading>;
}

export interface Projection {
  name: string;
  apply(tx: Tx, block: ChainBlock, facts: VaultFact[], readings: Map<Address, VaultReading>): Promise<void>;
  /** The same for many blocks in order, called instead of `apply` where given: the past is filled in by thousands. */
  applyMany?(tx: Tx, blocks: ProjectedBlock[]): Promise<void>;
  /** What of its rows is to be read from the contracts with the vaults, so that it is not taken from events alone. */
  openRequests?(db: Database, chainId: number, vaults: readonly Address[]): Promise<OpenRequests>;
  replay: {
    /** Removes everything of a chain that comes back when its facts, and the readings below, are applied anew. */
    clear(tx: Tx, chainId: number): Promise<void>;
    /** What readings told that no fact tells, of the blocks of a range (both ends included), by block number and vault. */
    readings?(tx: Tx, chainId: number, fromBlock: number, toBlock: number): Promise<KeptReadings>;
  };
}

export type KeptReadings = Map<number, Map<Address, VaultReading>>;

/** Applies blocks to every projection, in the order in which the projections were given. */
export async function project(
  projections: readonly Projection[],
  tx: Tx,
  blocks: ProjectedBlock[],
): Promise<void> {
  if (blocks.length === 0) return;
  for (const projection of projections) {
    if (projection.applyMany) {
      await projection.applyMany(tx, blocks);
      continue;
    }
    for (const { block, facts, readings } of blocks) await projection.apply(tx, block, facts, readings);
  }
}
