// What engines report, taken in and served: the engine's half of the service.
import type { Registry } from "prom-client";
import { addMerkleRoute } from "../features/services/merkle-routes.ts";
import { forgetHistory } from "../features/services/prune.ts";
import { addServiceRoutes } from "../features/services/routes.ts";
import { addShardRoutes } from "../features/services/shard-routes.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import { every } from "../platform/lifecycle/every.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import { reportMetrics } from "../reports/metrics.ts";
import { addIngestRoute } from "../reports/routes.ts";
import { type ConfiguredToken, createTokens } from "../reports/tokens.ts";
import { forgetReportIds, ReportWriter } from "../reports/writer.ts";
import { HANDLERS } from "./report-handlers.ts";

export interface EngineParts {
  db: Database;
  clock: Clock;
  log: Logger;
  tokens: readonly ConfiguredToken[];
  /** Requests a minute of one ingest token. */
  requestsPerToken: number;
  /** How long runs and states of services are kept. */
  historyDays: number;
  /** Where reports are counted; nowhere unless told. */
  metrics?: Registry;
}

export function engineFeature({
  db,
  clock,
  log,
  tokens,
  requestsPerToken,
  historyDays,
  metrics,
}: EngineParts): Feature {
  return {
    name: "engine",
    routes(app) {
      addIngestRoute(app, {
        db,
        clock,
        writer: new ReportWriter({ db, clock, log, handlers: HANDLERS }),
        tokens: createTokens(db, tokens),
        requestsPerToken,
        ...(metrics && { observe: reportMetrics(metrics) }),
      });
      addServiceRoutes(app, { db, clock });
      addShardRoutes(app, { db, clock });
      addMerkleRoute(app, { db, clock });
    },
    tasks: [
      every(
        { name: "engine: forget old reports", role: "worker", ms: FORGET_INTERVAL_MS, log },
        async (signal) => {
          const ids = await forgetReportIds(db);
          const history = await forgetHistory(db, historyDays, signal);
          if (ids + history > 0) log.debug({ ids, history }, "old reports were removed");
        },
      ),
    ],
  };
}

const FORGET_INTERVAL_MS = 3_600_000;
