// What a token is worth in US dollars: the sources of the configuration are asked in its order, and the first with a usable price
// decides. A price is exact from here on (an integer, dollars times 10^18); where there is none, the reason is told.
import type { Address } from "viem";

export interface TokenId {
  chainId: number;
  address: Address;
}

export interface Price {
  /** US dollars for one whole token, times 10^18. */
  usdE18: bigint;
  /** Unix seconds: when the source says that the price was made. */
  updatedAt: number;
  source: PriceSourceName;
}

export interface NoPrice {
  /** For people to read; names the source and what was wrong. */
  unavailable: string;
}

export type PriceSourceName = "chainlink" | "defillama" | "static";

export interface PriceSource {
  readonly name: PriceSourceName;
  /** Whether the source has anything to say about the token. */
  covers(token: TokenId): boolean;
  /** In the order given; only tokens that it covers. Never throws: a source that is out is `unavailable`. */
  prices(tokens: readonly TokenId[]): Promise<(Price | NoPrice)[]>;
}

export interface Prices {
  latestPrice(token: TokenId): Promise<Price | NoPrice>;
  /** In the order given, in as few requests as the sources allow. */
  latestPrices(tokens: readonly TokenId[]): Promise<(Price | NoPrice)[]>;
}

export function createPrices(sources: readonly PriceSource[]): Prices {
  async function latestPrices(tokens: readonly TokenId[]): Promise<(Price | NoPrice)[]> {
    const found = new Array<Price | undefined>(tokens.length);
    const reasons = tokens.map((): string[] => []);
    for (const source of sources) {
      const open = tokens.flatMap((token, index) => (!found[index] && source.covers(token) ? [index] : []));
      if (open.length === 0) continue;
      const answers = await source.prices(open.map((index) => tokens[index]!));
      for (const [nth, index] of open.entries()) {
        const answer = answers[nth]!;
        if ("unavailable" in answer) reasons[index]!.push(answer.unavailable);
        else found[index] = answer;
      }
    }
    return tokens.map((_token, index) => {
      return (
        found[index] ?? { unavailable: reasons[index]!.join("; ") || "no price source covers this token" }
      );
    });
  }
  return {
    latestPrices,
    latestPrice: async (token) => (await latestPrices([token]))[0]!,
  };
}

/**
 * A number as its shortest decimal form says it, times 10^18, cut below that; null for what is no finite positive number or
 * comes to nothing. The only place where a price is a float: as it comes from JSON.
 */
export function toE18(usd: number): bigint | null {
  if (!Number.isFinite(usd) || usd <= 0) return null;
  const [, whole, fraction = "", exponent = "0"] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(usd)) ?? [];
  const digits = BigInt(whole + fraction);
  const shift = 18 + Number(exponent) - fraction.length;
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return value > 0n ? value : null;
}
