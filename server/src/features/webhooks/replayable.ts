// Which deliveries a bulk replay means.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";

const MAX_REPLAYED = 10_000;

export interface Replayable {
  ids: string[];
  /** Where the next request goes on; null where nothing is left. */
  nextFrom: string | null;
}

/** The oldest deliveries of an endpoint made in the period, with that status, of those vaults. */
export async function replayable(
  tx: Tx,
  query: {
    targetId: string;
    from: string;
    to: string;
    status: string;
    vaults: readonly { chainId: number; vaultAddress: string }[];
  },
  limit = MAX_REPLAYED,
): Promise<Replayable> {
  const { rows } = await sql<{ id: string; created_at: string }>`
    select d.id, d.created_at from deliveries d
    join unnest(${query.vaults.map(({ chainId }) => chainId)}::bigint[], ${query.vaults.map(({ vaultAddress }) => vaultAddress)}::text[])
      v (chain_id, vault_address) on v.chain_id = d.chain_id and v.vault_address = d.vault_address
    where d.target_id = ${query.targetId} and d.status = ${query.status}
      and d.created_at >= ${query.from} and d.created_at < ${query.to}
    group by d.id order by d.created_at, d.seq
    fetch first ${limit + 1} rows only`.execute(tx);
  if (rows.length <= limit) return { ids: rows.map(({ id }) => id), nextFrom: null };
  // Whole moments, so that the next request begins after the last of them.
  const nextFrom = rows[limit]?.created_at as string;
  const whole = rows.filter(({ created_at }) => created_at < nextFrom);
  return { ids: whole.map(({ id }) => id), nextFrom };
}
