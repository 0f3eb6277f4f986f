// A vault's record inside a transaction, as anybody would be shown it there: of what is foretold, and before it.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Database, Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import { buildEntry, finishRecord } from "./entry.ts";
import { loadVaults } from "./store.ts";

/** null where there is no such vault. */
export async function recordIn(
  tx: Tx,
  { chainId, address }: { chainId: number; address: Address },
  nowMs: number,
): Promise<Record<string, unknown> | null> {
  const [row] = await loadVaults({ kysely: tx }, chainId, [address], timestampOfMs(nowMs));
  if (row === undefined) return null;
  const { body } = finishRecord(buildEntry(row, "", ""), null, nowMs, Math.floor(nowMs / 1000));
  return JSON.parse(body) as Record<string, unknown>;
}

/** What of a vault no reading of its contracts tells. */
export async function keptOf(
  db: Pick<Database, "kysely">,
  chainId: number,
  address: Address,
): Promise<{ family: string; sourceAddress: Address; implementation: Address | null } | null> {
  const { rows } = await sql<{ family: string; source_address: Address; implementation: Address | null }>`
    select v.family, v.source_address, (
      select s.implementation from vault_states s
       where s.chain_id = v.chain_id and s.vault_address = v.address order by s.block_number desc limit 1) as implementation
      from vaults v where v.chain_id = ${chainId} and v.address = ${address}`.execute(db.kysely);
  const row = rows[0];
  return row === undefined
    ? null
    : { family: row.family, sourceAddress: row.source_address, implementation: row.implementation };
}
