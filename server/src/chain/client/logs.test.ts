import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { firstTimes, testClient, testNode } from "../../../test/chain-client.ts";
import { blockJson, logsJson, makeBlock, type TestLog, type TestNode } from "../../../test/rpc.ts";
import { isChainFault } from "../rpc/fault.ts";
import type { ChainClient, LogChunk, RawLog } from "./client.ts";

const A = `0x${"aa".repeat(20)}` as const;
const B = `0x${"bb".repeat(20)}` as const;
const C = `0x${"cc".repeat(20)}` as const;
const TOPIC = `0x${"11".repeat(32)}` as const;
const log = (address: Hex, data: Hex = "0x"): TestLog => ({ address, topics: [TOPIC], data });

async function header(client: ChainClient, number: number) {
  return await client.blockByNumber(number);
}

async function collect(chunks: AsyncGenerator<LogChunk>): Promise<{ logs: RawLog[]; chunks: LogChunk[] }> {
  const list: LogChunk[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return { logs: list.flatMap((chunk) => chunk.logs), chunks: list };
}

describe("a block of a range whose logs never agree with it", () => {
  const left: string[] = [];
  const range = {
    ...{ fromBlock: 1, toBlock: 1, addresses: [A], checkFrom: 0 },
    isLeftOut: ({ hash }: { hash: string }) => left.push(hash) > 0,
  };

  test("is gone on without where its header stays the same", async () => {
    const node = await testNode();
    const { hash } = node.mine([log(A)]);
    node.onCall = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
    left.length = 0;
    const { logs } = await collect(testClient([node.url], { settleMs: 100 }).logsInRange(range));
    expect({ logs, left }).toEqual({ logs: [], left: [hash] });
  });

  test("is asked for again where its header was told wrong, and would have no logs for ever", async () => {
    const node = await testNode();
    const block = node.mine([log(A)]);
    const wrong = `0x${"ee".repeat(32)}`;
    let isAsked = false;
    node.onCall = ({ method, params }) => {
      const { blockHash } = (params[0] ?? {}) as { blockHash?: string };
      if (method === "eth_getLogs") {
        isAsked ||= blockHash === wrong;
        return { result: [] };
      }
      if (method !== "eth_getBlockByNumber" || isAsked) return undefined;
      return { result: { ...(blockJson(block) as object), hash: wrong } };
    };
    left.length = 0;
    const client = testClient([node.url], { settleMs: 100 });
    const fault = await collect(client.logsInRange(range)).catch((error: unknown) => error);
    expect({ isAsked, left, isFault: isChainFault(fault, "inconsistent") }).toEqual({
      isAsked: true,
      left: [],
      isFault: true,
    });
  });
});

describe("the logs of a block", () => {
  test("are those of the addresses, in order, by the block's hash", async () => {
    const node = await testNode();
    node.mine([log(A), log(B), log(C), log(A, "0x02")]);
    const client = testClient([node.url]);
    const logs = await client.logsOfBlock(await header(client, 1), [A, C]);
    expect(logs.map(({ address, logIndex }) => [address, logIndex])).toEqual([
      [A, 0],
      [C, 2],
      [A, 3],
    ]);
    expect(
      node.calls
        .filter(({ method }) => method === "eth_getLogs")
        .every(({ params }) => "blockHash" in (params[0] as object)),
    ).toBe(true);
  });

  test("an empty answer of a lagging node, against a bloom that speaks of the address, is asked for again", async () => {
    const node = await testNode();
    node.mine([log(A)]);
    const client = testClient([node.url]);
    const block = await header(client, 1);
    node.onCall = firstTimes(4, ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined));
    expect((await client.logsOfBlock(block, [A])).map(({ logIndex }) => logIndex)).toEqual([0]);
  });

  test("a node that never gives what the bloom speaks of is a fault, not an empty block", async () => {
    const node = await testNode();
    node.mine([log(A)]);
    const client = testClient([node.url], { settleMs: 300 });
    const block = await header(client, 1);
    node.onCall = ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined);
    const fault = await client.logsOfBlock(block, [A]).catch((error: unknown) => error);
    expect(isChainFault(fault, "inconsistent")).toBe(true);
  });

  test("a bloom that only seems to speak of the address costs one look at the whole block", async () => {
    const node = await testNode();
    const others = Array.from({ length: 3 }, (_, index) =>
      log(`0x${(index + 1).toString(16).padStart(40, "0")}`),
    );
    node.mine(others);
    const client = testClient([node.url]);
    const block = await header(client, 1);
    // The block's own bloom is explained by its logs; an address that is not among them has none.
    expect(await client.logsOfBlock(block, [A])).toEqual([]);
  });

  test("a chain whose blooms speak of logs that nobody is given is read all the same, after asking again", async () => {
    const node = await testNode();
    node.mine([log(A), log(B)]);
    const client = testClient([node.url]);
    const wide = { ...(await header(client, 1)), logsBloom: `0x${"ff".repeat(256)}` as Hex };
    expect(await client.logsOfBlock(wide, [C])).toEqual([]);
    expect(node.count("eth_getLogs")).toBeGreaterThan(6);
    expect(await client.logsOfBlock(wide, [A, C])).toHaveLength(1);
    // An empty answer is still not believed.
    node.onCall = firstTimes(2, ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined));
    expect(await client.logsOfBlock(wide, [A])).toHaveLength(1);
  });

  test("an empty or missing bloom says nothing against an answer", async () => {
    const node = await testNode();
    node.mine([log(A)]);
    const client = testClient([node.url]);
    const block = await header(client, 1);
    for (const logsBloom of [null, `0x${"00".repeat(256)}` as Hex]) {
      expect(await client.logsOfBlock({ ...block, logsBloom }, [A])).toHaveLength(1);
      expect(await client.logsOfBlock({ ...block, logsBloom }, [B])).toEqual([]);
    }
  });

  test("logs whose block hash is not the header's are refused", async () => {
    const node = await testNode();
    const block = node.mine([log(A)]);
    const sibling = makeBlock(node.chain[0], [log(A)], "sibling");
    const client = testClient([node.url]);
    node.onCall = firstTimes(2, ({ method }) =>
      method === "eth_getLogs" ? { result: logsJson(sibling) } : undefined,
    );
    expect((await client.logsOfBlock(await header(client, 1), [A]))[0]?.blockHash).toBe(block.hash);
  });

  test("a sibling's logs among the block's are refused", async () => {
    const node = await testNode();
    const block = node.mine([log(A), log(A, "0x01")]);
    const sibling = makeBlock(node.chain[0], [log(A)], "sibling");
    const client = testClient([node.url]);
    const mixed = [...logsJson(block), ...logsJson(sibling)];
    node.onCall = firstTimes(2, ({ method }) => (method === "eth_getLogs" ? { result: mixed } : undefined));
    const logs = await client.logsOfBlock(await header(client, 1), [A]);
    expect(logs.map(({ blockHash }) => blockHash)).toEqual([block.hash, block.hash]);
  });

  test("the same log twice counts once; two logs in one place are refused", async () => {
    const node = await testNode();
    const block = node.mine([log(A), log(A, "0x01")]);
    const client = testClient([node.url]);
    const given = logsJson(block);
    node.onCall = ({ method }) =>
      method === "eth_getLogs" ? { result: [given[1], given[0], given[0], given[1]] } : undefined;
    const at = await header(client, 1);
    expect((await client.logsOfBlock(at, [A])).map(({ logIndex }) => logIndex)).toEqual([0, 1]);

    const contradiction = { ...given[1], logIndex: "0x0" };
    node.onCall = firstTimes(2, ({ method }) =>
      method === "eth_getLogs" ? { result: [given[0], contradiction] } : undefined,
    );
    expect(await client.logsOfBlock(at, [A])).toHaveLength(2);
  });

  test("logs marked removed are left out", async () => {
    const node = await testNode();
    const block = node.mine([log(A)]);
    const client = testClient([node.url]);
    const at = { ...(await header(client, 1)), logsBloom: null };
    node.onCall = ({ method }) =>
      method === "eth_getLogs" ? { result: [{ ...logsJson(block)[0], removed: true }] } : undefined;
    expect(await client.logsOfBlock(at, [A])).toEqual([]);
  });

  test("too many addresses for one filter are asked for in groups and come in order", async () => {
    const node = await testNode();
    const addresses = Array.from(
      { length: 1200 },
      (_, index) => `0x${(index + 1).toString(16).padStart(40, "0")}` as const,
    );
    node.mine([log(addresses[1100]!), log(addresses[3]!), log(addresses[700]!)]);
    const client = testClient([node.url]);
    const logs = await client.logsOfBlock(await header(client, 1), addresses);
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 1, 2]);
  });

  test("a block whose logs are too many for a filter is read from its receipts", async () => {
    const node = await testNode();
    node.mine([log(A), log(B), log(A)]);
    const client = testClient([node.url]);
    const block = await header(client, 1);
    node.onCall = ({ method }) =>
      method === "eth_getLogs"
        ? { error: { code: -32005, message: "query returned more than 10000 results" } }
        : undefined;
    expect((await client.logsOfBlock(block, [A])).map(({ logIndex }) => logIndex)).toEqual([0, 2]);
  });
});

