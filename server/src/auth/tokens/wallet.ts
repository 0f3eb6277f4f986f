// Wallets in the claims of a token, whichever form the issuer writes them in.
import { type Address, getAddress, zeroAddress } from "viem";

/** The claims of a token whose signature, issuer, audience and times have been checked. Their shapes have not. */
export type Claims = Readonly<Record<string, unknown>>;

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** CAIP-10 account of an EVM chain, alone or as did:pkh (the did:pkh method, section 2). */
const ACCOUNT = /^(?:did:pkh:)?eip155:([1-9][0-9]{0,31}):(0x[0-9a-f]{40})$/i;

/** A wallet, and what the token says of the chain on which it signed. */
export interface WalletClaim {
  wallet: Address;
  /** The chain that the token names; null where it names none, or where a key signed, which is the same on all. */
  chainId: bigint | null;
  /** Whether the token itself says that a contract signed there. */
  isContract: boolean;
}

/**
 * The wallet that a claim's text names: an address in any case, a CAIP-10 account or a did:pkh of an EVM chain; null for
 * anything else and for the zero address, which nobody holds. An issuer's letter case is not judged: it signed the bytes.
 */
export function walletOf(value: unknown): WalletClaim | null {
  if (typeof value !== "string") return null;
  const [, chain, account] = ACCOUNT.exec(value) ?? [];
  const text = ADDRESS.test(value) ? value : account;
  if (text === undefined) return null;
  const wallet = getAddress(text.toLowerCase());
  if (wallet === zeroAddress) return null;
  return { wallet, chainId: chain === undefined ? null : BigInt(chain), isContract: false };
}

/** The different wallets among claims' texts, in their order; null when one of them names no wallet. */
export function walletsOf(values: readonly unknown[]): WalletClaim[] | null {
  const wallets = new Map<string, WalletClaim>();
  for (const value of values) {
    const found = walletOf(value);
    if (found === null) return null;
    wallets.set(`${found.chainId} ${found.wallet}`, found);
  }
  return [...wallets.values()];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
