// Prices from DefiLlama's coins API (GET /prices/current/{chain}:{address},…). A price counts from a confidence of 0.9 on, unless
// the configuration says otherwise.
import type { NoPrice, Price, PriceSource, TokenId } from "./price.ts";
import { toE18 } from "./price.ts";

export interface DefillamaOptions {
  /** Base of the API, without a path. */
  url: string;
  minConfidence: number;
}

/** The egress of the platform; throws for anything but a whole JSON answer with status 200. */
export type FetchJson = (url: string, limits: { timeoutMs: number; maxBytes: number }) => Promise<unknown>;

/** DefiLlama's names of chains, by chain id. */
const CHAINS = new Map<number, string>([
  [1, "ethereum"],
  [10, "optimism"],
  [14, "flare"],
  [56, "bsc"],
  [100, "xdai"],
  [130, "unichain"],
  [137, "polygon"],
  [146, "sonic"],
  [250, "fantom"],
  [324, "era"],
  [999, "hyperliquid"],
  [5000, "mantle"],
  [8453, "base"],
  [42161, "arbitrum"],
  [42220, "celo"],
  [43114, "avax"],
  [59144, "linea"],
  [80094, "berachain"],
  [81457, "blast"],
  [534352, "scroll"],
]);
const TOKENS_PER_REQUEST = 50;
const LIMITS = { timeoutMs: 10_000, maxBytes: 256 * 1024 };

export function defillamaSource(options: DefillamaOptions, fetchJson: FetchJson): PriceSource {
  return {
    name: "defillama",
    covers: (token) => CHAINS.has(token.chainId),
    async prices(tokens) {
      const groups: TokenId[][] = [];
      for (let at = 0; at < tokens.length; at += TOKENS_PER_REQUEST) {
        groups.push(tokens.slice(at, at + TOKENS_PER_REQUEST));
      }
      return (await Promise.all(groups.map((group) => fetchGroup(group, options, fetchJson)))).flat();
    },
  };
}

async function fetchGroup(
  tokens: readonly TokenId[],
  { url, minConfidence }: DefillamaOptions,
  fetchJson: FetchJson,
): Promise<(Price | NoPrice)[]> {
  const ids = tokens.map(({ chainId, address }) => `${CHAINS.get(chainId)}:${address.toLowerCase()}`);
  let coins: Record<string, unknown>;
  try {
    const answer = await fetchJson(`${url.replace(/\/+$/, "")}/prices/current/${ids.join(",")}`, LIMITS);
    coins = byLowercase((answer as { coins?: unknown } | null)?.coins);
  } catch {
    return tokens.map(() => ({ unavailable: "defillama: the service does not answer" }));
  }
  return ids.map((id) => toPrice(coins[id], minConfidence));
}

/** The service answers with the addresses as it knows them, in whatever case. */
function byLowercase(coins: unknown): Record<string, unknown> {
  if (typeof coins !== "object" || coins === null) return {};
  return Object.fromEntries(Object.entries(coins).map(([id, coin]) => [id.toLowerCase(), coin]));
}

function toPrice(coin: unknown, minConfidence: number): Price | NoPrice {
  if (typeof coin !== "object" || coin === null)
    return { unavailable: "defillama: the service knows no price" };
  const { price, timestamp, confidence } = coin as Record<string, unknown>;
  const usdE18 = typeof price === "number" ? toE18(price) : null;
  if (usdE18 === null) return { unavailable: "defillama: the price is not positive" };
  if (typeof confidence !== "number" || !(confidence >= minConfidence)) {
    const told = typeof confidence === "number" ? confidence : "not told";
    return { unavailable: `defillama: confidence ${told}, ${minConfidence} is needed` };
  }
  if (typeof timestamp !== "number" || !Number.isSafeInteger(Math.floor(timestamp)) || timestamp <= 0) {
    return { unavailable: "defillama: the price has no time" };
  }
  return { usdE18, updatedAt: Math.floor(timestamp), source: "defillama" };
}
