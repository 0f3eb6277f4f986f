// What the list of vaults asks the service for, and what its address says.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "../../api.ts";

export type Vault = Answer<"GET /api/v1/public/vaults">[number];
export type OwnVault = Answer<"GET /api/v1/vaults">["vaults"][number];

export const listQuery = polled("GET /api/v1/public/vaults", {}, POLL_MS.state);
export const ownQuery = polled("GET /api/v1/vaults", { query: {} }, POLL_MS.state);
export const ownStateQuery = polled("GET /api/v1/vaults", { query: { fields: "state" } }, POLL_MS.state);
export const chainsQuery = polled("GET /api/v1/chains", {}, POLL_MS.state);

export const SORTS = ["tvl", "name", "apy", "alerts", "fresh"] as const;
export type Sort = (typeof SORTS)[number];

export interface Search {
  /** Text in name, symbol or address. */
  q?: string;
  chain?: number;
  show?: "all" | "mine";
  sort?: Sort;
  order?: "asc" | "desc";
}

/** Reads the address; what it does not know it leaves out, so that no link breaks the page. */
export function parseSearch(search: Record<string, unknown>): Search {
  const chain = Number(search.chain);
  return {
    ...(typeof search.q === "string" && search.q !== "" && { q: search.q }),
    ...(Number.isSafeInteger(chain) && chain > 0 && { chain }),
    ...((search.show === "mine" || search.show === "all") && { show: search.show }),
    ...(SORTS.includes(search.sort as Sort) && { sort: search.sort as Sort }),
    ...((search.order === "asc" || search.order === "desc") && { order: search.order }),
  };
}
