// Authorises what is asked about a vault that is not in the URL, in the order of docs/decisions/0016: 404 for the chain or vault, then 403.
import { type Address, zeroAddress } from "viem";
import {
  grantOn,
  isManagerRole,
  isOperatingRole,
  mayOperate,
  type VaultAccess,
} from "../../../auth/vaults.ts";
import { ALERT_CATEGORIES } from "../../../monitors/categories.ts";
import { Problem } from "../../../platform/errors.ts";
import type { Caller } from "../../../platform/permission.ts";
import type { VaultRef } from "../../../vault.ts";

/** What concerns no vault is the registry maintainers' matter. */
export function isNoVault({ chainId, vaultAddress }: VaultRef): boolean {
  return chainId === 0 && vaultAddress === zeroAddress;
}

export function maySee(caller: Caller, place: VaultRef): boolean {
  return caller.isMaintainer || grantOn(caller.grants, place) !== null;
}

/**
 * The vaults of a list: where the query names none, those that the caller has accepted, for anybody may have named the caller on the others.
 * @throws the Problems of `VaultAccess.visible`
 */
export async function listScope(
  vaults: VaultAccess,
  caller: Caller,
  query: { vault_id?: string; chain_id?: number; vault_address?: Address },
): ReturnType<VaultAccess["visible"]> {
  const { vault_id: vaultId, chain_id: chainId, vault_address: vaultAddress } = query;
  const scope = await vaults.visible(caller, { vaultId, chainId, vaultAddress });
  if (scope.all || vaultId !== undefined || vaultAddress !== undefined) return scope;
  return {
    all: false,
    vaults: scope.vaults.filter((vault) => grantOn(caller.grants, vault)?.isAccepted),
  };
}

/** Categories that tell managers what others do to their vault: an operator quiets none of them. */
const OF_MANAGERS: ReadonlySet<string> = new Set(["governance"]);

/** Whether a manager is asked for to quiet the category; null: all that there are. */
export function needsManager(category: string | null, all: readonly string[] = ALERT_CATEGORIES): boolean {
  return category === null ? all.some((each) => OF_MANAGERS.has(each)) : OF_MANAGERS.has(category);
}

/**
 * @throws Problem `insufficient_role` for whoever neither manages nor operates the vault, for an operator where `isManagersOnly`, and for
 * a manager whose block is not confirmed yet
 */
export function requireOperator(caller: Caller, place: VaultRef, isManagersOnly = false): void {
  if (isNoVault(place)) {
    if (caller.isMaintainer) return;
    throw new Problem("insufficient_role", "Only registry maintainers may act on what concerns no vault.");
  }
  const grant = grantOn(caller.grants, place);
  if (grant === null || !isOperatingRole(grant.role))
    throw new Problem("insufficient_role", "Your wallet is not a manager or operator of that vault.");
  if (isManagersOnly && !isManagerRole(grant.role))
    throw new Problem(
      "insufficient_role",
      "Only a manager of the vault may quiet its governance alerts. Name another category.",
    );
  if (!(isManagersOnly ? grant.canWrite : mayOperate(grant)))
    throw new Problem(
      "insufficient_role",
      "Your wallet's role on that vault is too new: the block that gave it is not confirmed yet.",
    );
}

/** The same of a vault that a request's body names, which must exist. */
export async function requireOperatorOf(
  vaults: VaultAccess,
  caller: Caller,
  place: VaultRef,
  isManagersOnly: boolean,
): Promise<void> {
  if (!isNoVault(place) && grantOn(caller.grants, place) === null) await vaults.mustExist(place);
  requireOperator(caller, place, isManagersOnly);
}
