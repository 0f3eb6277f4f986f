// What a curated vault's events leave out: what stood before them, who the owner was that did what only the owner may, until when a
// submitted change has to wait, which markets fell out of a queue, and whether a caller is one that anybody may act through.
//
// Of a run of events only the first of each value is read, at the block before; what follows is known from the events themselves.
import type { Address } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { GovernanceBody, GovernanceEffect, Json } from "../../governance.ts";
import type { Decoded } from "../family/family.ts";
import { amount, CHANGES, type Slot, subjectOf } from "./changes.ts";
import type { PublicAllocators } from "./public-allocators.ts";
import { type Answers, keyOf, type Question, readDueTimes, readSlots } from "./slots.ts";
import type { LineViews } from "./views.ts";

type Governed = Decoded & { vaultAddress: Address; body: GovernanceBody };

/** A queue holds at most so many lines, and each rounds what is booked of it by one unit at most: so much is no loss. */
const MOST_ROUNDING = 30n;

export async function complete(
  client: ChainClient,
  views: LineViews,
  allocators: PublicAllocators,
  decoded: readonly Decoded[],
): Promise<Decoded[]> {
  const governed = decoded.filter(isOfAVault);
  const [{ answers: before, missing }, { times: dueTimes, untold }] = await Promise.all([
    readBefore(client, views, governed),
    readDue(client, views, governed),
    allocators.learn(client, governed.filter(({ needs }) => needs !== null).flatMap(callersOf)),
  ]);
  const makers = new Set(governed.filter(isFirstOwner).map(placeOf));
  /** What stands in each slot as the events go by. */
  const values = new Map(before);
  return decoded.map((each) => {
    if (!isOfAVault(each)) return { ...each, needs: null };
    const { body, vaultAddress: vault } = each;
    const inForce = (slot: Slot) => values.get(keyOf({ vault, slot }));
    const isPartial = untold.has(each) || wantedOf(each).some((slot) => missing.has(keyOf({ vault, slot })));
    const due = dueTimes.get(each) ?? dueAtOnce(each, inForce("timelock"));
    let done: Decoded = each;
    if (each.needs === "state") {
      const effects = effectsOf(body, inForce, due, (account) => allocators.has(client, account));
      // What a constructor emits, the one did who made the vault, whatever made it for them.
      const isOpen = makers.has(placeOf(each)) || (each.actor !== null && allocators.has(client, each.actor));
      const owner = CHANGES[body.event]?.byOwner ? (inForce("owner") as Address | undefined) : undefined;
      done = {
        ...each,
        actor: isOpen ? null : (owner ?? each.actor),
        needs: null,
        ...(isPartial && { isPartial }),
        body: { ...body, effects },
      };
    }
    for (const [slot, value] of CHANGES[body.event]?.after(body.args) ?? []) {
      values.set(keyOf({ vault, slot }), value === true ? (due ?? true) : value);
      missing.delete(keyOf({ vault, slot }));
    }
    return done;
  });
}

function effectsOf(
  body: GovernanceBody,
  inForce: (slot: Slot) => Json | undefined,
  due: string | null,
  isPublic: (account: Address) => boolean,
): GovernanceEffect[] {
  const change = CHANGES[body.event];
  const subject = subjectOf(body);
  const old = subject === null ? undefined : inForce(subject);
  if (body.event === "UpdateLostAssets") return lossOf(old, body.args.newLostAssets!, 1n);
  if (body.event === "AccrueInterest") return lossOf(old, body.args.newTotalAssets!, -1n);
  const effects = body.effects.map((effect): GovernanceEffect => {
    if (effect.role === "allocator" && effect.account && isPublic(effect.account))
      return { ...effect, role: "public_allocator" };
    const isAccepted = old !== undefined && change?.wasHeldBack?.(old, effect.new ?? null);
    return {
      ...effect,
      ...(old === undefined ? {} : { old }),
      ...(change?.waits ? { executable_at: due } : {}),
      ...(isAccepted ? { accepted: true } : {}),
    };
  });
  if (body.event !== "SetWithdrawQueue" || !Array.isArray(old)) return effects;
  const kept = new Set(body.args.newWithdrawQueue as string[]);
  const dropped = (old as string[]).filter((line) => !kept.has(line));
  return [...effects, ...dropped.map((id) => ({ action: "market_remove", id }) as const)];
}

/** What is lost grew, or the total assets, of which no interest takes any, fell. */
function lossOf(old: Json | undefined, now: Json, sign: 1n | -1n): GovernanceEffect[] {
  if (old === undefined || (amount(now) - amount(old)) * sign <= MOST_ROUNDING) return [];
  return [{ action: "loss", old, new: now }];
}

