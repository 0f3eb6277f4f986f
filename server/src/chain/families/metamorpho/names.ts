// Symbols and names of tokens, asked for once and kept while the process runs: what a line is called does not decide anything.
import type { Address } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { ChainClient } from "../../client/client.ts";
import { readTokens, type TokenMetadata } from "../../client/tokens.ts";
import type { BlockRef } from "../../rpc/raw.ts";

const MOST_REMEMBERED = 10_000;

export class TokenNames {
  readonly #known = new BoundedCache<string, TokenMetadata>(MOST_REMEMBERED);

  get(client: ChainClient, token: Address): TokenMetadata | undefined {
    return this.#known.get(`${client.chainId}:${token}`);
  }

  async learn(client: ChainClient, tokens: readonly Address[], at: BlockRef): Promise<void> {
    const unknown = tokens.filter((token) => this.get(client, token) === undefined);
    if (unknown.length === 0) return;
    for (const [token, metadata] of await readTokens(client, unknown, at)) {
      this.#known.set(`${client.chainId}:${token}`, metadata);
    }
  }
}
