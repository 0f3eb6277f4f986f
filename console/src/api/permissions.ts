// What the caller may do, for buttons that would only be refused. The service decides anyway.
import { useMe } from "./roles.ts";

interface Place {
  chain_id: number;
  vault_address: string;
}

/** Tells of each vault whether the caller manages or operates it; of what concerns no vault (`chain_id` 0), whether it is the caller's matter. */
export function useMayManage(): (place: Place) => boolean {
  const me = useMe();
  return ({ chain_id, vault_address }) => {
    if (me === undefined || me.scope === "read") return false;
    if (chain_id === 0) return me.is_registry_maintainer;
    return me.vaults.some(
      (vault) =>
        vault.chain_id === chain_id && vault.vault_address === vault_address && vault.role !== "view_only",
    );
  };
}

/** Whether the caller is a primary manager of the vault. */
export function useIsPrimary(place: Place): boolean {
  return useGivableRoles(place).includes("operator");
}

/** The ids of the vaults that the caller manages or operates. */
export function useManagedVaults(): string[] {
  const me = useMe();
  const mayManage = useMayManage();
  return (me?.vaults ?? []).filter(mayManage).map((vault) => `${vault.chain_id}:${vault.vault_address}`);
}

/** The roles that the caller may give on the vault, and take back: a primary manager both, every other manager the viewer's. */
export function useGivableRoles(place: Place): readonly ("view_only" | "operator")[] {
  const me = useMe();
  if (me === undefined || me.scope === "read") return [];
  const held = me.vaults.find(
    ({ chain_id, vault_address }) => chain_id === place.chain_id && vault_address === place.vault_address,
  );
  if (held?.role === "primary_manager") return ["view_only", "operator"];
  return held?.role === "secondary_manager" ? ["view_only"] : [];
}
