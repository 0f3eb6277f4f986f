// Scope: a whole chain, or one of its vaults; for statements that are the same of either.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";

export interface Scope {
  chainId: number;
  /** Left out: all of the chain. */
  vault?: Address;
}

/** The rows of it, of a table with both columns. */
export function within({ chainId, vault }: Scope): RawBuilder<unknown> {
  const ofChain = sql`chain_id = ${chainId}`;
  return vault === undefined ? ofChain : sql`${ofChain} and vault_address = ${vault}`;
}
