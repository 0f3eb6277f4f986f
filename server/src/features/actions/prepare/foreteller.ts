// What the actions ask of the rest of the service: how a vault stands, and what calls would do to it. `service/foretelling.ts` answers.
import type { Address, Hash, Hex } from "viem";
import type { ForetoldEntry } from "../../../audit/append/foretold.ts";
import type { ChainClient } from "../../../chain/client/client.ts";
import type { SimulatedLog } from "../../../chain/client/simulate.ts";
import type { KnownVault } from "../../../chain/directory.ts";
import type { ActionCall, KnownController } from "../../../chain/families/family/action.ts";
import type { Family } from "../../../chain/families/family/family.ts";
import type { Tracked } from "../../../chain/governance.ts";
import type { ContractRoleHolder, VaultReading } from "../../../chain/reading.ts";

export interface Foreteller {
  /** null where the vault is not followed any more. @throws ChainFault */
  stand(chainId: number, vault: Address): Promise<Standing | null>;
  /** At the newest block. @throws ChainFault */
  codeAt(chainId: number, address: Address): Promise<Hex>;
}

/** A vault at the newest block. */
export interface Standing {
  family: Family;
  vault: KnownVault;
  block: { number: number; hash: Hash; timestamp: number };
  reading: VaultReading;
  tracked: Tracked;
  controllers: readonly KnownController[];
  roles: readonly ContractRoleHolder[];
  multicall: ChainClient["multicall"];
  /** Whether the calls succeed, all of them, and no more than that: it asks the node alone. @throws ChainFault */
  attempt(asked: Pick<AskedCalls, "from" | "calls">, signal: AbortSignal): Promise<Attempt>;
  /** @throws ChainFault, and what the database throws */
  foretell(asked: AskedCalls, signal: AbortSignal): Promise<Foretelling>;
}

export interface AskedCalls {
  from: Address;
  /** Whoever sends its transactions is not known then. */
  isContract: boolean;
  /** It makes the calls by a transaction that its owners sign, and says so. */
  isSafe: boolean;
  calls: readonly ActionCall[];
  execution: { calls: readonly ActionCall[]; delaySeconds: number; from: Address | null } | null;
}

/** `reverted`: the first call that did, with what it said. */
export interface Attempt {
  method: "eth_simulateV1" | "eth_call";
  reverted: Moment["reverted"];
}

export type Foretelling =
  | {
      method: "eth_simulateV1";
      now: Times;
      atExecution: Times | null;
      events: ForetoldLog[];
      laterEvents: ForetoldLog[] | null;
    }
  /** The first call alone, where the node does not simulate. */
  | { method: "eth_call"; moment: BlockTime; success: boolean; data: Hex };

export interface BlockTime {
  number: number;
  timestamp: number;
}

/** The same at two times: what differs, moves with time. */
export interface Times {
  /** The record as it is without the calls. */
  before: Readonly<Record<string, unknown>>;
  sooner: Moment;
  /** null where it cannot be done later. */
  later: Moment | null;
}

export interface Moment extends BlockTime {
  /** Null where every call succeeded; then so is the rest. */
  reverted: { call: number; data: Hex } | null;
  record: Readonly<Record<string, unknown>>;
  entries: readonly ForetoldEntry[];
  alerts: readonly ForetoldAlert[];
  /** In place of those that only the mined block has. */
  hashes: readonly string[];
}

export interface ForetoldAlert {
  category: string;
  severity: "info" | "warning" | "critical";
  title: string;
  message: string;
}

/** Of a followed contract. */
export type ForetoldLog = SimulatedLog;
