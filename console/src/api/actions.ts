// What may be done to a vault, as the pages that offer it ask for it.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "./client.ts";

export interface VaultPlace {
  chain_id: number;
  vault: string;
}

export type Offer = Answer<"GET /api/v1/vaults/{chain_id}/{vault}/actions">["actions"][number];

export const catalogueQuery = (path: VaultPlace) =>
  polled("GET /api/v1/vaults/{chain_id}/{vault}/actions", { path }, POLL_MS.slow);
