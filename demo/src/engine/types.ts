/** What the engine's parts call things among themselves. */
import type { Address } from "viem";
import type { TrioKey } from "../deployment.ts";
import type { EngineFault } from "./fault.ts";

/** A vault that the engine works for. */
export type VaultKey = TrioKey | "async";

/** How a run ended that did not fail. */
export type Outcome = "success" | "skipped";

export type Outcomes = ReadonlyMap<VaultKey, Outcome | EngineFault>;

/** An emergency exit of a vault. */
export interface Exit {
  readonly sinceMs: number;
  readonly reason: string;
  readonly by: Address;
}
