// Deep reorganisations: entries of blocks that were confirmed and then vanished. The log is never unwritten, so each gets a
// `chain_reorg_revert` entry that names it; and an operation that comes back afterwards is recorded once more.
import { isOnchain, OFFCHAIN_ACTIONS } from "@vaultops/proof";
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { Tx } from "../../platform/db/db.ts";
import { microsecondsOf } from "../../platform/http/time.ts";
import type { ActionType } from "../entries/details.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { record } from "./record.ts";

/** Entries that are held in memory at a time, however many were undone. */
const PAGE_ENTRIES = 1000;

/**
 * Records that the operations in a chain's blocks above one were undone. Called in the transaction that removes the
 * blocks, before those of the other branch are recorded. Returns how many entries were undone.
 */
export async function recordReverts(tx: Tx, chainId: number, aboveBlock: number): Promise<number> {
  // A revert stands at the time of the block that it names, as the entry does that it undoes. Only a text of the service's own is read
  // as JSON by the database: one that an engine reported may hold a block number of any form.
  await sql`
    declare undone no scroll cursor for
    select e.body from audit_entries e
     where e.chain_id = ${chainId} and e.occurred_at >= coalesce(
         (select block_timestamp from blocks where chain_id = ${chainId} and number = ${aboveBlock}), '-infinity')
       and e.action_type <> all(${[...OFFCHAIN_ACTIONS, "chain_reorg_revert"]}::text[])
       and not exists (
         select from audit_entries r
          where r.action_type = 'chain_reorg_revert' and r.chain_id = ${chainId} and r.occurred_at = e.occurred_at
            and r.vault_address = e.vault_address and r.body::json #>> '{details,reverted_id}' = e.id::text)
     order by e.seq`.execute(tx);
  let count = 0;
  for (;;) {
    const { rows } = await sql<{ body: string }>`fetch ${sql.lit(PAGE_ENTRIES)} from undone`.execute(tx);
    if (rows.length === 0) break;
    const standing = rows
      .map((row) => JSON.parse(row.body) as WrittenEntry)
      .filter((entry) => isOnchain(entry) && entry.details.block_number > aboveBlock);
    await record(tx, standing.map(revertOf));
    count += standing.length;
  }
  await sql`close undone`.execute(tx);
  return count;
}

interface WrittenEntry {
  id: string;
  seq: string;
  action_type: ActionType;
  vault_address: Address;
  chain_id: number;
  actor_wallet: Address;
  details: {
    block_number: number;
    block_timestamp: string;
    block_hash: Hash;
    tx_hash: Hash;
    log_index: number;
  };
}

function revertOf(entry: WrittenEntry): AuditEntryInput {
  const { details } = entry;
  return {
    action_type: "chain_reorg_revert",
    vault_address: entry.vault_address,
    chain_id: entry.chain_id,
    actor_wallet: entry.actor_wallet,
    details: {
      reverted_id: entry.id,
      reverted_seq: entry.seq,
      reverted_action_type: entry.action_type,
    },
    block: {
      number: details.block_number,
      timestamp: microsecondsOf(details.block_timestamp) / 1_000_000,
      hash: details.block_hash,
      txHash: details.tx_hash,
      logIndex: details.log_index,
    },
  };
}
