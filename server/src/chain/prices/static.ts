// Prices fixed by the configuration, for tokens that no market prices, or that are held to be worth a dollar.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import { type PriceSource, type TokenId, toE18 } from "./price.ts";

export interface StaticPrice {
  chainId: number;
  address: Address;
  /** US dollars for one whole token. */
  usd: number;
}

export function staticSource(fixed: StaticPrice, clock: Clock): PriceSource {
  const usdE18 = toE18(fixed.usd);
  return {
    name: "static",
    covers: (token: TokenId) =>
      token.chainId === fixed.chainId && token.address.toLowerCase() === fixed.address.toLowerCase(),
    prices: async (tokens) =>
      tokens.map(() =>
        usdE18 === null
          ? { unavailable: "static: the configured price is not a price" }
          : { usdE18, updatedAt: Math.floor(clock.now() / 1000), source: "static" },
      ),
  };
}
