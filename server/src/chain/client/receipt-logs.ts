// The logs of a block from its receipts: the way round where a filter cannot fetch them, and the proof that a filter has fetched them all.
import type { Hash } from "viem";
import { ChainFault } from "../rpc/fault.ts";
import { MalformedAnswer, type RawLog, toHash } from "../rpc/raw.ts";
import type { RequestOptions, Rpc } from "../rpc/rpc.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { parseLogs } from "./log-parse.ts";

/**
 * Every log of the block, whoever emitted it: by `eth_getBlockReceipts`, else transaction by transaction.
 * @throws RpcError `unknown_block` where the node does not have the block, MalformedAnswer for what are no receipts,
 * ChainFault `refused` where it hands out neither
 */
export async function logsFromReceipts(rpc: Rpc, hash: Hash, options: RequestOptions): Promise<RawLog[]> {
  const receipts = await rpc.request("eth_getBlockReceipts", [hash], options).catch(otherThanBlock);
  const list = receipts instanceof RpcError ? await oneByOne(rpc, hash, options) : receipts;
  if (!Array.isArray(list)) throw new MalformedAnswer("list of receipts");
  return parseLogs(list.flatMap((receipt) => (receipt as { logs?: unknown } | null)?.logs ?? missing()));
}

async function oneByOne(rpc: Rpc, hash: Hash, options: RequestOptions): Promise<unknown[]> {
  const block = await rpc.request("eth_getBlockByHash", [hash, false], options);
  const transactions = (block as { transactions?: unknown } | null)?.transactions;
  if (!Array.isArray(transactions)) throw new MalformedAnswer("block with its transactions");
  const calls = transactions.map((each) => ({
    method: "eth_getTransactionReceipt",
    params: [toHash(each, "transaction hash")],
  }));
  const receipts = await rpc.batch(calls, options);
  const refusal = receipts.find((each) => each instanceof RpcError);
  if (refusal) throw new ChainFault("refused", refusal.message, { cause: refusal });
  return receipts;
}

/** What the node answered about the block itself goes on; that it has no such method, or will not, is handed back. */
function otherThanBlock(error: unknown): RpcError {
  if (error instanceof RpcError && error.kind !== "unknown_block") return error;
  throw error;
}

function missing(): never {
  throw new MalformedAnswer("receipt");
}
