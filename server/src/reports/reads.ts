// What every read of what engines reported shares: the vaults that a caller sees, and how a statement is cut to them.
import { type RawBuilder, sql } from "kysely";
import type { VaultAccess } from "../auth/vaults.ts";
import type { SqlReads } from "../platform/db/replica.ts";
import type { VaultRef } from "../vault.ts";

export interface EngineReadParts {
  db: SqlReads;
  findVisible: VaultAccess["visible"];
}

/** The vaults whose rows a list may hold. */
export type Scope = Awaited<ReturnType<VaultAccess["visible"]>>;

/** A query for (chain_id, vault_address) of the vaults. */
export function vaultRows(vaults: readonly VaultRef[]): RawBuilder<unknown> {
  const chains = vaults.map(({ chainId }) => chainId);
  const addresses = vaults.map(({ vaultAddress }) => vaultAddress);
  return sql`select * from unnest(${chains}::bigint[], ${addresses}::text[]) as v(chain_id, vault_address)`;
}

/** True where all of the conditions are; where there is none, too. */
export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
