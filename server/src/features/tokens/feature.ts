// Tokens: the registry of assets with their metadata and prices, and the tasks that keep it current.

import type { Notifier } from "../../platform/db/notifier.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import { fillPasts, type PastSource } from "./past.ts";
import { type RefreshParts, TokenRefresh } from "./refresh.ts";
import { type TokenRouteParts, tokenRoutes } from "./routes.ts";

export type TokensDependencies = RefreshParts &
  TokenRouteParts & {
    notifier: Pick<Notifier, "listen">;
    /** Where past prices come from; none unless given. */
    pastSources?: readonly PastSource[];
  };

export function tokensFeature(parts: TokensDependencies): Feature {
  const refresh = new TokenRefresh(parts);
  const pastParts = { ...parts, pastSources: parts.pastSources ?? [] };
  return {
    name: "tokens",
    routes: (app) => tokenRoutes(app, parts),
    tasks: [
      {
        name: "tokens: metadata and prices",
        role: "indexer",
        ledBy: "first chain",
        async run(signal) {
          parts.notifier.listen("vaultops_vaults", () => refresh.lookNow(), signal);
          await refresh.run(signal);
        },
      },
      {
        name: "tokens: past prices",
        role: "indexer",
        ledBy: "first chain",
        run: (signal) => fillPasts(pastParts, signal),
      },
    ],
  };
}
