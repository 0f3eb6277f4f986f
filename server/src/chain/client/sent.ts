// What a node knows of transactions that may be in no block yet, and how far an account's nonce has come.
import type { Address, Hash } from "viem";
import { toAddress } from "../address.ts";
import { MalformedAnswer, toLowerAddress, toNumber } from "../rpc/raw.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { RpcError } from "../rpc/rpc-error.ts";

export interface Sent {
  from: Address;
  nonce: number;
}

/** null for what the node does not know; missing from the map where it gave no answer to that one. */
export async function readSent(rpc: Rpc, hashes: readonly Hash[]): Promise<Map<Hash, Sent | null>> {
  const wanted = [...new Set(hashes)];
  const answers = await rpc.batch(
    wanted.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })),
  );
  const sent = new Map<Hash, Sent | null>();
  for (const [index, hash] of wanted.entries()) {
    const answer = answers[index];
    if (answer === null) sent.set(hash, null);
    else if (answer !== undefined && !(answer instanceof RpcError)) {
      const own = tryParse(answer);
      if (own) sent.set(hash, own);
    }
  }
  return sent;
}

/** How many transactions an account has sent up to a block, that one included: the first nonce that is still free. */
export async function readNonce(rpc: Rpc, address: Address, blockNumber: number): Promise<number> {
  const answer = await rpc.request("eth_getTransactionCount", [address, `0x${blockNumber.toString(16)}`]);
  return toNumber(answer, "nonce");
}

function tryParse(answer: unknown): Sent | null {
  const { from, nonce } = answer as Record<string, unknown>;
  try {
    return { from: toAddress(toLowerAddress(from, "sender")), nonce: toNumber(nonce, "nonce") };
  } catch (error) {
    if (error instanceof MalformedAnswer) return null;
    throw error;
  }
}
