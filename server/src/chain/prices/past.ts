// The configured sources that know the past, in the configuration's order: Chainlink feeds, from their logs.
import type { Address } from "viem";
import type { ChainClient } from "../client/client.ts";
import { chainlinkHistory, type PastPrice } from "./chainlink-history.ts";
import type { TokenId } from "./price.ts";
import type { PriceConfig } from "./sources.ts";

/** Blocks of a token's chain, both inclusive. */
export interface PastRange extends TokenId {
  fromBlock: number;
  toBlock: number;
}

export interface PastPriceSource {
  name: string;
  covers(token: TokenId): boolean;
  /** How long a price stands where no other follows, in seconds. */
  standsSeconds(): number;
  /** Prices made in the range, in order. Throws ChainFault when the node fails. */
  prices(range: PastRange, signal: AbortSignal): Promise<PastPrice[]>;
}

/** What stood at the range's beginning was answered before it: a day and more of blocks, on the faster chains too. */
const LOOK_BACK_BLOCKS = 50_000;

export function createPastSources(
  entries: readonly PriceConfig[],
  clients: ReadonlyMap<number, Pick<ChainClient, "multicall" | "logsInRange">>,
): PastPriceSource[] {
  return entries.flatMap((entry): PastPriceSource[] => {
    const client = entry.source === "chainlink" ? clients.get(entry.chain_id) : undefined;
    if (entry.source !== "chainlink" || !client) return [];
    const isToken = (chainId: number, address: Address) =>
      chainId === entry.chain_id && address.toLowerCase() === entry.address.toLowerCase();
    return [
      {
        name: "chainlink",
        covers: ({ chainId, address }) => isToken(chainId, address),
        standsSeconds: () => entry.max_age_seconds,
        prices: ({ fromBlock, toBlock }, signal) =>
          chainlinkHistory(client, entry.feed, {
            fromBlock: Math.max(0, fromBlock - LOOK_BACK_BLOCKS),
            toBlock,
            signal,
          }),
      },
    ];
  });
}
