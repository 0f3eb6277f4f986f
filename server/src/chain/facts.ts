// VaultFact: what a log says, in the service's own words. Every contract family decodes its logs to this union;
// ingestion stores it, projections and the audit log are derived from it, and nothing downstream sees an ABI.
//
// Amounts are bigint in raw units. A stored fact (`StoredFact`) holds them as decimal strings, as JSON must.
import type { Address, Hash, Hex } from "viem";
import type { GovernanceBody } from "./governance.ts";

/** Where a fact stands in the chain. `blockTimestamp` is in Unix seconds. */
export interface FactPlace {
  chainId: number;
  blockNumber: number;
  blockHash: Hash;
  blockTimestamp: number;
  txHash: Hash;
  txIndex: number;
  logIndex: number;
}

/** Rejected price updates: events, not reverts. `reason` is the event's name; `message` what it carries, cleaned. */
export type PpsRejection =
  | "UpdateTooFrequent"
  | "TimestampNotMonotonic"
  | "StaleUpdate"
  | "StrategyCheckFailed"
  | "UnknownStrategy"
  | "PPSUpdateRejectedStrategyPaused"
  | "StaleSignatureAfterUnpause"
  | "ProvidedTimestampExceedsBlockTimestamp"
  // of the oracle, which then hands nothing on to the aggregator
  | "ProofValidationFailed"
  | "ProofValidationFailedLowLevel"
  | "BatchForwardPPSFailed"
  | "BatchForwardPPSFailedLowLevel";

