import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { TEST_CHAIN_ID } from "../../../test/rpc.ts";
import { createChainClient } from "../client/client.ts";
import { rpcNodeOf } from "./rpc-node.ts";

test("credentials of a URL become its Authorization header, and a header that is given stands before them", () => {
  expect(rpcNodeOf("https://us%40r:p%3Aw@rpc.example/v1")).toEqual({
    url: "https://rpc.example/v1",
    headers: { authorization: `Basic ${Buffer.from("us@r:p:w").toString("base64")}` },
  });
  expect(
    rpcNodeOf({ url: "https://user:password@rpc.example/", headers: { authorization: "Bearer t" } }),
  ).toEqual({
    url: "https://rpc.example/",
    headers: { authorization: "Bearer t" },
  });
});

test("headers go with each request and each WebSocket, and are shown nowhere", async () => {
  const asked: { method: string | undefined; key: string | string[] | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method, key: request.headers["x-api-key"] });
    request.on("data", (body: Buffer) => {
      const { id } = JSON.parse(body.toString()) as { id: number };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: `0x${TEST_CHAIN_ID.toString(16)}` }));
    });
  });
  server.on("upgrade", (request, socket) => {
    asked.push({ method: "upgrade", key: request.headers["x-api-key"] });
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const headers = { "x-api-key": "s3cret-of-the-node" };
  const lines: string[] = [];
  const client = createChainClient({
    chainId: TEST_CHAIN_ID,
    name: "Test",
    rpcUrls: [
      { url: `http://127.0.0.1:${port}`, headers },
      { url: `ws://127.0.0.1:${port}`, headers },
    ],
    log: pino({ level: "trace" }, { write: (line) => void lines.push(line) }),
  });
  onTestFinished(() => client.close());
  await client.start();
  await expect.poll(() => asked.some(({ method }) => method === "upgrade")).toBe(true);
  expect(asked.some(({ method }) => method === "POST")).toBe(true);
  expect(asked.every(({ key }) => key === headers["x-api-key"])).toBe(true);
  expect(`${lines.join("")}${JSON.stringify([client.health(), client.socketHealth()])}`).not.toContain(
    "s3cret",
  );
});
