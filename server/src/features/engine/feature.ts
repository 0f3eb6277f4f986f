// What engines report, taken in and served: the routes of the engine's half.
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import type { Feature } from "../../platform/feature.ts";
import type { Logger } from "../../platform/log.ts";

export interface EngineParts {
  db: Database;
  clock: Clock;
  log: Logger;
}

export function engineFeature(_parts: EngineParts): Feature {
  return {
    name: "engine",
    routes(_app) {},
    tasks: [],
  };
}
