// What a chain is recognised by: no single answer of a node decides what it is built on, or that it is another one.
import { expect, it } from "vitest";
import { firstTimes, testClient, testNode } from "../../../test/chain-client.ts";
import { blockJson, makeBlock } from "../../../test/rpc.ts";
import { ChainFault } from "../../chain/rpc/fault.ts";
import { knownBlock } from "./agree.ts";
import { type Anchored, checkAnchor, ForeignChain } from "./plan.ts";

/** A first block of another chain, well-formed. */
const OTHER = makeBlock(undefined, [], "another chain");

async function nodeThatLies(times: number) {
  const node = await testNode();
  node.mine();
  node.onCall = firstTimes(times, ({ method, params }) =>
    method === "eth_getBlockByNumber" && params[0] === "0x0" ? { result: blockJson(OTHER) } : undefined,
  );
  return { node, client: testClient([node.url], { settleMs: 100 }) };
}

it("one wrong header of a block that is to be built on is refused, never built on", async () => {
  const { node, client } = await nodeThatLies(1);
  await expect(knownBlock(client, 0)).rejects.toThrow(ChainFault);
  expect((await knownBlock(client, 0)).hash).toBe(node.chain[0]!.hash);
});

it("one wrong header of the first block is a slip; where every answer is another one, it is another chain", async () => {
  const { node, client } = await nodeThatLies(1);
  const anchor = { number: 0, hash: node.chain[0]!.hash };
  await checkAnchor(anchored(client, anchor));
  const foreign = await nodeThatLies(Number.POSITIVE_INFINITY);
  await expect(checkAnchor(anchored(foreign.client, anchor))).rejects.toThrow(ForeignChain);
});

function anchored(client: Anchored["client"], anchor: Anchored["store"]["anchor"]): Anchored {
  return { client, store: { chainId: 1, anchor } };
}
