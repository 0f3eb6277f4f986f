// What the governance of a vault does, in the words of the audit log, whatever its family calls it; and what is remembered of a vault from
// its events alone, because no view lists it: who holds a role, which ids have caps, which calls wait.
//
// Values are JSON-ready: amounts and times as decimal strings, addresses EIP-55. So a fact of this kind is stored as it stands.
import type { Address, Hex } from "viem";

/** The actions of governance that have details of one shape, each with its sentence in the documentation. */
export const GOVERNANCE_ACTIONS = {
  owner_change_propose: "Another owner was proposed, who has yet to accept.",
  owner_change: "The owner changed.",
  curator_change: "The curator changed.",
  guardian_change_propose: "Another guardian was submitted.",
  guardian_change: "The guardian changed.",
  timelock_submit: "A call was submitted to the vault's own timelock.",
  timelock_accept: "A submitted call was executed that has no action of its own.",
  timelock_revoke: "A submitted call was revoked before it was executed.",
  timelock_duration_change: "The time that a call has to wait changed.",
  abdicate: "A function was given up for good: no submitted call of it can be executed.",
  cap_change_propose: "A higher cap was submitted.",
  cap_change: "A cap changed.",
  adapter_add: "An adapter was added.",
  adapter_remove: "An adapter was removed.",
  strategy_add: "A strategy was added.",
  strategy_revoke: "A strategy was revoked.",
  market_removal_propose: "The removal of a market was submitted.",
  market_remove: "A market was removed.",
  allocation_change: "Assets were moved to or from a market, an adapter or a strategy.",
  queue_change: "The order of deposits or withdrawals changed.",
  gate_change: "Another contract judges who may hold or move shares or assets.",
  max_rate_change: "The highest rate at which the price may grow changed.",
  metadata_change: "The name or the symbol changed.",
  force_deallocate: "Somebody took assets out of an adapter against a penalty.",
  loss: "The vault lost assets.",
  strategy_report: "A strategy's gain or loss was reported.",
  nav_propose: "Other total assets were proposed.",
  settle: "Requests were settled.",
  mode_change: "The vault's mode changed.",
  shutdown: "The vault was shut down.",
  signer_add: "An owner was added to a Safe.",
  signer_remove: "An owner was removed from a Safe.",
  threshold_change: "The number of signatures that a Safe asks for changed.",
  module_enable: "A module was enabled, which may act for the Safe without signatures.",
  module_disable: "A module was disabled.",
  guard_change: "The guard of a Safe changed.",
  singleton_change: "The code of a Safe changed.",
  fallback_handler_change: "The fallback handler of a Safe changed.",
  safe_execute: "A Safe executed a transaction.",
  safe_execute_fail: "A transaction of a Safe failed.",
  timelock_schedule: "An operation was scheduled in a timelock.",
  timelock_execute: "A scheduled operation was executed.",
  timelock_cancel: "A scheduled operation was cancelled.",
  timelock_delay_change: "The shortest delay of a timelock changed.",
  upgrade_propose: "Another implementation was submitted.",
  upgrade: "The implementation changed.",
  registry_change: "Another registry judges which adapters may be added.",
  liquidity_adapter_change: "Another adapter takes deposits and pays withdrawals.",
  access_rule_change: "Who may deposit, hold or withdraw changed.",
} as const;

/** Actions that other families have too, with a shape of details of their own as well. */
export type GovernanceAction =
  | keyof typeof GOVERNANCE_ACTIONS
  | "role_grant"
  | "role_revoke"
  | "fee_config_propose"
  | "fee_config_update"
  | "fee_recipient_change"
  | "high_water_mark_reset"
  | "parameter_change";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A call that an event carries. `function` and `arguments` are null for data that is no call which the target's family knows. */
export interface DecodedCall {
  target: Address;
  function: string | null;
  arguments: Readonly<Record<string, Json>> | null;
  calldata: Hex;
}

/** What one event did: one entry of the audit log. Members that do not apply are left out. */
export interface GovernanceEffect {
  action: GovernanceAction;
  /** Who gained or lost what: `owner`, `curator`, `allocator`, `guardian`, … in the family's own word. */
  role?: string;
  account?: Address | null;
  /** What of the vault it is about: an id of caps, a market, an adapter, a strategy, a selector. */
  id?: string;
  /** The unit that a cap is in. */
  cap_kind?: "absolute" | "relative" | "supply" | "debt" | "deposit";
  old?: Json;
  new?: Json;
  call?: DecodedCall;
  /** When a submitted or scheduled call can be executed: Unix seconds, as a decimal string. */
  executable_at?: string | null;
  /** The Safe, timelock or proxy admin behind a role that it is about. */
  controller?: Address;
  /** The calls of one execution, where they are several. */
  calls?: DecodedCall[];
  /** 1: a delegatecall, which runs the target's code as the Safe's own. */
  operation?: 1;
  /** The contract changed without an event of its own. */
  silent?: true;
  /** The vaults that it concerns, each of which has an entry of its own; left out where the fact names its vault. */
  vaults?: readonly Address[];
  /** The family's own timelock let it through: it stands for the acceptance of a submitted call. */
  accepted?: true;
  /** The log that submitted what was let through. */
  submitted?: LogPlace;
}

/** Names a log of a chain, as of the block that says it. */
export interface LogPlace {
  block_number: number;
  log_index: number;
}

/** Of any contract of a family's governance, or of a controller. */
export interface GovernanceBody {
  kind: "governance";
  /** Who emitted it, where that is not the vault itself. */
  contract: "vault" | "adapter" | "factory" | "proxy_admin" | "safe" | "timelock" | "proxy";
  event: string;
  /** The event's parameters by name. */
  args: Readonly<Record<string, Json>>;
  effects: readonly GovernanceEffect[];
  /** Requests to redeem with ids up to this one, a decimal string, were settled: whoever made them waits no more. */
  settledThrough?: string;
}

/** What is remembered of a vault from its events, by list and key. null: no longer. */
export interface TrackedChange {
  /** `role`: key is role:account. `id`: of caps. `call`: a waiting call, key names its generation. `contract`: followed besides. */
  list: "role" | "id" | "call" | "strategy" | "contract" | "request";
  key: string;
  value: Readonly<Record<string, Json>> | null;
  /** Of a call that ends, where its event let several through: the id of the effect that is its own. Not kept. */
  effect?: string;
}

/** By list, then key, as of a block. */
export type Tracked = Readonly<
  Partial<Record<TrackedChange["list"], ReadonlyMap<string, Readonly<Record<string, Json>>>>>
>;

export type TrackedOf = ReadonlyMap<Address, Tracked>;
