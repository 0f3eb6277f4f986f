// The fourteen roles of a Yearn V3 vault: the bits of a mask, from the lowest on. Vyper's flags are words in topics.
import type { Access } from "../family/family.ts";

export const ROLE_BITS = [
  "add_strategy_manager",
  "revoke_strategy_manager",
  "force_revoke_manager",
  "accountant_manager",
  "queue_manager",
  "reporting_manager",
  "debt_manager",
  "max_debt_manager",
  "deposit_limit_manager",
  "withdraw_limit_manager",
  "minimum_idle_manager",
  "profit_unlock_manager",
  "debt_purchaser",
  "emergency_manager",
] as const;

/** Bits that are not known stand as their number. */
export function rolesIn(mask: bigint): string[] {
  const names: string[] = [];
  for (let bit = 0; mask >> BigInt(bit) > 0n; bit += 1)
    if ((mask >> BigInt(bit)) & 1n) names.push(ROLE_BITS[bit] ?? `role_${bit}`);
  return names;
}

/** What the holder of a role may do here: the role manager everything, who holds any bit what a secondary manager may. */
export const ACCESS: Access = {
  role_manager: "primary",
  ...Object.fromEntries(ROLE_BITS.map((role) => [role, "secondary" as const])),
};
