// Token Lists (tokenlists.org) of the configuration: logos, and names that a chain does not give. What a list says of symbol, name and
// decimals stands only where the token's own contract is silent.
import { readFile } from "node:fs/promises";
import type { Address } from "viem";
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH } from "../../chain/text.ts";
import { parseAddress } from "../../vault.ts";

export interface ListedToken {
  chainId: number;
  address: Address;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
  logoUri: string | null;
}

export type FetchJson = (url: string, limits: { timeoutMs: number; maxBytes: number }) => Promise<unknown>;

/**
 * Reads a list from a file or an http(s) URL. Entries that are no tokens are left out.
 * @throws what reading it throws, and Error for what is no Token List
 */
export async function loadTokenList(place: string, fetchJson: FetchJson): Promise<ListedToken[]> {
  const list = /^https?:\/\//i.test(place)
    ? await fetchJson(place, { timeoutMs: 20_000, maxBytes: MAX_BYTES })
    : JSON.parse(await readFile(place, "utf8"));
  const tokens = (list as { tokens?: unknown } | null)?.tokens;
  if (!Array.isArray(tokens)) throw new Error("it contains no list of tokens");
  return tokens.flatMap((token) => readEntry(token) ?? []);
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_LOGO_LENGTH = 2048;

function readEntry(entry: unknown): ListedToken | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { chainId, address, symbol, name, decimals, logoURI } = entry as Record<string, unknown>;
  const parsed = typeof address === "string" ? parseAddress(address) : null;
  if (parsed === null || typeof chainId !== "number" || !Number.isSafeInteger(chainId) || chainId < 1)
    return null;
  return {
    chainId,
    address: parsed,
    symbol: textOrNull(symbol, SYMBOL_LENGTH),
    name: textOrNull(name, NAME_LENGTH),
    decimals:
      Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= 255
        ? Number(decimals)
        : null,
    logoUri: logoOrNull(logoURI),
  };
}

function textOrNull(value: unknown, maxLength: number): string | null {
  return (typeof value === "string" && cleanText(value, maxLength)) || null;
}

/** Only what a page could load without harm: https, or an IPFS address. */
function logoOrNull(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_LOGO_LENGTH) return null;
  const url = URL.parse(value);
  return url !== null && (url.protocol === "https:" || url.protocol === "ipfs:") ? value : null;
}
