// EIP-55 addresses. A checksum costs a Keccak hash; a chain's logs name the same wallets again and again, so what was hashed
// once is kept, within a bound.
import { type Address, getAddress } from "viem";
import { BoundedCache } from "../platform/bounded-cache.ts";

const MOST_KNOWN = 100_000;
const known = new BoundedCache<string, Address>(MOST_KNOWN);

/** EIP-55 form of 40 lowercase hex digits without `0x`. */
export function checksum(digits: string): Address {
  const found = known.get(digits);
  if (found !== undefined) return found;
  const address = getAddress(`0x${digits}`);
  known.set(digits, address);
  return address;
}

/** EIP-55 form of a lowercase `0x` address. */
export function toAddress(lowercase: string): Address {
  return checksum(lowercase.slice(2));
}

const inTopics = new BoundedCache<string, Address>(MOST_KNOWN);
const TOPIC_PADDING = `0x${"0".repeat(24)}`;

/** EIP-55 form of the address in a topic (lowercase); null where it holds anything wider. One look-up for a wallet seen before. */
export function topicAddress(topic: string): Address | null {
  const found = inTopics.get(topic);
  if (found !== undefined) return found;
  if (!topic.startsWith(TOPIC_PADDING)) return null;
  const address = checksum(topic.slice(26));
  inTopics.set(topic, address);
  return address;
}

export function isZero(address: string): boolean {
  return /^0x0{40}$/.test(address);
}
