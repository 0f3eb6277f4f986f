// What the filters of lists are put together of.
import { type RawBuilder, sql } from "kysely";
import type { VaultRef } from "../../vault.ts";

export type Condition = RawBuilder<unknown>;

/** True where all of the conditions are; where there is none, too. */
export function all(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** A query for (chain_id, vault_address) of the vaults. */
export function vaultRows(vaults: readonly VaultRef[]): RawBuilder<unknown> {
  const chains = vaults.map(({ chainId }) => chainId);
  const addresses = vaults.map(({ vaultAddress }) => vaultAddress);
  return sql`select * from unnest(${chains}::bigint[], ${addresses}::text[]) as v(chain_id, vault_address)`;
}
