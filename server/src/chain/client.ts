// ChainClient: one chain as its nodes tell it, checked. Nothing that passes through here is believed unseen: the chain id is
// compared at the start, a block's logs must carry that block's hash and agree with its bloom, a missing block is asked
// for again, and a request that one URL cannot answer goes to the next. It knows no database and no contract.
//
// Guarantee: an answer is either whole and consistent, or a `ChainFault` is thrown. Nothing is ever silently left out.
import type { Address, Hash, Hex, TypedDataDefinition } from "viem";
import type { BlockHeader } from "./update.ts";

/** A header with its logs bloom; null where the node leaves the bloom out (some L2s and proxies do). */
export interface Block extends BlockHeader {
  logsBloom: Hex | null;
}

/** Who sent a transaction and whom it called (`to` is null for a creation). Addresses are EIP-55. */
export interface TxSummary {
  hash: Hash;
  index: number;
  from: Address;
  to: Address | null;
  input: Hex;
}

export interface BlockWithTransactions extends Block {
  transactions: TxSummary[];
}

/**
 * A log as the node gave it, its place as numbers, its address and hashes in lowercase hex. Not yet decoded: topics and data
 * are hostile until a family has read them.
 */
export interface RawLog {
  address: Hex;
  topics: Hex[];
  data: Hex;
  blockNumber: number;
  blockHash: Hash;
  /** Unix seconds, where the node puts the block's time on its logs; else null. */
  blockTimestamp: number | null;
  txHash: Hash;
  txIndex: number;
  logIndex: number;
}

/** The logs of the blocks `fromBlock..toBlock`, both inclusive, ordered by block and log index. */
export interface LogChunk {
  fromBlock: number;
  toBlock: number;
  logs: RawLog[];
}

/** A point in the chain to read at. With a hash the answer can only come from that very block. */
export type BlockRef = { number: number; hash: Hash } | { number: number; hash?: never } | "latest";

export interface Call {
  to: Address;
  data: Hex;
}

/** `success: false` holds the revert data. An answer of `0x` from an address with code is a success with `data: "0x"`. */
export interface CallResult {
  success: boolean;
  data: Hex;
}

export interface ChainClient {
  readonly chainId: number;
  readonly name: string;

  /** Compares the chain id of every URL that answers. Throws `ChainFault("wrong_chain")` when one serves another chain. */
  start(): Promise<void>;
  /** The newest block, as the serving node sees it. It may stand still or step back between calls. */
  head(): Promise<Block>;
  /** Retried while the node says null; `ChainFault("block_missing")` when it stays so. */
  blockByNumber(number: number): Promise<Block>;
  /** null when the block is not on the node's chain (reorganised away) after retries. */
  blockByHash(hash: Hash): Promise<Block | null>;
  blockWithTransactions(hash: Hash): Promise<BlockWithTransactions>;
  /** Headers of many numbers, in that order, fetched in JSON-RPC batches. */
  headers(numbers: readonly number[]): Promise<Block[]>;
  /** The newest block that the node calls safe or finalized; null where the chain knows no such tag. */
  finality(tag: "safe" | "finalized"): Promise<Block | null>;

  /**
   * Every log of the addresses (and, where given, of topic0s) in the range, in ordered chunks whose ranges adjoin and
   * cover it. The step adapts to what the provider allows.
   */
  logsInRange(range: {
    fromBlock: number;
    toBlock: number;
    addresses: readonly Address[];
    topics?: readonly Hex[];
    signal?: AbortSignal;
  }): AsyncGenerator<LogChunk, void, void>;
  /** Every log of the addresses in that very block, asked for by hash and held against header and bloom. */
  logsOfBlock(block: Block, addresses: readonly Address[], topics?: readonly Hex[]): Promise<RawLog[]>;

  /** Sender and target of each transaction. A transaction that the node does not know is missing from the map. */
  transactions(hashes: readonly Hash[]): Promise<Map<Hash, TxSummary>>;
  /** Senders of the ERC-4337 user operations that the transaction carried, in order; empty when it carried none. */
  userOperationSenders(txHash: Hash): Promise<Address[]>;

  /** Every call at the same block, through Multicall3 where it is deployed, else in batches of eth_call. */
  multicall(calls: readonly Call[], at: BlockRef): Promise<CallResult[]>;
  call(call: Call, at: BlockRef): Promise<CallResult>;
  getCode(address: Address, at: BlockRef): Promise<Hex>;
  /** EOA, ERC-1271 and (counterfactual) ERC-6492 signatures. A failing node throws; a wrong signature is false. */
  verifyTypedData(address: Address, typedData: TypedDataDefinition, signature: Hex): Promise<boolean>;

  /** What the URLs are worth right now; URLs are shown without path, query or credentials. */
  health(): EndpointHealth[];
}

export interface EndpointHealth {
  host: string;
  isHealthy: boolean;
  consecutiveFailures: number;
  lastError: string | null;
}
