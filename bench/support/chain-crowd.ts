// One node passed off as many chains: a forwarder that answers each with its own chain id and asks the node everything else once, so
// that what is measured is the service's work and not the node's.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { numberToHex } from "viem";

export interface ChainCrowd {
  urlOf(chainId: number): string;
  /** To be told of each new block: what is said of the newest one is asked again. */
  moved(): void;
  /** HTTP requests so far. */
  requests(): number;
  close(): Promise<void>;
}

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

type Answer = { result?: unknown; error?: unknown };

export async function startChainCrowd(rpcUrl: string): Promise<ChainCrowd> {
  let known = new Map<string, Promise<Answer>>();
  const ask = (method: string, params: unknown[]): Promise<Answer> => {
    const key = JSON.stringify([method, params]);
    let answer = known.get(key);
    if (!answer) {
      answer = fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }).then((response) => response.json() as Promise<Answer>);
      known.set(key, answer);
    }
    return answer;
  };
  let requests = 0;
  const server: Server = createServer(async (request, response) => {
    requests += 1;
    const chainId = Number(request.url?.slice(1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const answers = await Promise.all(
      [body].flat().map(async ({ id, method, params }) => {
        const answer =
          method === "eth_chainId" ? { result: numberToHex(chainId) } : await ask(method, params ?? []);
        return { ...answer, jsonrpc: "2.0", id };
      }),
    );
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (chainId) => `http://127.0.0.1:${port}/${chainId}`,
    moved: () => {
      known = new Map();
    },
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
