// Proxies in front of a real node, for tests: one that keeps logs back until it is told to let them on, and one without an archive.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface NodeProxy {
  url: string;
  stop(): Promise<void>;
}

export interface HoldingNode extends NodeProxy {
  /** Answers for the logs that were held, and holds none from here on. */
  letOn(): void;
  /** Answers nobody who asks for the newest block, until the function that it returns is called. */
  holdHeads(): () => void;
}

interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

/**
 * The node behind a proxy that does not answer for logs from a block on until it is let on. Filling in the past stands below that
 * block meanwhile, however fast or slow the machine is: below the span that holds it, and spans have a hundred blocks to begin with.
 */
export async function startHoldingNode(rpcUrl: string, fromBlock: number): Promise<HoldingNode> {
  const logs = Promise.withResolvers<void>();
  let heads = Promise.resolve();
  const proxy = await startProxy(async (call) => {
    const [first] = call.params as ({ fromBlock?: string } | string)[];
    if (call.method === "eth_getLogs" && typeof first === "object" && Number(first.fromBlock) >= fromBlock)
      await logs.promise;
    if (first === "latest") await heads;
    return await post(rpcUrl, call);
  });
  return {
    ...proxy,
    letOn: logs.resolve,
    holdHeads() {
      const { promise, resolve } = Promise.withResolvers<void>();
      heads = promise;
      return resolve;
    },
  };
}

/** The node behind a proxy that does not know `eth_simulateV1`, and counts what it is asked. */
export async function startOlderNode(rpcUrl: string): Promise<NodeProxy & { asked(): number }> {
  let asked = 0;
  const proxy = await startProxy(async (call) => {
    asked += 1;
    if (call.method !== "eth_simulateV1") return await post(rpcUrl, call);
    const message = "the method eth_simulateV1 does not exist/is not available";
    return { jsonrpc: "2.0", id: call.id, error: { code: -32601, message } };
  });
  return { ...proxy, asked: () => asked };
}

/** The node behind a proxy that breaks off whatever simulates. */
export async function startBreakingNode(rpcUrl: string): Promise<NodeProxy> {
  return await startProxy(async (call) => {
    if (call.method === "eth_simulateV1") throw new Error("the connection breaks off");
    return await post(rpcUrl, call);
  });
}

/** The node behind a proxy that refuses to read at blocks up to one, as a node without an archive does. */
export async function startPrunedNode(rpcUrl: string, upTo: number): Promise<NodeProxy> {
  return await startProxy(async (call) => {
    if (call.method === "eth_call" && (await isOld(rpcUrl, call.params[1], upTo))) {
      return {
        jsonrpc: "2.0",
        id: call.id,
        error: { code: -32000, message: "missing trie node 5f3c (path )" },
      };
    }
    return await post(rpcUrl, call);
  });
}

async function startProxy(answer: (call: RpcCall) => Promise<unknown>): Promise<NodeProxy> {
  const server = createServer(async (request, response) => {
    try {
      const asked = JSON.parse(await text(request)) as RpcCall | RpcCall[];
      const answers = await Promise.all([asked].flat().map(answer));
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
    } catch {
      // The node is gone, or the caller is.
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function isOld(rpcUrl: string, at: unknown, upTo: number): Promise<boolean> {
  if (typeof at === "string") return at.startsWith("0x") && Number(at) <= upTo;
  const { blockHash, blockNumber } = at as { blockHash?: string; blockNumber?: string };
  if (blockHash === undefined) return Number(blockNumber) <= upTo;
  const { result } = await post(rpcUrl, {
    jsonrpc: "2.0",
    id: 1,
    method: "eth_getBlockByHash",
    params: [blockHash, false],
  });
  return Number((result as { number: string }).number) <= upTo;
}

async function post(url: string, body: unknown): Promise<{ result?: unknown }> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { result?: unknown };
}
