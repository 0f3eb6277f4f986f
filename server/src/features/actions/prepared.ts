// A prepared action as the database holds it. Calls, what must hold, what is foretold; nothing that could sign.
import type { Address, Hash, Hex } from "viem";
import type { Precondition } from "../../chain/families/family/action.ts";
import type { Json } from "../../chain/governance.ts";

export type SenderKind = "eoa" | "safe" | "contract";

export interface PreparedCall {
  target: Address;
  value: bigint;
  data: Hex;
  function: string;
  arguments: Readonly<Record<string, Json>>;
}

/** An event of a followed contract that the calls are to make. */
export interface ForetoldEvent {
  emitter: Address;
  topics: readonly Hex[];
  data: Hex;
  /** What differs when the calls are made later: numbers of topics and of 32-byte words of the data. */
  movingTopics: readonly number[];
  movingWords: readonly number[];
  isDataMoving: boolean;
}

export interface PreparedAction {
  id: string;
  chainId: number;
  vaultAddress: Address;
  family: string;
  action: string;
  parameters: Readonly<Record<string, Json>>;
  wallet: Address;
  account: string;
  from: Address;
  fromKind: SenderKind;
  /** Of a Safe, as it says it. */
  fromVersion: string | null;
  safeNonce: bigint | null;
  calls: readonly PreparedCall[];
  events: readonly ForetoldEvent[];
  preconditions: readonly Precondition[];
  /** As it is served (`SimulationSchema`). */
  simulation: Readonly<Record<string, Json>> | null;
  simulationUnavailableReason: string | null;
  block: { number: number; hash: Hash };
  createdAt: string;
  expiresAt: string;
}
