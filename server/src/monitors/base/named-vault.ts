// How a statement joins the vault that a row is about, and the words that alerts name it by.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import type { NamedVault } from "./monitor.ts";

export interface RefRow {
  chain_id: number;
  address: Address;
  vault_name: string | null;
  chain_name: string;
  explorer_url: string | null;
}

export const REF = sql.raw(
  "v.chain_id, v.address, v.name as vault_name, c.name as chain_name, c.explorer_url",
);

/**
 * Joins the vault that a row is about, and its chain. A row about a vault that is not known says nothing. Some tables collate by bytes: under
 * their collation the index of vaults could not be used.
 */
export const withVault = (row: string): RawBuilder<unknown> =>
  sql.raw(
    `join vaults v on v.chain_id = ${row}.chain_id and v.address = ${row}.vault_address collate "default" join chains c on c.chain_id = v.chain_id`,
  );

export function refOf(row: RefRow): NamedVault {
  return {
    chainId: row.chain_id,
    address: row.address,
    name: row.vault_name,
    chainName: row.chain_name,
    explorerUrl: row.explorer_url,
  };
}
