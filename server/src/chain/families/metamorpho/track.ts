// What is remembered of a curated vault because no view lists it: who may allocate, which lines have or had a cap, and who submitted
// what waits.
import type { StoredFact } from "../../facts.ts";
import type { GovernanceBody, Json, TrackedChange } from "../../governance.ts";

export function track(fact: StoredFact): TrackedChange[] {
  const { body } = fact;
  if (body.kind !== "governance" || body.contract !== "vault") return [];
  const { event, args, effects } = body as GovernanceBody;
  const line = args.id as string;
  const submitted = { submitted_at: String(fact.blockTimestamp), submitted_by: fact.actorWallet };
  switch (event) {
    case "SetIsAllocator": {
      // A public allocator is one by its code: its seat is the same.
      const role = effects[0]?.role ?? "allocator";
      const value = args.isAllocator === true ? { role, account: args.allocator! } : null;
      return [{ list: "role", key: `allocator:${args.allocator}`, value }];
    }
    case "SubmitGuardian":
      return [call("guardian", submitted)];
    case "SetGuardian":
    case "RevokePendingGuardian":
      return [call("guardian", null)];
    case "SubmitTimelock":
      return [call("timelock", submitted)];
    case "SetTimelock":
    case "RevokePendingTimelock":
      return [call("timelock", null)];
    case "OwnershipTransferStarted":
      return [call("owner", submitted)];
    case "OwnershipTransferred":
      return [call("owner", null)];
    case "SubmitCap":
      return [lineOf(line), call(`cap:${line}`, submitted)];
    case "SetCap":
      return [
        lineOf(line),
        call(`cap:${line}`, null),
        ...(args.cap === "0" ? [] : [call(`removal:${line}`, null)]),
      ];
    case "RevokePendingCap":
      return [call(`cap:${line}`, null)];
    case "SubmitMarketRemoval":
      return [call(`removal:${line}`, submitted)];
    case "RevokePendingMarketRemoval":
      return [call(`removal:${line}`, null)];
    case "SetWithdrawQueue":
      return [
        ...(args.newWithdrawQueue as string[]).map(lineOf),
        ...effects
          .filter(({ action }) => action === "market_remove")
          .flatMap(({ id }) => [
            { list: "id", key: id!, value: null } as const,
            { ...call(`removal:${id}`, null), effect: id! },
          ]),
      ];
    default:
      return [];
  }
}

function lineOf(id: string): TrackedChange {
  return { list: "id", key: id, value: { id } };
}

function call(key: string, value: Readonly<Record<string, Json>> | null): TrackedChange {
  return { list: "call", key, value };
}
