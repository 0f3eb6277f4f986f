// Which vaults a wallet has accepted (migration 000021): where making a vault is free, anybody can name anybody its manager.
// Guarantee: a vault that a wallet neither accepted nor acted on is in nothing that the wallet asked for without naming vaults. A
// manager whom the configuration names is the operator's word and counts as accepted; what the wallet says itself stands over all.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import { record } from "../audit/append/record.ts";
import type { AuditEntryInput } from "../audit/entries/entries.ts";
import type { Database, Tx } from "../platform/db/db.ts";

/** Of a row `r` of `vault_roles` or `vault_operators`: whether its wallet has accepted its vault. */
export const IS_ACCEPTED: RawBuilder<boolean> = sql<boolean>`coalesce((
  select a.is_accepted from vault_acceptances a
  where a.wallet = r.wallet and a.chain_id = r.chain_id and a.vault_address = r.vault_address), r.from_block is null)`;

export interface Acceptance {
  wallet: Address;
  chainId: number;
  vaultAddress: Address;
  isAccepted: boolean;
}

/** Accepts a vault, or takes that back; recorded where it changes something. */
export async function accept(db: Pick<Database, "transaction">, wish: Acceptance): Promise<void> {
  const { wallet, chainId, vaultAddress, isAccepted } = wish;
  await db.transaction(async (tx) => {
    const { rows } = await sql`
      insert into vault_acceptances as a (wallet, chain_id, vault_address, is_accepted)
      values (${wallet}, ${chainId}, ${vaultAddress}, ${isAccepted})
      on conflict (wallet, chain_id, vault_address) do update set is_accepted = excluded.is_accepted, changed_at = now()
        where a.is_accepted <> excluded.is_accepted
      returning wallet`.execute(tx);
    if (rows.length === 0) return;
    const entry = {
      action_type: "vault_accept",
      chain_id: chainId,
      vault_address: vaultAddress,
      actor_wallet: wallet,
      details: { is_accepted: isAccepted },
    } as const;
    await record(tx, [entry]);
  });
}

/** Accepts, for each wallet that holds or held a role on the vault, what it acted on in these entries of the chain. */
export async function acceptByAction(tx: Tx, entries: readonly AuditEntryInput[]): Promise<void> {
  const acts = new Map(entries.map((entry) => [actOf(entry), entry]));
  if (acts.size === 0) return;
  const distinct = [...acts.values()];
  await sql`
    insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted)
    select distinct e.wallet, e.chain_id, e.vault_address, true
    from unnest(
      ${distinct.map((entry) => entry.actor_wallet)}::text[], ${distinct.map((entry) => entry.chain_id)}::bigint[],
      ${distinct.map((entry) => entry.vault_address)}::text[]) as e (wallet, chain_id, vault_address)
    where exists (select from vault_roles r
      where r.chain_id = e.chain_id and r.vault_address = e.vault_address and r.wallet = e.wallet)
    on conflict do nothing`.execute(tx);
}

function actOf({ actor_wallet, chain_id, vault_address }: AuditEntryInput): string {
  return `${actor_wallet} ${chain_id} ${vault_address}`;
}

/** The same for wallets that are given a role only now and acted on the vault before. */
export async function acceptByPast(
  tx: Tx,
  chainId: number,
  given: readonly { wallet: Address; vault: Address }[],
): Promise<void> {
  await sql`
    insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted)
    select distinct g.wallet, ${chainId}::bigint, g.vault_address, true
    from unnest(${given.map(({ wallet }) => wallet)}::text[], ${given.map(({ vault }) => vault)}::text[]) as g (wallet, vault_address)
    where exists (select from audit_entries e
      where e.actor_wallet = g.wallet and e.chain_id = ${chainId} and e.vault_address = g.vault_address
        and e.body::jsonb -> 'details' ? 'tx_hash')
    on conflict do nothing`.execute(tx);
}
