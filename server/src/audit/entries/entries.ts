// Audit entries: what a writer hands to `record` for each kind of action (details.ts).
//
// One union, by `action_type`: a writer that forgets a field of an action does not compile.
import type { Address, Hash } from "viem";
import type { ActionDetails, ActionType } from "./details.ts";

/** Where an onchain operation stands. `timestamp` is in Unix seconds. Its fields are added to the entry's details. */
export interface BlockPlace {
  number: number;
  timestamp: number;
  hash: Hash;
  txHash: Hash;
  logIndex: number;
  /** Who sent the transaction; null where no transaction stands behind the log. */
  txFrom?: Address | null;
  /** Of several operations of one log that have the same action: how many come before. Not told to anybody: part of the identity. */
  nth?: number;
  /** The log concerns several vaults, each of which has an entry of its own: the vault is part of its identity. Not told to anybody. */
  isShared?: true;
}

/**
 * What a writer hands to `record`. `occurredAt` (Unix seconds) is set for history only: a block older than the moment
 * at which its vault or chain was first configured; it becomes the entry's `timestamp`.
 */
export type AuditEntryInput = {
  [A in ActionType]: {
    action_type: A;
    vault_address: Address;
    chain_id: number;
    actor_wallet: Address;
    details: ActionDetails[A];
    block?: BlockPlace;
    occurredAt?: number;
    /** Of an operation that was missed when it was its turn: appended now, marked by `details.backfilled`, whatever stands in its place. */
    isBackfilled?: true;
    /** Of what a family's own timelock let through: the log that submitted it, whose entry is named in `details.submit_entry_id`. */
    submission?: { blockNumber: number; logIndex: number };
    /** Of an onchain operation: what the chain's nodes would not tell of it (`details.not_told`), so that what is null or nobody's is known to be so. */
    notTold?: readonly string[];
    /** Of an operation whose entry stands with `details.not_told`: what of it was told since (`details.told_later`). */
    toldLater?: readonly string[];
  };
}[ActionType];

/** What stands for "no vault" and "no wallet named". */
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