/** The body of a fact, by kind. A kind's fields are named after the event's parameters. */
export type FactBody =
  // vaults and who manages them
  | {
      kind: "vault_deployed";
      vault: Address;
      strategy: Address;
      escrow: Address;
      asset: Address;
      name: string;
      symbol: string;
      nonce: bigint;
      /** Read at the block, because the event does not name them. */
      primaryManager: Address;
      secondaryManagers: Address[];
    }
  | {
      kind: "primary_manager_proposed";
      proposer: Address;
      newManager: Address;
      feeRecipient: Address | null;
      effectiveTime: bigint;
    }
  | { kind: "primary_manager_change_cancelled"; cancelledManager: Address }
  | {
      kind: "primary_manager_changed";
      oldManager: Address;
      newManager: Address;
      feeRecipient: Address | null;
    }
  | { kind: "old_primary_manager_removed"; oldManager: Address }
  | { kind: "secondary_manager_added"; manager: Address }
  | { kind: "secondary_manager_removed"; manager: Address }
  | { kind: "ownership_transfer_started"; previousOwner: Address; newOwner: Address }
  | { kind: "ownership_transferred"; previousOwner: Address; newOwner: Address }
  | { kind: "role_granted"; role: Hex; account: Address; sender: Address }
  | { kind: "role_revoked"; role: Hex; account: Address; sender: Address }
  // price per share
  | { kind: "pps_updated"; pps: bigint; timestamp: bigint }
  | { kind: "pps_updated_after_skim"; oldPps: bigint; newPps: bigint; feeAmount: bigint; timestamp: bigint }
  | {
      kind: "pps_update_rejected";
      reason: PpsRejection;
      message: string | null;
      timestamp: bigint | null;
      /** The refused price, where the oracle's own event of the same transaction tells it. */
      pps: bigint | null;
    }
  | { kind: "pps_stale" }
  | { kind: "pps_stale_reset" }
  | {
      kind: "pps_expiration_proposed";
      /** The proposal that this one replaces; 0 where there was none. */
      currentProposedThreshold: bigint;
      /** The expiry in force, read at the block, because the event does not name it; null where the node has no such state. */
      currentExpiration: bigint | null;
      ppsExpiration: bigint;
      effectiveTime: bigint;
    }
  | { kind: "pps_expiration_updated"; ppsExpiration: bigint }
  | { kind: "pps_expiration_proposal_cancelled" }
  | { kind: "deviation_threshold_updated"; deviationThreshold: bigint }
  | {
      kind: "min_update_interval_proposed";
      proposer: Address;
      newMinUpdateInterval: bigint;
      effectiveTime: bigint;
    }
  | { kind: "min_update_interval_changed"; oldMinUpdateInterval: bigint; newMinUpdateInterval: bigint }
  | { kind: "min_update_interval_rejected"; proposedInterval: bigint; currentMaxStaleness: bigint }
  | { kind: "min_update_interval_cancelled"; cancelledInterval: bigint }
  | {
      kind: "high_water_mark_updated";
      newHwmPps: bigint;
      previousPps: bigint | null;
      profit: bigint | null;
      feeCollected: bigint | null;
    }
  // what the manager has the strategy do
  | {
      kind: "hook_executed";
      hook: Address;
      prevHook: Address | null;
      yieldSource: Address;
      usePrevHookAmount: boolean;
      calldata: Hex;
    }
  | { kind: "emergency_withdrawal"; recipient: Address; assets: bigint }
  // pause
  | { kind: "vault_paused"; account: Address | null }
  | { kind: "vault_unpaused"; account: Address | null }
  // yield sources
  | { kind: "yield_source_added"; source: Address; oracle: Address }
  | { kind: "yield_source_removed"; source: Address }
  | { kind: "yield_source_oracle_updated"; source: Address; oldOracle: Address; newOracle: Address }
  // hook (merkle) roots of the strategy
  | { kind: "hooks_root_proposed"; proposer: Address; root: Hex; effectiveTime: bigint }
  | { kind: "hooks_root_updated"; oldRoot: Hex; newRoot: Hex }
  | { kind: "hooks_root_veto_changed"; vetoed: boolean; root: Hex; guardian: Address | null }
  // hook roots of an aggregator, which all its vaults fall back on
  | { kind: "global_hooks_root_proposed"; root: Hex; effectiveTime: bigint }
  | { kind: "global_hooks_root_updated"; oldRoot: Hex; newRoot: Hex }
  | { kind: "global_hooks_root_veto_changed"; vetoed: boolean; root: Hex; guardian: Address | null }
  /** Leaves of the global root that a strategy's manager bans (true) or allows again. */
  | { kind: "global_leaves_changed"; leaves: Hex[]; statuses: boolean[] }
  // fees
  | {
      kind: "fee_config_proposed";
      performanceFeeBps: bigint;
      managementFeeBps: bigint;
      recipient: Address;
      effectiveTime: bigint;
    }
  | { kind: "fee_config_updated"; performanceFeeBps: bigint; managementFeeBps: bigint; recipient: Address }
  | { kind: "fee_recipient_changed"; newRecipient: Address }
  | {
      kind: "management_fee_paid";
      controller: Address;
      recipient: Address;
      feeAssets: bigint;
      feeBps: bigint;
    }
  | { kind: "performance_fee_skimmed"; totalFee: bigint; superformFee: bigint }
  // upkeep
  | { kind: "upkeep_deposited"; depositor: Address; amount: bigint }
  | { kind: "upkeep_withdrawal_proposed"; mainManager: Address; amount: bigint; effectiveTime: bigint }
  | { kind: "upkeep_withdrawal_cancelled" }
  | { kind: "upkeep_withdrawn"; withdrawer: Address; amount: bigint }
  | { kind: "upkeep_spent"; amount: bigint; balance: bigint | null; claimableUpkeep: bigint | null }
  | { kind: "upkeep_insufficient"; balance: bigint; cost: bigint }
  | { kind: "upkeep_claimed"; superBank: Address; amount: bigint }
  // flows of the vault (ERC-4626, ERC-7540)
  | { kind: "deposit"; sender: Address; owner: Address; assets: bigint; shares: bigint }
  | {
      kind: "withdraw";
      sender: Address;
      receiver: Address;
      owner: Address;
      assets: bigint;
      shares: bigint;
      /** Of a vault with requests to redeem: this was none, and claims none. */
      isSynchronous?: true;
    }
  | { kind: "shares_minted"; to: Address; shares: bigint }
  | { kind: "shares_burned"; from: Address; shares: bigint }
  | {
      kind: "deposit_requested";
      controller: Address;
      owner: Address;
      requestId: bigint;
      sender: Address;
      assets: bigint;
    }
  | { kind: "deposit_claimable"; controller: Address; requestId: bigint; assets: bigint; shares: bigint }
  | { kind: "deposit_cancel_requested"; controller: Address; requestId: bigint; sender: Address }
  | {
      kind: "deposit_cancel_claimed";
      receiver: Address;
      controller: Address;
      requestId: bigint;
      sender: Address;
      assets: bigint;
    }
  | {
      kind: "redeem_requested";
      controller: Address;
      owner: Address;
      requestId: bigint;
      sender: Address;
      shares: bigint;
    }
  | {
      kind: "redeem_claimable";
      controller: Address;
      requestId: bigint;
      assets: bigint;
      shares: bigint;
      averageWithdrawPrice: bigint | null;
      /** No other event of the family tells of the settlement. */
      isOnlyNotice?: true;
    }
  | { kind: "redeem_requests_fulfilled"; controllers: Address[]; processedShares: bigint; currentPps: bigint }
  /** A request taken back at once, whole, by contracts that know no claim of it. */
  | { kind: "redeem_request_cancelled"; controller: Address; sender: Address; shares: bigint | null }
  | { kind: "redeem_cancel_requested"; controller: Address; requestId: bigint; sender: Address }
  | { kind: "redeem_cancel_fulfilled"; controller: Address; shares: bigint }
  | {
      kind: "redeem_cancel_claimed";
      receiver: Address;
      controller: Address;
      requestId: bigint;
      sender: Address;
      shares: bigint;
    }
  // governance of every family but the first two, and of who stands behind the roles
  | GovernanceBody
  // everything else that the tables name: kept whole, so that nothing seen is lost and replay can use it later
  | {
      kind: "other";
      contract: "aggregator" | "strategy" | "escrow" | "oracle" | "governor" | GovernanceBody["contract"];
      event: string;
      args: Record<string, unknown>;
    };