describe("the logs of a range", () => {
  const filled = async (count: number): Promise<TestNode> => {
    const node = await testNode();
    for (let number = 1; number <= count; number++) node.mine([log(A), log(B)]);
    return node;
  };

  test("come in chunks that adjoin and cover the range", async () => {
    const node = await filled(100);
    const client = testClient([node.url], { logStep: { initial: 7, max: 20 } });
    const { logs, chunks } = await collect(client.logsInRange({ fromBlock: 3, toBlock: 99, addresses: [A] }));
    expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: 97 }, (_, index) => index + 3),
    );
    let next = 3;
    for (const { fromBlock, toBlock } of chunks) {
      expect(fromBlock).toBe(next);
      next = toBlock + 1;
    }
    expect(next).toBe(100);
  });

  test("an empty range yields nothing", async () => {
    const node = await filled(2);
    expect(
      (await collect(testClient([node.url]).logsInRange({ fromBlock: 2, toBlock: 1, addresses: [A] })))
        .chunks,
    ).toEqual([]);
  });

  test.each([
    [-32602, "Log response size exceeded. this block range should work: [0x1, 0x4]"],
    [-32602, "this block range should work: [0x9, 0x2]"],
    [-32602, "this block range should work: [0x0, 0xffffff]"],
    [-32005, "query returned more than 10000 results"],
    [-32614, "eth_getLogs is limited to a 5 range"],
    [-32600, "block range is too wide"],
    [-32603, "words that nobody knows"],
    [-32602, "words that nobody knows"],
  ])("a limit told as %i %s loses no block", async (code, message) => {
    const node = await filled(60);
    node.onCall = ({ method, params }) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>;
      const isWide =
        method === "eth_getLogs" && fromBlock !== undefined && Number(toBlock) - Number(fromBlock) >= 5;
      return isWide ? { error: { code, message } } : undefined;
    };
    const client = testClient([node.url], { logStep: { initial: 50, max: 1000 } });
    const { logs } = await collect(client.logsInRange({ fromBlock: 1, toBlock: 60, addresses: [A, B] }));
    expect(logs).toHaveLength(120);
  });

  test("a single block still refused is read by its hash", async () => {
    const node = await filled(5);
    node.onCall = ({ method, params }) =>
      method === "eth_getLogs" && !("blockHash" in (params[0] as object))
        ? { error: { code: -32005, message: "query returned more than 10000 results" } }
        : undefined;
    const client = testClient([node.url]);
    expect(
      (await collect(client.logsInRange({ fromBlock: 1, toBlock: 5, addresses: [A] }))).logs,
    ).toHaveLength(5);
  });

  test("a range that times out is asked for in halves", async () => {
    const node = await filled(16);
    node.onRequest = (calls) =>
      calls.some(({ method, params }) => {
        const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>;
        return method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 8;
      })
        ? "hang"
        : undefined;
    const client = testClient([node.url], {
      logStep: { initial: 16, max: 16 },
      logsTimeoutMs: 1_000,
    });
    expect(
      (await collect(client.logsInRange({ fromBlock: 1, toBlock: 16, addresses: [A] }))).logs,
    ).toHaveLength(16);
  });

  test("an answer over the size limit is asked for in halves", async () => {
    const node = await testNode();
    for (let number = 1; number <= 32; number++) node.mine([log(A, `0x${"00".repeat(2000)}`)]);
    const client = testClient([node.url], { maxAnswerBytes: 40_000, logStep: { initial: 32, max: 32 } });
    expect(
      (await collect(client.logsInRange({ fromBlock: 1, toBlock: 32, addresses: [A] }))).logs,
    ).toHaveLength(32);
  });

  test("a node that has not come as far as the range's end is not believed when it answers with nothing", async () => {
    const [lagging, ahead] = [await testNode(), await filled(10)];
    const client = testClient([lagging.url, ahead.url]);
    expect(
      (await collect(client.logsInRange({ fromBlock: 1, toBlock: 10, addresses: [A] }))).logs,
    ).toHaveLength(10);
  });

  test("logs of a sibling at the range's end are refused", async () => {
    const node = await filled(3);
    const sibling = makeBlock(node.chain[2], [log(A)], "sibling");
    const client = testClient([node.url]);
    const given = [...node.chain.slice(1, 3), sibling].flatMap(logsJson);
    node.onCall = firstTimes(2, ({ method }) => (method === "eth_getLogs" ? { result: given } : undefined));
    const { logs } = await collect(client.logsInRange({ fromBlock: 1, toBlock: 3, addresses: [A] }));
    expect(logs.at(-1)?.blockHash).toBe(node.chain[3]!.hash);
  });

  test("a failure reaches the consumer once what was read before it is consumed", async () => {
    const node = await filled(20);
    node.onCall = ({ method, params }) => {
      const { fromBlock, toBlock, blockHash } = (params[0] ?? {}) as Record<string, string>;
      const isBad = blockHash === node.chain[11]!.hash || (Number(fromBlock) <= 11 && Number(toBlock) >= 11);
      return method === "eth_getLogs" && isBad ? { error: { code: -32602, message: "no" } } : undefined;
    };
    const client = testClient([node.url], { logStep: { initial: 5, max: 5 }, settleMs: 300 });
    const seen: number[] = [];
    const run = async () => {
      for await (const chunk of client.logsInRange({ fromBlock: 1, toBlock: 20, addresses: [A] }))
        seen.push(chunk.toBlock);
    };
    const fault = await run().catch((error: unknown) => error);
    expect(isChainFault(fault, "refused")).toBe(true);
    expect(seen.at(-1)).toBe(10);
  });

  test("an aborted walk stops asking", async () => {
    const node = await filled(50);
    const client = testClient([node.url], { logStep: { initial: 1, max: 1 } });
    const aborted = new AbortController();
    const run = async () => {
      const range = { fromBlock: 1, toBlock: 50, addresses: [A], signal: aborted.signal };
      for await (const _chunk of client.logsInRange(range)) aborted.abort(new Error("enough"));
    };
    await expect(run()).rejects.toThrow("enough");
    expect(node.count("eth_getLogs")).toBeLessThan(10);
  });

  test("topics narrow the answer", async () => {
    const node = await testNode();
    const other = `0x${"22".repeat(32)}` as const;
    node.mine([log(A), { address: A, topics: [other] }]);
    const client = testClient([node.url]);
    const { logs } = await collect(
      client.logsInRange({ fromBlock: 0, toBlock: 1, addresses: [A], topics: [other] }),
    );
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([1]);
  });

  test("the block's time on a log is taken over where the node gives it", async () => {
    const node = await testNode();
    const block = node.mine([log(A)]);
    const client = testClient([node.url]);
    const stamped = logsJson(block).map((each) => ({ ...each, blockTimestamp: blockJson(block).timestamp }));
    node.onCall = ({ method }) => (method === "eth_getLogs" ? { result: stamped } : undefined);
    const { logs } = await collect(client.logsInRange({ fromBlock: 1, toBlock: 1, addresses: [A] }));
    expect(logs[0]?.blockTimestamp).toBe(block.timestamp);
  });
});
