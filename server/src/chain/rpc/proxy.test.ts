// Nodes behind an outbound proxy: what is asked of them, and new heads over a WebSocket, go through it.
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testClient, testNode } from "../../../test/chain-client.ts";
import { TEST_CHAIN_ID } from "../../../test/rpc.ts";
import { startSocketNode } from "../../../test/socket-node.ts";

test("requests and the WebSocket of a node go through the proxy that is configured", async () => {
  const asked = new Set<string>();
  const sockets = new Set<Socket>();
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket: Socket) => {
    asked.add(url);
    const [host, port] = url.split(":");
    const onward = connect(Number(port), host);
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on("error", () => each.destroy());
    }
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    onward.pipe(socket).pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve).closeAllConnections());
  });
  const through = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);

  const socket = await startSocketNode(TEST_CHAIN_ID);
  onTestFinished(() => socket.close());
  const node = await testNode();
  const client = testClient([node.url, socket.url], { proxyFor: () => through });
  await client.start();
  expect((await client.head()).number).toBe(0);
  await expect.poll(() => client.socketHealth()?.isHeard, { timeout: 120_000, interval: 5 }).toBe(true);
  expect([...asked].sort()).toEqual([node.url, socket.url].map((url) => new URL(url).host).sort());
});
