// What an event's neighbours in its transaction say of it: pure. The call that was accepted stands in `Accept` before its effect; and assets
// move to and from adapters not only as an allocator wants, but with every deposit and withdrawal where the vault has a liquidity adapter.
import type { Hex } from "viem";
import { checksum } from "../../address.ts";
import type { GovernanceBody, GovernanceEffect } from "../../governance.ts";
import { decodeCall } from "../family/call.ts";
import type { Decoded } from "../family/family.ts";
import { functionsOf } from "./decode.ts";
import { selectorOf } from "./functions.ts";

/** What one contract emitted in each transaction, in order. */
export type Neighbours = ReadonlyMap<string, readonly Decoded[]>;

export function neighboursOf(decoded: readonly Decoded[]): Neighbours {
  return Map.groupBy(decoded, placeOf);
}

function placeOf({ log }: Decoded): string {
  return `${log.txHash} ${log.address}`;
}

/** The effects in the light of what stands beside the event. */
export function effectsBeside(
  decoded: Decoded,
  body: GovernanceBody,
  neighbours: Neighbours,
): readonly GovernanceEffect[] {
  const own = neighbours.get(placeOf(decoded)) ?? [decoded];
  const at = own.findIndex(({ log }) => log.logIndex === decoded.log.logIndex);
  if (body.contract === "vault" && body.event === "Allocate") return isOfDeposit(own, at) ? [] : body.effects;
  if (body.contract === "vault" && body.event === "Deallocate") return isOfExit(own, at) ? [] : body.effects;
  const call = acceptedCall(body, own.slice(0, at));
  return call ? body.effects.map((effect) => ({ ...effect, accepted: true, call })) : body.effects;
}

function acceptedCall({ contract, event }: GovernanceBody, before: readonly Decoded[]) {
  const functions = functionsOf(contract);
  const accept = before.findLast(({ body }) => {
    if (body.kind !== "governance" || body.event !== "Accept") return false;
    const name = functions.get(selectorOf(body.args.data as Hex))?.name;
    // Each of them is named like the event that it emits.
    return name !== undefined && event === name[0]!.toUpperCase() + name.slice(1);
  });
  if (accept?.body.kind !== "governance") return null;
  return decodeCall(functions, checksum(accept.log.address.slice(2)), accept.body.args.data as Hex);
}

/** A deposit goes on to the liquidity adapter, whole; in between the vault looks once more what it is worth. */
function isOfDeposit(own: readonly Decoded[], at: number): boolean {
  const { body, actor } = own[at]!;
  const before = own.slice(0, at).findLast((each) => nameOf(each) !== "AccrueInterest");
  return (
    before?.body.kind === "deposit" &&
    before.actor === actor &&
    body.kind === "governance" &&
    before.body.assets.toString() === body.args.assets
  );
}

/** What a withdrawal lacks comes from the liquidity adapter, and at once its shares are burnt; a way out by force begins with what it takes. */
const WITHDRAWAL = /^(shares_burned )?withdraw /;
const FORCE = /^AccrueInterest (shares_minted )*(Deallocate )?(shares_burned )?withdraw ForceDeallocate /;

function isOfExit(own: readonly Decoded[], at: number): boolean {
  const after = own.slice(at + 1, at + 10);
  const names = after.map((each) => `${nameOf(each)} `).join("");
  const isOwn = (each: Decoded | undefined) => each?.actor === own[at]!.actor;
  if (WITHDRAWAL.test(names)) return isOwn(after.find((each) => nameOf(each) === "withdraw"));
  return FORCE.test(names) && isOwn(after.find((each) => nameOf(each) === "ForceDeallocate"));
}

function nameOf({ body }: Decoded): string {
  return body.kind === "governance" ? body.event : body.kind;
}
