// Tokens: the registry of assets with their metadata and prices, and the tasks that keep it current.

import type { Notifier } from "../../platform/db/notifier.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Feature } from "../../platform/lifecycle/feature.ts";
import { fillPastsTask, type PastSource } from "./past.ts";
import { type RefreshParts, TokenRefresh } from "./refresh.ts";
import { type TokenRouteParts, tokenRoutes } from "./routes.ts";

const LOOK_EVERY_MS = 3_000;

export type TokensDependencies = RefreshParts &
  TokenRouteParts & {
    notifier: Pick<Notifier, "listen">;
    /** Where past prices come from; none unless given. */
    pastSources?: readonly PastSource[];
  };

export function tokensFeature(parts: TokensDependencies): Feature {
  const refresh = new TokenRefresh(parts);
  return {
    name: "tokens",
    routes: (app) => tokenRoutes(app, parts),
    tasks: [
      every(
        {
          name: "tokens: metadata and prices",
          role: "indexer",
          ledBy: "first chain",
          ms: LOOK_EVERY_MS,
          log: parts.log,
          // A vault has come.
          wakenBy: (wake, signal) => parts.notifier.listen("vaultops_vaults", wake, signal),
        },
        () => refresh.step(),
      ),
      fillPastsTask({ ...parts, pastSources: parts.pastSources ?? [] }),
    ],
  };
}
