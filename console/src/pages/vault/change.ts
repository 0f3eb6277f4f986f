// A pending change in words: what it changes, and from what to what. Pure.
import { basisPoints } from "../../format/amount.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import type { VaultState } from "./queries.ts";

export type PendingChange = VaultState["pending_changes"][number];

/** How a value is shown: text as it is, an address, a hash, or an amount of the upkeep token. */
export type ChangeValue = { as: "text" | "address" | "hash" | "upkeep"; value: string };

export interface ChangeLine {
  name: string;
  from: ChangeValue | null;
  to: ChangeValue;
}

const TITLES: Record<PendingChange["kind"], string> = {
  primary_manager: "Primary manager",
  fee_config: "Fees",
  pps_expiration: "Price expiry",
  min_update_interval: "Least time between price updates",
  hooks_root: "Hooks root",
  upkeep_withdrawal: "Upkeep withdrawal",
  call: "Call",
};

export const changeTitle = (change: PendingChange): string =>
  (change.kind === "call" && change.function) || (TITLES[change.kind] ?? words(change.kind));

/** Line by line what the change does; of several values only those that differ. */
export function changeLines({ kind, current, proposed }: PendingChange): ChangeLine[] {
  switch (kind) {
    case "primary_manager":
      return [{ name: "", from: asIf("address", current), to: as("address", proposed) }];
    case "hooks_root":
      return [{ name: "", from: asIf("hash", current), to: as("hash", proposed) }];
    case "pps_expiration":
    case "min_update_interval":
      return [{ name: "", from: seconds(current), to: seconds(proposed) }];
    case "upkeep_withdrawal":
      return [{ name: "of the balance", from: asIf("upkeep", current), to: as("upkeep", proposed) }];
    case "fee_config":
      return feeLines(current, proposed);
    // The call itself is shown (call-line.tsx).
    case "call":
      return [];
    default:
      return [{ name: "", from: as("text", current), to: as("text", proposed) }];
  }
}

const FEES: readonly [string, string, "bps" | "address"][] = [
  ["performance_fee_bps", "performance", "bps"],
  ["management_fee_bps", "management", "bps"],
  ["recipient", "recipient", "address"],
];

function feeLines(current: unknown, proposed: unknown): ChangeLine[] {
  const [before, after] = [current, proposed].map((value) => (value ?? {}) as Record<string, unknown>) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  return FEES.flatMap(([key, name, kind]) => {
    const [from, to] = [before[key], after[key]];
    if (to === undefined || to === null || from === to) return [];
    const shown = (value: unknown): ChangeValue =>
      kind === "bps" ? { as: "text", value: basisPoints(Number(value)) } : as("address", value);
    return [{ name, from: from === undefined || from === null ? null : shown(from), to: shown(to) }];
  });
}

function seconds(value: unknown): ChangeValue {
  const number = Number(value);
  return { as: "text", value: Number.isFinite(number) ? duration(number) : String(value) };
}

function as(kind: ChangeValue["as"], value: unknown): ChangeValue {
  return { as: kind, value: typeof value === "object" ? JSON.stringify(value) : String(value) };
}

const NO_ROOT = /^0x0+$/;

function asIf(kind: ChangeValue["as"], value: unknown): ChangeValue | null {
  return value === null || value === undefined || NO_ROOT.test(String(value)) ? null : as(kind, value);
}
