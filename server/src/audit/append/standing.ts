// What stands in the log of operations that are told again, so that only what is missing is appended.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { operationKey } from "./reverted-entries.ts";

/** Those of which no entry stands: none was written of that log and action, or it was undone. All are of vaults, and onchain. */
export async function missingOf(tx: Tx, entries: readonly AuditEntryInput[]): Promise<AuditEntryInput[]> {
  const onchain = entries.filter(({ block }) => block !== undefined);
  if (onchain.length === 0) return [];
  const times = onchain.map(({ block }) => block!.timestamp);
  const { rows } = await sql<Standing>`
    select chain_id, e.body::jsonb -> 'details' ->> 'block_hash' as block_hash,
           (e.body::jsonb -> 'details' ->> 'log_index')::int as log_index,
           coalesce(e.body::jsonb -> 'details' ->> 'reverted_action_type', action_type) as action,
           action_type = 'chain_reorg_revert' as is_revert
      from audit_entries e
     where e.vault_address = any(${[...new Set(onchain.map((each) => each.vault_address))]}::text[])
       and e.chain_id = any(${[...new Set(onchain.map((each) => each.chain_id))]}::bigint[])
       and e.occurred_at between to_timestamp(${Math.min(...times)}::float8) and to_timestamp(${Math.max(...times)}::float8)`.execute(
    tx,
  );
  const standing = new Map<string, number>();
  for (const row of rows) {
    if (row.block_hash === null) continue;
    const key = operationKey(row.chain_id, row.block_hash, row.log_index, row.action);
    standing.set(key, (standing.get(key) ?? 0) + (row.is_revert ? -1 : 1));
  }
  return onchain.filter(({ chain_id, block, action_type }) => {
    const key = operationKey(chain_id, block!.hash, block!.logIndex, action_type);
    const left = standing.get(key) ?? 0;
    standing.set(key, left - 1);
    return left <= 0;
  });
}

interface Standing {
  chain_id: number;
  block_hash: string | null;
  log_index: number;
  action: string;
  is_revert: boolean;
}
