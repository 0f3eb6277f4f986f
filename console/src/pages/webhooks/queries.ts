// What the pages of webhooks ask the service for, and what their address says.
import type { Answer, CallOptions, Route } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";
import { DELIVERY_PAGE_SIZE, type DeliverySearch, parseDeliverySearch } from "../../parts/delivery-search.ts";

export type Endpoint = Answer<"GET /api/v1/webhooks/{id}">;
export type EventType = Endpoint["event_types"][number];
export type EndpointSettings = CallOptions<"PATCH /api/v1/webhooks/{id}">["body"];
/** What came of a test. */
export type EndpointTest = { delivery: Answer<"POST /api/v1/webhooks/{id}/test"> } | { error: unknown };

/** What an endpoint can be told of, each kind under its title. */
export const EVENT_GROUPS = {
  Prices: ["pps.updated", "pps.stale"],
  Vaults: [
    "vault.paused",
    "vault.unpaused",
    "emergency_exit.armed",
    "emergency_exit.stopped",
    "yield_source.added",
    "yield_source.removed",
  ],
  Flows: ["deposit.fulfilled", "redemption.fulfilled"],
  Engine: ["service.degraded", "service.late", "service.down", "merkle.synced"],
  Alerts: ["alert.firing", "alert.resolved"],
  Bots: ["alert.dispatch"],
  Others: ["webhook.test"],
} as const satisfies Record<string, readonly EventType[]>;

export const EVENT_TYPES: readonly EventType[] = Object.values(EVENT_GROUPS).flat();

export const listQuery = polled("GET /api/v1/webhooks", { query: { limit: 100 } }, POLL_MS.activity);

export const endpointQuery = (id: string) =>
  polled("GET /api/v1/webhooks/{id}", { path: { id } }, POLL_MS.state);

export interface Search extends DeliverySearch {
  type?: EventType;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  return {
    ...parseDeliverySearch(search),
    ...(EVENT_TYPES.includes(search.type as EventType) && { type: search.type as EventType }),
  };
}

export const deliveriesQuery = (id: string, { status, type, offset = 0 }: Search) =>
  polled(
    "GET /api/v1/webhooks/{id}/deliveries",
    {
      path: { id },
      query: {
        ...(status && { status }),
        ...(type && { event_type: type }),
        limit: DELIVERY_PAGE_SIZE,
        offset,
      },
    },
    POLL_MS.state,
  );

const CHANGED: readonly Route[] = [
  "GET /api/v1/webhooks",
  "GET /api/v1/webhooks/{id}",
  "GET /api/v1/webhooks/{id}/deliveries",
];

/** The queries whose answers a change of webhooks makes old. */
export const isOfWebhooks = ({ queryKey: [route] }: { queryKey: readonly unknown[] }): boolean =>
  CHANGED.includes(route as Route);
