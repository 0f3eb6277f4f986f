import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { firstTimes, testClient, testNode } from "../../../test/chain-client.ts";
import { blockJson, logsJson, makeBlock } from "../../../test/rpc.ts";
import { isChainFault } from "../rpc/fault.ts";
import { userOperationsIn } from "./user-operations.ts";

const ADDRESS = `0x${"aa".repeat(20)}` as const;
const TOPIC = `0x${"bb".repeat(32)}` as const;

describe("blocks", () => {
  test("a null block is asked for again and never passed on", async () => {
    const node = await testNode();
    const block = node.mine();
    node.onCall = firstTimes(3, ({ method }) =>
      method === "eth_getBlockByNumber" ? { result: null } : undefined,
    );
    expect(await testClient([node.url]).blockByNumber(1)).toEqual({
      number: 1,
      hash: block.hash,
      parentHash: block.parentHash,
      timestamp: block.timestamp,
      logsBloom: blockJson(block).logsBloom,
    });
  });

  test("a block that stays null is a fault", async () => {
    const node = await testNode();
    const fault = await testClient([node.url], { settleMs: 200 })
      .blockByNumber(7)
      .catch((error: unknown) => error);
    expect(isChainFault(fault, "block_missing")).toBe(true);
  });

  test("a block of another number than asked for is refused", async () => {
    const node = await testNode();
    node.mine();
    node.onCall = firstTimes(2, ({ method }) =>
      method === "eth_getBlockByNumber" ? { result: blockJson(node.chain[0]!) } : undefined,
    );
    expect((await testClient([node.url]).blockByNumber(1)).number).toBe(1);
  });

  test("what one URL lacks is found at the next", async () => {
    const [lagging, ahead] = [await testNode(), await testNode()];
    const block = ahead.mine();
    expect((await testClient([lagging.url, ahead.url]).blockByNumber(1)).hash).toBe(block.hash);
  });

  test("a block that left the chain is null by its hash", async () => {
    const node = await testNode();
    const gone = makeBlock(node.chain[0], [], "elsewhere");
    expect(await testClient([node.url], { settleMs: 200 }).blockByHash(gone.hash)).toBeNull();
  });

  test.each([
    ["no hash", { hash: undefined }],
    ["a number that is no number", { number: "twelve" }],
    ["a number beyond what a number holds", { number: "0xffffffffffffffff" }],
    ["a short parent hash", { parentHash: "0x12" }],
    ["a string instead of a block", "block"],
  ])("an answer with %s is asked for again", async (_what, change) => {
    const node = await testNode();
    const block = node.mine();
    const broken = typeof change === "string" ? change : { ...blockJson(block), ...change };
    node.onCall = firstTimes(2, ({ method }) =>
      method === "eth_getBlockByNumber" ? { result: broken } : undefined,
    );
    expect((await testClient([node.url]).blockByNumber(1)).hash).toBe(block.hash);
  });

  test("a missing bloom is tolerated", async () => {
    const node = await testNode();
    const { logsBloom: _, ...rest } = blockJson(node.chain[0]!);
    node.onCall = ({ method }) => (method === "eth_getBlockByNumber" ? { result: rest } : undefined);
    expect((await testClient([node.url]).head()).logsBloom).toBeNull();
  });

  test("the head may stand still and step backwards", async () => {
    const node = await testNode();
    node.mine();
    const client = testClient([node.url]);
    expect((await client.head()).number).toBe(1);
    expect((await client.head()).number).toBe(1);
    node.chain.pop();
    expect((await client.head()).number).toBe(0);
  });

  test("a chain that knows no finality says null; one that knows it says the block", async () => {
    const node = await testNode();
    const client = testClient([node.url]);
    node.onCall = ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] === "safe"
        ? { error: { code: -39001, message: "Unknown block" } }
        : method === "eth_getBlockByNumber" && params[0] === "finalized"
          ? { result: blockJson(node.chain[0]!) }
          : undefined;
    expect(await client.finality("safe")).toBeNull();
    expect((await client.finality("finalized"))?.number).toBe(0);
  });
});

