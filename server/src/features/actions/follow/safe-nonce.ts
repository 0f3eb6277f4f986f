// The nonce of a Safe at a block, by which it is known which of its transactions came before.
import type { Address } from "viem";
import type { ChainClient } from "../../../chain/client/client.ts";
import type { BlockRef } from "../../../chain/rpc/raw.ts";

const NONCE_SELECTOR = "0xaffed0e0";
const WORD_LENGTH = 66;

/** null where what stands there tells none. @throws ChainFault when the node is out */
export async function safeNonceAt(
  client: Pick<ChainClient, "call">,
  safe: Address,
  at: BlockRef,
): Promise<bigint | null> {
  const { success, data } = await client.call({ to: safe, data: NONCE_SELECTOR }, at);
  return success && data.length === WORD_LENGTH ? BigInt(data) : null;
}
