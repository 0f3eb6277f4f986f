// A vault's members: managers as the chain has them, and view_only grants made here. Every change is recorded in the audit log
// in the transaction that makes it.
import { sql } from "kysely";
import type { Address } from "viem";
import { record } from "../../audit/append/record.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import type { VaultRole } from "../../platform/permission.ts";
import type { VaultRef } from "../../vault.ts";

/** A member in the API's form. What the chain or the configuration gave has no `granted_by`. */
export interface Member {
  wallet: Address;
  role: VaultRole;
  granted_by: Address | null;
  granted_at: string | null;
}

/** The members of a vault at the head: primary manager, secondary managers, viewers; each in the order in which they came. */
export async function listMembers(
  db: Pick<Database, "pool">,
  { chainId, vaultAddress }: VaultRef,
): Promise<Member[]> {
  const { rows } = await db.pool.query<Member>({
    name: "members_list",
    text: `
      select wallet, role, granted_by, granted_at from (
        select r.wallet, r.role, null as granted_by, b.block_timestamp as granted_at, r.from_block, r.id
        from vault_roles r
        left join blocks b on b.chain_id = r.chain_id and b.number = r.from_block
        where r.chain_id = $1 and r.vault_address = $2 and r.to_block is null
        union all
        select wallet, role, granted_by, granted_at, null, null
        from members where chain_id = $1 and vault_address = $2
      ) m
      order by array_position(array['primary_manager', 'secondary_manager', 'view_only'], role), from_block nulls first, granted_at, id, wallet`,
    values: [chainId, vaultAddress],
  });
  return rows;
}

/** Grants view_only. `isNew` is false when the wallet had it. Throws `conflict` (409) for a wallet with an onchain role. */
export async function grantViewOnly(
  db: Pick<Database, "transaction">,
  place: VaultRef,
  wallet: Address,
  grantedBy: Address,
): Promise<{ member: Member; isNew: boolean }> {
  return db.transaction(async (tx) => {
    await refuseOnchainRole(tx, place, wallet, "granted");
    const { rows } = await sql<Member>`
      insert into members (chain_id, vault_address, wallet, granted_by)
      values (${place.chainId}, ${place.vaultAddress}, ${wallet}, ${grantedBy})
      on conflict do nothing
      returning wallet, role, granted_by, granted_at`.execute(tx);
    const made = rows[0];
    if (made === undefined) return { member: await grantOf(tx, place, wallet), isNew: false };
    await record(tx, [entry("view_only_add", place, wallet, grantedBy)]);
    return { member: made, isNew: true };
  });
}

async function grantOf(tx: Tx, { chainId, vaultAddress }: VaultRef, wallet: Address): Promise<Member> {
  const { rows } = await sql<Member>`
    select wallet, role, granted_by, granted_at from members
    where chain_id = ${chainId} and vault_address = ${vaultAddress} and wallet = ${wallet}`.execute(tx);
  if (rows[0] === undefined)
    throw new Problem("conflict", "Another request revoked the grant at the same time. Try again.");
  return rows[0];
}

/** Takes view_only back. Throws `conflict` (409) for a wallet that has only an onchain role, `not_found` for one that has none. */
export async function revokeViewOnly(
  db: Pick<Database, "transaction">,
  place: VaultRef,
  wallet: Address,
  revokedBy: Address,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await sql`
      delete from members
      where chain_id = ${place.chainId} and vault_address = ${place.vaultAddress} and wallet = ${wallet}
      returning wallet`.execute(tx);
    if (rows.length === 0) {
      await refuseOnchainRole(tx, place, wallet, "removed");
      throw new Problem("not_found", "That wallet is not a member of the vault.");
    }
    await record(tx, [entry("view_only_remove", place, wallet, revokedBy)]);
  });
}

async function refuseOnchainRole(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  wallet: Address,
  verb: string,
): Promise<void> {
  const { rows } = await sql<{ role: VaultRole }>`
    select role from vault_roles
    where chain_id = ${chainId} and vault_address = ${vaultAddress} and wallet = ${wallet} and to_block is null
    limit 1`.execute(tx);
  const role = rows[0]?.role;
  if (role !== undefined)
    throw new Problem(
      "conflict",
      `That wallet is the vault's ${role} onchain; such a role cannot be ${verb} here.`,
    );
}

function entry(
  action: "view_only_add" | "view_only_remove",
  place: VaultRef,
  wallet: Address,
  actor: Address,
) {
  return {
    action_type: action,
    vault_address: place.vaultAddress,
    chain_id: place.chainId,
    actor_wallet: actor,
    details: { wallet },
  };
}
