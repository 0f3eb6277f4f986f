// Ranges near the head: what a backend that lags leaves out of them, or gives of a sibling, shows in the headers.
import { describe, expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { bloomOf, makeBlock, type TestBlock } from "../../../test/rpc.ts";
import type { Block, RawLog } from "./client.ts";
import { holdAgainst } from "./log-check.ts";

const A = `0x${"aa".repeat(20)}` as const;
const B = `0x${"bb".repeat(20)}` as const;
const TOPIC = `0x${"01".repeat(32)}` as const;
const log = (address: typeof A | typeof B) => ({ address, topics: [TOPIC] });

describe("logs held against headers", () => {
  const first = makeBlock(undefined, [log(A)]);
  const second = makeBlock(first, [log(A), log(B)]);
  const third = makeBlock(second, []);
  const headers = [first, second, third].map(headerOf);
  const logs = [first, second].flatMap(logsOf);

  test("that are whole raise no doubt", () => {
    expect(holdAgainst(headers, logs, [A, B])).toEqual({ doubtful: [] });
  });

  test("of which a block is missing make that block doubtful, and no other", () => {
    expect(holdAgainst(headers, logsOf(first), [A, B])).toEqual({ doubtful: [headers[1]] });
  });

  test("of which one address is missing make the block doubtful", () => {
    const without = logs.filter(({ address }) => address !== B);
    expect(holdAgainst(headers, without, [A, B])).toEqual({ doubtful: [headers[1]] });
  });

  test("under a header without a bloom are doubtful, be they there or not", () => {
    const blind = headers.map((header) => ({ ...header, logsBloom: null }));
    expect(holdAgainst(blind, logs, [A, B])).toEqual({ doubtful: blind });
  });

  test("of a sibling block are refused", () => {
    const sibling = makeBlock(first, [log(A)], "sibling");
    expect(holdAgainst(headers, [...logsOf(first), ...logsOf(sibling)], [A, B])).toEqual({
      why: "logs of another block",
    });
  });

  test("under headers that do not link are refused", () => {
    const sibling = headerOf(makeBlock(first, [log(A), log(B)], "sibling"));
    expect(holdAgainst([headers[0]!, sibling, headers[2]!], logsOf(first), [A, B])).toEqual({
      why: "headers that do not link",
    });
  });
});

describe("a range near the head", () => {
  test("of which a lagging backend answers a part, or nothing, is read whole", async () => {
    const node = await testNode();
    for (let index = 0; index < 12; index += 1) node.mine(index % 3 === 0 ? [log(A), log(B)] : []);
    let ranges = 0;
    node.onCall = ({ method, params }) => {
      const filter = params[0] as { fromBlock?: string; blockHash?: string };
      if (method !== "eth_getLogs" || filter.blockHash !== undefined) return undefined;
      ranges += 1;
      return { result: [] };
    };
    const client = testClient([node.url]);
    const found: RawLog[] = [];
    for await (const chunk of client.logsInRange({
      fromBlock: 0,
      toBlock: 12,
      addresses: [A, B],
      checkFrom: 0,
    }))
      found.push(...chunk.logs);
    expect(found.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])).toEqual(
      [1, 4, 7, 10].flatMap((number) => [
        [number, 0],
        [number, 1],
      ]),
    );
    expect(ranges).toBeGreaterThan(0);
  });

  test("whose headers the node does not have yet is asked for again", async () => {
    const node = await testNode();
    for (let index = 0; index < 6; index += 1) node.mine([log(A)]);
    let missing = 3;
    node.onCall = ({ method, params }) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "0x3" || missing === 0) return undefined;
      missing -= 1;
      return { result: null };
    };
    const client = testClient([node.url]);
    const found: RawLog[] = [];
    for await (const chunk of client.logsInRange({ fromBlock: 1, toBlock: 6, addresses: [A], checkFrom: 2 }))
      found.push(...chunk.logs);
    expect(found.map(({ blockNumber }) => blockNumber)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(missing).toBe(0);
  });
});

test("an empty answer for a block of a chain without blooms counts only beside the block itself", async () => {
  const node = await testNode();
  const block = node.mine([log(A)]);
  const empty = node.mine();
  let lagging = 6;
  node.onCall = ({ method, params }) => {
    const isLogs = method === "eth_getLogs" && (params[0] as { blockHash?: string }).blockHash === block.hash;
    const isHeader = method === "eth_getBlockByHash" && params[0] === block.hash;
    if ((!isLogs && !isHeader) || lagging === 0) return undefined;
    lagging -= 1;
    return { result: isLogs ? [] : null };
  };
  const client = testClient([node.url]);
  const blind = { ...headerOf(block), logsBloom: null };
  expect(await client.logsOfBlock(blind, [A])).toHaveLength(1);
  expect(lagging).toBe(0);
  expect(await client.logsOfBlock({ ...headerOf(empty), logsBloom: null }, [A])).toEqual([]);
});

function headerOf({ number, hash, parentHash, timestamp, logs }: TestBlock): Block {
  return { number, hash, parentHash, timestamp, logsBloom: bloomOf(logs) };
}

function logsOf(block: TestBlock): RawLog[] {
  return block.logs.map(({ address, topics }, logIndex) => ({
    address,
    topics,
    data: "0x",
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: null,
    txHash: block.hash,
    txIndex: 0,
    logIndex,
  }));
}
