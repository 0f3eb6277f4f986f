// What is known of an account that stands behind a role, as of a block. JSON-ready: it is stored as it stands.
import type { Address, Hex } from "viem";
import type { DecodedCall } from "../governance.ts";

/** `eoa`: no code, or code that an account of a key has delegated to (EIP-7702). `contract`: anything that is none of the others. */
export type ControllerKind = "eoa" | "safe" | "timelock" | "proxy_admin" | "contract";

export interface ControllerState {
  kind: ControllerKind;
  version: string | null;
  /** Of a Safe. */
  owners: readonly Address[];
  threshold: number | null;
  modules: readonly Address[];
  guard: Address | null;
  moduleGuard: Address | null;
  fallbackHandler: Address | null;
  singleton: Address | null;
  /** Of a proxy admin. */
  owner: Address | null;
  timelock: TimelockState | null;
}

export interface TimelockState {
  minDelaySeconds: number | null;
  /** null until its own logs since its creation have been read: no view lists them. */
  holders: TimelockHolders | null;
  operations: readonly Operation[];
}

export const TIMELOCK_ROLES = ["proposer", "executor", "canceller", "admin"] as const;
export type TimelockRole = (typeof TIMELOCK_ROLES)[number];
export type TimelockHolders = Readonly<Record<TimelockRole, readonly Address[]>>;

/** A scheduled operation that has neither been executed nor cancelled. Times are Unix seconds. */
export interface Operation {
  id: Hex;
  calls: readonly OperationCall[];
  /** The operation that must be executed first. */
  predecessor: Hex | null;
  scheduledAt: number;
  scheduledBy: Address | null;
  executableAt: number | null;
  /** Its predecessor is not executed. */
  isBlocked: boolean;
}

export interface OperationCall extends DecodedCall {
  /** Of the chain's currency, in its smallest unit. */
  value: string;
}

export const NO_HOLDERS: TimelockHolders = { proposer: [], executor: [], canceller: [], admin: [] };

/** An account of which nothing but its kind is to be told. */
export function plainState(kind: ControllerKind): ControllerState {
  return {
    kind,
    version: null,
    owners: [],
    threshold: null,
    modules: [],
    guard: null,
    moduleGuard: null,
    fallbackHandler: null,
    singleton: null,
    owner: null,
    timelock: null,
  };
}

/** Who stands behind it: the owners of a Safe, the proposers of a timelock, the owner of a proxy admin. */
export function membersOf(state: ControllerState): readonly Address[] {
  switch (state.kind) {
    case "safe":
      return state.owners;
    case "timelock":
      return state.timelock?.holders?.proposer ?? [];
    case "proxy_admin":
      return state.owner === null ? [] : [state.owner];
    default:
      return [];
  }
}
