// What signed typed data as a wallet: a key's own signature (65 bytes, or 64 in the compact form of EIP-2098) is judged here;
// a contract's (ERC-1271), also of one not yet deployed (ERC-6492), by the contract itself on its chain. An empty signature is one
// that a contract may accept: a Safe does, of a message that its owners approved in a transaction.
import {
  type Address,
  type Hex,
  hashTypedData,
  isAddressEqual,
  numberToHex,
  recoverAddress,
  size,
  type TypedDataDefinition,
} from "viem";
import { ChainFault, isChainFault } from "../../chain/rpc/fault.ts";
import { Problem } from "../../platform/errors.ts";
import type { SignInTypedData } from "./challenge.ts";

/** Asks the chain whether the address, as a contract, accepts the signature. False when it does not; throws when the node fails. */
export type VerifyOnChain = (
  chainId: number,
  address: Address,
  typedData: TypedDataDefinition,
  signature: Hex,
) => Promise<boolean>;

/** Half the order of secp256k1: of the two values of `s` that verify, only the lower is valid (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const S_MASK = (1n << 255n) - 1n;

const CHAIN_TIMEOUT_MS = 10_000;

/** What signed: a key, which is the same on every chain, or a contract, which is that of its chain alone. */
export type SignatureType = "key" | "contract";

/** What signed the data as `address`; null when nothing did. Throws `service_unavailable` when the chain has to be asked and does not answer. */
export async function signatureTypeOf(
  address: Address,
  signInData: SignInTypedData,
  signature: Hex,
  verifyOnChain: VerifyOnChain,
): Promise<SignatureType | null> {
  const typedData = signInData as unknown as TypedDataDefinition;
  const own = await recoverSigner(hashTypedData(typedData), signature);
  if (own !== null && isAddressEqual(own.address, address)) return own.isLowS ? "key" : null;
  const { chainId } = signInData.domain;
  try {
    const isAccepted = await within(CHAIN_TIMEOUT_MS, verifyOnChain(chainId, address, typedData, signature));
    return isAccepted ? "contract" : null;
  } catch (error) {
    if (!isChainFault(error)) throw error;
    const detail = `The node of chain ${chainId} does not answer, so a contract's signature cannot be checked right now.`;
    throw new Problem("service_unavailable", detail, { retryAfterSeconds: 5 });
  }
}

/** The key's address that an ECDSA signature recovers to, and whether its `s` is the valid one; null when it is no such signature. */
async function recoverSigner(
  hash: Hex,
  signature: Hex,
): Promise<{ address: Address; isLowS: boolean } | null> {
  const bytes = size(signature);
  if (bytes !== 64 && bytes !== 65) return null;
  const r: Hex = `0x${signature.slice(2, 66)}`;
  const second = BigInt(`0x${signature.slice(66, 130)}`);
  // EIP-2098 keeps the parity in the top bit of s; the longer form has it in a byte of its own, as 27/28 or 0/1.
  const [s, recovery] =
    bytes === 64 ? [second & S_MASK, Number(second >> 255n)] : [second, Number(`0x${signature.slice(130)}`)];
  const yParity = recovery >= 27 ? recovery - 27 : recovery;
  if (yParity !== 0 && yParity !== 1) return null;
  try {
    const address = await recoverAddress({
      hash,
      signature: { r, s: numberToHex(s, { size: 32 }), yParity },
    });
    return { address, isLowS: s <= HALF_ORDER };
  } catch {
    // Not a point on the curve: no signature of a key.
    return null;
  }
}

/** The answer, or an outage when it is not there in time: a sign-in does not wait as long as an indexer does. */
async function within<T>(timeoutMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ChainFault("unavailable", "the node did not answer in time")),
      timeoutMs,
    );
  });
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