/** Of what is gone again at the end of its block: the timelock counts from the block's time. */
function dueAtOnce({ log }: Governed, timelock: Json | undefined): string | null {
  if (log.blockTimestamp === null || typeof timelock !== "string") return null;
  return String(BigInt(log.blockTimestamp) + amount(timelock));
}

/** What must be known of the state before a fact. */
function wantedOf({ body }: Governed): Slot[] {
  const change = CHANGES[body.event];
  const subject = subjectOf(body);
  return [
    ...(subject === null ? [] : [subject]),
    ...(change?.byOwner ? ["owner" as const] : []),
    ...(change?.waits ? ["timelock" as const] : []),
  ];
}

/** The slots that no earlier event of the run tells, at the block before the first that asks for them; and those of which the node lacks the state. */
async function readBefore(
  client: ChainClient,
  views: LineViews,
  governed: readonly Governed[],
): Promise<{ answers: Answers; missing: Set<string> }> {
  const known = new Set<string>();
  // A vault that keeps losses apart says so in every accrual, and its total never falls by one.
  const apart = new Set(governed.filter(({ body }) => body.event === "UpdateLostAssets").map(placeOf));
  const byBlock = new Map<number, Question[]>();
  for (const fact of governed) {
    const { body, vaultAddress: vault, log, needs } = fact;
    const change = CHANGES[body.event];
    if (change === undefined) continue;
    const isAsked = needs === "state" && !(body.event === "AccrueInterest" && apart.has(placeOf(fact)));
    for (const slot of isAsked ? wantedOf(fact) : []) {
      const question = { vault, slot };
      if (known.has(keyOf(question))) continue;
      known.add(keyOf(question));
      byBlock.set(log.blockNumber, [...(byBlock.get(log.blockNumber) ?? []), question]);
    }
    for (const [slot] of change.after(body.args)) known.add(keyOf({ vault, slot }));
  }
  const missing = new Set<string>();
  const answers = await Promise.all(
    [...byBlock].map(async ([number, questions]) => {
      const told = await readSlots(client, views, questions, { number: number - 1 });
      if (told === null) for (const question of questions) missing.add(keyOf(question));
      return told ?? [];
    }),
  );
  return { answers: new Map(answers.flatMap((each) => [...each])), missing };
}

/** Of the changes that wait, as their block leaves them. */
async function readDue(
  client: ChainClient,
  views: LineViews,
  governed: readonly Governed[],
): Promise<{ times: ReadonlyMap<Decoded, string | null>; untold: ReadonlySet<Decoded> }> {
  const untold = new Set<Decoded>();
  const waiting = governed.filter(({ body, needs }) => needs === "state" && CHANGES[body.event]?.waits);
  const byBlock = Map.groupBy(waiting, ({ log }) => log.blockNumber);
  const times = await Promise.all(
    [...byBlock.values()].map(async (facts) => {
      const { blockNumber, blockHash } = facts[0]!.log;
      const questions = facts.map(({ body, vaultAddress: vault }) => ({
        vault,
        slot: CHANGES[body.event]!.after(body.args)[0]![0],
      }));
      const answers = await readDueTimes(client, views, questions, { number: blockNumber, hash: blockHash });
      if (answers === null) for (const fact of facts) untold.add(fact);
      return facts.map((fact, index) => [fact, answers?.get(keyOf(questions[index]!))] as const);
    }),
  );
  const told = times.flat().filter((each): each is [Governed, string] => each[1] !== undefined);
  return { times: new Map(told), untold };
}

/** Accounts that may be public allocators. */
function callersOf({ body, actor, log }: Governed): { account: Address; blockNumber: number }[] {
  const { blockNumber } = log;
  if (body.event === "SetIsAllocator") return [{ account: body.args.allocator as Address, blockNumber }];
  const isMove = body.event === "ReallocateSupply" || body.event === "ReallocateWithdraw";
  return isMove && actor !== null ? [{ account: actor, blockNumber }] : [];
}

function isOfAVault(decoded: Decoded): decoded is Governed {
  const { body, vaultAddress } = decoded;
  return body.kind === "governance" && body.contract === "vault" && vaultAddress !== null;
}

function isFirstOwner({ body, actor }: Governed): boolean {
  return body.event === "OwnershipTransferred" && actor === null;
}

function placeOf({ log, vaultAddress }: Governed): string {
  return `${vaultAddress}:${log.txHash}`;
}
