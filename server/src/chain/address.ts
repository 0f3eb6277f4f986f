// EIP-55 addresses. A checksum costs a Keccak hash; a chain's logs name the same wallets again and again, so what was hashed
// once is kept, within a bound.
import { type Address, getAddress } from "viem";

const known = new Map<string, Address>();
const MOST_KNOWN = 100_000;

/** EIP-55 form of 40 lowercase hex digits without `0x`. */
export function checksum(digits: string): Address {
  const found = known.get(digits);
  if (found !== undefined) return found;
  const address = getAddress(`0x${digits}`);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(digits, address);
  return address;
}

/** EIP-55 form of a lowercase `0x` address. */
export function toAddress(lowercase: string): Address {
  return checksum(lowercase.slice(2));
}

export function isZero(address: string): boolean {
  return /^0x0{40}$/.test(address);
}
