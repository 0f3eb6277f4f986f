// What each family's words are made of.
import { type Address, zeroAddress } from "viem";
import type { EveryFamily } from "../simulation/every-family.ts";

export interface Role {
  role: string;
  account: Address;
}

export interface Words {
  contract_roles: Role[];
  /** Who is what on the vault by those. */
  primary: Address[];
  secondary: Address[];
  allocations: AllocationWords[];
  liquidity: { idle_assets: bigint; withdrawable_assets: bigint | null; isImmediate: boolean };
  free_assets: bigint;
  lost_assets: bigint | null;
  fees: unknown;
  pending: PendingWords[];
  /** What a family has besides. */
  more?: Readonly<Record<string, unknown>>;
}

export interface AllocationWords {
  id: string;
  kind: string;
  address: Address | null;
  label: string | null;
  assets: bigint | null;
  /** null: as much as there is room for. */
  absolute_cap: bigint | null;
  is_absolute_capped: boolean;
  relative_cap: string | null;
  is_relative_capped: boolean;
}

export interface PendingWords {
  kind: string;
  function: string | null;
  target: Address | null;
  /** A call has it; null where none was submitted. */
  calldata: string | null;
  proposed: unknown;
  executable_at: bigint | null;
  earliest_effect_at: bigint | null;
  status: "pending" | "ready" | "blocked";
  revocable_by: Address[];
}

/** What is asked at a block. */
export interface At {
  world: EveryFamily;
  vault: Address;
  block: number;
  /** Its time. */
  now: bigint;
  ask<T>(functionName: string, args?: readonly unknown[]): Promise<T>;
  on<T>(contract: string, address: Address, functionName: string, args?: readonly unknown[]): Promise<T>;
}

export function statusAt(
  { now }: At,
  executableAt: bigint | null,
  isBlocked = false,
): PendingWords["status"] {
  if (isBlocked) return "blocked";
  return executableAt !== null && executableAt <= now ? "ready" : "pending";
}

export function holdersOf(roles: readonly Role[], ...names: readonly string[]): Address[] {
  return roles.flatMap(({ role, account }) => (names.includes(role) ? [account] : []));
}

export const somebody = (account: Address) => (account === zeroAddress ? null : account);

/** A decimal of 10^18 parts. */
export function decimal(value: bigint): string {
  const digits = value.toString().padStart(19, "0");
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, "");
}

export const byText = <T>(list: T[]) => list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
