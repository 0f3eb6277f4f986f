// What no view of the vault lists, remembered from its events: who may have a role, which ids may have caps, which calls may wait, and which
// adapters have logs to be followed. Only candidates: at each block the views say what of it stands.
import { type Hex, keccak256 } from "viem";
import type { StoredFact } from "../../facts.ts";
import type { DecodedCall, GovernanceEffect, Json, TrackedChange } from "../../governance.ts";

export function track({ body, ...place }: StoredFact): TrackedChange[] {
  if (body.kind !== "governance") return [];
  const { event, args } = body;
  const account = args.account as string;
  switch (event) {
    case "SetIsAllocator":
      return [role("allocator", account, args.newIsAllocator), ...done(body.effects)];
    case "SetIsSentinel":
      return [role("sentinel", account, args.newIsSentinel)];
    case "AddAdapter":
      return [{ list: "contract", key: account, value: { role: "adapter" } }, ...done(body.effects)];
    case "RemoveAdapter":
      return [{ list: "contract", key: account, value: null }, ...done(body.effects)];
    case "IncreaseAbsoluteCap":
    case "DecreaseAbsoluteCap":
    case "IncreaseRelativeCap":
    case "DecreaseRelativeCap":
      return [{ list: "id", key: String(args.id), value: { idData: args.idData! } }, ...done(body.effects)];
    case "Submit":
      return body.effects.flatMap(({ call }) => (call ? [waiting(call, place)] : []));
    case "Revoke":
      return body.effects.flatMap(({ call }) => (call ? [gone(call)] : []));
    default:
      return done(body.effects);
  }
}

function role(name: string, account: string, isHeld: Json | undefined): TrackedChange {
  return { list: "role", key: `${name}:${account}`, value: isHeld ? { role: name, account } : null };
}

/** Its generation is that of its `Submit`: the same bytes can be submitted again once they were accepted or revoked. */
function waiting(call: DecodedCall, place: Omit<StoredFact, "body">): TrackedChange {
  const value = {
    id: `${place.txHash}:${place.logIndex}`,
    target: call.target,
    calldata: call.calldata,
    submittedAt: place.blockTimestamp,
    submittedBy: place.actorWallet,
  };
  return { list: "call", key: keyOf(call), value };
}

function done(effects: readonly GovernanceEffect[]): TrackedChange[] {
  return effects.flatMap(({ accepted, call }) => (accepted && call ? [gone(call)] : []));
}

function gone(call: DecodedCall): TrackedChange {
  return { list: "call", key: keyOf(call), value: null };
}

/** At most one generation of a call waits at a time. */
function keyOf({ target, calldata }: DecodedCall): string {
  return `${target}:${keccak256(calldata as Hex)}`;
}
