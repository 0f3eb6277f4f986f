// What the monitors judge, as the stores read it. Times in Unix milliseconds, or in the API's form where they are shown.
import type { Address, Hash } from "viem";
import type { ServiceFacts } from "../../../judgements/service-status.ts";
import type { StalenessRule } from "../../../judgements/staleness.ts";
import type { BlockRef } from "./finding.ts";
import type { Unit } from "./wording.ts";

/** A vault with the words that alerts name it by. */
export interface NamedVault {
  chainId: number;
  address: Address;
  name: string | null;
  chainName: string;
  explorerUrl: string | null;
}

/** A vault as its contracts answered, at the head and at the newest confirmed reading. */
export interface ChainVault extends NamedVault {
  /** No reading yet, or its past is being filled in: what is stored is not what is. */
  isKnown: boolean;
  /** Unix seconds of the chain's newest block. */
  headSeconds: number | null;
  /** null: nothing is missing. */
  upkeep: UpkeepState | "unknown" | null;
  /** null where no confirmed reading is known, or what it follows from could not be read. */
  staleness: { confirmed: StalenessRule; head: StalenessRule } | null;
  pause: PauseState | "unknown" | null;
  veto: { root: string; txHash: Hash | null } | "unknown" | null;
  /** Of the aggregator's root, which the vault falls back on; by confirmed readings too, and unknown where `veto` is. */
  isGlobalRootVetoed: boolean;
}

export interface UpkeepState extends Unit {
  /** In the order of their blocks: the newest confirmed one (`block` null), where there is one, then all since. */
  readings: readonly UpkeepReading[];
}

export interface UpkeepReading {
  balance: bigint;
  required: bigint;
  block: BlockRef | null;
}

/** Only of a vault that is paused. */
export interface PauseState {
  since: string | null;
  by: Address | null;
  txHash: Hash | null;
  block: BlockRef | null;
  isUnconfirmed: boolean;
}

export interface ServiceState extends ServiceFacts {
  name: string;
  displayName: string;
  lastRun: string | null;
  lastError: string | null;
  /** Failed runs since the last that succeeded, 20 at most. */
  consecutiveFailures: number;
}

/** A vault with the rows of one of its services: its own, and the one of no vault in particular. */
export interface VaultService extends NamedVault {
  rows: readonly ServiceState[];
}

export interface SessionKeyState extends NamedVault {
  isReady: boolean;
  keyAddress: Address;
  expiresAt: string;
  isRotationPending: boolean;
  reason: string | null;
  reportedMs: number;
}

export interface ExitState extends NamedVault {
  since: string | null;
  by: Address | null;
}

/** The newest job of its kind that ended, which failed. */
export interface FailedJob extends NamedVault {
  kind: "generate" | "publish";
  jobId: string;
  failedAt: string;
  error: string | null;
}

/** Failed and aborted intents of one strategy ('' stands for none), newest first. */
export interface StrategyFailures extends NamedVault {
  strategyId: string;
  failures: readonly { intentId: string; atMs: number; errorCode: string | null }[];
}
