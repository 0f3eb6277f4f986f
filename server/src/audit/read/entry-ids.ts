// The entries that logs of a transaction became, without those that were undone.
import { isOnchain, OFFCHAIN_ACTIONS } from "@vaultops/proof";
import { type Kysely, sql } from "kysely";
import type { Address, Hash } from "viem";

export interface EntryPlace {
  chainId: number;
  vaultAddress: Address;
  /** Unix seconds. */
  blockTimestamp: number;
  transactionHash: Hash;
  logIndexes: readonly number[];
}

interface Written {
  id: string;
  action_type: string;
  details: { tx_hash?: unknown; log_index?: unknown; reverted_id?: unknown };
}

/** In the log's order. */
export async function entryIdsAt(db: Kysely<unknown>, place: EntryPlace): Promise<string[]> {
  const { rows } = await sql<{ body: string }>`
    select body from audit_entries
     where vault_address = ${place.vaultAddress} and chain_id = ${place.chainId}
       and occurred_at = to_timestamp(${place.blockTimestamp}::float8) and action_type <> all(${[...OFFCHAIN_ACTIONS]}::text[])
     order by seq`.execute(db);
  const entries = rows.map(({ body }) => JSON.parse(body) as Written).filter(isOnchain);
  const undone = new Set(
    entries.flatMap(({ action_type, details }) =>
      action_type === "chain_reorg_revert" ? [details.reverted_id] : [],
    ),
  );
  return entries
    .filter(
      ({ id, action_type, details }) =>
        action_type !== "chain_reorg_revert" &&
        details.tx_hash === place.transactionHash &&
        place.logIndexes.includes(details.log_index as number) &&
        !undone.has(id),
    )
    .map(({ id }) => id);
}
