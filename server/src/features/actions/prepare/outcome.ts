// What is foretold, as it is served: what changes in the record, which entries and alerts come of it, and what of it moves with time. Pure.
import type { Hex } from "viem";
import type { ForetoldEntry } from "../../../audit/append/foretold.ts";
import { checksum } from "../../../chain/address.ts";
import type { CallTable } from "../../../chain/families/family/call.ts";
import { decodeRevert } from "../../../chain/families/family/reverts.ts";
import { timestampOfSeconds } from "../../../platform/http/time.ts";
import type { ForetoldEvent } from "../prepared.ts";
import type { Foretelling, ForetoldLog, Times } from "./foreteller.ts";

/** Of the record, but for where it was read. */
const LEFT_OUT = new Set(["as_of"]);
/** Yields rest on how far apart the newest price and the oldest are: any block moves them, and an hour later they may be the same again. */
const OVER_TIME = /^(unavailable_reasons\.)?apy/;

export interface Change {
  field: string;
  before: unknown;
  after: unknown;
  moves_with_time: boolean;
}

/**
 * Every member of the record that is another after than before, by its dotted path; `later` null: all of it may move. What holds one of the hashes
 * that stand in for those of the mined block is null.
 */
export function changesOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  later: Readonly<Record<string, unknown>> | null,
  hashes: readonly string[] = [],
): Change[] {
  const [old, now, then] = [before, after, later].map((record) => leavesOf(record ?? {}));
  const fields = [...new Set([...old!.keys(), ...now!.keys()])].sort();
  return fields.flatMap((field) => {
    const value = now!.get(field) ?? null;
    const was = old!.get(field) ?? null;
    if (isSame(was, value)) return [];
    const moves = later === null || OVER_TIME.test(field) || !isSame(then!.get(field) ?? null, value);
    const isNamed = typeof value === "string" && hashes.some((hash) => value.includes(hash));
    return [{ field, before: was, after: isNamed ? null : value, moves_with_time: moves }];
  });
}

/** The members that hold no others; an empty list or object is one. */
function leavesOf(record: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (path: string, value: unknown) => {
    if (typeof value !== "object" || value === null) leaves.set(path, value);
    else if (Object.keys(value).length === 0) leaves.set(path, value);
    else for (const [name, member] of Object.entries(value)) walk(`${path}.${name}`, member);
  };
  for (const [name, value] of Object.entries(record)) if (!LEFT_OUT.has(name)) walk(name, value);
  return leaves;
}

/** Leaves alone: an empty container is the same as one that is not there. */
function isSame(a: unknown, b: unknown): boolean {
  const isNothing = (value: unknown) => value === null || typeof value === "object";
  return a === b || (isNothing(a) && isNothing(b));
}

/** The entries with null for what differs when the calls are made later. */
export function entriesOf(
  sooner: readonly ForetoldEntry[],
  later: readonly ForetoldEntry[] | null,
): ForetoldEntry[] {
  if (later?.length !== sooner.length) return [...sooner];
  return sooner.map((entry, index) => ({
    ...entry,
    details: unmoved(entry.details, later[index]!.details) as Record<string, unknown>,
  }));
}

/** null wherever the two differ; what differs in kind or length does as a whole. */
function unmoved(a: unknown, b: unknown): unknown {
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length ? a.map((each, index) => unmoved(each, b[index])) : null;
  if (typeof a === "object" && a !== null) {
    if (typeof b !== "object" || b === null || Array.isArray(b)) return null;
    const other = b as Record<string, unknown>;
    return Object.fromEntries(Object.entries(a).map(([name, value]) => [name, unmoved(value, other[name])]));
  }
  return a === b ? a : null;
}

/** The events by which the calls are known again, with the places where they move. */
export function eventsOf(
  sooner: readonly ForetoldLog[],
  later: readonly ForetoldLog[] | null,
): ForetoldEvent[] {
  return sooner.map((log, index) => {
    const other = later?.[index];
    const isComparable =
      other !== undefined &&
      other.address === log.address &&
      other.topics.length === log.topics.length &&
      other.topics[0] === log.topics[0];
    const { address, topics, data } = log;
    const event = { emitter: checksum(address.slice(2)), topics, data };
    if (!isComparable || later?.length !== sooner.length)
      return {
        ...event,
        movingTopics: topics.map((_, nth) => nth).slice(1),
        movingWords: [],
        isDataMoving: true,
      };
    return {
      ...event,
      movingTopics: topics.flatMap((topic, nth) => (topic === other.topics[nth] ? [] : [nth])),
      movingWords: data.length === other.data.length ? movingWords(data, other.data) : [],
      isDataMoving: data.length !== other.data.length,
    };
  });
}

const WORD = 64;

function movingWords(a: Hex, b: Hex): number[] {
  const words: number[] = [];
  for (let at = 2; at < a.length; at += WORD)
    if (a.slice(at, at + WORD) !== b.slice(at, at + WORD)) words.push((at - 2) / WORD);
  return words;
}

export interface Told {
  block_hash: string;
  errors: CallTable | undefined;
}

/** As the API serves it. */
export function simulationOf(
  foretelling: Foretelling,
  { block_hash, errors }: Told,
): Record<string, unknown> {
  if (foretelling.method === "eth_call") {
    const { success, data, moment } = foretelling;
    return {
      method: "eth_call",
      block_hash,
      block_number: moment.number,
      block_timestamp: timestampOfSeconds(moment.timestamp),
      ok: success,
      error: success ? null : errorOf({ call: 0, data }, errors),
      changes: null,
      entries: null,
      alerts: null,
      unavailable_reason:
        "The chain's node does not simulate (eth_simulateV1): only whether the first call succeeds is known.",
      at_execution: null,
    };
  }
  const { now, atExecution } = foretelling;
  return {
    method: "eth_simulateV1",
    block_hash,
    ...outcomeOf(now, errors),
    unavailable_reason: null,
    at_execution: atExecution && outcomeOf(atExecution, errors),
  };
}

function outcomeOf({ before, sooner, later }: Times, errors: CallTable | undefined): Record<string, unknown> {
  return {
    block_number: sooner.number,
    block_timestamp: timestampOfSeconds(sooner.timestamp),
    ok: sooner.reverted === null,
    error: sooner.reverted && errorOf(sooner.reverted, errors),
    changes: sooner.reverted ? [] : changesOf(before, sooner.record, later?.record ?? null, sooner.hashes),
    entries: entriesOf(sooner.entries, later?.entries ?? null),
    alerts: sooner.alerts,
  };
}

/** A contract may revert with as much as it likes, and all of it would be kept and served each time. */
const MOST_REVERT_DIGITS = 2 + 2 * 4_096;

function errorOf({ call, data }: { call: number; data: Hex }, errors: CallTable | undefined) {
  const kept = data.slice(0, MOST_REVERT_DIGITS) as Hex;
  return { call, ...decodeRevert(kept, errors), data: kept };
}
