// eth_simulateV1: what calls would do on top of a block, with views after them in the same blocks. Several runs are asked for in one JSON-RPC
// batch. Number and time of each block are always given: nodes differ in what they fill in, and what was foretold must say for when.
//
// Guarantee: what comes back is of the blocks asked for, each call answered once, bounded in size; anything else is a ChainFault. A node that does
// not know the method, or will not take the question, is an answer (`refused`), not a fault.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import { ChainFault } from "../rpc/fault.ts";
import {
  type BlockRef,
  type Call,
  type CallResult,
  MalformedAnswer,
  quantity,
  toBytes,
  toHash,
  toLowerAddress,
  toNumber,
} from "../rpc/raw.ts";
import type { Rpc, RpcCall } from "../rpc/rpc.ts";
import { RpcError, toFault } from "../rpc/rpc-error.ts";
import { MULTICALL3 } from "./calls.ts";

export interface SimulatedCall {
  from: Address;
  to: Address;
  value: bigint;
  data: Hex;
}

/** `views` are asked after the calls, by nobody. */
export interface SimulationBlock {
  number: number;
  timestamp: number;
  calls: readonly SimulatedCall[];
  views: readonly Call[];
}

/** Addresses and topics in lower case. */
export interface SimulatedLog {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

export interface SimulatedOutcome {
  /** False: `data` holds the revert data. */
  success: boolean;
  data: Hex;
  logs: SimulatedLog[];
}

export interface SimulatedBlock {
  calls: SimulatedOutcome[];
  views: CallResult[];
}

export type Simulation = { blocks: SimulatedBlock[] } | { refused: "unsupported" | "not_taken" };

export interface SimulateOptions {
  /** Whether Multicall3 stands there, by which the views of a block become few calls. */
  hasMulticall: boolean;
  signal?: AbortSignal;
}

/** What nodes give to one simulation as a whole: their default. */
const GAS = 50_000_000;
const GAS_OF_CALLS = 20_000_000;
const VIEWS_PER_CALL = 100;
const MOST_LOGS = 1_000;
/** 256 KiB. */
const MOST_HEX = 2 + 2 * 256 * 1024;
const NOBODY: Address = "0x0000000000000000000000000000000000000000";
/** Multicall3's `getBlockNumber()` and `getCurrentBlockTimestamp()`: some nodes leave what is asked for out of what contracts see. */
const PROOF: readonly Call[] = [
  { to: MULTICALL3, data: "0x42cbb15c" },
  { to: MULTICALL3, data: "0x0f28c97d" },
];

/** Each run by itself on top of that block, in the order given. */
export async function simulate(
  rpc: Pick<Rpc, "batch">,
  runs: readonly (readonly SimulationBlock[])[],
  at: Exclude<BlockRef, "latest">,
  { hasMulticall, signal }: SimulateOptions,
): Promise<Simulation[]> {
  const block = at.hash === undefined ? quantity(at.number) : { blockHash: at.hash };
  const requests = runs.map(
    (run): RpcCall => ({
      method: "eth_simulateV1",
      params: [
        { blockStateCalls: run.map((each) => requestOf(each, hasMulticall)), validation: false },
        block,
      ],
    }),
  );
  try {
    const answers = await rpc.batch(requests, { signal, serverRounds: 1, giveUpAfterTimeouts: 1 });
    return answers.map((answer, index) => simulationOf(answer, runs[index]!, hasMulticall));
  } catch (error) {
    throw toFault(error);
  }
}

function requestOf({ number, timestamp, calls, views }: SimulationBlock, hasMulticall: boolean) {
  const asked = viewCalls(views, hasMulticall);
  const gasOfCall = Math.floor(GAS_OF_CALLS / Math.max(1, calls.length));
  const gasOfView = Math.floor((GAS - GAS_OF_CALLS) / Math.max(1, asked.length));
  return {
    blockOverrides: { number: quantity(number), time: quantity(timestamp), gasLimit: quantity(GAS) },
    calls: [
      ...calls.map(({ from, to, value, data }) => ({
        from,
        to,
        value: `0x${value.toString(16)}`,
        input: data,
        gas: quantity(gasOfCall),
      })),
      ...asked.map(({ to, data }) => ({ from: NOBODY, to, input: data, gas: quantity(gasOfView) })),
    ],
  };
}

/** The views as they are asked for. */
function viewCalls(views: readonly Call[], hasMulticall: boolean): Call[] {
  if (!hasMulticall) return [...views];
  return chunks(views).map((chunk) => ({
    to: MULTICALL3,
    data: encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [
        [...PROOF, ...chunk].map(({ to, data }) => ({ target: to, allowFailure: true, callData: data })),
      ],
    }),
  }));
}

