// A JSON-RPC node for tests, over real HTTP: it serves a chain that the test writes, and goes wrong when told to. Faults come in
// two kinds: `onRequest` answers for the whole connection (statuses, broken bodies, hanging sockets), `onCall` for single
// calls (errors in a provider's words, lagging, lying).
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Hex, keccak256, numberToHex, stringToHex } from "viem";

export interface TestLog {
  address: Hex;
  topics: Hex[];
  data?: Hex;
}

export interface TestBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  logs: TestLog[];
}

export interface RpcCall {
  method: string;
  params: unknown[];
}

export type CallAnswer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };
export type HttpAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string }
  | "hang"
  | "reset"
  | "cut";

export interface TestNode {
  url: string;
  /** Every call that came in, batches taken apart. */
  calls: RpcCall[];
  chain: TestBlock[];
  /** Answers for the connection; undefined leaves it to the calls. */
  onRequest: (calls: RpcCall[]) => HttpAnswer | undefined;
  /** Answers a call; undefined leaves it to the chain. */
  onCall: (call: RpcCall) => CallAnswer | undefined;
  /** JSON to stand in the place of what would be answered; undefined leaves the answer as it is. */
  rewrite: (call: RpcCall, honest: CallAnswer) => { json: string; key: "result" | "error" } | undefined;
  /** Calls of one method, counted. */
  count(method: string): number;
  /** Adds a block with these logs. */
  mine(logs?: TestLog[], salt?: string): TestBlock;
  close(): Promise<void>;
}

export const TEST_CHAIN_ID = 4242;

