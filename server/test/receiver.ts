// A receiver of webhooks: a real HTTP server that keeps the raw bytes of every request and answers as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** 204 unless told. */
  answer: (response: ServerResponse, request: Received) => void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = { path: request.url as string, headers: request.headers, body: Buffer.concat(chunks) };
    receiver.received.push(received);
    receiver.answer(response, received);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: (response) => response.writeHead(204).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Answers with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): Receiver["answer"] {
  return (response) => response.writeHead(code, headers).end();
}
