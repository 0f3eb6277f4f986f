// Where channels and webhooks of a test lead: it keeps what it is sent, and answers as it is told.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver {
  url: string;
  /** The bodies of what came, the oldest first. */
  received: { path: string; headers: Record<string, unknown>; body: string }[];
  /** How it answers from now on. */
  answer(status: number, body: string): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Receiver["received"] = [];
  let [status, text] = [200, "ok"];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(status, { "content-type": "text/plain" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer(nextStatus, nextText) {
      [status, text] = [nextStatus, nextText];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
