// What the configuration says of a chain, as ingestion needs it (the shape of `chains` in the configuration file).
import type { Address } from "viem";
import type { FamilyName } from "../../chain/directory.ts";

export interface ChainSettings {
  chain_id: number;
  name: string;
  explorer_url: string | null;
  confirmations: number | "safe" | "finalized";
  start_block: number;
  /** How often a vault's state is read although nothing happened to it. */
  pps_sample_seconds: number;
  /** Singletons of Safes besides the published ones. */
  safe_singletons?: readonly Address[];
  sources: readonly SourceSettings[];
}

export type SourceSettings =
  | {
      family: "supervault";
      aggregator: Address;
      /** Only vaults that one of these manages or managed; empty or left out: all. */
      managers?: readonly Address[];
    }
  | { family: "erc4626"; vaults: readonly { address: Address; primary_manager: Address | null }[] }
  | {
      family: Exclude<FamilyName, "supervault" | "erc4626">;
      /** Of which every vault is followed; else `vaults` names them. */
      factory: Address | null;
      vaults: readonly { address: Address; start_block: number | null }[];
      /** Of a factory: only vaults that one of these manages or managed; empty or left out: all. */
      managers?: readonly Address[];
    };
