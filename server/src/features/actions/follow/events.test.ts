// What counts as a foretold event, by cases.
import type { Address, Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { RawLog } from "../../../chain/rpc/raw.ts";
import type { ForetoldEvent } from "../prepared.ts";
import { foretoldIn, isForetold } from "./events.ts";

const EMITTER: Address = "0x41675C099F32341bf84BFc5382aF534df5C7461a";
const word = (digit: string) => digit.repeat(64);
const topic = (digit: string): Hex => `0x${word(digit)}`;

const event: ForetoldEvent = {
  emitter: EMITTER,
  topics: [topic("a"), topic("b")],
  data: `0x${word("1")}${word("2")}`,
  movingTopics: [],
  movingWords: [],
  isDataMoving: false,
};

function log(more: Partial<RawLog> = {}): RawLog {
  return {
    address: EMITTER.toLowerCase() as Hex,
    topics: [...event.topics],
    data: event.data,
    blockNumber: 1,
    blockHash: topic("f"),
    blockTimestamp: null,
    txHash: topic("e"),
    txIndex: 0,
    logIndex: 0,
    ...more,
  };
}

describe("an event", () => {
  const cases: [string, Partial<ForetoldEvent>, Partial<RawLog>, boolean][] = [
    ["is known by emitter, topics and data", {}, {}, true],
    ["of another emitter is another", {}, { address: topic("c").slice(0, 42) as Hex }, false],
    ["with another topic is another", {}, { topics: [topic("a"), topic("c")] }, false],
    ["with fewer topics is another", {}, { topics: [topic("a")] }, false],
    ["with more topics is another", {}, { topics: [...event.topics, topic("c")] }, false],
    ["with other data is another", {}, { data: `0x${word("1")}${word("3")}` }, false],
    ["may differ in a word that moves", { movingWords: [1] }, { data: `0x${word("1")}${word("3")}` }, true],
    [
      "may not differ in the word beside it",
      { movingWords: [1] },
      { data: `0x${word("3")}${word("2")}` },
      false,
    ],
    ["keeps its length though a word moves", { movingWords: [1] }, { data: `0x${word("1")}` }, false],
    ["may differ in a topic that moves", { movingTopics: [1] }, { topics: [topic("a"), topic("c")] }, true],
    ["may have any data where all of it moves", { isDataMoving: true }, { data: "0x" }, true],
    [
      "whose data moves is still known by its topics",
      { isDataMoving: true },
      { topics: [topic("c"), topic("b")] },
      false,
    ],
  ];
  test.each(cases)("%s", (_title, foretold, logged, is) => {
    expect(isForetold({ ...event, ...foretold }, log(logged))).toBe(is);
  });
});

test("events are found in their order, each once, among whatever else is there", () => {
  const other = { ...event, data: `0x${word("9")}` } as const;
  const logs = [log({ logIndex: 3 }), log({ logIndex: 4, data: other.data }), log({ logIndex: 7 })];
  expect(foretoldIn([event, other], logs, new Set())).toEqual([3, 4]);
  expect(foretoldIn([other, event], logs, new Set())).toEqual([4, 7]);
  expect(foretoldIn([event, event], logs, new Set())).toEqual([3, 7]);
  expect(foretoldIn([event], logs, new Set([3]))).toEqual([7]);
  expect(foretoldIn([event, event], logs, new Set([3]))).toBeNull();
  expect(foretoldIn([other, other], logs, new Set())).toBeNull();
});
