// To which of the caller's vaults each channel is bound: the service answers it vault by vault.
import { useQueries } from "@tanstack/react-query";
import { useManagedVaults } from "../../api/permissions.ts";
import { useVaultName } from "../../parts/vault-name.tsx";
import { type BoundChannel, boundQuery } from "./queries.ts";

export interface VaultBinding {
  vaultId: string;
  /** The vault's name. */
  name: string;
  binding: BoundChannel;
}

export interface Bindings {
  /** Whether all of the caller's vaults have answered. */
  isKnown: boolean;
  of(channelId: string): VaultBinding[];
}

export function useBindings(): Bindings {
  const vaultIds = useManagedVaults();
  const nameOf = useVaultName();
  const queries = useQueries({ queries: vaultIds.map(boundQuery) });
  return {
    isKnown: queries.every(({ data }) => data !== undefined),
    of: (channelId) =>
      vaultIds.flatMap((vaultId, index) => {
        const binding = queries[index]?.data?.find(({ id }) => id === channelId);
        return binding === undefined ? [] : [{ vaultId, name: nameOf(vaultId), binding }];
      }),
  };
}
