import { useQuery } from "@tanstack/react-query";
import { ownVaultsQuery } from "../api/vaults.ts";
import { Select } from "../ui/form/field.tsx";

interface OwnVaultSelectProps {
  /** A vault id; undefined for all. */
  chosen: string | undefined;
  onChoose(vaultId: string | undefined): void;
}

/** A choice among the vaults on which the caller has a role. */
export function OwnVaultSelect({ chosen, onChoose }: OwnVaultSelectProps) {
  const { data } = useQuery(ownVaultsQuery);
  const vaults = data?.vaults ?? [];
  const isUnknown = chosen !== undefined && !vaults.some(({ vault_id }) => vault_id === chosen);
  return (
    <Select
      aria-label="Vault"
      className="!w-auto max-w-56"
      value={chosen ?? ""}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">All your vaults</option>
      {isUnknown && <option value={chosen}>{chosen}</option>}
      {vaults.map(({ vault_id, name }) => (
        <option key={vault_id} value={vault_id}>
          {name ?? vault_id}
        </option>
      ))}
    </Select>
  );
}
