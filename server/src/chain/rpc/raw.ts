// What a node gives, brought to one form: numbers as numbers, hashes and addresses of logs in lowercase. Not yet decoded:
// topics and data are hostile until a family has read them.
import type { Address, Hash, Hex } from "viem";

/** A block as the service keeps it. `timestamp` is in Unix seconds. */
export interface BlockHeader {
  number: number;
  hash: Hash;
  parentHash: Hash;
  timestamp: number;
}

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

/** A log and its place; `address`, hashes and topics in lowercase hex. */
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

/**
 * A point in the chain to read at. With a hash the answer can only come from that very block. The block's time (Unix seconds), where
 * it is known, saves asking for it where a chain's contracts count other blocks than its nodes.
 */
export type BlockRef =
  | { number: number; hash: Hash; timestamp?: number }
  | { number: number; hash?: never; timestamp?: number }
  | "latest";

export interface Call {
  to: Address;
  data: Hex;
  /** Who calls, where that matters; never part of an aggregate. */
  from?: Address;
}

/** `success: false` holds the revert data. An answer of `0x` from an address with code is a success with `data: "0x"`. */
export interface CallResult {
  success: boolean;
  data: Hex;
  /** With `success: false`: it failed for a reason that says nothing of the contract, so its answer is not known. */
  isUnread?: true;
}

const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const QUANTITY = /^0x[0-9a-f]{1,14}$/i;
const BYTES = /^0x[0-9a-f]*$/;

/** A node's answer that is not what the method promises. Retried like a broken connection. */
export class MalformedAnswer extends Error {
  constructor(what: string) {
    super(`the node's answer contains no valid ${what}`);
    this.name = "MalformedAnswer";
  }
}

export function toNumber(value: unknown, what: string): number {
  if (typeof value !== "string" || !QUANTITY.test(value)) throw new MalformedAnswer(what);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new MalformedAnswer(what);
  return number;
}

export function toHash(value: unknown, what: string): Hash {
  return matching(value, HASH, what);
}

export function toLowerAddress(value: unknown, what: string): Hex {
  return matching(value, ADDRESS, what);
}

export function toBytes(value: unknown, what: string): Hex {
  const bytes = matching(value, BYTES, what);
  if (bytes.length % 2 !== 0) throw new MalformedAnswer(what);
  return bytes;
}

/** Nodes write hex in lowercase, so that is looked at first: a million logs are a dozen million of these. */
function matching(value: unknown, form: RegExp, what: string): Hex {
  if (typeof value !== "string") throw new MalformedAnswer(what);
  if (form.test(value)) return value as Hex;
  const lower = value.toLowerCase();
  if (!form.test(lower)) throw new MalformedAnswer(what);
  return lower as Hex;
}

export function quantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}

/** A header from a node's answer; null for null. Throws MalformedAnswer for what is neither. */
export function parseOrNull(answer: unknown): Block | null {
  if (answer === null || answer === undefined) return null;
  const { number, hash, parentHash, timestamp, logsBloom } = answer as Record<string, unknown>;
  // A pending block has neither hash nor number.
  if (hash === null || number === null) return null;
  return {
    number: toNumber(number, "block number"),
    hash: toHash(hash, "block hash"),
    parentHash: toHash(parentHash, "parent hash"),
    timestamp: toNumber(timestamp, "block timestamp"),
    logsBloom:
      typeof logsBloom === "string" && logsBloom.length === 514 ? toBytes(logsBloom, "logs bloom") : null,
  };
}
