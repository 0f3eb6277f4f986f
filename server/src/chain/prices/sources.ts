// The price sources that the configuration lists, in its order.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { ChainClient } from "../client/client.ts";
import { chainlinkSource } from "./chainlink.ts";
import { defillamaSource, type FetchJson } from "./defillama.ts";
import type { PriceSource } from "./price.ts";
import { staticSource } from "./static.ts";

/** An entry of `prices` in the configuration. */
export type PriceConfig =
  | { source: "chainlink"; chain_id: number; address: Address; feed: Address; max_age_seconds: number }
  | { source: "defillama"; url: string; min_confidence: number }
  | { source: "static"; chain_id: number; address: Address; usd: number };

export interface PriceSourceDependencies {
  /** By chain id. A feed on a chain that is not followed is an error of the configuration, and thrown as one. */
  clients: ReadonlyMap<number, Pick<ChainClient, "multicall">>;
  fetchJson: FetchJson;
  clock: Clock;
}

export function createPriceSources(
  entries: readonly PriceConfig[],
  { clients, fetchJson, clock }: PriceSourceDependencies,
): PriceSource[] {
  return entries.map((entry): PriceSource => {
    if (entry.source === "defillama") {
      return defillamaSource({ url: entry.url, minConfidence: entry.min_confidence }, fetchJson);
    }
    const { chain_id: chainId, address } = entry;
    if (entry.source === "static") return staticSource({ chainId, address, usd: entry.usd }, clock);
    const client = clients.get(chainId);
    if (!client)
      throw new Error(`prices: the feed ${entry.feed} is on chain ${chainId}, which is not configured`);
    const { feed, max_age_seconds: maxAgeSeconds } = entry;
    return chainlinkSource({ chainId, address, feed, maxAgeSeconds }, client, clock);
  });
}
