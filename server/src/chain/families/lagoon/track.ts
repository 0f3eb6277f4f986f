// What a Lagoon vault's events say and no view does: the total assets that are proposed and the shares that wait for their settlement, until
// when a valuation counts, rates that are yet to come, the high-water mark, the state, and the proxy's admin.
//
// Keys of the list `request`, one value each; `nav` and `due` are gone with the settlement.
import { isZero } from "../../address.ts";
import type { StoredFact } from "../../facts.ts";
import type { GovernanceBody, Json, Tracked, TrackedChange } from "../../governance.ts";

type TrackedKey =
  | "nav"
  | "due"
  | "valued"
  | "lifespan"
  | "expiration"
  | "rates"
  | "high_water_mark"
  | "state"
  | "implementation"
  | "delay";

export function track(fact: StoredFact): TrackedChange[] {
  const { body } = fact;
  if (body.kind !== "governance") return [];
  const { args } = body;
  const at = { at: fact.blockTimestamp.toString() };
  switch (body.event) {
    case "NewTotalAssetsUpdated":
      return [remember("nav", { ...at, total_assets: args.totalAssets! }), ...due(body, at)];
    case "TotalAssetsUpdated":
      return [remember("nav", null), remember("valued", at)];
    case "SettleRedeem":
      return [remember("due", null)];
    case "TotalAssetsLifespanUpdated":
      return [remember("lifespan", { seconds: args.newLifespan! })];
    case "TotalAssetsExpirationUpdated":
      return [remember("expiration", { at: args.newExpiration! })];
    case "RatesUpdated":
      return [remember("rates", { ...at, new: body.effects[0]?.new ?? null, from: args.timestamp! })];
    case "HighWaterMarkUpdated":
      return [remember("high_water_mark", { price: args.newHighWaterMark! })];
    case "StateUpdated":
      return [remember("state", { state: args.state! })];
    case "ImplementationUpdateSubmited":
      return [remember("implementation", { ...at, by: fact.actorWallet })];
    case "DelayUpdateSubmited":
      return [remember("delay", { ...at, by: fact.actorWallet })];
    case "DelayUpdated":
      return [remember("delay", null)];
    case "Upgraded":
      return [remember("implementation", null)];
    case "AdminChanged":
      return [
        { list: "contract", key: args.newAdmin as string, value: { role: "proxy_admin" } },
        ...(isZero(args.previousAdmin as string)
          ? []
          : [{ list: "contract", key: args.previousAdmin as string, value: null } as const]),
      ];
    default:
      return [];
  }
}

/** A proposal that takes no shares in leaves what an earlier one owes. */
function due({ effects }: GovernanceBody, at: { at: string }): TrackedChange[] {
  const shares = (effects[0]?.new as { pending_shares?: Json } | undefined)?.pending_shares;
  return shares === undefined || shares === "0" ? [] : [remember("due", { ...at, shares })];
}

function remember(key: TrackedKey, value: TrackedChange["value"]): TrackedChange {
  return { list: "request", key, value };
}

/** What is remembered under a key. */
export function remembered(tracked: Tracked | undefined, key: TrackedKey): TrackedChange["value"] {
  return tracked?.request?.get(key) ?? null;
}

/** An amount or a time of what is remembered. */
export function amountOf(value: TrackedChange["value"], member: string): bigint | null {
  const text = value?.[member];
  return typeof text === "string" && /^\d+$/.test(text) ? BigInt(text) : null;
}
