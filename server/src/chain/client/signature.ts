// Whether a wallet signed: externally owned accounts by the signature alone, contract wallets by asking them (ERC-1271),
// wallets not yet deployed by the deployment that the signature carries (ERC-6492, through viem's validator in one eth_call).
import {
  type Address,
  createPublicClient,
  custom,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  parseAbi,
  recoverAddress,
  size,
  type TypedDataDefinition,
} from "viem";
import { ChainFault } from "../rpc/fault.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { RpcError, toFault } from "../rpc/rpc-error.ts";

/** Longest signature looked at; ERC-6492 wraps a deployment, which may hold a contract's code. */
const MAX_SIGNATURE_BYTES = 64 * 1024;
/** The mark of ERC-6492 at a signature's end. What is shorter cannot bear it, and the validator fails looking for it. */
const MARK_BYTES = 32;
const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const MAGIC_VALUE = `0x1626ba7e${"00".repeat(28)}`;

/**
 * True for a valid signature of the typed data by `address`, false for any other. Throws ChainFault when the node does not
 * answer: an outage must not look like a wrong signature.
 */
export async function verifyTypedData(
  rpc: Rpc,
  address: Address,
  typedData: TypedDataDefinition,
  signature: Hex,
): Promise<boolean> {
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(signature) || signature.length > 2 + 2 * MAX_SIGNATURE_BYTES)
    return false;
  const hash = hashTypedData(typedData);
  if (size(signature) < MARK_BYTES) return isAcceptedBy(rpc, address, hash, signature);
  const signer = await recoverAddress({ hash, signature }).catch(() => null);
  if (signer !== null && signer.toLowerCase() === address.toLowerCase()) return true;

  // viem reads every failed call as a wrong signature; what failed for another reason is kept and thrown.
  let fault: unknown = null;
  const transport = custom(
    {
      request: async ({ method, params }) => {
        try {
          return await rpc.request(method, params ?? []);
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind !== "reverted") fault ??= toFault(error);
          if (error instanceof RpcError)
            throw Object.assign(new Error(error.message), { code: error.rpcCode ?? 3, data: error.data });
          throw error;
        }
      },
    },
    { retryCount: 0 },
  );
  const client = createPublicClient({ transport });
  const isValid = await client.verifyHash({ address, hash, signature }).catch((error: unknown) => {
    fault ??= new ChainFault("refused", "the signature could not be checked", { cause: error });
    return false;
  });
  if (!isValid && fault !== null) throw fault;
  return isValid;
}

/** Asks the contract alone: an empty signature is one that a Safe accepts of a message that its owners approved in a transaction. */
async function isAcceptedBy(rpc: Rpc, address: Address, hash: Hex, signature: Hex): Promise<boolean> {
  const data = encodeFunctionData({
    abi: ERC1271,
    functionName: "isValidSignature",
    args: [hash, signature],
  });
  try {
    return (await rpc.request("eth_call", [{ to: address, data }, "latest"])) === MAGIC_VALUE;
  } catch (error) {
    if (error instanceof RpcError && error.kind === "reverted") return false;
    throw toFault(error);
  }
}
