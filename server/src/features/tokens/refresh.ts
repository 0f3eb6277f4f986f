// Keeps tokens and prices current: reads what is missing of a token's metadata, and asks the price sources again and again.
//
// A token that a new vault brings is read and priced at once. A source or node that is out costs only its own answers: what
// cannot be got now is asked for again, and a price that could not be checked for too long is no longer used.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Logger } from "../../platform/log.ts";
import {
  missingTokens,
  type PriceAnswer,
  pricedTokens,
  saveListed,
  savePrices,
  saveTokens,
  type TokenId,
  type TokenMetadata,
} from "./store.ts";
import { type FetchJson, type ListedToken, loadTokenList } from "./token-list.ts";

export interface RefreshParts {
  db: Database;
  clock: Clock;
  log: Logger;
  /** Metadata from a chain's contracts; throws when the node fails. */
  readTokens(chainId: number, addresses: readonly Address[]): Promise<Map<Address, TokenMetadata>>;
  /** In the order given. */
  latestPrices(tokens: readonly TokenId[]): Promise<PriceAnswer[]>;
  /** Token Lists, files or URLs, in order. */
  tokenLists: readonly string[];
  fetchJson: FetchJson;
}

const PRICE_EVERY_MS = 60_000;
const LISTS_EVERY_MS = 86_400_000;
/** A price outlives this many failed checks. */
const PRICE_VALID_MS = 10 * PRICE_EVERY_MS;
const POINT_EVERY_MS = 10 * 60_000;
/** Where no point follows, the service was away: the price of so long ago says little. */
const POINT_STANDS_MS = 2 * 3_600_000;

export class TokenRefresh {
  readonly #parts: RefreshParts;
  #listed: ListedToken[] = [];
  #listsAtMs = Number.NEGATIVE_INFINITY;
  #pricesAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RefreshParts) {
    this.#parts = parts;
  }

  /** Looks once, and does what is due. */
  async step(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#listsAtMs >= LISTS_EVERY_MS) {
      await this.#loadLists();
      this.#listsAtMs = nowMs;
    }
    const added = await this.#readMissing();
    if (nowMs - this.#pricesAtMs >= PRICE_EVERY_MS) {
      await this.#price(await pricedTokens(this.#parts.db));
      this.#pricesAtMs = nowMs;
    } else if (added.length > 0) await this.#price(added);
  }

  async #loadLists(): Promise<void> {
    const { tokenLists, fetchJson, log, db } = this.#parts;
    const lists = await Promise.all(
      tokenLists.map((place, index) =>
        loadTokenList(place, fetchJson).catch((error: Error) => {
          // The place may hold a key of its provider.
          log.warn({ list: index, reason: error.message }, "a token list could not be read");
          return [];
        }),
      ),
    );
    this.#listed = lists.flat();
    await saveListed(db, this.#listed);
  }

  async #readMissing(): Promise<TokenId[]> {
    const { db, log, readTokens } = this.#parts;
    const missing = await missingTokens(db);
    const added: TokenId[] = [];
    for (const [chainId, tokens] of Map.groupBy(missing, (token) => token.chainId)) {
      try {
        const metadata = await readTokens(
          chainId,
          tokens.map(({ address }) => address),
        );
        const read = tokens.flatMap((token) => {
          const found = metadata.get(token.address);
          return found
            ? [{ ...token, symbol: found.symbol, name: found.name, decimals: found.decimals }]
            : [];
        });
        await saveTokens(db, read);
        added.push(...read);
      } catch (error) {
        log.warn({ err: error, chain_id: chainId, tokens: tokens.length }, "tokens could not be read");
      }
    }
    if (added.length > 0) {
      const ids = new Set(added.map(({ chainId, address }) => `${chainId}:${address}`));
      await saveListed(
        db,
        this.#listed.filter(({ chainId, address }) => ids.has(`${chainId}:${address}`)),
      );
    }
    return added;
  }

  async #price(tokens: readonly TokenId[]): Promise<void> {
    if (tokens.length === 0) return;
    const { db, clock, latestPrices } = this.#parts;
    const answers = await latestPrices(tokens);
    await savePrices(
      db,
      tokens.map((token, index) => ({ ...token, answer: answers[index]! })),
      {
        checkedAtMs: clock.now(),
        validMs: PRICE_VALID_MS,
        pointEveryMs: POINT_EVERY_MS,
        pointStandsMs: POINT_STANDS_MS,
      },
    );
  }
}
