// Redemptions: those that were executed, and those that wait.
import type { Feature } from "../../platform/lifecycle/feature.ts";
import type { EngineReadParts } from "../../reports/reads.ts";
import { engineRedemptionRoutes } from "./routes.ts";

export function redemptionsFeature(parts: EngineReadParts): Feature {
  return { name: "redemptions", routes: (app) => engineRedemptionRoutes(app, parts) };
}
