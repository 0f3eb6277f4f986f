// Where transactions stand in the chain, asked for many at once. Unlike other questions this one is not repeated until the node
// knows: that it does not is an answer, which callers ask again for in their own time.
import type { Hash } from "viem";
import { MalformedAnswer, toHash, toNumber } from "../rpc/raw.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { RpcError } from "../rpc/rpc-error.ts";

/** The block that a transaction stands in, and whether it did what it was to do (false: it was reverted). */
export interface Receipt {
  txHash: Hash;
  blockNumber: number;
  blockHash: Hash;
  isSuccess: boolean;
}

/**
 * The receipt of each transaction: null where the node knows none (no such transaction, or in no block yet); missing from the map
 * where the node answered with an error or with nonsense, so that nothing can be said.
 */
export async function readReceipts(rpc: Rpc, hashes: readonly Hash[]): Promise<Map<Hash, Receipt | null>> {
  const wanted = [...new Set(hashes)];
  const answers = await rpc.batch(
    wanted.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  const receipts = new Map<Hash, Receipt | null>();
  for (const [index, hash] of wanted.entries()) {
    const answer = answers[index];
    if (answer === null) receipts.set(hash, null);
    else if (answer !== undefined && !(answer instanceof RpcError)) {
      const receipt = tryParse(answer);
      if (receipt?.txHash === hash) receipts.set(hash, receipt);
    }
  }
  return receipts;
}

function tryParse(answer: unknown): Receipt | null {
  const { transactionHash, blockNumber, blockHash, status } = answer as Record<string, unknown>;
  try {
    return {
      txHash: toHash(transactionHash, "transaction hash"),
      blockNumber: toNumber(blockNumber, "block number"),
      blockHash: toHash(blockHash, "block hash"),
      // Before Byzantium (EIP-658) a receipt holds a state root instead, and no word of success.
      isSuccess: status === undefined || status === null || toNumber(status, "status") === 1,
    };
  } catch (error) {
    if (error instanceof MalformedAnswer) return null;
    throw error;
  }
}
