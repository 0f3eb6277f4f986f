// The values of vaults at blocks of the past, read many at a time: what stood before an event, and until when a change has to wait.
import type { Address, Hex } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { Json } from "../../governance.ts";
import { isChainFault } from "../../rpc/fault.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import { VIEWS } from "../family/vault-views.ts";
import { ViewBatch } from "../family/view.ts";
import type { Slot } from "./changes.ts";
import { orNobody } from "./events.ts";
import { CURATED_VIEWS, type LineViews } from "./views.ts";

export interface Question {
  vault: Address;
  slot: Slot;
}

/** undefined where no contract stood or its view did not answer. */
export type Answers = ReadonlyMap<string, Json | undefined>;

export function keyOf({ vault, slot }: Question): string {
  return `${vault}:${slot}`;
}

/** By `keyOf`; null where the node has no state of that block any more. @throws ChainFault where it does badly */
export async function readSlots(
  client: ChainClient,
  views: LineViews,
  questions: readonly Question[],
  at: BlockRef,
): Promise<Answers | null> {
  const answers = new Map<string, Json | undefined>();
  try {
    const batch = new ViewBatch();
    const asked = questions.map((question) => [question, ask(batch, views, question)] as const);
    await batch.run(client, at, { isForGood: true });
    const queues: [Question, number][] = [];
    for (const [question, answer] of asked) {
      const value = answer();
      if (isQueue(question.slot)) queues.push([question, Number(value ?? -1)]);
      else answers.set(keyOf(question), value);
    }
    const entries = new ViewBatch();
    const items = queues.map(([question, length]) => {
      const entry = question.slot === "supplyQueue" ? views.supplyQueue : views.withdrawQueue;
      const places = Array.from({ length: Math.max(length, 0) }, (_, place) => BigInt(place));
      return { question, length, each: places.map((place) => entries.add(question.vault, entry, place)) };
    });
    await entries.run(client, at, { isForGood: true });
    for (const { question, length, each } of items) {
      const lines = each.map((answer) => answer());
      const isKnown = length >= 0 && lines.every((line) => line !== null);
      answers.set(keyOf(question), isKnown ? (lines as Hex[]) : undefined);
    }
    return answers;
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    return null;
  }
}

/** When a pending change may be accepted, as a decimal string; undefined where none is pending at that block, null where its state is gone. */
export async function readDueTimes(
  client: ChainClient,
  views: LineViews,
  questions: readonly Question[],
  at: BlockRef,
): Promise<Answers | null> {
  const batch = new ViewBatch();
  const asked = questions.map((question) => [question, askDue(batch, views, question)] as const);
  try {
    await batch.run(client, at, { isForGood: true });
    return new Map(asked.map(([question, due]) => [keyOf(question), due() || undefined]));
  } catch (error) {
    if (!isChainFault(error, "state_missing", "refused")) throw error;
    return null;
  }
}

function ask(batch: ViewBatch, views: LineViews, { vault, slot }: Question): () => Json | null | undefined {
  const [name, line] = slot.split(":") as [string, Hex?];
  const own = <R>(answer: () => R | null, json: (value: R) => Json) => {
    return () => {
      const value = answer();
      return value === null ? undefined : json(value);
    };
  };
  switch (name) {
    case "owner":
      return own(batch.add(vault, VIEWS.owner), orNobody);
    case "pendingOwner":
    case "curator":
    case "guardian":
    case "feeRecipient":
    case "skimRecipient":
      return own(batch.add(vault, CURATED_VIEWS[name]), orNobody);
    case "timelock":
    case "fee":
    case "lostAssets":
    case "lastTotalAssets":
      return own(batch.add(vault, CURATED_VIEWS[name]), String);
    case "name":
    case "symbol":
      return own(batch.add(vault, VIEWS[name]), String);
    case "pendingGuardian":
      return own(batch.add(vault, CURATED_VIEWS.pendingGuardian), ([next, due]) =>
        due === 0n ? null : orNobody(next),
      );
    case "pendingTimelock":
      return own(batch.add(vault, CURATED_VIEWS.pendingTimelock), ([next, due]) =>
        due === 0n ? null : String(next),
      );
    case "pendingCap":
      return own(batch.add(vault, views.pendingCap, line), ([next, due]) =>
        due === 0n ? null : String(next),
      );
    case "cap":
      return own(batch.add(vault, views.config, line), ({ cap }) => String(cap));
    case "removableAt":
      return own(batch.add(vault, views.config, line), ({ removableAt }) =>
        removableAt === 0n ? null : String(removableAt),
      );
    case "supplyQueue":
      return own(batch.add(vault, CURATED_VIEWS.supplyQueueLength), String);
    case "withdrawQueue":
      return own(batch.add(vault, CURATED_VIEWS.withdrawQueueLength), String);
    default:
      throw new Error(`no view tells ${name}`);
  }
}

function askDue(batch: ViewBatch, views: LineViews, { vault, slot }: Question): () => string {
  const [name, line] = slot.split(":");
  if (name === "removableAt") {
    const config = batch.add(vault, views.config, line);
    return () => text(config()?.removableAt);
  }
  if (name === "pendingCap") return dueOf(batch.add(vault, views.pendingCap, line));
  if (name === "pendingGuardian") return dueOf(batch.add(vault, CURATED_VIEWS.pendingGuardian));
  return dueOf(batch.add(vault, CURATED_VIEWS.pendingTimelock));
}

function dueOf(pending: () => readonly [unknown, bigint] | null): () => string {
  return () => text(pending()?.[1]);
}

function text(due: bigint | undefined): string {
  return due ? String(due) : "";
}

function isQueue(slot: Slot): boolean {
  return slot === "supplyQueue" || slot === "withdrawQueue";
}
