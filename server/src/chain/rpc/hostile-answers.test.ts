// Answers of the wrong types: whatever JSON a node puts in place of an answer, or of any field in it, the client gives a whole answer or a
// ChainFault, and nothing else; what it gives has the types that it promises.
import type { Address, Hash } from "viem";
import { expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import type { CallAnswer, RpcCall } from "../../../test/rpc.ts";
import { Dice } from "../../../test/simulation/dice.ts";
import type { ChainClient } from "../client/client.ts";
import { ChainFault } from "./fault.ts";

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
/** As JSON texts: some cannot be made from a value. */
const HOSTILE: [name: string, json: string][] = [
  ["null", "null"],
  ["true", "true"],
  ["a number", "7"],
  ["a number beyond 2^53", "123456789012345678901234567890"],
  ["an infinite number", "1e999"],
  ["a decimal text", '"7"'],
  ["a text of 40 hexadecimal digits too many", `"0x${"f".repeat(104)}"`],
  ["0x", '"0x"'],
  ["a negative quantity", '"-0x1"'],
  ["an empty text", '""'],
  ["a text with NUL", '"\\u0000\\ud800"'],
  ["a megabyte of text", `"0x${"ab".repeat(500_000)}"`],
  ["an empty list", "[]"],
  ["a list of nulls", "[null,null,null]"],
  ["a list of a hundred thousand", `[${"0,".repeat(99_999)}0]`],
  ["a list of lists", "[[],[[]]]"],
  ["a list in a list, ten thousand deep", deep(10_000)],
  ["an empty object", "{}"],
  [
    "an object with keys of prototypes",
    '{"__proto__":{"number":"0x1"},"constructor":null,"toString":1,"length":3}',
  ],
  ["an object that looks like an error", '{"code":{"a":[]},"message":["x"],"data":{}}'],
];

const ASK: Record<
  string,
  (client: ChainClient, known: { hash: Hash; tx: Hash; address: Address }) => Promise<unknown>
> = {
  head: (client) => client.head(),
  blockByNumber: (client) => client.blockByNumber(1),
  blockByHash: (client, { hash }) => client.blockByHash(hash),
  blockWithTransactions: (client, { hash }) => client.blockWithTransactions(hash),
  headers: (client) => client.headers([0, 1]),
  finality: (client) => client.finality("finalized"),
  logsInRange: async (client, { address }) =>
    await Array.fromAsync(
      client.logsInRange({ fromBlock: 0, toBlock: 1, addresses: [address], checkFrom: 0 }),
    ),
  logsOfBlock: async (client, { hash, address }) =>
    await client.logsOfBlock({ number: 1, hash, parentHash: hash, timestamp: 1, logsBloom: null }, [address]),
  logsOfTransaction: (client, { tx }) => client.logsOfTransaction(tx),
  transactions: async (client, { tx }) => [...(await client.transactions([tx]))],
  receipts: async (client, { tx }) => [...(await client.receipts([tx]))],
  multicall: (client, { address }) =>
    client.multicall(
      [
        { to: address, data: "0x01" },
        { to: address, data: "0x02" },
      ],
      "latest",
    ),
  call: (client, { address }) => client.call({ to: address, data: "0x" }, "latest"),
  getCode: (client, { address }) => client.getCode(address, "latest"),
};

test.each(HOSTILE)(
  "%s in place of any answer is a fault of the node's, or an answer that may be",
  async (_name, json) => {
    await askEverything((call) => (call.method === "eth_chainId" ? undefined : spliced(json)));
  },
);

test.each(HOSTILE)(
  "%s in place of an error, or of what it says, is a fault of the node's",
  async (_name, json) => {
    for (const error of [
      json,
      `{"code":${json},"message":${json},"data":${json}}`,
      `{"code":3,"message":"reverted","data":${json}}`,
    ]) {
      await askEverything((call) => (call.method === "eth_chainId" ? undefined : spliced(error, "error")));
    }
  },
);

test.each(HOSTILE)(
  "%s in place of any field of any answer never gives what was not promised",
  async (name, json) => {
    const dice = new Dice(name);
    await askEverything((_call, honest) => {
      if (!("result" in honest)) return undefined;
      const text = JSON.stringify(honest.result);
      const places = [...text.matchAll(/:("[^"]*"|\d+|null|true|false)|(?<=[[,])"0x[^"]*"/g)];
      if (places.length === 0) return undefined;
      const place = dice.pick(places);
      const from = place.index + (place[0].startsWith(":") ? 1 : 0);
      return spliced(text.slice(0, from) + json + text.slice(place.index + place[0].length));
    });
  },
);

/** JSON that stands where the answer's own would. */
function spliced(
  json: string,
  key: "result" | "error" = "result",
): { json: string; key: "result" | "error" } {
  return { json, key };
}

async function askEverything(
  hostile: (call: RpcCall, honest: CallAnswer) => { json: string; key: "result" | "error" } | undefined,
): Promise<void> {
  const node = await testNode();
  const address: Address = `0x${"aa".repeat(20)}`;
  const block = node.mine([{ address, topics: [`0x${"01".repeat(32)}`], data: "0x01" }]);
  const tx = (await honestTransaction(node.url)) as Hash;
  const client = testClient([node.url], {
    timeoutMs: 5_000,
    logsTimeoutMs: 5_000,
    deadlineMs: 200,
    settleMs: 100,
  });
  await client.start();
  node.rewrite = hostile;
  await Promise.all(
    Object.entries(ASK).map(async ([name, ask]) => {
      const answer = await ask(client, { hash: block.hash, tx, address }).catch((error: unknown) => {
        expect(error, name).toBeInstanceOf(ChainFault);
        return null;
      });
      expectTypes(name, answer);
    }),
  );
}

/** Wherever a key of that name stands, its value is of that form. */
function expectTypes(asked: string, value: unknown): void {
  if (Array.isArray(value)) for (const each of value) expectTypes(asked, each);
  else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const place = `${asked}: ${key}`;
      if (["number", "timestamp", "blockNumber", "txIndex", "logIndex", "index"].includes(key))
        expect(each, place).toSatisfy(Number.isSafeInteger);
      else if (["hash", "parentHash", "blockHash", "txHash"].includes(key))
        expect(each, place).toMatch(/^0x[0-9a-f]{64}$/);
      else if (["data", "input"].includes(key)) expect(each, place).toMatch(/^0x([0-9a-f]{2})*$/);
      else expectTypes(asked, each);
    }
  }
}

async function honestTransaction(url: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify({ id: 1, jsonrpc: "2.0", method: "eth_getBlockByNumber", params: ["0x1", true] }),
  });
  return ((await response.json()) as { result: { transactions: string[] } }).result.transactions[0];
}
