// How the routes of the engine's half come to answer each of their statuses, for statuses.db.test.ts.
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Database } from "../src/platform/db/db.ts";
import { createToken } from "../src/reports/tokens.ts";

export const BATCH = "application/cloudevents-batch+json";

type Own<R> = (route: R) => InjectOptions;

export function engineStatuses<R>(
  request: (route: R, wish?: { filled?: Record<string, string> }) => InjectOptions,
): Record<string, Own<R>> {
  const ofNone = (route: R) => request(route, { filled: { intent_id: "none" } });
  return {
    "GET /api/v1/intents/{intent_id} 404": ofNone,
    "GET /api/v1/intents/{intent_id}/events 404": ofNone,
    "GET /api/v1/intents/{intent_id}/fills 404": ofNone,
  };
}

/** An intent and a shard, so that reads of one have something to read. Returns the token that they were reported with. */
export async function reportSomething({
  app,
  db,
  vaultId,
}: {
  app: FastifyInstance;
  db: Pick<Database, "kysely">;
  vaultId: string;
}): Promise<string> {
  const { token } = await createToken(db, { name: "test", source: "/engine", chains: [], vaults: [] });
  const events = [
    ["vaultops.intent.event", { intent_id: "intent-1", seq: 1, state: "RECEIVED" }],
    [
      "vaultops.shard.state",
      {
        strategy_count: 0,
        active_intent_count: 0,
        tick_interval: 5,
        fields: {},
        strategies: [],
        allocations: [],
        emergency_locks: [],
      },
    ],
  ].map(([type, data], index) => ({
    specversion: "1.0",
    id: `event-${index}`,
    source: "/engine",
    type,
    time: new Date().toISOString(),
    subject: vaultId,
    data,
  }));
  const response = await app.inject({
    method: "POST",
    url: "/api/v1/ingest/events",
    headers: { authorization: `Bearer ${token}`, "content-type": BATCH },
    payload: JSON.stringify(events),
  });
  const results = response.json().results as { status: string }[] | undefined;
  if (results?.some(({ status }) => status !== "accepted") !== false) throw new Error(response.body);
  return token;
}
