// An audit log for the figures to measure: entries of a busy deployment, made from their number, so that runs compare.
// 200 vaults on four chains; two thirds price updates by 20 keepers, the rest flows of 20,000 users and managers' work.
import { type Address, getAddress, type Hash } from "viem";
import type { AuditEntryInput } from "../../server/src/audit/entries/entries.ts";

const WALLETS = new Map<number, Address>();
const CHAINS = [1, 8453, 999, 14];
const FIRST_SECOND = 1_735_689_600;
const SECONDS_PER_ENTRY = 3;

export interface Place {
  chain_id: number;
  vault_address: Address;
}

export const PLACES: Place[] = Array.from({ length: 200 }, (_, i) => ({
  chain_id: CHAINS[i % 4]!,
  vault_address: wallet(1_000_000 + i),
}));

export const KEEPERS: Address[] = Array.from({ length: 20 }, (_, i) => wallet(2_000_000 + i));

/** When operations stand: the first at `firstSecond` (Unix), one each so many seconds. */
export interface Pace {
  firstSecond: number;
  secondsPerEntry: number;
}

/** The n-th operation, as history: one each 3 s from 2025 on unless told. */
export function operation(
  n: number,
  { firstSecond, secondsPerEntry }: Pace = { firstSecond: FIRST_SECOND, secondsPerEntry: SECONDS_PER_ENTRY },
): AuditEntryInput {
  const random = scramble(n);
  const place = PLACES[random % PLACES.length]!;
  const kind = (random >>> 10) % 100;
  const at = Math.floor(firstSecond + n * secondsPerEntry);
  const block = {
    number: 20_000_000 + Math.floor(n / 4),
    timestamp: at - (at % 12),
    hash: hash(Math.floor(n / 4)),
    txHash: hash(n + 1_000_000_000),
    logIndex: n % 4,
  };
  const shared = { ...place, block, occurredAt: block.timestamp };
  const amount = `${String(1_000_000 + (random % 1_000_000))}000000000000`;
  const user = wallet(3_000_000 + (scramble(random) % 20_000));
  if (kind < 66) {
    return {
      ...shared,
      action_type: "pps_update",
      actor_wallet: KEEPERS[(random % PLACES.length) % KEEPERS.length]!,
      details: { pps: amount, pps_timestamp: "2026-05-09T10:00:00.000000Z" },
    };
  }
  if (kind < 90) {
    return {
      ...shared,
      action_type: kind < 80 ? "deposit" : "withdraw",
      actor_wallet: user,
      details: { sender: user, receiver: user, owner: user, assets: amount, shares: amount },
    } as AuditEntryInput;
  }
  const manager = wallet(4_000_000 + (random % PLACES.length));
  return {
    ...shared,
    action_type: kind < 95 ? "yield_source_add" : "merkle_root_update",
    actor_wallet: manager,
    details: kind < 95 ? { yield_source: user, oracle: manager } : { old_root: hash(random), root: hash(n) },
  } as AuditEntryInput;
}

/** Checksummed, as the service writes addresses. */
function wallet(n: number): Address {
  const address = WALLETS.get(n) ?? getAddress(`0x${(n * 7919).toString(16).padStart(40, "0")}`);
  WALLETS.set(n, address);
  return address;
}

function hash(n: number): Hash {
  return `0x${n.toString(16).padStart(64, "0")}`;
}

/** A fixed permutation-like mix of 32 bits (the finaliser of MurmurHash3). */
function scramble(n: number): number {
  let x = Math.imul(n ^ (n >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