export type FactKind = FactBody["kind"];
export type FactOf<K extends FactKind> = Extract<FactBody, { kind: K }>;

/**
 * A decoded log in its place. `vaultAddress` is null only for what concerns no known vault.
 * `actorWallet` is who acted (docs/decisions/0016, actors): named by the event, else the contract wallet through
 * which a manager acted, else the transaction's sender.
 */
export interface VaultFact extends FactPlace {
  vaultAddress: Address | null;
  actorWallet: Address;
  /** Who sent the transaction; null where none stands behind the log, and in what release 0.1 stored. */
  txFrom: Address | null;
  body: FactBody;
}

type JsonForm<T> = T extends bigint
  ? string
  : T extends readonly (infer U)[]
    ? JsonForm<U>[]
    : T extends object
      ? { [K in keyof T]: JsonForm<T[K]> }
      : T;

/** A fact's body as stored: the same fields, amounts as decimal strings. */
export type StoredBody = FactBody extends infer B ? (B extends FactBody ? JsonForm<B> : never) : never;

/** A fact with its body as it is stored. */
export interface StoredFact extends Omit<VaultFact, "body"> {
  body: StoredBody;
}

/** A fact whose block is confirmed, or that comes from a past that is: what audit entries and events are made of. */
export interface ConfirmedFact extends StoredFact {
  /** Older than the moment at which its vault's source was first configured: nobody waits for news of it. */
  isHistory: boolean;
  /** What the nodes did not tell of it, in the words of chain_gaps. */
  lacks?: readonly string[];
  /** What they did not tell when the fact was stored and have told since, in the same words. */
  toldLater?: readonly string[];
}

/** JSON form of a body: every bigint a decimal string, nothing else changed. */
export function toStored(body: FactBody): StoredBody {
  return jsonForm(body) as StoredBody;
}

function jsonForm(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(jsonForm);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) copy[key] = jsonForm(member);
  return copy;
}
