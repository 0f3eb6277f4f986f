// Intents and their fills on the chains: the routes, and the tasks that look transactions up.
import type { SqlReads } from "../../platform/db/replica.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { EngineReadParts } from "../../reports/reads.ts";
import { type FillTrackerParts, fillTrackers } from "./fill-tracker.ts";
import { engineIntentRoutes } from "./routes.ts";

export interface IntentsParts extends FillTrackerParts, Pick<EngineReadParts, "findVisible"> {
  /** Where the routes read; `db` by default. */
  reads?: SqlReads;
}

export function intentsFeature(parts: IntentsParts): Feature {
  const { db, reads = db, findVisible } = parts;
  return {
    name: "intents",
    routes: (app) => engineIntentRoutes(app, { db: reads, findVisible }),
    tasks: fillTrackers(parts),
  };
}
