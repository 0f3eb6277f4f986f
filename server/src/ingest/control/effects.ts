// What the executions of a Safe mean for a vault: an entry where a call goes to the vault, what belongs to it, or who else stands behind its
// roles; and, for every vault behind whose roles the Safe stands, where it runs code that nobody published for Safes.
import type { Address } from "viem";
import type { DecodeCall } from "../../chain/controllers/apply-timelock.ts";
import { type InnerCall, innerCalls } from "../../chain/controllers/executions.ts";
import { isKnownLibrary } from "../../chain/controllers/safe-deployments.ts";
import type { Directory } from "../../chain/directory.ts";
import type { GovernanceEffect } from "../../chain/governance.ts";
import type { Link } from "./book.ts";

export interface Executed {
  safe: Address;
  isSuccess: boolean;
  /** The module that made it; null where owners signed. */
  module: Address | null;
  /** null where neither the transaction nor a log tells. */
  call: InnerCall | null;
}

/** Calls that are told one by one at most; there may be hundreds in one execution. */
const MOST_TOLD = 20;

export function executionEffects(
  { safe, isSuccess, module, call }: Executed,
  vaults: readonly Address[],
  parts: { directory: Directory; links: ReadonlyMap<Address, readonly Link[]>; decodeCall: DecodeCall },
): GovernanceEffect[] {
  if (call === null) return [];
  const calls = innerCalls(call);
  const isForeign = (each: InnerCall) => each.operation === 1 && !isKnownLibrary(each.to);
  return vaults.flatMap((vault) => {
    const concerns = concernsOf(vault, safe, parts);
    const told = calls.filter((each) => isForeign(each) || concerns(each));
    const [only] = told;
    if (only === undefined) return [];
    const decoded = told.slice(0, MOST_TOLD).map(({ to, data }) => parts.decodeCall(to, data));
    return {
      action: isSuccess ? "safe_execute" : "safe_execute_fail",
      controller: safe,
      ...(module && { role: "module", account: module }),
      ...(told.some(isForeign) && { operation: 1 as const }),
      ...(told.length === 1 ? { call: decoded[0]! } : { calls: decoded }),
      vaults: [vault],
    };
  });
}

function concernsOf(
  vault: Address,
  safe: Address,
  { directory, links }: { directory: Directory; links: ReadonlyMap<Address, readonly Link[]> },
): (call: InnerCall) => boolean {
  const known = directory.vault(vault);
  // The Safe itself too, where the block in which it did this has taken its role as well.
  const behind = new Set([safe, ...(links.get(vault)?.map(({ address }) => address) ?? [])]);
  const named = [vault, known?.strategy].flatMap((each) => each?.slice(2).toLowerCase() ?? []);
  return ({ to, data }) => {
    if (behind.has(to)) return true;
    const contract = directory.contract(to.toLowerCase());
    if (contract === undefined) return false;
    if (contract.vault !== null) return contract.vault === known;
    // A contract of many vaults: the one that the call names.
    return contract.source === known?.source && named.some((each) => data.includes(each));
  };
}
