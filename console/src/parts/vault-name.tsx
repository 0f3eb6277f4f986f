import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { publicVaultsQuery } from "../api/vaults.ts";
import { shortHex } from "../format/words.ts";

/** Names vaults by their ids: their own name, or the shortened address where there is none. */
export function useVaultName(): (vaultId: string) => string {
  const { data: vaults } = useQuery(publicVaultsQuery);
  return (vaultId) =>
    vaults?.find(({ vault_id }) => vault_id === vaultId)?.name ??
    shortHex(vaultId.slice(vaultId.indexOf(":") + 1));
}

interface VaultNameProps {
  chainId: number;
  address: string;
  /** Its name where the given answer has it, so that it need not be waited for. */
  name?: string | null;
}

/** A vault by its name, linked to its page, its id on hover. */
export function VaultName({ chainId, address, name }: VaultNameProps) {
  const id = `${chainId}:${address}`;
  const found = useVaultName()(id);
  return (
    <Link
      to="/vaults/$chainId/$address"
      params={{ chainId, address }}
      data-tip={id}
      className="hover:text-accent hover:underline"
    >
      {name || found}
    </Link>
  );
}
