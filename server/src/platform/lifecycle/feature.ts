// What a feature is made of: one folder, one exported object of this shape, listed by hand in service/features.ts.
import type { FastifyInstance } from "fastify";

/** Work that runs beside the API until `signal` aborts. */
export interface Task {
  name: string;
  role: "api" | "indexer" | "worker";
  /**
   * Every task of the role `indexer` says who does it where several processes share a database: the one that leads this chain, or the
   * first configured one; "itself" sees to it that nothing is done twice.
   */
  ledBy?: number | "first chain" | "itself";
  run(signal: AbortSignal): Promise<void>;
}

export interface Feature {
  name: string;
  /** Adds the feature's routes. Every route declares its permission in `config.permission`. */
  routes?(app: FastifyInstance): void;
  tasks?: Task[];
  /** Requests that the service makes of others, for its description: OpenAPI path items by name. */
  webhooks?: Record<string, object>;
}
