// What the governor's events mean beyond themselves: which oracles are followed, and which of them change every vault.
import type { Address } from "viem";
import { isZero } from "../../address.ts";
import type { FactBody } from "../../facts.ts";

/** The events that name an active price oracle. The index `facts_oracles` covers exactly these. */
export const ORACLE_EVENTS = ["ActivePPSOracleSet", "ActivePPSOracleChanged"] as const;

/** Of the governor and the aggregator: what an update of a price costs, who is paid for it, in what. */
const CONCERN_ALL: ReadonlySet<string> = new Set([
  ...ORACLE_EVENTS,
  "UpkeepPaymentsChanged",
  "GasInfoSet",
  "AddressSet",
  "UpkeepCostUpdated",
]);

export function oraclesNamed(body: FactBody): Address[] {
  if (body.kind !== "other" || body.contract !== "governor") return [];
  if (!ORACLE_EVENTS.some((event) => event === body.event)) return [];
  const { oracle, oldOracle, newOracle } = body.args;
  return [oracle, oldOracle, newOracle].filter(
    (address): address is Address => typeof address === "string" && !isZero(address),
  );
}

/** Upkeep without a vault is that of a manager, for everything managed. */
export function concernsAll(body: FactBody): boolean {
  switch (body.kind) {
    case "other":
      return (body.contract === "governor" || body.contract === "aggregator") && CONCERN_ALL.has(body.event);
    case "global_hooks_root_updated":
    case "global_hooks_root_veto_changed":
    case "upkeep_deposited":
    case "upkeep_withdrawn":
    case "upkeep_spent":
      return true;
    default:
      return false;
  }
}
