// What every read of what engines reported shares: the vaults that a caller sees.
import type { VaultAccess } from "../auth/vaults.ts";
import type { SqlReads } from "../platform/db/replica.ts";

export interface EngineReadParts {
  db: SqlReads;
  findVisible: VaultAccess["visible"];
}

/** The vaults whose rows a list may hold. */
export type Scope = Awaited<ReturnType<VaultAccess["visible"]>>;
