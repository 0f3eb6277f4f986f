// Wallets in the claims of a token, whichever form the issuer writes them in.
import { type Address, getAddress, zeroAddress } from "viem";

/** The claims of a token whose signature, issuer, audience and times have been checked. Their shapes have not. */
export type Claims = Readonly<Record<string, unknown>>;

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** CAIP-10 account of an EVM chain, alone or as did:pkh (the did:pkh method, section 2). */
const ACCOUNT = /^(?:did:pkh:)?eip155:[1-9][0-9]{0,31}:(0x[0-9a-f]{40})$/i;

/**
 * The wallet that a claim's text names: an address in any case, a CAIP-10 account or a did:pkh of an EVM chain; null for
 * anything else and for the zero address, which nobody holds. An issuer's letter case is not judged: it signed the bytes.
 */
export function walletOf(value: unknown): Address | null {
  if (typeof value !== "string") return null;
  const text = ADDRESS.test(value) ? value : ACCOUNT.exec(value)?.[1];
  if (text === undefined) return null;
  const wallet = getAddress(text.toLowerCase());
  return wallet === zeroAddress ? null : wallet;
}

/** The different wallets among claims' texts, in their order; null when one of them names no wallet. */
export function walletsOf(values: readonly unknown[]): Address[] | null {
  const wallets = new Set<Address>();
  for (const value of values) {
    const wallet = walletOf(value);
    if (wallet === null) return null;
    wallets.add(wallet);
  }
  return [...wallets];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
