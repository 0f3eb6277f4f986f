// Whether a receipt holds what was foretold: emitter, topics and data, but for what moves with time. Pure.
import type { Hex } from "viem";
import type { RawLog } from "../../../chain/rpc/raw.ts";
import type { ForetoldEvent } from "../prepared.ts";

const WORD_DIGITS = 64;

/**
 * The numbers of the logs that are the foretold events, in their order; null where one is missing. Logs that another action is already known by
 * (`taken`) are no more to be had: what happened once was not two actions.
 */
export function foretoldIn(
  events: readonly ForetoldEvent[],
  logs: readonly RawLog[],
  taken: ReadonlySet<number>,
): number[] | null {
  const found: number[] = [];
  let at = 0;
  for (const event of events) {
    while (at < logs.length && (taken.has(logs[at]!.logIndex) || !isForetold(event, logs[at]!))) at += 1;
    if (at === logs.length) return null;
    found.push(logs[at]!.logIndex);
    at += 1;
  }
  return found;
}

export function isForetold(event: ForetoldEvent, log: RawLog): boolean {
  return (
    event.emitter.toLowerCase() === log.address &&
    event.topics.length === log.topics.length &&
    event.topics.every((topic, index) => event.movingTopics.includes(index) || topic === log.topics[index]) &&
    (event.isDataMoving || isSameData(event.data, log.data, event.movingWords))
  );
}

function isSameData(foretold: Hex, data: Hex, movingWords: readonly number[]): boolean {
  return (
    foretold.length === data.length && withoutWords(foretold, movingWords) === withoutWords(data, movingWords)
  );
}

function withoutWords(data: Hex, words: readonly number[]): string {
  let left: string = data;
  for (const word of words) {
    const from = 2 + word * WORD_DIGITS;
    left =
      left.slice(0, from) +
      "-".repeat(Math.min(WORD_DIGITS, left.length - from)) +
      left.slice(from + WORD_DIGITS);
  }
  return left;
}
