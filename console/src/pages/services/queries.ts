// What the page of services asks the service for, and what its address says.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api/client.ts";

export type Status = Answer<"GET /api/v1/services/status">["services"][number];
/** With who paused it and what failed last: known for one vault's services alone. */
export type VaultService = Answer<"GET /api/v1/vaults/{chain_id}/{vault}/services">[number];
export type Service = Status & Partial<VaultService>;

export interface Search {
  /** A vault id. */
  vault?: string;
}

export function parseSearch(search: Record<string, unknown>): Search {
  return typeof search.vault === "string" && /^\d+:0x/.test(search.vault) ? { vault: search.vault } : {};
}

export const statusQuery = polled("GET /api/v1/services/status", {}, POLL_MS.services);

export const vaultServicesQuery = (vaultId: string) => {
  const [chain, vault = ""] = vaultId.split(":");
  return polled(
    "GET /api/v1/vaults/{chain_id}/{vault}/services",
    { path: { chain_id: Number(chain), vault } },
    POLL_MS.services,
  );
};
