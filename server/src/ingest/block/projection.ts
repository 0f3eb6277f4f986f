// Projection: state that is derived from the chain's facts and written in the same transaction as the block they stand in.
// service/indexer.ts hands ingestion the projections of the features (roles, vault state); ingestion knows no feature.
//
// What ingestion promises: facts of one source come in chain order, each exactly once, in a transaction that also holds
// their block's row. While a source is being filled in, blocks of other sources may be applied in between, and far ahead.
// What a projection promises: every row refers to its block with ON DELETE CASCADE (the end of an interval with ON DELETE
// SET NULL), so that a reorganisation, which is DELETE FROM blocks, needs no code of the projection; it does nothing
// outside the given transaction; and its rows can be made anew from the stored facts (`vaultops replay`).
import type { Address } from "viem";
import type { OpenRequests } from "../../chain/families/family/family.ts";
import type { ProjectedBlock, ReadingsByBlock } from "../../chain/projection.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import type { Scope } from "../../platform/db/scope.ts";

export interface Projection {
  name: string;
  /** Applies blocks of one chain, in order: one at the head, thousands where the past is filled in. */
  apply(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void>;
  /** What of its rows is to be read from the contracts with the vaults, so that it is not taken from events alone. */
  openRequests?(db: Database, chainId: number, vaults: readonly Address[]): Promise<OpenRequests>;
  replay: {
    /** Removes everything of a chain that comes back when its facts, and the readings below, are applied anew. */
    clear(tx: Tx, scope: Scope): Promise<void>;
    /** Removes what readings told of a vault that was taken for one of another family. */
    forget?(tx: Tx, chainId: number, vault: Address): Promise<void>;
    /** What readings told that no fact tells, of the blocks of a range (both ends included), by block number and vault. */
    readings?(tx: Tx, scope: Scope, fromBlock: number, toBlock: number): Promise<ReadingsByBlock>;
  };
}

/** Applies blocks to every projection, in the order in which the projections were given. */
export async function project(
  projections: readonly Projection[],
  tx: Tx,
  blocks: readonly ProjectedBlock[],
): Promise<void> {
  if (blocks.length === 0) return;
  for (const projection of projections) await projection.apply(tx, blocks);
}
