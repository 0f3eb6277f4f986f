// The line in which writers of one vault's reports stand, so that a handler may read, decide and write without locks of its own.
import { type RawBuilder, sql } from "kysely";
import { type VaultRef, vaultIdOf } from "../vault.ts";

/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_381_322_565;

/**
 * A query that stands in line for each vault (null: what concerns no vault), in one order for all; the locks end with the transaction.
 * They are taken from a fixed number, so that no batch can use up the server's lock table; two vaults that share one wait for each
 * other in vain, which is rare.
 */
export function vaultLocks(vaults: readonly (VaultRef | null)[]): RawBuilder<{ taken: number }> {
  const names = [...new Set(vaults.map((vault) => (vault === null ? "" : vaultIdOf(vault))))];
  return sql`
    select count(pg_advisory_xact_lock(${LOCK_CLASS}::integer, slot)) as taken
    from (select distinct hashtext(v) & 255 as slot from unnest(${names}::text[]) v order by 1) slots`;
}
