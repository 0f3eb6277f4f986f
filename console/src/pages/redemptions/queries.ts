// What the page of redemptions asks the service for, and what its address says.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";

export type Execution = Answer<"GET /api/v1/fulfill-redeems/executions">["executions"][number];

export const STATUSES = [
  "pending",
  "success",
  "failed",
  "skipped",
] as const satisfies readonly Execution["status"][];
export const PAGE_SIZE = 50;

export interface Search {
  status?: Execution["status"];
  /** A vault id. */
  vault?: string;
  offset?: number;
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const offset = Number(search.offset);
  return {
    ...(STATUSES.includes(search.status as Execution["status"]) && {
      status: search.status as Execution["status"],
    }),
    ...(typeof search.vault === "string" && /^\d+:0x/.test(search.vault) && { vault: search.vault }),
    ...(Number.isSafeInteger(offset) && offset > 0 && { offset }),
  };
}

export const executionsQuery = ({ status, vault, offset }: Search) => {
  const [chain, address] = vault?.split(":") ?? [];
  return polled(
    "GET /api/v1/fulfill-redeems/executions",
    {
      query: {
        ...(status && { status }),
        ...(chain && address && { chain_id: Number(chain), vault_address: address }),
        limit: PAGE_SIZE,
        offset: offset ?? 0,
      },
    },
    POLL_MS.activity,
  );
};