describe("headers in batches", () => {
  test("come in the order asked for, each the block of its number", async () => {
    const node = await testNode();
    for (let count = 0; count < 30; count++) node.mine();
    const numbers = [30, 0, 7, 7, 12, ...Array.from({ length: 25 }, (_, index) => index)];
    const headers = await testClient([node.url], { batchSize: 10 }).headers(numbers);
    expect(headers.map(({ hash }) => hash)).toEqual(numbers.map((number) => node.chain[number]!.hash));
    expect(node.calls.length).toBeLessThan(40);
  });

  test("answers that a batch leaves out, swaps or refuses are fetched one by one", async () => {
    const node = await testNode();
    for (let count = 0; count < 5; count++) node.mine();
    const client = testClient([node.url]);
    await client.start();
    node.onRequest = (calls) =>
      calls.length > 1
        ? {
            body: JSON.stringify([
              {
                jsonrpc: "2.0",
                id: (calls[3] as unknown as { id: number }).id,
                result: blockJson(node.chain[3]!),
              },
              {
                jsonrpc: "2.0",
                id: (calls[0] as unknown as { id: number }).id,
                result: blockJson(node.chain[4]!),
              },
              { jsonrpc: "2.0", id: null, error: { code: -32600, message: "?" } },
            ]),
          }
        : undefined;
    const headers = await client.headers([0, 1, 2, 3]);
    expect(headers.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
  });

  test("a node that takes no batches is asked one by one", async () => {
    const node = await testNode();
    for (let count = 0; count < 5; count++) node.mine();
    const client = testClient([node.url]);
    await client.start();
    node.onRequest = (calls) =>
      calls.length > 1
        ? {
            status: 400,
            body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches not supported"}}',
          }
        : undefined;
    expect((await client.headers([0, 1, 2])).map(({ number }) => number)).toEqual([0, 1, 2]);
  });
});

describe("transactions", () => {
  test("sender and target of each; one the node never heard of is missing", async () => {
    const node = await testNode();
    const block = node.mine([{ address: ADDRESS, topics: [TOPIC] }]);
    const hash = logsJson(block)[0]!.transactionHash as `0x${string}`;
    const unknown = `0x${"cd".repeat(32)}` as const;
    const found = await testClient([node.url], { settleMs: 200 }).transactions([hash, unknown, hash]);
    expect([...found.keys()]).toEqual([hash]);
    expect(found.get(hash)).toMatchObject({
      index: 0,
      input: "0x",
      to: "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa",
    });
  });

  test("one that a lagging node does not know yet is asked for again", async () => {
    const node = await testNode();
    const block = node.mine([{ address: ADDRESS, topics: [TOPIC] }]);
    const hash = logsJson(block)[0]!.transactionHash as `0x${string}`;
    node.onCall = firstTimes(2, ({ method }) =>
      method === "eth_getTransactionByHash" ? { result: null } : undefined,
    );
    expect((await testClient([node.url]).transactions([hash])).has(hash)).toBe(true);
  });

  test("user operations count only from a known EntryPoint", async () => {
    const node = await testNode();
    const event = "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f" as const;
    const sender = `0x${"12".repeat(20)}` as const;
    const topics = [
      event,
      TOPIC,
      `0x${"0".repeat(24)}${sender.slice(2)}`,
      `0x${"0".repeat(64)}`,
    ] as `0x${string}`[];
    const block = node.mine([
      { address: "0x0000000071727De22E5E9d8BAf0edAc6f37da032", topics },
      { address: ADDRESS, topics },
    ]);
    const client = testClient([node.url]);
    const [real, forged] = logsJson(block).map((log) => log.transactionHash as `0x${string}`);
    expect(userOperationsIn(await client.logsOfTransaction(forged!))).toEqual([]);
    expect(userOperationsIn(await client.logsOfTransaction(real!))).toEqual([
      { sender: "0x1212121212121212121212121212121212121212", logIndex: 0 },
    ]);
  });

  test("a block with its transactions is that very block", async () => {
    const node = await testNode();
    const block = node.mine();
    const from = `0x${"11".repeat(20)}`;
    const hash = `0x${"22".repeat(32)}`;
    node.onCall = ({ method }) =>
      method === "eth_getBlockByHash"
        ? {
            result: {
              ...blockJson(block),
              transactions: [{ hash, transactionIndex: numberToHex(0), from, to: null, input: "0x60" }],
            },
          }
        : undefined;
    const { transactions } = await testClient([node.url]).blockWithTransactions(block.hash);
    expect(transactions).toEqual([
      { hash, index: 0, from: "0x1111111111111111111111111111111111111111", to: null, input: "0x60" },
    ]);
  });
});
