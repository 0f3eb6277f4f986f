// A node's WebSocket for tests (RFC 6455, as far as a test needs it): it takes subscriptions to new heads and tells of them when the
// test says so, or keeps silent.
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { numberToHex } from "viem";

export interface SocketNode {
  url: string;
  /** How often someone has subscribed. */
  subscriptions: number;
  /** Methods that are answered by silence. */
  deafTo: Set<string>;
  answers: Record<string, unknown>;
  /** Tells all who have subscribed. */
  notify(number: number): void;
  /** Sends this text as it is. */
  say(text: string): void;
  hangUp(): void;
  close(): Promise<void>;
}

export async function startSocketNode(chainId: number): Promise<SocketNode> {
  const sockets = new Set<Duplex>();
  const server: Server = createServer();
  const node: SocketNode = {
    url: "",
    subscriptions: 0,
    deafTo: new Set(),
    answers: { eth_chainId: numberToHex(chainId), eth_subscribe: "0x5" },
    notify: (number) =>
      node.say(
        JSON.stringify({
          jsonrpc: "2.0",
          method: "eth_subscription",
          params: { subscription: "0x5", result: { number: numberToHex(number) } },
        }),
      ),
    say: (text) => {
      for (const socket of sockets) socket.write(frameOf(text));
    },
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        node.hangUp();
        server.close(() => resolve());
      }),
  };
  server.on("upgrade", (request, socket) => {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let buffer: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (let message = take(buffer); message; message = take(buffer)) {
        buffer = message.rest;
        if (message.text === null) {
          socket.end();
          return;
        }
        const { id, method } = JSON.parse(message.text) as { id: number; method: string };
        if (node.deafTo.has(method)) continue;
        if (method === "eth_subscribe") node.subscriptions += 1;
        socket.write(frameOf(JSON.stringify({ jsonrpc: "2.0", id, result: node.answers[method] })));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  node.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/secret-key`;
  return node;
}

function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const head = body.length < 126 ? [0x81, body.length] : [0x81, 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}

/** The first whole message, masked as clients' are; `text` null: the connection is being closed. */
function take(buffer: Buffer): { text: string | null; rest: Buffer } | null {
  if (buffer.length < 6) return null;
  const isLong = (buffer[1]! & 0x7f) === 126;
  const start = isLong ? 8 : 6;
  if (buffer.length < start) return null;
  const length = isLong ? buffer.readUInt16BE(2) : buffer[1]! & 0x7f;
  if (buffer.length < start + length) return null;
  const mask = buffer.subarray(start - 4, start);
  const body = buffer.subarray(start, start + length).map((byte, index) => byte ^ mask[index % 4]!);
  const isClose = (buffer[0]! & 0x0f) === 8;
  return { text: isClose ? null : body.toString(), rest: buffer.subarray(start + length) };
}
