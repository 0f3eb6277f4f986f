// What deep reorganisations have undone so far: part of an operation's identity, so that a block that comes back can be
// recorded again, and a re-run still cannot write an operation twice.
import { type RawBuilder, sql } from "kysely";
import type { AuditEntryInput } from "../entries/entries.ts";

/** How often each operation has been undone, by `operationKey`. */
export type Undone = ReadonlyMap<string, number>;

/** Names an onchain operation, wherever it is recorded. */
export function operationKey(chainId: number, blockHash: string, logIndex: number, action: string): string {
  return `${chainId}\n${blockHash}\n${logIndex}\n${action}`;
}

/**
 * SQL of the texts of reverts (`undoneIn`) that may concern these entries. A revert stands at its operation's block time, so that only
 * those of the same time are read: next to none, however many there have been.
 */
export function revertsSql(entries: readonly AuditEntryInput[]): RawBuilder<{ body: string }> {
  const onchain = entries.filter((entry) => entry.block !== undefined);
  const chains = [...new Set(onchain.map((entry) => entry.chain_id))];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { block } of onchain) {
    first = Math.min(first, block!.timestamp);
    last = Math.max(last, block!.timestamp);
  }
  return sql`
    select body from audit_entries
     where action_type = 'chain_reorg_revert' and chain_id = any(${chains}::bigint[])
       and occurred_at between to_timestamp(${first}::float8) and to_timestamp(${last}::float8)`;
}

/** How often each operation has been undone, of the texts of reverts. */
export function undoneIn(bodies: readonly string[]): Undone {
  const undone = new Map<string, number>();
  for (const body of bodies) {
    const { chain_id, details } = JSON.parse(body) as RevertEntry;
    const { block_hash, log_index, reverted_action_type } = details;
    const key = operationKey(chain_id, block_hash, log_index, reverted_action_type);
    undone.set(key, (undone.get(key) ?? 0) + 1);
  }
  return undone;
}

interface RevertEntry {
  chain_id: number;
  details: { block_hash: string; log_index: number; reverted_action_type: string };
}
