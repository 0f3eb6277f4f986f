// A vault's members: managers as the chain has them, and roles granted here. Every change is recorded in the audit log
// in the transaction that makes it.
import { sql } from "kysely";
import type { Address } from "viem";
import { record } from "../../audit/append/record.ts";
import { type Database, executeNamed, type Tx } from "../../platform/db/db.ts";
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

/** The members of a vault at the head: primary manager, secondary managers, operators, viewers; each in the order in which they came. */
export async function listMembers(
  db: Pick<Database, "kysely">,
  { chainId, vaultAddress }: VaultRef,
): Promise<Member[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "members_list",
    sql<Member>`
      select wallet, role, granted_by, granted_at from (
        select r.wallet, r.role, null as granted_by, b.block_timestamp as granted_at, r.from_block, r.id
        from vault_roles r
        left join blocks b on b.chain_id = r.chain_id and b.number = r.from_block
        where r.chain_id = ${chainId} and r.vault_address = ${vaultAddress} and r.to_block is null
        union all
        select wallet, role, granted_by, granted_at, null, null
        from members where chain_id = ${chainId} and vault_address = ${vaultAddress}
      ) m
      order by array_position(array['primary_manager', 'secondary_manager', 'operator', 'view_only'], role), from_block nulls first, granted_at, id, wallet`,
  );
  return rows;
}

/** The roles that are given here. */
export const GRANTED_ROLES = ["operator", "view_only"] as const;
export type GrantedRole = (typeof GRANTED_ROLES)[number];

/** Who gives or takes a role: a manager of the vault. */
interface Giver {
  wallet: Address;
  isPrimary: boolean;
}

/**
 * Grants the role, in place of another that was granted. `isNew` is false when the wallet had either. Throws `conflict` (409) for a
 * wallet with an onchain role, `insufficient_role` where only a primary manager may.
 */
export async function grantRole(
  db: Pick<Database, "transaction">,
  place: VaultRef,
  wallet: Address,
  role: GrantedRole,
  giver: Giver,
): Promise<{ member: Member; isNew: boolean }> {
  requirePrimary(role, giver);
  return db.transaction(async (tx) => {
    await refuseOnchainRole(tx, place, wallet, "granted");
    const { rows } = await sql<Member>`
      insert into members (chain_id, vault_address, wallet, role, granted_by)
      values (${place.chainId}, ${place.vaultAddress}, ${wallet}, ${role}, ${giver.wallet})
      on conflict do nothing
      returning wallet, role, granted_by, granted_at`.execute(tx);
    const made = rows[0];
    if (made !== undefined) {
      await record(tx, [entry(`${role}_add`, place, wallet, giver.wallet)]);
      return { member: made, isNew: true };
    }
    const before = await grantOf(tx, place, wallet);
    if (before === null)
      throw new Problem("conflict", "Another request revoked the grant at the same time. Try again.");
    if (before.role === role) return { member: before, isNew: false };
    requirePrimary(before.role, giver);
    const { rows: changed } = await sql<Member>`
      update members set role = ${role}, granted_by = ${giver.wallet}, granted_at = now()
      where chain_id = ${place.chainId} and vault_address = ${place.vaultAddress} and wallet = ${wallet}
      returning wallet, role, granted_by, granted_at`.execute(tx);
    await record(tx, [
      entry(`${before.role}_remove`, place, wallet, giver.wallet),
      entry(`${role}_add`, place, wallet, giver.wallet),
    ]);
    return { member: changed[0]!, isNew: false };
  });
}

/** What the wallet was granted, held until the end of the transaction. */
async function grantOf(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  wallet: Address,
): Promise<(Member & { role: GrantedRole }) | null> {
  const { rows } = await sql<Member & { role: GrantedRole }>`
    select wallet, role, granted_by, granted_at from members
    where chain_id = ${chainId} and vault_address = ${vaultAddress} and wallet = ${wallet}
    for update`.execute(tx);
  return rows[0] ?? null;
}

/** Operators act for the vault, so only who names its managers names them. */
function requirePrimary(role: GrantedRole, { isPrimary }: Giver): void {
  if (role === "operator" && !isPrimary)
    throw new Problem("insufficient_role", "Only a primary manager gives and takes the role operator.");
}

/**
 * Takes a granted role back. Throws `conflict` (409) for a wallet that has only an onchain role, `not_found` for one that has none,
 * `insufficient_role` where only a primary manager may.
 */
export async function revokeRole(
  db: Pick<Database, "transaction">,
  place: VaultRef,
  wallet: Address,
  giver: Giver,
): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await grantOf(tx, place, wallet);
    if (held === null) {
      await refuseOnchainRole(tx, place, wallet, "removed");
      throw new Problem("not_found", "That wallet is not a member of the vault.");
    }
    requirePrimary(held.role, giver);
    await sql`
      delete from members
      where chain_id = ${place.chainId} and vault_address = ${place.vaultAddress} and wallet = ${wallet}`.execute(
      tx,
    );
    await record(tx, [entry(`${held.role}_remove`, place, wallet, giver.wallet)]);
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
  action: `${GrantedRole}_add` | `${GrantedRole}_remove`,
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
