// Receipts of many transactions at once: what the node knows, what it does not, and what it gave no answer to are told apart.
import type { Hash } from "viem";
import { expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";

const hashOf = (number: number): Hash => `0x${number.toString(16).padStart(64, "0")}`;

function receipt(number: number, more: Record<string, unknown> = {}) {
  return {
    transactionHash: hashOf(number),
    blockNumber: "0x10",
    blockHash: hashOf(0xb10c).toUpperCase().replace("0X", "0x"),
    status: "0x1",
    ...more,
  };
}

test("a receipt, a revert, an unknown transaction, an error and nonsense are told apart, in one exchange", async () => {
  const node = await testNode();
  const client = testClient([node.url]);
  await client.start();
  const answers: Record<Hash, object> = {
    [hashOf(1)]: { result: receipt(1) },
    [hashOf(2)]: { result: receipt(2, { status: "0x0" }) },
    [hashOf(3)]: { result: null },
    [hashOf(4)]: { error: { code: -32602, message: "invalid argument" } },
    [hashOf(5)]: { result: receipt(5, { blockNumber: null }) },
    [hashOf(6)]: { result: receipt(1) },
    // Before EIP-658 a state root stood in the place of the status.
    [hashOf(7)]: { result: receipt(7, { status: undefined, root: hashOf(9) }) },
  };
  node.onCall = ({ method, params }) =>
    method === "eth_getTransactionReceipt" ? (answers[params[0] as Hash] as never) : undefined;
  let exchanges = 0;
  node.onRequest = () => {
    exchanges += 1;
    return undefined;
  };
  const hashes = Object.keys(answers) as Hash[];
  const found = await client.receipts([...hashes, hashOf(1)]);
  const at = { blockNumber: 16, blockHash: hashOf(0xb10c) };
  expect([...found]).toEqual([
    [hashOf(1), { txHash: hashOf(1), ...at, isSuccess: true }],
    [hashOf(2), { txHash: hashOf(2), ...at, isSuccess: false }],
    [hashOf(3), null],
    [hashOf(7), { txHash: hashOf(7), ...at, isSuccess: true }],
  ]);
  expect(exchanges).toBe(1);
  expect(await client.receipts([])).toEqual(new Map());
});

test("a node that is out is a fault, not an answer", async () => {
  const node = await testNode();
  const client = testClient([node.url], { deadlineMs: 500 });
  await client.start();
  node.onRequest = () => "reset";
  await expect(client.receipts([hashOf(1)])).rejects.toMatchObject({
    name: "ChainFault",
    code: "unavailable",
  });
});
