import { describe, expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { logsJson, type TestBlock, type TestNode } from "../../../test/rpc.ts";
import type { RawLog } from "../../chain/client/client.ts";
import { Timestamps } from "./timestamps.ts";

const A = `0x${"aa".repeat(20)}` as const;
const TOPIC = `0x${"11".repeat(32)}` as const;
const BLOCKS = 20;

/** What the node says of the time of each log's block, and the times that come of it. */
async function learned(
  tell: (block: TestBlock) => unknown,
): Promise<{ node: TestNode; times: number[]; truth: number[] }> {
  const node = await testNode();
  for (let number = 1; number <= BLOCKS; number++) node.mine([{ address: A, topics: [TOPIC] }]);
  const blocks = node.chain.slice(1);
  node.onCall = ({ method }) =>
    method === "eth_getLogs"
      ? {
          result: blocks.flatMap((block) =>
            logsJson(block).map((log) => ({ ...log, blockTimestamp: tell(block) })),
          ),
        }
      : undefined;
  const client = testClient([node.url], { logStep: { initial: 100, max: 100 } });
  const logs: RawLog[] = [];
  for await (const chunk of client.logsInRange({ fromBlock: 1, toBlock: BLOCKS, addresses: [A] }))
    logs.push(...chunk.logs);
  node.calls.length = 0;
  const timestamps = new Timestamps(client);
  await timestamps.learn(logs);
  return {
    node,
    times: logs.map((log) => timestamps.of(log)),
    truth: blocks.map(({ timestamp }) => timestamp),
  };
}

const hex = (value: number) => `0x${value.toString(16)}`;

describe("a block's time", () => {
  test("that stands on its logs and agrees with its headers costs three headers for a whole range", async () => {
    const { node, times, truth } = await learned(({ timestamp }) => hex(timestamp));
    expect(times).toEqual(truth);
    expect(node.count("eth_getBlockByNumber")).toBe(3);
  });

  test.each<[string, (block: TestBlock) => unknown]>([
    ["zero", () => "0x0"],
    ["the same for all", () => hex(1_700_000_100)],
    ["decimal text", ({ timestamp }) => String(timestamp)],
    ["a number", ({ timestamp }) => timestamp],
    ["not there", () => undefined],
    ["in milliseconds", ({ timestamp }) => hex(timestamp * 1000)],
    ["an hour late", ({ timestamp }) => hex(timestamp + 3600)],
    ["zero for one block", ({ number, timestamp }) => hex(number === 7 ? 0 : timestamp)],
    ["ahead for one block", ({ number, timestamp }) => hex(number === 7 ? timestamp + 86_400 : timestamp)],
    ["longer than a time", () => `0x${"f".repeat(40)}`],
  ])("that is told wrongly on its logs (%s) is the header's", async (_form, tell) => {
    const { times, truth } = await learned(tell);
    expect(times).toEqual(truth);
  });
});
