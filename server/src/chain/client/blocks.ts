// Blocks and transactions as a node tells them. A block that is null is asked for again and never passed on; one that is not
// the block asked for is refused.
import type { Hash } from "viem";
import { toAddress } from "../address.ts";
import { ChainFault } from "../rpc/fault.ts";
import {
  type Block,
  type BlockWithTransactions,
  MalformedAnswer,
  parseOrNull,
  quantity,
  type TxSummary,
  toBytes,
  toHash,
  toLowerAddress,
  toNumber,
} from "../rpc/raw.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { settle } from "../rpc/settle.ts";

export class BlockReader {
  readonly #rpc: Rpc;
  readonly #settleMs: number;

  constructor(rpc: Rpc, settleMs: number) {
    this.#rpc = rpc;
    this.#settleMs = settleMs;
  }

  async head(): Promise<Block> {
    const block = await settle({ settleMs: this.#settleMs }, async (rotate) =>
      parseOrNull(await this.#rpc.request("eth_getBlockByNumber", ["latest", false], { rotate })),
    );
    if (block === null) throw new ChainFault("block_missing", "the node has no latest block");
    return block;
  }

  async byNumber(number: number): Promise<Block> {
    const block = await settle({ settleMs: this.#settleMs }, async (rotate) => {
      const answer = parseOrNull(
        await this.#rpc.request("eth_getBlockByNumber", [quantity(number), false], { rotate }),
      );
      return answer?.number === number ? answer : null;
    });
    if (block === null) throw new ChainFault("block_missing", `the node has no block ${number}`);
    return block;
  }

  async byHash(hash: Hash): Promise<Block | null> {
    return await settle({ settleMs: this.#settleMs }, async (rotate) => {
      const answer = parseOrNull(await this.#rpc.request("eth_getBlockByHash", [hash, false], { rotate }));
      return answer?.hash === hash ? answer : null;
    });
  }

  async withTransactions(hash: Hash): Promise<BlockWithTransactions> {
    const block = await settle({ settleMs: this.#settleMs }, async (rotate) => {
      const answer = await this.#rpc.request("eth_getBlockByHash", [hash, true], { rotate });
      const header = parseOrNull(answer);
      if (header?.hash !== hash) return null;
      const listed = (answer as { transactions?: unknown }).transactions;
      if (!Array.isArray(listed)) throw new MalformedAnswer("transactions of a block");
      return { ...header, transactions: listed.map(parseTransaction) };
    });
    if (block === null) throw new ChainFault("block_missing", `the node has no block ${hash}`);
    return block;
  }

  /** In the order asked for. Each is the block of that number, or the whole call fails. */
  async headers(numbers: readonly number[]): Promise<Block[]> {
    const answers = await this.#rpc.batch(
      numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] })),
    );
    return await Promise.all(
      numbers.map(async (number, index) => {
        const block = tryParse(answers[index]);
        return block?.number === number ? block : await this.byNumber(number);
      }),
    );
  }

  async finality(tag: "safe" | "finalized"): Promise<Block | null> {
    try {
      return parseOrNull(await this.#rpc.request("eth_getBlockByNumber", [tag, false]));
    } catch (error) {
      // A chain without that tag answers with an error; geth: -39001 "safe block not found" before there is one.
      if (error instanceof RpcError && error.kind !== "server") return null;
      throw error;
    }
  }

  /** What the node does not know after the settling time is missing from the map. */
  async transactions(hashes: readonly Hash[]): Promise<Map<Hash, TxSummary>> {
    const found = new Map<Hash, TxSummary>();
    let wanted = [...new Set(hashes)];
    await settle({ settleMs: this.#settleMs }, async (rotate) => {
      const calls = wanted.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }));
      const answers = await this.#rpc.batch(calls, { rotate });
      for (const answer of answers) {
        if (answer === null || answer instanceof RpcError) continue;
        const transaction = parseTransaction(answer);
        found.set(transaction.hash, transaction);
      }
      wanted = wanted.filter((hash) => !found.has(hash));
      return wanted.length === 0 ? found : null;
    });
    return found;
  }
}

function tryParse(answer: unknown): Block | null {
  try {
    return answer instanceof RpcError ? null : parseOrNull(answer);
  } catch (error) {
    if (error instanceof MalformedAnswer) return null;
    throw error;
  }
}

function parseTransaction(answer: unknown): TxSummary {
  const { hash, transactionIndex, from, to, input, data } = answer as Record<string, unknown>;
  return {
    hash: toHash(hash, "transaction hash"),
    index: transactionIndex === null ? 0 : toNumber(transactionIndex, "transaction index"),
    from: toAddress(toLowerAddress(from, "sender")),
    to: to === null || to === undefined ? null : toAddress(toLowerAddress(to, "recipient")),
    input: toBytes(input ?? data ?? "0x", "calldata"),
  };
}
