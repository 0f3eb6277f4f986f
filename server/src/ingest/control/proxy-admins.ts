// Proxy admins: who may replace the code of a vault that is a proxy (EIP-1967). It holds no role of the vault, and no view tells it, so it is read
// from storage: when a vault's roles are first taken, and when the proxy says that its admin changed.
import type { Address, Hex } from "viem";
import { topicAddress } from "../../chain/address.ts";
import type { BlockRef, ChainClient } from "../../chain/client/client.ts";
import type { VaultFact } from "../../chain/facts.ts";
import { isChainFault } from "../../chain/rpc/fault.ts";

/** keccak256("eip1967.proxy.admin") - 1 */
const ADMIN_SLOT: Hex = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";

/** By vault; null for one that is no proxy with an admin. Empty where the node does not tell. */
export async function proxyAdminsOf(
  client: Pick<ChainClient, "storage">,
  vaults: readonly Address[],
  at: BlockRef,
): Promise<ReadonlyMap<Address, Address | null>> {
  if (vaults.length === 0) return new Map();
  try {
    const words = await client.storage(
      vaults.map((address) => ({ address, slot: ADMIN_SLOT })),
      at,
    );
    return new Map(vaults.map((vault, index) => [vault, addressIn(words[index]!)]));
  } catch (error) {
    if (!isChainFault(error) || error.code === "wrong_chain") throw error;
    return new Map();
  }
}

/** Vaults of which these facts say that their proxy has another admin. */
export function withOtherAdmin(facts: readonly VaultFact[]): Address[] {
  return facts.flatMap(({ vaultAddress, body }) =>
    vaultAddress !== null && body.kind === "governance" && body.event === "AdminChanged"
      ? [vaultAddress]
      : [],
  );
}

function addressIn(word: Hex): Address | null {
  const padded: Hex = `0x${word.slice(2).padStart(64, "0")}`;
  return /^0x0*$/.test(padded) ? null : topicAddress(padded);
}
