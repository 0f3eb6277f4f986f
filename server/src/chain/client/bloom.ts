// The logs bloom of a header (Yellow Paper section 4.3.1): 2048 bits in which every log sets three for its address and
// three for each topic. It cannot prove that a log is there, but it proves when one must be missing from an answer.
import { hexToBytes, keccak256 } from "viem";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { RawLog } from "../rpc/raw.ts";

/** Bits of a bloom, most significant byte first, as in the header. */
export type Bloom = Uint8Array;

const BYTES = 256;
const bitsOf = new BoundedCache<string, readonly [number, number, number]>(20_000);

export function parseBloom(hex: string): Bloom {
  return hexToBytes(hex as `0x${string}`, { size: BYTES });
}

export function isEmptyBloom(hex: string): boolean {
  return /^0x0*$/.test(hex);
}

/** Whether a log of that address or topic (lowercase hex) may be in the block. False means: there is none. */
export function mayContain(bloom: Bloom, value: string): boolean {
  return bits(value).every((bit) => isSet(bloom, bit));
}

/**
 * Whether these logs explain every bit that the header has set. Not equality: some chains answer with logs that their
 * headers leave out (Polygon's state syncs).
 */
export function explains(logs: readonly RawLog[], bloom: Bloom): boolean {
  const made: Bloom = new Uint8Array(BYTES);
  const seen = new Set<string>();
  for (const log of logs) {
    for (const value of [log.address, ...log.topics]) {
      if (seen.has(value)) continue;
      seen.add(value);
      for (const bit of bits(value)) made[BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
  return bloom.every((byte, index) => (byte & ~made[index]!) === 0);
}

function isSet(bloom: Bloom, bit: number): boolean {
  return (bloom[BYTES - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
}

function bits(value: string): readonly [number, number, number] {
  const found = bitsOf.get(value);
  if (found) return found;
  const hash = keccak256(value as `0x${string}`, "bytes");
  const at = (index: number) => ((hash[index]! << 8) | hash[index + 1]!) & 2047;
  const three = [at(0), at(2), at(4)] as const;
  bitsOf.set(value, three);
  return three;
}
