// New heads over a WebSocket: what is heard wakes who waits; what is not heard is noticed.
import { expect, onTestFinished, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { TEST_CHAIN_ID } from "../../../test/rpc.ts";
import { type SocketNode, startSocketNode } from "../../../test/socket-node.ts";

const WAIT = { timeout: 120_000, interval: 5 };

async function socketNode(chainId = TEST_CHAIN_ID): Promise<SocketNode> {
  const node = await startSocketNode(chainId);
  onTestFinished(() => node.close());
  return node;
}

async function following(sockets: SocketNode[], deafMs = 1_000_000) {
  const node = await testNode();
  const client = testClient([node.url, ...sockets.map(({ url }) => url)], { deafMs });
  await client.start();
  return { node, client, isHeard: () => client.socketHealth()?.isHeard };
}

test("a notification wakes who waits for the next head, once, and one that came meanwhile is not lost", async () => {
  const socket = await socketNode();
  const { node, client, isHeard } = await following([socket]);
  await expect.poll(isHeard, WAIT).toBe(true);
  const { signal } = new AbortController();
  let woken = 0;
  const waiting = client.nextHead(signal).then(() => {
    woken += 1;
  });
  await client.head();
  expect(woken).toBe(0);
  socket.notify(1);
  await waiting;
  // Told already, and not asked for yet.
  await client.nextHead(signal);
  expect(client.hearsAfter(0)).toBe(false);
  node.mine();
  expect((await client.head()).number).toBe(1);
  expect(client.hearsAfter(1)).toBe(true);
  const gone = new AbortController();
  const next = client.nextHead(gone.signal).then(() => {
    woken += 1;
  });
  await client.head();
  expect(woken).toBe(1);
  gone.abort();
  await next;
});

test("a socket that is silent while the chain moves is left for the next URL", async () => {
  const [silent, other] = [await socketNode(), await socketNode()];
  const { node, client, isHeard } = await following([silent, other], 20);
  await expect.poll(isHeard, WAIT).toBe(true);
  node.mine();
  await expect
    .poll(async () => {
      await client.head();
      return other.subscriptions;
    }, WAIT)
    .toBeGreaterThan(0);
});

test("a socket is not left while the chain stands still, however long", async () => {
  const socket = await socketNode();
  const { client, isHeard } = await following([socket], 0);
  await expect.poll(isHeard, WAIT).toBe(true);
  socket.notify(0);
  await client.nextHead(new AbortController().signal);
  for (let round = 0; round < 20; round += 1) await client.head();
  expect(client.hearsAfter(0)).toBe(true);
  expect(socket.subscriptions).toBe(1);
});

test("a connection that ends is made again; until then nothing counts as heard", async () => {
  const socket = await socketNode();
  const { isHeard, client } = await following([socket]);
  await expect.poll(isHeard, WAIT).toBe(true);
  socket.hangUp();
  await expect.poll(() => socket.subscriptions, WAIT).toBe(2);
  await expect.poll(isHeard, WAIT).toBe(true);
  expect(client.health()).toHaveLength(1);
});

test.each([
  ["serves another chain", (node: SocketNode) => Object.assign(node.answers, { eth_chainId: "0x1" })],
  ["refuses subscriptions", (node: SocketNode) => Object.assign(node.answers, { eth_subscribe: null })],
])("a socket that %s is left, with the reason and no secret", async (_name, spoil) => {
  const socket = await socketNode();
  spoil(socket);
  const { client } = await following([socket]);
  await expect.poll(() => client.socketHealth()?.lastError, WAIT).toMatch(/another chain|no subscription/);
  expect(client.socketHealth()?.isHeard).toBe(false);
  expect(JSON.stringify(client.socketHealth())).not.toContain("secret-key");
  expect((await client.head()).number).toBe(0);
});

test("nonsense on the socket is no news and breaks nothing", async () => {
  const socket = await socketNode();
  const { client, isHeard } = await following([socket]);
  await expect.poll(isHeard, WAIT).toBe(true);
  for (const text of ["", "{", "null", '"x"', '{"method":"eth_subscription"}', `"${"x".repeat(60_000)}"`])
    socket.say(text);
  socket.say('{"method":"eth_subscription","params":{"result":{"number":"0xffffffffffffffffff"}}}');
  socket.notify(7);
  await client.nextHead(new AbortController().signal);
  expect(isHeard()).toBe(true);
});
