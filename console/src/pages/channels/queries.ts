// What the pages of channels ask the service for, and what their address says.
import type { Answer, Route } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";
import { DELIVERY_PAGE_SIZE, type DeliverySearch } from "../../parts/delivery-search.ts";

export type Channel = Answer<"GET /api/v1/notification-channels">[number];
export type BoundChannel =
  Answer<"GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels">[number];
export type TestResult = Answer<"POST /api/v1/notification-channels/{id}/test">;

export type ChatLink = Answer<"GET /api/v1/me/links">[number];

export const listQuery = polled("GET /api/v1/notification-channels", {}, POLL_MS.activity);

export const providersQuery = polled("GET /api/v1/notification-channels/providers", {}, POLL_MS.slow);

export const channelQuery = (id: string) =>
  polled("GET /api/v1/notification-channels/{id}", { path: { id } }, POLL_MS.state);

/** Who acts for the caller's wallet from chats. */
export const linksQuery = polled("GET /api/v1/me/links", {}, POLL_MS.state);

/** The channels of a vault by its id. */
export const boundQuery = (vaultId: string) => {
  const [chain = "", address = ""] = vaultId.split(":");
  return polled(
    "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels",
    { path: { chain_id: Number(chain), vault_address: address } },
    POLL_MS.slow,
  );
};

export const deliveriesQuery = (id: string, { status, offset = 0 }: DeliverySearch) =>
  polled(
    "GET /api/v1/notification-channels/{id}/deliveries",
    { path: { id }, query: { ...(status && { status }), limit: DELIVERY_PAGE_SIZE, offset } },
    POLL_MS.state,
  );

const CHANGED: readonly Route[] = [
  "GET /api/v1/notification-channels",
  "GET /api/v1/notification-channels/{id}",
  "GET /api/v1/notification-channels/{id}/deliveries",
  "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels",
];

/** The queries whose answers a change of channels makes old. */
export const isOfChannels = ({ queryKey: [route] }: { queryKey: readonly unknown[] }): boolean =>
  CHANGED.includes(route as Route);

/** The same for links. */
export const isOfLinks = ({ queryKey: [route] }: { queryKey: readonly unknown[] }): boolean =>
  route === "GET /api/v1/me/links";
