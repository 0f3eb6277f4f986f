// ChainUpdate: what following a chain yields. A reorganisation is a value like any other, not an exception.
//
// The linking invariant: a `block` update's parentHash equals the hash of the block that the consumer applied last
// (or that a `reorg` update named as the common ancestor). A consumer that finds otherwise must refuse the update.
import type { Hash } from "viem";
import type { VaultFact } from "./facts.ts";

/** A block as the service keeps it. `timestamp` is in Unix seconds. */
export interface BlockHeader {
  number: number;
  hash: Hash;
  parentHash: Hash;
  timestamp: number;
}

export type ChainUpdate =
  | { type: "block"; block: BlockHeader; facts: VaultFact[] }
  /** The chain left the blocks above `ancestor`: undo them all. `depth` is how many the consumer had applied. */
  | { type: "reorg"; ancestor: BlockHeader; depth: number }
  /** Every block up to `number` is deep enough: its audit entries are due. */
  | { type: "finalized"; number: number };
