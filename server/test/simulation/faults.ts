// The ways in which a node goes wrong, one by one. A fault of an exchange befalls a whole HTTP request; a fault of a call befalls one
// JSON-RPC call and may look at what the true answer would be.
import type { Dice } from "./dice.ts";

export interface Call {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

export interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** What goes over the wire in place of the answers; "hang" never answers, "reset" breaks the connection. */
export type Wire =
  | { status: number; headers?: Record<string, string>; body: string; isCut?: boolean }
  | "hang"
  | "reset";

export interface ExchangeFault {
  name: string;
  /** Only for requests of several calls. */
  batchOnly?: boolean;
  apply(answer: () => Promise<string>, dice: Dice): Wire | Promise<Wire>;
}

export interface CallFault {
  name: string;
  befalls(call: Call): boolean;
  apply(call: Call, truth: () => Promise<Answer>, context: FaultContext): Promise<Answer>;
}

export interface FaultContext {
  dice: Dice;
  /** What the node answers another call, with nothing going wrong. */
  ask(call: Call): Promise<Answer>;
  /** Logs that stood at a height before a reorganisation. */
  siblingsAt(number: number): readonly NodeLog[];
}

/** A log as the node gives it. */
export interface NodeLog {
  blockNumber: string;
  blockHash: string;
  logIndex: string;
  [field: string]: unknown;
}

const json = (status: number, value: unknown): Wire => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

const HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

export const EXCHANGE_FAULTS: readonly ExchangeFault[] = [
  { name: "429", apply: () => ({ status: 429, body: "slow down" }) },
  {
    name: "429 with Retry-After",
    apply: () => ({ status: 429, headers: { "retry-after": "0" }, body: "" }),
  },
  {
    name: "429 with a date as Retry-After",
    apply: () => ({ status: 429, headers: { "retry-after": new Date().toUTCString() }, body: "" }),
  },
  { name: "HTML", apply: () => ({ status: 200, headers: { "content-type": "text/html" }, body: HTML }) },
  {
    name: "bad gateway",
    apply: (_answer, dice) => ({ status: dice.pick([500, 502, 503, 504]), body: HTML }),
  },
  {
    name: "truncated JSON",
    apply: async (answer) => {
      const body = await answer();
      return { status: 200, body: body.slice(0, body.length >> 1) };
    },
  },
  {
    name: "connection broken half way",
    apply: async (answer) => {
      const body = await answer();
      return { status: 200, body: body.slice(0, body.length >> 1), isCut: true };
    },
  },
  { name: "hung socket", apply: () => "hang" },
  { name: "connection reset", apply: () => "reset" },
  { name: "empty body", apply: () => ({ status: 200, body: "" }) },
  {
    name: "batch refused",
    batchOnly: true,
    apply: () =>
      json(200, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batching is disabled" } }),
  },
  {
    name: "batch rate-limited",
    batchOnly: true,
    apply: () =>
      json(200, { jsonrpc: "2.0", id: null, error: { code: -32005, message: "request rate limited" } }),
  },
  {
    name: "batch in another order",
    batchOnly: true,
    apply: async (answer, dice) => json(200, dice.shuffled(JSON.parse(await answer()) as unknown[])),
  },
  {
    name: "batch with an answer missing",
    batchOnly: true,
    apply: async (answer, dice) => {
      const answers = JSON.parse(await answer()) as unknown[];
      answers.splice(dice.below(answers.length), 1);
      return json(200, answers);
    },
  },
  {
    name: "batch with an answer twice",
    batchOnly: true,
    apply: async (answer, dice) => {
      const answers = JSON.parse(await answer()) as unknown[];
      return json(200, [...answers, dice.pick(answers)]);
    },
  },
  {
    name: "batch with ids as texts",
    batchOnly: true,
    apply: async (answer) =>
      json(
        200,
        (JSON.parse(await answer()) as { id: unknown }[]).map((each) => ({ ...each, id: String(each.id) })),
      ),
  },
];

const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";

const isBlock = ({ method }: Call) => method === "eth_getBlockByNumber" || method === "eth_getBlockByHash";
const isLogs = ({ method }: Call) => method === "eth_getLogs";
const isCall = ({ method }: Call) => method === "eth_call";
const isMulticall = (call: Call) =>
  isCall(call) && (call.params[0] as { to: string }).to.toLowerCase() === MULTICALL3;
const isAny = () => true;

/** Lists that are cut at 100 logs and more, as nodes cut them, are in chain/client/cut-logs.test.ts: nothing here answers with so many. */
export const CALL_FAULTS: readonly CallFault[] = [
  { name: "null block", befalls: isBlock, apply: async () => ({ result: null }) },
  { name: "empty logs", befalls: isLogs, apply: async () => ({ result: [] }) },
  {
    name: "logs of some blocks missing",
    befalls: isLogs,
    apply: (_call, truth, { dice }) =>
      ofLogs(truth, (logs) => {
        const kept = new Set(heights(logs).filter(() => dice.chance(0.5)));
        return logs.filter((log) => kept.has(Number(log.blockNumber)));
      }),
  },
  {
    name: "logs twice",
    befalls: isLogs,
    apply: (_call, truth) => ofLogs(truth, (logs) => [...logs, ...logs]),
  },
  {
    name: "logs in another order",
    befalls: isLogs,
    apply: (_call, truth, { dice }) => ofLogs(truth, (logs) => dice.shuffled(logs)),
  },
  {
    name: "logs of a sibling beside its own",
    befalls: isLogs,
    apply: (_call, truth, { siblingsAt }) =>
      ofLogs(truth, (logs) => [...logs, ...heights(logs).flatMap(siblingsAt)]),
  },
  {
    name: "logs of a sibling in place of its own",
    befalls: isLogs,
    apply: (call, truth, { siblingsAt }) =>
      ofLogs(truth, (logs) => {
        const { fromBlock, toBlock } = call.params[0] as Record<string, string | undefined>;
        const all =
          fromBlock === undefined || toBlock === undefined
            ? heights(logs)
            : Array.from(
                { length: Math.min(2_000, Number(toBlock) - Number(fromBlock) + 1) },
                (_, index) => Number(fromBlock) + index,
              );
        const taken = new Set(all.filter((height) => siblingsAt(height).length > 0));
        return [
          ...logs.filter((log) => !taken.has(Number(log.blockNumber))),
          ...[...taken].flatMap(siblingsAt),
        ];
      }),
  },
  {
    name: "logs with a wrong block hash",
    befalls: isLogs,
    apply: (_call, truth) =>
      ofLogs(truth, (logs) => {
        const height = logs.at(-1)?.blockNumber;
        return logs.map((log) =>
          log.blockNumber === height ? { ...log, blockHash: twisted(log.blockHash) } : log,
        );
      }),
  },
  {
    name: "logs marked removed",
    befalls: isLogs,
    apply: (_call, truth) =>
      ofLogs(truth, (logs) => [...logs, ...logs.map((log) => ({ ...log, removed: true }))]),
  },
  {
    name: "header with a wrong hash",
    befalls: isBlock,
    apply: (_call, truth) => ofObject(truth, (block) => ({ ...block, hash: twisted(block.hash as string) })),
  },
  {
    name: "header with a wrong parent",
    befalls: isBlock,
    apply: (_call, truth) =>
      ofObject(truth, (block) => ({ ...block, parentHash: twisted(block.parentHash as string) })),
  },
  {
    name: "header of another height",
    befalls: (call) => call.method === "eth_getBlockByNumber" && call.params[0] !== "latest",
    apply: (_call, truth) =>
      ofObject(truth, (block) => ({
        ...block,
        number: `0x${(Number(block.number) + 1).toString(16)}`,
      })),
  },
  {
    name: "header without a bloom",
    befalls: isBlock,
    apply: (_call, truth) => ofObject(truth, ({ logsBloom: _, ...block }) => block),
  },
  {
    name: "rate limited by JSON-RPC",
    befalls: isAny,
    apply: async (_call, _truth, { dice }) => ({
      error: dice.pick([
        { code: -32005, message: "daily request count exceeded, request rate limited" },
        { code: 429, message: "Your app has exceeded its compute units per second capacity." },
        { code: -32007, message: "50/second request limit reached - reduce calls per second" },
      ]),
    }),
  },
  {
    name: "internal error",
    befalls: isAny,
    apply: async () => ({ error: { code: -32603, message: "Internal error" } }),
  },
  {
    name: "pruned logs",
    befalls: isLogs,
    apply: async () => ({ error: { code: 4444, message: "pruned history unavailable" } }),
  },
  {
    name: "pruned state",
    befalls: isCall,
    apply: async () => ({
      error: {
        code: -32000,
        message: "missing trie node 5f3c (path ) state 0x5f3c is not available, not found",
      },
    }),
  },
  {
    name: "unknown block",
    befalls: (call) => isLogs(call) || isCall(call),
    apply: async () => ({ error: { code: -32000, message: "header not found" } }),
  },
  {
    name: "an error in words of its own",
    befalls: isCall,
    apply: async (_call, _truth, { dice }) => ({
      error: { code: dice.pick([-32000, -32603, -32099]), message: dice.pick(UNKNOWN_WORDS) },
    }),
  },
  {
    name: "execution aborted",
    befalls: isCall,
    apply: async () => ({ error: { code: -32000, message: "execution aborted (timeout = 5s)" } }),
  },
  {
    name: "another block's state",
    befalls: (call) => isMulticall(call) && call.params[1] !== "latest",
    apply: (call, _truth, { ask }) => ask({ ...call, params: [call.params[0], "0x2"] }),
  },
  {
    name: "logs with a wrong time",
    befalls: isLogs,
    apply: (_call, truth, { dice }) =>
      ofLogs(truth, (logs) =>
        logs.map((log) => ({ ...log, blockTimestamp: dice.pick(["0x0", "1700000000", "0xffffffffff", ""]) })),
      ),
  },
  {
    name: "multicall failed as a whole",
    befalls: isMulticall,
    apply: async (_call, _truth, { dice }) => ({
      error: dice.pick([
        { code: -32000, message: "out of gas" },
        { code: 3, message: "execution reverted", data: "0x" },
        { code: -32015, message: "VM execution error." },
      ]),
    }),
  },
  { name: "0x for a multicall", befalls: isMulticall, apply: async () => ({ result: "0x" }) },
  {
    name: "null transaction",
    befalls: ({ method }) => method === "eth_getTransactionByHash" || method === "eth_getTransactionReceipt",
    apply: async () => ({ result: null }),
  },
  {
    name: "unknown transactions",
    befalls: (call) =>
      call.method === "eth_getTransactionByHash" || (isBlock(call) && call.params[1] === true),
    apply: (call, truth) =>
      isBlock(call)
        ? ofObject(truth, (block) => ({ ...block, transactions: [] }))
        : Promise.resolve({ result: null }),
  },
  {
    name: "nonsense",
    befalls: isAny,
    apply: async (_call, _truth, { dice }) => ({ result: dice.pick(NONSENSE) }),
  },
];

/** No faults, but the ways of some layer 2: never drawn by chance, for they hold always or not at all. */
export const LAYER_TWO_WAYS: readonly CallFault[] = [
  {
    name: "logs of a system transaction",
    befalls: isLogs,
    apply: (_call, truth) =>
      ofLogs(truth, (logs) => logs.map((log) => ({ ...log, transactionHash: `0x${"0".repeat(64)}` }))),
  },
  {
    name: "logs without their block's time",
    befalls: isLogs,
    apply: (_call, truth) => ofLogs(truth, (logs) => logs.map(({ blockTimestamp: _, ...log }) => log)),
  },
  {
    name: "no tags",
    befalls: (call) => call.params[0] === "safe" || call.params[0] === "finalized",
    apply: async () => ({ error: { code: -39001, message: "safe block not found" } }),
  },
];

/** None of them says anything of the contract. */
const UNKNOWN_WORDS: readonly string[] = [
  "header for hash not found",
  "cannot query unfinalized data",
  "unsupported block number",
  "internal error",
  "no backends available",
  "execution error",
  "upstream failed",
  "",
];

const NONSENSE: readonly unknown[] = [
  "0xzz",
  {},
  7,
  [[]],
  [{ blockNumber: 1 }],
  { number: "0x1", hash: "0x" },
];

function heights(logs: readonly NodeLog[]): number[] {
  return [...new Set(logs.map((log) => Number(log.blockNumber)))];
}

function twisted(hash: string): string {
  return `${hash.slice(0, -1)}${hash.endsWith("0") ? "1" : "0"}`;
}

async function ofLogs(truth: () => Promise<Answer>, change: (logs: NodeLog[]) => unknown[]): Promise<Answer> {
  const answer = await truth();
  return Array.isArray(answer.result) ? { result: change(answer.result as NodeLog[]) } : answer;
}

async function ofObject(
  truth: () => Promise<Answer>,
  change: (object: Record<string, unknown>) => unknown,
): Promise<Answer> {
  const answer = await truth();
  const { result } = answer;
  return typeof result === "object" && result !== null
    ? { result: change(result as Record<string, unknown>) }
    : answer;
}
