// The vaults and chains that many pages ask for: each is asked once, however many parts of a page show it.
import type { Answer } from "@vaultops/sdk/client";
import { POLL_MS, polled } from "./client.ts";

export type Vault = Answer<"GET /api/v1/public/vaults">[number];
export type OwnVault = Answer<"GET /api/v1/vaults">["vaults"][number];

export const publicVaultsQuery = polled("GET /api/v1/public/vaults", {}, POLL_MS.state);
export const ownVaultsQuery = polled("GET /api/v1/vaults", { query: {} }, POLL_MS.state);
export const ownVaultStatesQuery = polled(
  "GET /api/v1/vaults",
  { query: { fields: "state" } },
  POLL_MS.state,
);
export const chainsQuery = polled("GET /api/v1/chains", {}, POLL_MS.state);

export interface VaultId {
  chain_id: number;
  address: string;
}

export const vaultQuery = (path: VaultId) =>
  polled("GET /api/v1/vaults/{chain_id}/{address}", { path }, POLL_MS.state);
