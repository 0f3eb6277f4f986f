// A token's name, symbol and decimals as its contract tells them. Tokens are hostile: they answer with bytes32 instead of a
// string, with control characters, with floods, or not at all. What is no clean answer is null, never a guess.
import { type Address, type Hex, hexToBigInt } from "viem";
import type { BlockRef, CallResult } from "../rpc/raw.ts";
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH, utf8 } from "../text.ts";
import type { ChainClient } from "./client.ts";

export interface TokenMetadata {
  address: Address;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
}

const SYMBOL: Hex = "0x95d89b41";
const NAME: Hex = "0x06fdde03";
const DECIMALS: Hex = "0x313ce567";
/** Longest text that is looked at, in bytes; what goes past it is cut by `cleanText` anyway. */
const MOST_BYTES = 4096;

/** By address as given. A failing node throws ChainFault; a failing token has nulls. */
export async function readTokens(
  client: ChainClient,
  addresses: readonly Address[],
  at: BlockRef,
): Promise<Map<Address, TokenMetadata>> {
  const unique = [...new Set(addresses)];
  const calls = unique.flatMap((to) => [SYMBOL, NAME, DECIMALS].map((data) => ({ to, data })));
  const results = await client.multicall(calls, at, { isForGood: true });
  return new Map(
    unique.map((address, index) => {
      const [symbol, name, decimals] = results.slice(index * 3, index * 3 + 3);
      return [
        address,
        {
          address,
          symbol: readText(symbol!, SYMBOL_LENGTH),
          name: readText(name!, NAME_LENGTH),
          decimals: readDecimals(decimals!),
        },
      ];
    }),
  );
}

/** A string as ABI or as bytes32 (as MKR and SAI have it); null where it is neither or nothing is left of it. */
export function readText({ success, data }: CallResult, maxLength: number): string | null {
  if (!success) return null;
  const body = data.slice(2);
  const bytes = body.length === 64 ? wordText(body) : stringBytes(body);
  if (bytes === null) return null;
  const text = cleanText(utf8(bytes.slice(0, MOST_BYTES * 2)), maxLength);
  return text === "" ? null : text;
}

function wordText(word: string): string {
  const end = /^((?:[0-9a-f]{2})*?)(?:00)*$/.exec(word);
  return end?.[1] ?? word;
}

function stringBytes(body: string): string | null {
  if (body.length < 128) return null;
  const offset = hexToBigInt(`0x${body.slice(0, 64)}`) * 2n;
  if (offset + 64n > BigInt(body.length)) return null;
  const start = Number(offset) + 64;
  const size = hexToBigInt(`0x${body.slice(start - 64, start)}`) * 2n;
  if (size > BigInt(body.length - start)) return null;
  return body.slice(start, start + Number(size));
}

function readDecimals({ success, data }: CallResult): number | null {
  if (!success || data.length < 66) return null;
  const value = hexToBigInt(data.slice(0, 66) as Hex);
  return value <= 255n ? Number(value) : null;
}
