// Action: what may be done to a vault through its contracts, as a family's table says it. From one table come the catalogue, the form, the calls
// with what must hold for them, and the descriptors by which wallets show them. Nothing here signs or sends.
//
// How an action is prepared: `plan` is given the parameters in canonical form (`parameters.ts`), the state as it was read at a block, and the chain at
// that block for what no reading holds. It answers the exact calls and, one by one, what must hold; the first condition that does not is the
// reason why the action is refused.
import type { Address, Hash, Hex } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import type { Json, Tracked } from "../../governance.ts";
import type { VaultReading } from "../../reading.ts";

/** How a value is written, checked and shown. Numbers of the chain are decimal strings. */
export type ParameterKind =
  | "address"
  /** Raw units of the vault's asset. */
  | "assets"
  /** Raw units of the vault's shares. */
  | "shares"
  /** Raw units of another token, or a number without a unit. */
  | "integer"
  /** Basis points: 1 is 0.01 %. */
  | "bps"
  /** × 10^18. */
  | "fraction"
  | "seconds"
  | "bytes32"
  /** Bytes of any length. */
  | "bytes"
  | "bytes4"
  | "boolean"
  | "text"
  /** One of `choices`. */
  | "choice"
  /** Many of one kind, `of`. */
  | "list";

export interface Parameter {
  kind: ParameterKind;
  title: string;
  description?: string;
  isOptional?: true;
  choices?: readonly string[];
  /** Of a list. */
  of?: Exclude<ParameterKind, "list" | "choice">;
  /** It names what waits: a pending change by its `id`, an operation in a timelock. An alert about such a change tells which. */
  waits?: "change" | "operation";
}

/** A function that an action calls: what the descriptors are made of. */
export interface ActionFunction {
  /** What kind of contract is called. */
  contract: "vault" | "strategy" | "aggregator" | "adapter" | "safe" | "timelock";
  /** With the names of its parameters: `setCurator(address newCurator)`. */
  signature: string;
  /** By the function's parameter what people read beside it, and as what it is shown; what is left out is shown as it is. */
  fields: Readonly<Record<string, { label: string; kind: ParameterKind }>>;
}

export interface ActionCall {
  to: Address;
  value: bigint;
  data: Hex;
  function: string;
  arguments: Readonly<Record<string, Json>>;
}

export interface Precondition {
  ok: boolean;
  /** A sentence, true when `ok`. */
  text: string;
  /** Why it does not hold, where it does not. */
  reason?: string;
}

export interface ActionPlan {
  calls: readonly ActionCall[];
  preconditions: readonly Precondition[];
  /** What makes a timelocked action come true: these calls, `delaySeconds` after the first ones; by anybody where `from` is null. */
  execution?: { calls: readonly ActionCall[]; delaySeconds: number; from: Address | null };
}

/** An account behind a role, as far as it is known (`controllers/state.ts` says more). */
export interface KnownController {
  address: Address;
  roles: readonly string[];
  state: {
    kind: string;
    version: string | null;
    owners: readonly Address[];
    timelock: {
      holders: { canceller: readonly Address[] } | null;
      operations: readonly { id: Hex }[];
    } | null;
  } | null;
}

export interface ActionContext {
  vault: KnownVault;
  /** In canonical form, as the action's `parameters` promise. */
  parameters: Readonly<Record<string, Json>>;
  from: Address;
  /** The block as of which everything is read; Unix seconds. */
  block: { number: number; hash: Hash; timestamp: number };
  reading: VaultReading;
  tracked: Tracked;
  controllers: readonly KnownController[];
  /** Asks the chain. */
  multicall: ChainClient["multicall"];
}

export interface Action {
  /** In lower case with underscores, one of a kind in its family. */
  name: string;
  title: string;
  description: string;
  /** Contract roles in the family's own words, any of which will do; none: anybody may. */
  who: readonly string[];
  parameters: Readonly<Record<string, Parameter>>;
  functions: readonly ActionFunction[];
  /** What it does has to wait: in the vault's own timelock, or as a proposal. */
  isTimelocked: boolean;
  /**
   * It takes risk away, at once, and adds none: it may be handed to bots. Where values are given, with those parameters alone. Left out: it is not so.
   */
  deRisks?: true | Readonly<Record<string, Json>>;
  /** How long, in seconds, as the contract has it now; null where only the parameters tell. */
  delaySeconds?(context: Omit<ActionContext, "parameters" | "from">): Promise<number | null>;
  /** Who holds one of those roles, where the vault's reading does not list them. */
  holders?(context: Omit<ActionContext, "from">): Promise<readonly Address[]>;
  plan(context: ActionContext): Promise<ActionPlan>;
}
