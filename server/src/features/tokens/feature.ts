// Tokens: the registry of assets with their metadata and prices, and the task that keeps it current.
import type { Feature } from "../../platform/feature.ts";
import { type RefreshParts, TokenRefresh } from "./refresh.ts";
import { type TokenRouteParts, tokenRoutes } from "./routes.ts";

export function tokensFeature(parts: RefreshParts & TokenRouteParts): Feature {
  const refresh = new TokenRefresh(parts);
  return {
    name: "tokens",
    routes: (app) => tokenRoutes(app, parts),
    tasks: [{ name: "tokens: metadata and prices", role: "indexer", run: (signal) => refresh.run(signal) }],
  };
}