export async function startTestNode(options: { chainId?: number } = {}): Promise<TestNode> {
  const chainId = options.chainId ?? TEST_CHAIN_ID;
  const node: TestNode = {
    url: "",
    calls: [],
    chain: [],
    onRequest: () => undefined,
    onCall: () => undefined,
    rewrite: () => undefined,
    count: (method) => node.calls.filter((call) => call.method === method).length,
    mine: (logs = [], salt = "") => {
      const block = makeBlock(node.chain.at(-1), logs, salt);
      node.chain.push(block);
      return block;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    respond(node, chainId, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/secret-key`;
  node.mine();
  return node;
}

export function makeBlock(parent: TestBlock | undefined, logs: TestLog[], salt = ""): TestBlock {
  const number = parent ? parent.number + 1 : 0;
  const parentHash = parent?.hash ?? keccak256("0x");
  return {
    number,
    parentHash,
    hash: keccak256(stringToHex(`${parentHash}/${number}/${salt}/${JSON.stringify(logs)}`)),
    timestamp: 1_700_000_000 + number * 12,
    logs,
  };
}

/** The block as eth_getBlockBy… gives it, its bloom computed from its logs. */
export function blockJson(block: TestBlock): Record<string, unknown> {
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: numberToHex(block.timestamp),
    logsBloom: bloomOf(block.logs),
    transactions: block.logs.map((_, index) => txHash(block, index)),
  };
}

/** The block's logs as eth_getLogs gives them; every log is a transaction of its own. */
export function logsJson(block: TestBlock): Record<string, unknown>[] {
  return block.logs.map((log, index) => ({
    address: log.address,
    topics: log.topics,
    data: log.data ?? "0x",
    blockNumber: numberToHex(block.number),
    blockHash: block.hash,
    transactionHash: txHash(block, index),
    transactionIndex: numberToHex(index),
    logIndex: numberToHex(index),
    removed: false,
  }));
}

/** 2048 bits, three for the address and for each topic (Yellow Paper 4.3.1); computed apart from the code under test. */
export function bloomOf(logs: readonly TestLog[]): Hex {
  let bits = 0n;
  for (const value of logs.flatMap((log) => [log.address, ...log.topics])) {
    const hash = keccak256(value).slice(2);
    for (const at of [0, 4, 8]) bits |= 1n << (BigInt(`0x${hash.slice(at, at + 4)}`) & 2047n);
  }
  return `0x${bits.toString(16).padStart(512, "0")}`;
}

function txHash(block: TestBlock, index: number): Hex {
  return keccak256(stringToHex(`${block.hash}/tx/${index}`));
}

async function respond(
  node: TestNode,
  chainId: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const list = (Array.isArray(body) ? body : [body]) as (RpcCall & { id: number })[];
  node.calls.push(...list.map(({ method, params }) => ({ method, params })));
  const fault = node.onRequest(list);
  if (fault === "hang") return;
  if (fault === "reset") {
    request.socket.destroy();
    return;
  }
  if (fault !== undefined && fault !== "cut") {
    response.writeHead(fault.status ?? 200, fault.headers ?? { "content-type": "application/json" });
    response.end(fault.body ?? "");
    return;
  }
  const answers = list.map((call) => {
    const honest = node.onCall(call) ?? answer(node, chainId, call);
    const { json, key } = node.rewrite(call, honest) ?? {};
    const head = `{"jsonrpc":"2.0","id":${call.id}`;
    return json === undefined ? `${head},${JSON.stringify(honest).slice(1)}` : `${head},"${key}":${json}}`;
  });
  const text = Array.isArray(body) ? `[${answers.join(",")}]` : answers[0]!;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(fault === "cut" ? text.slice(0, text.length / 2) : text);
}

function answer(node: TestNode, chainId: number, { method, params }: RpcCall): CallAnswer {
  const { chain } = node;
  switch (method) {
    case "eth_chainId":
      return { result: numberToHex(chainId) };
    case "eth_getBlockByNumber": {
      const tag = params[0] as string;
      const block = tag === "latest" ? chain.at(-1) : chain[Number(tag)];
      return { result: block ? blockJson(block) : null };
    }
    case "eth_getBlockByHash": {
      const block = chain.find((each) => each.hash === params[0]);
      return { result: block ? blockJson(block) : null };
    }
    case "eth_getLogs":
      return getLogs(chain, params[0] as Filter);
    case "eth_getBlockReceipts": {
      const block = chain.find((each) => each.hash === params[0]);
      return { result: block ? logsJson(block).map((log) => ({ logs: [log] })) : null };
    }
    case "eth_getTransactionReceipt": {
      const log = chain.flatMap(logsJson).find((each) => each.transactionHash === params[0]);
      return { result: log ? { logs: [log] } : null };
    }
    case "eth_getTransactionByHash": {
      const log = chain.flatMap(logsJson).find((each) => each.transactionHash === params[0]);
      if (!log) return { result: null };
      const { transactionHash: hash, transactionIndex, address: to } = log;
      return { result: { hash, transactionIndex, from: `0x${"11".repeat(20)}`, to, input: "0x" } };
    }
    case "eth_getCode":
      return { result: "0x" };
    case "eth_getStorageAt":
      return { result: `0x${"0".repeat(64)}` };
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
  }
}

interface Filter {
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
  address?: string | string[];
  topics?: (string[] | string | null)[];
}

function getLogs(chain: TestBlock[], filter: Filter): CallAnswer {
  const blocks = filter.blockHash
    ? chain.filter((block) => block.hash === filter.blockHash)
    : chain.slice(Number(filter.fromBlock), Number(filter.toBlock) + 1);
  if (filter.blockHash && blocks.length === 0) return { error: { code: -32000, message: "unknown block" } };
  const wanted =
    filter.address === undefined ? null : [filter.address].flat().map((each) => each.toLowerCase());
  const topics = filter.topics?.[0] ? [filter.topics[0]].flat() : null;
  const matching = blocks
    .flatMap(logsJson)
    .filter((log) => wanted === null || wanted.includes((log.address as string).toLowerCase()))
    .filter((log) => topics === null || topics.includes((log.topics as string[])[0] ?? ""));
  return { result: matching };
}
