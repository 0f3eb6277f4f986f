// Agreement: which block counts where more than one node must have it.
import { expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import type { TestNode } from "../../../test/rpc.ts";
import { blockJson } from "../../../test/rpc.ts";

async function nodeWith(blocks: number, salt = ""): Promise<TestNode> {
  const node = await testNode();
  for (let number = 0; number < blocks; number += 1) node.mine([], salt);
  return node;
}

const clientOf = (nodes: TestNode[], quorum = 2) =>
  testClient(
    nodes.map(({ url }) => url),
    { quorum, watchMs: 1_000_000 },
  );

test("nodes agree up to where as many of them as the quorum asks for have come", async () => {
  const nodes = [await nodeWith(9), await nodeWith(6), await nodeWith(2)];
  const client = clientOf(nodes);
  expect((await client.agreed(4, null))?.number).toBe(4);
  expect(await client.agreed(8, null)).toMatchObject({ number: 6, hash: nodes[0]!.chain[6]!.hash });
  expect((await clientOf(nodes, 3).agreed(8, null))?.number).toBe(2);
});

test("nodes on different branches agree on nothing, unless enough are on one", async () => {
  const [one, other] = [await nodeWith(9), await nodeWith(9, "another")];
  expect(await clientOf([one, other]).agreed(4, null)).toBeNull();
  expect((await clientOf([other, one, await nodeWith(9)]).agreed(4, null))?.hash).toBe(one.chain[4]?.hash);
});

test("a node that does not answer, errs, or serves another chain does not count", async () => {
  const [one, other] = [await nodeWith(9), await nodeWith(9)];
  const client = clientOf([one, other]);
  other.onRequest = () => ({ status: 502 });
  expect(await client.agreed(4, null)).toBeNull();
  other.onRequest = () => undefined;
  expect((await client.agreed(4, null))?.number).toBe(4);
  other.onCall = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
  expect(await clientOf([one, other]).agreed(4, null)).toBeNull();
});

test("with a tag it is what each node calls final that counts", async () => {
  const nodes = [await nodeWith(9), await nodeWith(9)];
  for (const [index, node] of nodes.entries()) {
    node.onCall = ({ params }) =>
      params[0] === "finalized" ? { result: blockJson(node.chain[7 - index * 2]!) } : undefined;
  }
  expect((await clientOf(nodes).agreed(7, "finalized"))?.number).toBe(5);
  expect(await clientOf(nodes).agreed(7, "safe")).toBeNull();
});
