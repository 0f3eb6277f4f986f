// Intents, their fills on the chains, and redemptions: the routes, and the tasks that look transactions up.
import type { Feature } from "../../platform/feature.ts";
import { type FillTrackerParts, fillTrackers } from "./fill-tracker.ts";
import { type EngineReadParts, engineIntentRoutes } from "./intent-routes.ts";
import { engineRedemptionRoutes } from "./redemption-routes.ts";

export type IntentsParts = EngineReadParts & FillTrackerParts;

export function intentsFeature(parts: IntentsParts): Feature {
  return {
    name: "intents",
    routes(app) {
      engineIntentRoutes(app, parts);
      engineRedemptionRoutes(app, parts);
    },
    tasks: fillTrackers(parts),
  };
}
