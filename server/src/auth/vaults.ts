// Which vaults a caller may read: the list behind every endpoint that is cut to the caller's own vaults, and the order of
// refusals where one is named (docs/decisions/0016, order of checks): 404 for a chain or vault that does not exist, then 403.
// Guarantee: a vault on which the caller holds no role is in no list, unless the caller is a registry maintainer.
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import { type Database, executeNamed } from "../platform/db/db.ts";
import { Problem } from "../platform/errors.ts";
import type { Caller, VaultGrant } from "../platform/permission.ts";
import { parseVaultId, type VaultRef, type VisibleVaults } from "../vault.ts";

/** The filters of a list, as validated. `vaultId` is in canonical form. */
export interface VaultFilter {
  chainId?: number | undefined;
  vaultAddress?: Address | undefined;
  vaultId?: string | undefined;
}

export interface VaultAccess {
  /**
   * The vaults that a list with this filter may hold. Throws `chain_not_found` or `vault_not_found` (404) for what does not
   * exist (an address on no chain is told to a registry maintainer alone, who may see all), `insufficient_role` (403) for what is not the caller's, `invalid_request` (400) for filters that contradict each other.
   */
  visible(caller: Caller, filter: VaultFilter): Promise<VisibleVaults>;
  /** Throws `chain_not_found` or `vault_not_found` when there is no such vault. */
  mustExist(place: VaultRef): Promise<void>;
}

export function createVaultAccess(db: Pick<Database, "kysely">): VaultAccess {
  async function mustExist({ chainId, vaultAddress }: VaultRef): Promise<void> {
    const { chain, vault } = await exists(db, chainId, vaultAddress);
    if (!chain) throw chainNotFound(chainId);
    if (!vault)
      throw new Problem("vault_not_found", `There is no vault ${vaultAddress} on chain ${chainId}.`);
  }

  async function mustExistAnywhere(vaultAddress: Address): Promise<void> {
    const { rows } = await executeNamed(
      db.kysely,
      "auth_vault_exists_anywhere",
      sql`select from vaults where address = ${vaultAddress} limit 1`,
    );
    if (rows.length === 0)
      throw new Problem("vault_not_found", `There is no vault ${vaultAddress} on any chain.`);
  }

  return {
    mustExist,
    async visible(caller, filter) {
      const { chainId, vaultAddress } = joined(filter);
      const own = caller.grants.filter(
        (grant) =>
          (chainId === null || grant.chainId === chainId) &&
          (vaultAddress === null || grant.vaultAddress === vaultAddress),
      );
      if (own.length === 0 || caller.isMaintainer) {
        if (chainId !== null && vaultAddress !== null) await mustExist({ chainId, vaultAddress });
        else if (vaultAddress !== null && vaultAddress !== zeroAddress && caller.isMaintainer)
          // The zero address stands for what concerns no vault.
          await mustExistAnywhere(vaultAddress);
        else if (chainId !== null && !(await exists(db, chainId, null)).chain) throw chainNotFound(chainId);
      }
      if (caller.isMaintainer) return { all: true, chainId, vaultAddress };
      if (own.length === 0 && vaultAddress !== null) throw roleMissing();
      return {
        all: false,
        vaults: own.map((grant) => ({ chainId: grant.chainId, vaultAddress: grant.vaultAddress })),
      };
    },
  };
}

/** The caller's grant on a vault, or null. */
export function grantOn(
  grants: readonly VaultGrant[],
  { chainId, vaultAddress }: VaultRef,
): VaultGrant | null {
  return grants.find((grant) => grant.chainId === chainId && grant.vaultAddress === vaultAddress) ?? null;
}

export function isManagerRole(role: VaultGrant["role"]): boolean {
  return role === "primary_manager" || role === "secondary_manager";
}

/** Whether the wallet is a primary manager of the vault at this moment: a role lost counts at the head. */
export async function isPrimaryManager(
  db: Pick<Database, "kysely">,
  wallet: string,
  { chainId, vaultAddress }: VaultRef,
): Promise<boolean> {
  const { rows } = await executeNamed(
    db.kysely,
    "auth_is_primary_manager",
    sql`
      select from vault_roles
       where chain_id = ${chainId} and vault_address = ${vaultAddress} and wallet = ${wallet} and role = 'primary_manager'
         and to_block is null limit 1`,
  );
  return rows.length > 0;
}

/** Whether the role is one with which channels, rules, alerts and webhooks are worked with. */
export function isOperatingRole(role: VaultGrant["role"]): boolean {
  return isManagerRole(role) || role === "operator";
}

/** Whether that may be changed with the grant: as a manager whose block is confirmed, or as an operator. */
export function mayOperate({ canWrite, isOperator }: VaultGrant): boolean {
  return canWrite || isOperator === true;
}

export function roleMissing(): Problem {
  return new Problem("insufficient_role", "Your wallet has no role on that vault.");
}

function joined(filter: VaultFilter): { chainId: number | null; vaultAddress: Address | null } {
  const named = filter.vaultId === undefined ? null : parseVaultId(filter.vaultId);
  const chainId = filter.chainId ?? named?.chainId ?? null;
  const vaultAddress = filter.vaultAddress ?? named?.vaultAddress ?? null;
  if (named !== null && (named.chainId !== chainId || named.vaultAddress !== vaultAddress)) {
    const message = "names another vault than chain_id and vault_address";
    throw new Problem("invalid_request", `vault_id ${message}.`, { errors: [{ path: "vault_id", message }] });
  }
  return { chainId, vaultAddress };
}

function chainNotFound(chainId: number): Problem {
  return new Problem("chain_not_found", `Chain ${chainId} is not one that this service follows.`);
}

async function exists(
  db: Pick<Database, "kysely">,
  chainId: number,
  vault: Address | null,
): Promise<{ chain: boolean; vault: boolean }> {
  const { rows } = await executeNamed(
    db.kysely,
    "auth_vault_exists",
    sql<{ chain: boolean; vault: boolean }>`
      select exists (select from chains where chain_id = ${chainId}) as chain,
             exists (select from vaults where chain_id = ${chainId} and address = ${vault}) as vault`,
  );
  return rows[0] ?? { chain: false, vault: false };
}
