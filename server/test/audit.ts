// Entries for tests of the audit log: plausible ones, made from a number, so that a run can be repeated.
import type { Address, Hash } from "viem";
import type { ACTION_TYPES } from "../src/audit/entries/details.ts";
import type { AuditEntryInput } from "../src/audit/entries/entries.ts";

export const VAULTS: { chain_id: number; vault_address: Address }[] = Array.from({ length: 8 }, (_, i) => ({
  chain_id: i % 2 === 0 ? 8453 : 1,
  vault_address: `0x${(0xa0 + i).toString(16).repeat(20)}`.replaceAll(/[a-f]/g, "9") as Address,
}));

export const ACTORS: Address[] = Array.from(
  { length: 6 },
  (_, i) => `0x${String(10 + i).repeat(20)}` as Address,
);

const ONCHAIN = ["pps_update", "deposit", "withdraw", "yield_source_add", "vault_pause"] as const;

export interface MadeEntry {
  /** Unix seconds; 2026-05-01 unless told. */
  at?: number;
  isHistory?: boolean;
  vault?: number;
  actor?: number;
  action?: (typeof ACTION_TYPES)[number];
}

/** An onchain operation; the same `n` is the same operation. */
export function chainEntry(n: number, options: MadeEntry = {}): AuditEntryInput {
  const at = options.at ?? 1_777_593_600 + n * 12;
  const place = VAULTS[options.vault ?? n % VAULTS.length]!;
  return {
    action_type: options.action ?? ONCHAIN[n % ONCHAIN.length]!,
    ...place,
    actor_wallet: ACTORS[options.actor ?? (n * 7) % ACTORS.length]!,
    details: {
      yield_source: ACTORS[0],
      oracle: ACTORS[1],
      assets: String(n),
      note: `n° ${n} "quoted" \\ ; =1+1`,
    },
    block: {
      number: n,
      timestamp: at,
      hash: `0x${n.toString(16).padStart(64, "0")}` as Hash,
      txHash: `0x${(n + 7).toString(16).padStart(64, "f")}` as Hash,
      logIndex: n % 5,
    },
    ...(options.isHistory && { occurredAt: at }),
  } as unknown as AuditEntryInput;
}

/** An API action of a vault, or of none. */
export function apiEntry(
  actor: Address,
  place: { chain_id: number; vault_address: Address },
  note = "",
): AuditEntryInput {
  return {
    action_type: "alert_rule_update",
    ...place,
    actor_wallet: actor,
    details: { note },
  };
}
