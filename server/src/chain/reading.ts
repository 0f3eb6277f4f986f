// VaultReading: a vault's state as its contracts answer at one block. Every family reads to this shape; a value that the
// family has no rule for, or that a contract did not answer, is null. Amounts are raw bigint, times Unix seconds.
//
// What could not be read is no state: its field is named in `unread`, holds what NOTHING_READ has, and means nothing.
import type { Address, Hex } from "viem";
import type { Json } from "./governance.ts";
import type { Managers } from "./managers.ts";

/**
 * A change that a timelock holds back; `current` and `proposed` are JSON-ready (amounts as decimal strings). The members from `id` on are of
 * calls that wait in a timelock of their own; what is left out does not apply.
 */
export interface PendingChange {
  kind:
    | "primary_manager"
    | "fee_config"
    | "pps_expiration"
    | "min_update_interval"
    | "hooks_root"
    | "upkeep_withdrawal"
    /** What is none of these: `function` and `arguments` tell. */
    | "call";
  current: unknown;
  proposed: unknown;
  proposer: Address | null;
  effectiveAt: number | null;
  /** Of one generation of the call: the same bytes submitted again are another change. */
  id?: string;
  target?: Address;
  /** null for data that is no call of the target. */
  function?: string | null;
  arguments?: Readonly<Record<string, Json>> | null;
  calldata?: Hex;
  submittedAt?: number | null;
  submittedBy?: Address | null;
  /** When this very call can be executed. */
  executableAt?: number | null;
  /** The earliest moment at which the same effect could come about in any way; null where it cannot. */
  earliestEffectAt?: number | null;
  /** It can never be executed as things stand: its function was given up. */
  isBlocked?: boolean;
  revocableBy?: readonly Address[];
}

export interface ContractRoleHolder {
  /** In the family's own word: `owner`, `curator`, `allocator`, … */
  role: string;
  account: Address;
}

/** Where the vault's assets are, and how many may be there. */
export interface Allocation {
  /** The family's own: an id of caps, a market, a strategy's address. */
  id: string;
  kind: "adapter" | "market" | "collateral" | "strategy";
  address: Address | null;
  label: string | null;
  /** What the position is worth now, in the vault's asset. */
  assets: bigint | null;
  /** null where there is none, and where the contract says "unlimited": `isAbsoluteCapped` is false then. */
  absoluteCap: bigint | null;
  isAbsoluteCapped: boolean;
  /** Of the total assets, × 10^18. */
  relativeCapE18: bigint | null;
  isRelativeCapped: boolean;
}

export interface YieldSource {
  address: Address;
  oracle: Address;
  /** What the strategy holds there, in the vault's asset; null where the source did not answer. */
  allocationAssets: bigint | null;
}

/** What a controller waits for and may take (ERC-7540: pendingRedeemRequest, claimableRedeemRequest, maxWithdraw). */
export interface RedeemRequestReading {
  controller: Address;
  pendingShares: bigint;
  claimableShares: bigint;
  claimableAssets: bigint;
}

/** The fields of a reading. */
export interface VaultState {
  /** Underlying units per whole share; null without supply. */
  pps: bigint | null;
  /**
   * The price of a share × 10^18, for families whose `pps` is sampled: exact to eighteen digits more. null where `pps` is exact as it
   * stands, and where the contract's answer for so many shares does not agree with that for one.
   */
  ppsE18: bigint | null;
  /** Decimals of `pps`: those of the asset. */
  ppsDecimals: number;
  totalAssets: bigint | null;
  totalSupply: bigint | null;
  escrowedAssets: bigint | null;
  freeAssets: bigint | null;
  isPaused: boolean | null;
  lastPpsUpdate: number | null;
  ppsExpirationSeconds: number | null;
  maxStalenessSeconds: number | null;
  minUpdateIntervalSeconds: number | null;
  isPpsStaleFlag: boolean | null;
  hwmPps: bigint | null;
  fees: { performanceFeeBps: bigint; managementFeeBps: bigint; recipient: Address } | null;
  managers: Managers;
  upkeep: { balance: bigint; requiredBalance: bigint | null; token: Address | null } | null;
  merkle: {
    root: Hex;
    proposedRoot: Hex | null;
    effectiveAt: number | null;
    isVetoed: boolean;
    /** Of the aggregator's root, which every vault falls back on: while it stands the contract refuses deposits. */
    isGlobalRootVetoed: boolean | null;
  } | null;
  yieldSources: YieldSource[];
  pendingChanges: PendingChange[];
  contractRoles: ContractRoleHolder[];
  /** Of a proxy (EIP-1967). */
  implementation: Address | null;
  allocations: Allocation[];
  liquidity: {
    idleAssets: bigint;
    /** What could be paid out at once. */
    withdrawableAssets: bigint | null;
    /** Who withdraws is paid in the same transaction. */
    isExitImmediate: boolean;
  } | null;
  /** Bad debt that the price of a share does not show. */
  lostAssets: bigint | null;
  /** As exact as the contract's; `fees` has them in basis points, the nearest. */
  feeRates: {
    performanceFeeE18: bigint | null;
    performanceFeeRecipient: Address | null;
    /** A fraction per 365 days. */
    managementFeeE18: bigint | null;
    managementFeeRecipient: Address | null;
  } | null;
  /** Of vaults whose total assets somebody reports. */
  nav: {
    proposedTotalAssets: bigint | null;
    proposedAt: number | null;
    validUntil: number | null;
    /** What those who wait in the settlement are owed, all or none of them from `liquidity.idleAssets`. */
    owedAssets: bigint | null;
  } | null;
}

export type ReadingField = keyof VaultState;

export interface VaultReading extends VaultState {
  /** What the share calls itself now; null where it did not answer. */
  name: string | null;
  symbol: string | null;
  /** Of the controllers that were asked for and answered. */
  redeemRequests: RedeemRequestReading[];
  /** Fields whose views were not answered by the node, for whatever reason but the contract's own. */
  unread: readonly ReadingField[];
  /** By field the views that reverted or answered what they do not promise. */
  failed: Readonly<Partial<Record<ReadingField, readonly string[]>>>;
  /** Fields of which a view failed for the first time: a value that was there before is not given up on that word alone. */
  doubted?: readonly ReadingField[];
}

/** A state in which nothing was answered. */
export const NO_STATE: VaultState = {
  pps: null,
  ppsE18: null,
  ppsDecimals: 0,
  totalAssets: null,
  totalSupply: null,
  escrowedAssets: null,
  freeAssets: null,
  isPaused: null,
  lastPpsUpdate: null,
  ppsExpirationSeconds: null,
  maxStalenessSeconds: null,
  minUpdateIntervalSeconds: null,
  isPpsStaleFlag: null,
  hwmPps: null,
  fees: null,
  managers: { primary: null, secondary: [] },
  upkeep: null,
  merkle: null,
  yieldSources: [],
  pendingChanges: [],
  contractRoles: [],
  implementation: null,
  allocations: [],
  liquidity: null,
  lostAssets: null,
  feeRates: null,
  nav: null,
};

/** A reading in which every contract answered nothing. */
export const NOTHING_READ: VaultReading = {
  ...NO_STATE,
  name: null,
  symbol: null,
  redeemRequests: [],
  unread: [],
  failed: {},
};

/** One that could not be made. */
export const NOT_READ: VaultReading = {
  ...NOTHING_READ,
  unread: Object.keys(NO_STATE) as ReadingField[],
};
