// Fills in what tokens cost before this service asked: the dollar values of a history that is older than the service.
//
// Once for each token and stretch of its vaults' past; a stretch that could not be read is tried again. Sources that know no past
// leave it without dollar values.
import type { Database } from "../../platform/db/db.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { type PastPrice, savePast, type TokenId, type UnpricedPast, unpricedPasts } from "./store.ts";

/** A source of past prices for a token. */
export interface PastSource {
  name: string;
  covers(token: TokenId): boolean;
  /** How long a price stands where no other follows. */
  standsSeconds(): number;
  /** Prices made in these blocks, in order. Throws when the node fails. */
  prices(past: UnpricedPast, signal: AbortSignal): Promise<PastPrice[]>;
}

export interface PastParts {
  db: Pick<Database, "kysely" | "transaction">;
  log: Logger;
  pastSources: readonly PastSource[];
}

const LOOK_EVERY_MS = 15_000;

export function fillPastsTask(parts: PastParts): Task {
  return every(
    {
      name: "tokens: past prices",
      role: "indexer",
      ledBy: "first chain",
      ms: LOOK_EVERY_MS,
      log: parts.log,
    },
    (signal) => fillOnce(parts, signal),
  );
}

/** Looks once, and fills in what is missing. */
export async function fillOnce({ db, log, pastSources }: PastParts, signal: AbortSignal): Promise<void> {
  for (const past of await unpricedPasts(db)) {
    const source = pastSources.find((each) => each.covers(past));
    if (!source) continue;
    try {
      const prices = await source.prices(past, signal);
      await savePast(db, past, prices, { source: source.name, standsSeconds: source.standsSeconds() });
      log.info({ ...past, prices: prices.length }, "past prices were filled in");
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error, ...past }, "past prices could not be read; trying again");
    }
  }
}
