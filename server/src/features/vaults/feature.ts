// Vaults: what they are now, what their price was, and the upkeep of the tables behind.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import type { Notifier } from "../../platform/db/notifier.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import { Book } from "./book.ts";
import { historyRoutes } from "./history-routes.ts";
import { vaultRoutes } from "./routes.ts";
import { pruneStates } from "./store.ts";

export interface VaultsDependencies {
  db: Pick<Database, "kysely">;
  /** Where histories are read; `db` by default. */
  reads?: SqlReads;
  clock: Clock;
  log: Logger;
  notifier: Pick<Notifier, "listen">;
  /** Where the console is, for links to alerts. */
  publicUrl: string;
  /** The longest that an answer may lag behind a commit of which no notice came; 1000 unless told. */
  maxAgeMs?: number;
}

export function vaultsFeature({
  db,
  reads = db,
  clock,
  log,
  notifier,
  publicUrl,
  maxAgeMs,
}: VaultsDependencies): Feature {
  const book = new Book({ db, clock, publicUrl, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) });
  return {
    name: "vaults",
    routes(app) {
      vaultRoutes(app, { book, clock });
      historyRoutes(app, { db: reads, book });
    },
    tasks: [
      {
        name: "vaults: hear of new heads",
        role: "api",
        async run(signal) {
          notifier.listen("head", (payload) => book.invalidate(chainOf(payload)), signal);
          await sleep(2 ** 31 - 1, undefined, { signal }).catch(() => {});
        },
      },
      every(
        {
          name: "vaults: prune old states",
          role: "indexer",
          ledBy: "first chain",
          ms: PRUNE_INTERVAL_MS,
          log,
        },
        async () => {
          const pruned = await pruneStates(db);
          if (pruned > 0) log.debug({ pruned }, "old vault states were removed");
        },
      ),
    ],
  };
}

const PRUNE_INTERVAL_MS = 3_600_000;

/** The chain that a notice of a head names; undefined, which stands for all, where it cannot be told. */
function chainOf(payload: string | null): number | undefined {
  try {
    const { chain_id: chainId } = JSON.parse(payload ?? "{}") as { chain_id?: unknown };
    return typeof chainId === "number" ? chainId : undefined;
  } catch {
    return undefined;
  }
}