function chunks(views: readonly Call[]): Call[][] {
  const parts: Call[][] = [];
  for (let at = 0; at < views.length; at += VIEWS_PER_CALL) parts.push(views.slice(at, at + VIEWS_PER_CALL));
  return parts;
}

function simulationOf(answer: unknown, run: readonly SimulationBlock[], hasMulticall: boolean): Simulation {
  if (answer instanceof RpcError) {
    if (answer.kind === "unsupported") return { refused: "unsupported" };
    if (answer.kind === "unknown_block" || answer.kind === "state_missing" || answer.kind === "rate_limited")
      throw answer;
    return { refused: "not_taken" };
  }
  if (!Array.isArray(answer)) throw new MalformedAnswer("simulation");
  // Where numbers leave a gap, nodes fill it with blocks of their own.
  const byNumber = new Map<number, Record<string, unknown>>();
  for (const block of answer.slice(0, 512)) {
    if (typeof block !== "object" || block === null) throw new MalformedAnswer("simulated block");
    byNumber.set(toNumber((block as { number?: unknown }).number, "number of a simulated block"), block);
  }
  let logsLeft = MOST_LOGS;
  let dataLeft = MOST_HEX;
  const blocks = run.map(({ number, timestamp, calls, views }) => {
    const block = byNumber.get(number);
    if (block === undefined || toNumber(block.timestamp, "time of a simulated block") !== timestamp)
      throw new ChainFault("other_block", "the node simulated another block than the one asked for");
    const outcomes = block.calls;
    const asked = viewCalls(views, hasMulticall);
    if (!Array.isArray(outcomes) || outcomes.length !== calls.length + asked.length)
      throw new MalformedAnswer("list of simulated calls");
    const all = outcomes.map((outcome) => outcomeOf(outcome));
    const own = all.slice(0, calls.length);
    const logs = own.flatMap((outcome) => outcome.logs);
    logsLeft -= logs.length;
    dataLeft -= logs.reduce((sum, { data }) => sum + data.length, 0);
    if (logsLeft < 0 || dataLeft < 0)
      throw new ChainFault("refused", "the calls emit more logs than are looked at");
    const rest = all.slice(calls.length);
    return {
      calls: own,
      views: hasMulticall ? aggregated(rest, views, { number, timestamp }) : rest.map(bounded),
    };
  });
  return { blocks };
}

function outcomeOf(outcome: unknown): SimulatedOutcome {
  if (typeof outcome !== "object" || outcome === null) throw new MalformedAnswer("simulated call");
  const { status, returnData, logs, error } = outcome as Record<string, unknown>;
  const success = toNumber(status, "status of a simulated call") === 1;
  // Some put the revert data beside the error alone.
  const told = (error as { data?: unknown } | undefined)?.data;
  const data = returnData ?? (typeof told === "string" ? told : "0x");
  if (!Array.isArray(logs ?? [])) throw new MalformedAnswer("logs of a simulated call");
  return {
    success,
    data: toBytes(
      data === "0x" && typeof told === "string" && !success ? told : data,
      "result of a simulated call",
    ),
    logs: success ? ((logs ?? []) as unknown[]).slice(0, MOST_LOGS + 1).map(logOf) : [],
  };
}

function logOf(entry: unknown): SimulatedLog {
  if (typeof entry !== "object" || entry === null) throw new MalformedAnswer("simulated log");
  const { address, topics, data } = entry as Record<string, unknown>;
  if (!Array.isArray(topics) || topics.length > 4) throw new MalformedAnswer("topics of a simulated log");
  return {
    address: toLowerAddress(address, "address of a simulated log"),
    topics: topics.map((topic) => toHash(topic, "topic")),
    data: toBytes(data, "data of a simulated log"),
  };
}

/** The answers to views out of aggregates, which tell at which block they ran. */
function aggregated(
  outcomes: readonly SimulatedOutcome[],
  views: readonly Call[],
  at: { number: number; timestamp: number },
): CallResult[] {
  return chunks(views).flatMap((chunk, index) => {
    const outcome = outcomes[index]!;
    const parts = outcome.success ? decoded(outcome.data) : null;
    if (parts?.length !== PROOF.length + chunk.length) return chunk.map(() => UNREAD);
    const [, time] = parts
      .slice(0, PROOF.length)
      .map(({ data }) => (data.length === 66 ? BigInt(data) : null));
    if (time !== BigInt(at.timestamp))
      throw new ChainFault("other_block", "the node simulates at another time than the one asked for");
    return parts.slice(PROOF.length).map(bounded);
  });
}

function decoded(data: Hex): CallResult[] | null {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data });
    return results.map(({ success, returnData }) => ({ success, data: returnData }));
  } catch {
    return null;
  }
}

const UNREAD: CallResult = { success: false, data: "0x", isUnread: true };

function bounded({ success, data }: CallResult): CallResult {
  return data.length > MOST_HEX ? { success: false, data: "0x" } : { success, data };
}
