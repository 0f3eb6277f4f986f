// What the address of a page with deliveries says of them.
import type { Answer } from "@vaultops/sdk/client";
import { keysOf } from "../api/keys-of.ts";

export type DeliveryStatus =
  Answer<"GET /api/v1/notification-channels/{id}/deliveries">["deliveries"][number]["status"];

export const DELIVERY_STATUSES = keysOf<DeliveryStatus>({
  pending: true,
  delivered: true,
  failed: true,
  dead: true,
  canceled: true,
});

export const DELIVERY_PAGE_SIZE = 25;

export interface DeliverySearch {
  status?: DeliveryStatus;
  offset?: number;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const offset = Number(search.offset);
  return {
    ...(DELIVERY_STATUSES.includes(search.status as DeliveryStatus) && {
      status: search.status as DeliveryStatus,
    }),
    ...(Number.isSafeInteger(offset) && offset > 0 && { offset }),
  };
}
