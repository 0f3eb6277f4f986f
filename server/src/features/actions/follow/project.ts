// What blocks may say of prepared actions, noted in the transaction of the block: transactions in which something was done to a vault that has an
// open action. Whoever leads the chain looks into them afterwards (judge.ts). A note goes with its block, and comes again with the facts: at
// the head, in a past that is filled in, and where blocks are told that were not before.
import { sql } from "kysely";
import type { ProjectedBlock } from "../../../chain/projection.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { isLater } from "./followed.ts";

export const actionsProjection = {
  name: "actions",
  apply: noteCandidates,
  /** Nothing is derived from a note: what was looked into and comes again is looked into again, and changes nothing. */
  replay: { clear: async () => {} },
};

async function noteCandidates(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const chainId = blocks[0]?.block.chainId;
  // One of those that one transaction did to one vault is enough.
  const done = blocks
    .flatMap((each) => each.facts)
    .map((fact) => [`${fact.txHash} ${fact.vaultAddress}`, fact] as const);
  const facts = [...new Map(done).values()];
  if (chainId === undefined || facts.length === 0) return;
  const isOpen = sql`
    p.chain_id = ${chainId} and ${isLater("f.number", "to_timestamp(f.time)")}
    and not exists (select from prepared_action_executions x where x.action_id = p.id)`;
  await sql`
    insert into prepared_action_candidates (chain_id, block_number, transaction_hash)
    select distinct ${chainId}::bigint, f.number, f.tx_hash
      from unnest(${facts.map((fact) => fact.blockNumber)}::bigint[], ${facts.map((fact) => fact.blockTimestamp)}::float8[],
                  ${facts.map((fact) => fact.txHash)}::text[], ${facts.map((fact) => fact.vaultAddress)}::text[])
             as f (number, time, tx_hash, vault)
     where (f.vault is not null and exists (select from prepared_actions p where p.vault_address = f.vault and ${isOpen}))
        or (f.vault is null and exists (select from prepared_actions p where ${isOpen}))
    on conflict do nothing`.execute(tx);
}

/**
 * Notes what the blocks say that were stored before the actions were. Whoever prepares an action commits it first; the lock on the chain's row
 * waits for a block that is being written and may not know of it yet.
 */
export async function enrol(tx: Tx, chainId: number, now: string): Promise<void> {
  await sql`select from chains where chain_id = ${chainId} for share`.execute(tx);
  await sql`
    with fresh as (
      insert into prepared_action_follows (action_id, enrolled_at)
      select p.id, ${now}::timestamptz from prepared_actions p
       where p.chain_id = ${chainId} and not exists (select from prepared_action_follows w where w.action_id = p.id)
      on conflict do nothing
      returning action_id)
    insert into prepared_action_candidates (chain_id, block_number, transaction_hash)
    select distinct f.chain_id, f.block_number, f.tx_hash
      from fresh
      join prepared_actions p on p.id = fresh.action_id
      join facts f on f.chain_id = p.chain_id and (f.vault_address = p.vault_address or f.vault_address is null)
      join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.block_number > p.block_number - ${REORGANISED_BLOCKS} and ${isLater("f.block_number", "b.block_timestamp")}
    on conflict do nothing`.execute(tx);
}

/** How far below the block of its preparation an action's execution may stand, where blocks were replaced meanwhile. */
const REORGANISED_BLOCKS = 256;
