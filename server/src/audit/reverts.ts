// Deep reorganisations: entries of blocks that were confirmed and then vanished. The log is never unwritten, so each gets a
// `chain_reorg_revert` entry that names it; and an operation that comes back afterwards is recorded once more.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { Tx } from "../platform/db.ts";
import type { ActionType, AuditEntryInput } from "./entries.ts";
import { record } from "./record.ts";
import { microsecondsOf } from "./times.ts";

/**
 * Records that the operations in a chain's blocks above one were undone. Called in the transaction that removes the
 * blocks, before those of the other branch are recorded. Returns how many entries were undone.
 */
export async function recordReverts(tx: Tx, chainId: number, aboveBlock: number): Promise<number> {
  const { rows } = await sql<{ body: string }>`
    select body from audit_entries
     where chain_id = ${chainId} and occurred_at >= coalesce(
       (select block_timestamp from blocks where chain_id = ${chainId} and number = ${aboveBlock}), '-infinity')
     order by seq`.execute(tx);
  const entries = rows.map((row) => JSON.parse(row.body) as WrittenEntry);
  const reverted = new Set(entries.map((entry) => entry.details.reverted_id));
  const standing = entries.filter(
    ({ id, action_type, details }) =>
      details.block_number !== undefined &&
      details.block_number > aboveBlock &&
      action_type !== "chain_reorg_revert" &&
      !reverted.has(id),
  );
  await record(tx, standing.map(revertOf));
  return standing.length;
}

interface WrittenEntry {
  id: string;
  seq: string;
  action_type: ActionType;
  vault_address: Address;
  chain_id: number;
  actor_wallet: Address;
  details: {
    block_number?: number;
    block_timestamp?: string;
    block_hash?: Hash;
    tx_hash?: Hash;
    log_index?: number;
    reverted_id?: string;
    reverted_action_type?: ActionType;
  };
}

function revertOf(entry: WrittenEntry): AuditEntryInput {
  const details = entry.details as Required<WrittenEntry["details"]>;
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
