// What the pages of a vault's actions ask the service for.
import { queryOptions } from "@tanstack/react-query";
import type { Answer } from "@vaultops/sdk/client";
import type { VaultPlace } from "../../api/actions.ts";
import { call, POLL_MS, polled } from "../../api/client.ts";

export type PreparedAction = Answer<"GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}">;
export type Simulation = NonNullable<PreparedAction["simulation"]>;
/** Of the calls now, and of what they wait for. */
export type Outcome = NonNullable<Simulation["at_execution"]>;

export interface Search {
  /** The chosen action. */
  action?: string;
}

export function parseSearch({ action }: Record<string, unknown>): Search {
  return typeof action === "string" && /^\w{1,64}$/.test(action) ? { action } : {};
}

export const recentQuery = (path: VaultPlace) =>
  polled(
    "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions",
    { path, query: { limit: 10 } },
    POLL_MS.activity,
  );

const ROUTE = "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}";
/** While something is under way on the chain. */
const UNDER_WAY_MS = 3_000;
const UNDER_WAY: readonly PreparedAction["status"][] = ["submitted", "executed"];

export const preparedQuery = (place: VaultPlace, id: string) => {
  const path = { ...place, id };
  return queryOptions({
    queryKey: [ROUTE, { path }],
    queryFn: ({ signal }) => call(ROUTE, { path, signal }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && UNDER_WAY.includes(data.status) ? UNDER_WAY_MS : POLL_MS.state,
    staleTime: UNDER_WAY_MS / 2,
  });
};

/** With the hashes of the transaction by which an owner that is a Safe approves. */
export const approvedQuery = (place: VaultPlace, id: string, ownerNonce: string) => {
  const path = { ...place, id };
  const query = { owner_nonce: ownerNonce };
  return queryOptions({
    queryKey: [ROUTE, { path, query }],
    queryFn: ({ signal }) => call(ROUTE, { path, query, signal }),
    enabled: /^(0|[1-9]\d{0,17})$/.test(ownerNonce),
  });
};
