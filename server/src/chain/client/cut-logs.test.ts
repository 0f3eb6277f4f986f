// Nodes that hand out less than was asked for without a word, or take fewer addresses than were named.
import type { Address, Hex } from "viem";
import { describe, expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { makeBlock, type RpcCall, type TestLog, type TestNode } from "../../../test/rpc.ts";
import type { ChainClient } from "./client.ts";

const TOPIC = `0x${"11".repeat(32)}` as const;
const address = (index: number): Address => `0x${(index + 1).toString(16).padStart(40, "0")}`;
const log = (index: number, data: Hex = "0x"): TestLog => ({
  address: address(index),
  topics: [TOPIC],
  data,
});

interface GivenFilter {
  fromBlock?: string;
  toBlock?: string;
  address: string | string[];
}

const filterOf = ({ params }: RpcCall) => params[0] as GivenFilter;

/** Cuts every list of logs, as some nodes do, at the end or at the beginning. */
function cutAt(node: TestNode, most: number, part: "first" | "last"): void {
  node.rewrite = ({ method }, honest) => {
    if (method !== "eth_getLogs" || !("result" in honest)) return undefined;
    const logs = honest.result as unknown[];
    const kept = part === "first" ? logs.slice(0, most) : logs.slice(-most);
    return { json: JSON.stringify(kept), key: "result" };
  };
}

async function places(
  client: ChainClient,
  toBlock: number,
  addresses: readonly Address[],
): Promise<string[]> {
  const found: string[] = [];
  for await (const { logs } of client.logsInRange({ fromBlock: 1, toBlock, addresses }))
    found.push(...logs.map(({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`));
  return found;
}

/** Without blooms nothing but the lists themselves can tell. */
function withoutBlooms(node: TestNode): void {
  const cut = node.rewrite;
  node.rewrite = (call, honest) => {
    if (!call.method.startsWith("eth_getBlockBy") || !("result" in honest) || honest.result === null)
      return cut(call, honest);
    return { json: JSON.stringify({ ...honest.result, logsBloom: undefined }), key: "result" };
  };
}

describe("lists that are cut without a word", () => {
  test.each([
    [100, "first"],
    [100, "last"],
    [256, "first"],
    [1000, "last"],
  ] as const)("at %i logs, the %s ones given, are found whole", async (most, part) => {
    const node = await testNode();
    for (let number = 1; number <= 150; number++)
      node.mine(Array.from({ length: number % 23 }, (_, index) => log(index % 2)));
    const expected = node.chain.flatMap(({ number, logs }) => logs.map((_, index) => `${number}/${index}`));
    cutAt(node, most, part);
    withoutBlooms(node);
    const client = testClient([node.url], { logStep: { initial: 150, max: 1000 } });
    expect(await places(client, 150, [address(0), address(1)])).toEqual(expected);
  });

  test.each([true, false])("within one block are read from its receipts (by block: %s)", async (byBlock) => {
    const node = await testNode();
    node.mine([log(1)]);
    node.mine(Array.from({ length: 250 }, (_, index) => log(index % 2)));
    node.mine([log(1)]);
    cutAt(node, 100, "first");
    node.onCall = ({ method }) =>
      method === "eth_getBlockReceipts" && !byBlock
        ? { error: { code: -32601, message: "the method eth_getBlockReceipts does not exist" } }
        : undefined;
    const client = testClient([node.url]);
    expect(await places(client, 3, [address(0), address(1)])).toHaveLength(252);
    expect(await client.logsOfBlock(await client.blockByNumber(2), [address(0)])).toHaveLength(125);
  });

  test("an answer of a hundred that is whole costs two requests more, and no smaller range", async () => {
    const node = await testNode();
    for (let number = 1; number <= 100; number++) node.mine([log(0)]);
    const client = testClient([node.url], { logStep: { initial: 100, max: 100 } });
    expect(await places(client, 100, [address(0)])).toHaveLength(100);
    expect(node.count("eth_getLogs")).toBe(3);
  });
});

describe("a bound on the addresses of a filter", () => {
  test.each([
    [-32602, "exceed max addresses or topics per search position", 20],
    [-32000, "exceed max addresses", 7],
    [-32602, "181 addresses specified in query, but only 50 are allowed", 50],
    [-32005, "too many addresses in filter", 1],
  ])("told as %i %s makes smaller groups of the same range", async (code, message, most) => {
    const node = await testNode();
    for (let number = 1; number <= 12; number++) node.mine([log(number), log(180 - number)]);
    node.onCall = (call) => {
      if (call.method !== "eth_getLogs" || [filterOf(call).address].flat().length <= most) return undefined;
      return { error: { code, message } };
    };
    const client = testClient([node.url], { logStep: { initial: 12, max: 12 } });
    const addresses = Array.from({ length: 181 }, (_, index) => address(index));
    expect(await places(client, 12, addresses)).toHaveLength(24);
    const ranges = node.calls.filter(({ method }) => method === "eth_getLogs").map(filterOf);
    expect(new Set(ranges.map(({ fromBlock, toBlock }) => `${fromBlock}-${toBlock}`))).toEqual(
      new Set(["0x1-0xc"]),
    );
    const block = await client.blockByNumber(3);
    expect(await client.logsOfBlock(block, addresses)).toHaveLength(2);
    // What was learned is kept: nothing is refused any more.
    const before = node.calls.length;
    await client.logsOfBlock(block, addresses);
    expect(node.calls.slice(before).every((call) => [filterOf(call).address].flat().length <= most)).toBe(
      true,
    );
  });

  test("that not even one address meets is a refusal, not a standstill", async () => {
    const node = await testNode();
    node.mine([log(0)]);
    node.onCall = ({ method }) =>
      method === "eth_getLogs" ? { error: { code: -32000, message: "exceed max addresses" } } : undefined;
    const client = testClient([node.url]);
    await expect(places(client, 1, [address(0), address(1)])).rejects.toMatchObject({ code: "refused" });
  });
});

describe("headers that lose their bloom", () => {
  test.each(["left out", "null"])(
    "(%s) are no reason to stand still: logs are checked in another way",
    async (form) => {
      const node = await testNode();
      node.mine([log(0)]);
      node.mine([log(0), log(1)]);
      node.mine([]);
      const client = testClient([node.url]);
      expect(await client.logsOfBlock(await client.blockByNumber(1), [address(0)])).toHaveLength(1);

      node.rewrite = ({ method }, honest) => {
        if (!method.startsWith("eth_getBlockBy") || !("result" in honest)) return undefined;
        const header = { ...(honest.result as object), logsBloom: form === "null" ? null : undefined };
        return { json: JSON.stringify(header), key: "result" };
      };
      const second = await client.blockByNumber(2);
      expect(second.logsBloom).toBeNull();
      // A node behind the same address that lags gives an empty list, or another block's, and is still not believed.
      const sibling = makeBlock(node.chain[1], [log(0)], "sibling");
      let lies = 2;
      node.onCall = ({ method }) => {
        if (method !== "eth_getLogs" || lies-- <= 0) return undefined;
        return lies === 1 ? { result: [] } : { result: [{ ...sibling, topics: null }] };
      };
      expect(await client.logsOfBlock(second, [address(0), address(1)])).toHaveLength(2);
      expect(await client.logsOfBlock(await client.blockByNumber(3), [address(0)])).toEqual([]);

      node.rewrite = () => undefined;
      expect(await client.logsOfBlock(await client.blockByNumber(2), [address(1)])).toHaveLength(1);
    },
  );
});
