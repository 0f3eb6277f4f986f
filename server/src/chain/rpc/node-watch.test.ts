// Several URLs beside one another: the one that lags or is on another branch is set aside, and returns when it is well.
import { expect, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import type { TestNode } from "../../../test/rpc.ts";
import { isChainFault } from "./fault.ts";

const PATIENT = { watchMs: 5 };
const WAIT = { timeout: 120_000, interval: 5 };

/** A node with so many blocks; the same salt makes the same chain. */
async function nodeWith(blocks: number, salt = ""): Promise<TestNode> {
  const node = await testNode();
  for (let number = 0; number < blocks; number += 1) node.mine([], salt);
  return node;
}

test("a URL that lags is asked for no block while another keeps up, and serves again when it has caught up", async () => {
  const [first, second] = [await nodeWith(40), await nodeWith(46)];
  const client = testClient([first.url, second.url], PATIENT);
  await client.start();
  await expect
    .poll(() => client.health()[0], WAIT)
    .toMatchObject({
      isHealthy: false,
      aside: { reason: "lags", blocks: 6 },
      head: 40,
    });
  expect((await client.head()).number).toBe(46);
  while (first.chain.length < second.chain.length) first.mine();
  await expect.poll(() => client.health()[0]?.isHealthy, WAIT).toBe(true);
  expect(client.health()[0]).toMatchObject({ aside: null, head: 46 });
  expect(client.health()[0]?.latencyMs).toBeGreaterThan(0);
});

test("a URL that lags still serves when no other answers", async () => {
  const [first, second] = [await nodeWith(40), await nodeWith(46)];
  const client = testClient([first.url, second.url], PATIENT);
  await client.start();
  await expect.poll(() => client.health()[0]?.aside?.reason, WAIT).toBe("lags");
  second.onRequest = () => ({ status: 502 });
  expect((await client.head()).number).toBe(40);
});

test("of three URLs the one on another branch is set aside, is not asked even when it is the last, and returns with its branch", async () => {
  const forked = await nodeWith(50, "another");
  const [second, third] = [await nodeWith(50), await nodeWith(50)];
  const client = testClient([forked.url, second.url, third.url], { ...PATIENT, deadlineMs: 2_000 });
  await client.start();
  await expect.poll(() => client.health()[0]?.aside?.reason, WAIT).toBe("forked");
  expect((await client.head()).hash).toBe(second.chain.at(-1)?.hash);

  for (const node of [second, third]) node.onRequest = () => ({ status: 502 });
  const fault = await client.head().catch((error: unknown) => error);
  expect(isChainFault(fault, "unavailable")).toBe(true);
  expect(String(fault)).toContain("on another branch");

  for (const node of [second, third]) node.onRequest = () => undefined;
  forked.chain.splice(0, forked.chain.length, ...second.chain);
  await expect.poll(() => client.health()[0]?.isHealthy, WAIT).toBe(true);
});

test("of two URLs on different branches the one with the block known for certain serves", async () => {
  const [forked, right] = [await nodeWith(50, "another"), await nodeWith(50)];
  const client = testClient([forked.url, right.url], PATIENT);
  client.trust(right.chain[20]!);
  await client.start();
  await expect.poll(() => client.health()[0]?.aside, WAIT).toEqual({ reason: "forked", block: 20 });
  expect((await client.head()).hash).toBe(right.chain.at(-1)?.hash);
});

test("a single URL is not watched, and its head is known from what it was asked", async () => {
  const node = await nodeWith(3);
  const client = testClient([node.url], { watchMs: 1 });
  await client.start();
  await client.head();
  expect(client.health()[0]).toMatchObject({ isHealthy: true, head: 3 });
  expect(node.count("eth_getBlockByNumber")).toBe(1);
});
