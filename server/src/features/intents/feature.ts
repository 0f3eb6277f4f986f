// Intents and their fills on the chains: the routes, and the tasks that look transactions up.
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { EngineReadParts } from "../../reports/reads.ts";
import { type FillTrackerParts, fillTrackers } from "./fill-tracker.ts";
import { engineIntentRoutes } from "./routes.ts";

export function intentsFeature(parts: EngineReadParts & FillTrackerParts): Feature {
  return {
    name: "intents",
    routes: (app) => engineIntentRoutes(app, parts),
    tasks: fillTrackers(parts),
  };
}
