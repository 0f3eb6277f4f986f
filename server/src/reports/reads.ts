// What every read of what engines reported shares: the vaults that a caller sees, and how a statement is built.
import type { VaultAccess } from "../auth/vaults.ts";
import type { Reads } from "../platform/db/replica.ts";

export interface EngineReadParts {
  db: Reads;
  findVisible: VaultAccess["visible"];
}

/** The vaults whose rows a list may hold. */
export type Scope = Awaited<ReturnType<VaultAccess["visible"]>>;

/** Builds one statement: `add` gives a value's place in it. */
export class Statement {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
