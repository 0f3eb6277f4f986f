// Reading contracts: many calls at one block, each with its own outcome. A call that reverts is an answer (`success: false`);
// a node that does not answer is a fault of the whole, never fifty failed reads.
//
// Calls go through Multicall3 where it stands at that block, else as JSON-RPC batches of eth_call. A contract that burns all
// gas or returns a flood spoils a multicall for its neighbours, so calls that failed without a word are asked for alone; one
// that no node finishes in time, while it finishes others, or that floods, counts as failed and is not asked for a while.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import { ChainFault } from "./fault.ts";
import {
  type BlockRef,
  type Call,
  type CallResult,
  MalformedAnswer,
  parseOrNull,
  quantity,
  toBytes,
} from "./raw.ts";
import type { Rpc } from "./rpc.ts";
import { RpcError, toFault } from "./rpc-error.ts";
import { settle } from "./settle.ts";

/** Multicall3, at the same address on every chain that has it (multicall3.com). */
const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const CALLS_PER_REQUEST = 120;
const ABSENCE_HOLDS_MS = 600_000;
const ENDLESS_HOLDS_MS = 600_000;
const MOST_REMEMBERED = 20_000;
const TIMEOUTS_PER_CALL = 2;
/** Rounds of them, the node found well in between, before a call that is read for good counts as failed. */
const ROUNDS_FOR_GOOD = 3;
/** 256 KiB: more than any view here has to say. */
const MOST_HEX_OF_A_CALL = 2 + 2 * 256 * 1024;
const FAILED: CallResult = { success: false, data: "0x" };
/** A call that every node answers at once. */
const NOTHING: Call = { to: "0x0000000000000000000000000000000000000001", data: "0x" };

export interface ReadOptions {
  /** What is read once and kept (a name, decimals): it takes more to count as failed, and an earlier failure does not count. */
  isForGood?: boolean;
}

export class CallReader {
  readonly #rpc: Rpc;
  readonly #settleMs: number;
  /** Multicall3 stands at this block and every later one. */
  #presentFrom = Number.POSITIVE_INFINITY;
  #absentUntilMs = 0;
  #absentAt = -1;
  /** Whether the node takes a block hash in place of a number (EIP-1898). */
  #takesHashes = true;
  /** Calls that failed without a word beside others: asked for alone from then on, so that they starve no neighbour. */
  readonly #loners = new Set<string>();
  /** Calls that no node finished in time, or that answered with a flood, and until when (Unix ms) they are not asked again. */
  readonly #endless = new Map<string, number>();

  constructor(rpc: Rpc, settleMs: number) {
    this.#rpc = rpc;
    this.#settleMs = settleMs;
  }

  async multicall(calls: readonly Call[], at: BlockRef, options: ReadOptions = {}): Promise<CallResult[]> {
    if (calls.length < 2 || this.#isAbsent(at)) return await this.individually(calls, at, options);
    const results = new Array<CallResult>(calls.length);
    const fill = async (indexes: number[], read: (calls: Call[]) => Promise<CallResult[]>) => {
      const answers = await read(indexes.map((index) => calls[index]!));
      for (const [nth, index] of indexes.entries()) results[index] = answers[nth]!;
    };
    const all = [...calls.keys()];
    const isLoner = (index: number) => this.#loners.has(keyOf(calls[index]!));
    const together = all.filter((index) => !isLoner(index));
    const parts: Promise<void>[] = [fill(all.filter(isLoner), (own) => this.individually(own, at, options))];
    for (let start = 0; start < together.length; start += CALLS_PER_REQUEST) {
      const part = together.slice(start, start + CALLS_PER_REQUEST);
      parts.push(fill(part, (own) => this.#aggregate(own, at, options)));
    }
    await Promise.all(parts);

    const doubtful = together.filter((index) => !results[index]!.success && results[index]!.data === "0x");
    await fill(doubtful, (own) => this.individually(own, at, options));
    for (const index of doubtful) {
      if (this.#loners.size >= MOST_REMEMBERED) this.#loners.clear();
      if (!results[index]!.success) this.#loners.add(keyOf(calls[index]!));
    }
    return results;
  }

  async individually(
    calls: readonly Call[],
    at: BlockRef,
    { isForGood = false }: ReadOptions = {},
  ): Promise<CallResult[]> {
    const asked = isForGood ? calls : calls.filter((call) => !this.#isEndless(call));
    if (asked.length === 0) return calls.map(() => FAILED);
    const answers = await this.#atBlock(at, async (block, rotate) => {
      const results = await this.#ask(asked, block, rotate, isForGood ? ROUNDS_FOR_GOOD : 1);
      return results.map((result, index) =>
        this.#bounded(asked[index]!, toResult(result), isEndless(result)),
      );
    });
    const byCall = new Map(asked.map((call, index) => [call, answers[index]!]));
    return calls.map((call) => byCall.get(call) ?? FAILED);
  }

  async code(address: Address, at: BlockRef): Promise<Hex> {
    return await this.#atBlock(at, async (block, rotate) =>
      toBytes(await this.#rpc.request("eth_getCode", [address, block], { rotate }), "code"),
    );
  }

  /** Asks each call; one that ends in a timeout did so in every round, while the node finished another. */
  async #ask(calls: readonly Call[], block: unknown, rotate: number, rounds: number): Promise<unknown[]> {
    const requests = calls.map((call) => ({ method: "eth_call", params: [call, block] }));
    const results = await this.#rpc.batch(requests, { rotate, giveUpAfterTimeouts: TIMEOUTS_PER_CALL });
    const late = [...results.keys()].filter((index) => isTimeout(results[index]));
    if (late.length === 0) return results;
    // A node that finishes some call at that block is well: what it does not finish is endless.
    await this.#rpc.request("eth_call", [NOTHING, block], { rotate });
    if (rounds === 1) return results;
    const unfinished = late.map((index) => calls[index]!);
    const again = await this.#ask(unfinished, block, rotate, rounds - 1);
    for (const [nth, index] of late.entries()) results[index] = again[nth];
    return results;
  }

  async #aggregate(calls: readonly Call[], at: BlockRef, options: ReadOptions): Promise<CallResult[]> {
    if (calls.length === 1) return await this.individually(calls, at, options);
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
    });
    const [whole] = await this.individually([{ to: MULTICALL3, data }], at);
    if (!whole!.success) {
      // Out of gas or out of bounds as a whole: smaller parts.
      const half = calls.length >> 1;
      const parts = [calls.slice(0, half), calls.slice(half)];
      return (await Promise.all(parts.map((part) => this.#aggregate(part, at, options)))).flat();
    }
    if (whole!.data === "0x") {
      if ((await this.code(MULTICALL3, at)) !== "0x")
        throw new ChainFault("inconsistent", "the node's state and code differ");
      this.#absentUntilMs = Date.now() + ABSENCE_HOLDS_MS;
      if (at !== "latest") this.#absentAt = Math.max(this.#absentAt, at.number);
      return await this.individually(calls, at, options);
    }
    if (at !== "latest") this.#presentFrom = Math.min(this.#presentFrom, at.number);
    const results = decodeAggregate(whole!.data);
    if (results?.length !== calls.length) throw toFault(new MalformedAnswer("answer to a multicall"));
    return results.map((result, index) => this.#bounded(calls[index]!, result, false));
  }

  /** The result, or a failure that holds for a while where the call has no end or its answer no measure. */
  #bounded(call: Call, result: CallResult, isEndless: boolean): CallResult {
    if (!isEndless && result.data.length <= MOST_HEX_OF_A_CALL) return result;
    if (this.#endless.size >= MOST_REMEMBERED) this.#endless.clear();
    if (call.to !== MULTICALL3) this.#endless.set(keyOf(call), Date.now() + ENDLESS_HOLDS_MS);
    return call.to === MULTICALL3 ? result : FAILED;
  }

  #isAbsent(at: BlockRef): boolean {
    if (at !== "latest" && at.number >= this.#presentFrom) return false;
    if (at !== "latest" && at.number <= this.#absentAt) return true;
    return Date.now() < this.#absentUntilMs;
  }

  #isEndless(call: Call): boolean {
    const until = this.#endless.get(keyOf(call));
    if (until === undefined || Date.now() < until) return until !== undefined;
    this.#endless.delete(keyOf(call));
    return false;
  }

  /** Runs `read` for the block until a node that has it answers. By hash; where nodes take none, by number and checked. */
  async #atBlock<T>(at: BlockRef, read: (block: unknown, rotate: number) => Promise<T>): Promise<T> {
    try {
      const answer = await settle({ settleMs: this.#settleMs }, async (rotate) => {
        if (at === "latest" || at.hash === undefined)
          return await read(at === "latest" ? at : quantity(at.number), rotate);
        if (this.#takesHashes) {
          try {
            return await read({ blockHash: at.hash }, rotate);
          } catch (error) {
            if (!(error instanceof RpcError) || error.kind !== "invalid") throw error;
            this.#takesHashes = false;
          }
        }
        const result = await read(quantity(at.number), rotate);
        const header = parseOrNull(
          await this.#rpc.request("eth_getBlockByNumber", [quantity(at.number), false], { rotate }),
        );
        return header?.hash === at.hash ? result : null;
      });
      if (answer === null)
        throw new ChainFault(
          "block_missing",
          `the node has no state at ${at === "latest" ? at : `block ${at.number}`}`,
        );
      return answer;
    } catch (error) {
      throw toFault(error);
    }
  }
}

/** Geth's code for an execution that failed otherwise than by a revert; nethermind's is the second. */
const EXECUTION_CODES: ReadonlySet<number | null> = new Set([-32000, -32015]);

function toResult(answer: unknown): CallResult {
  if (!(answer instanceof RpcError)) return { success: true, data: toBytes(answer, "result of a call") };
  const isContractsFault =
    answer.kind === "reverted" ||
    answer.kind === "too_big" ||
    answer.kind === "timeout" ||
    (answer.kind === "server" && EXECUTION_CODES.has(answer.rpcCode));
  if (!isContractsFault) throw answer;
  const data =
    typeof answer.data === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(answer.data)
      ? answer.data.toLowerCase()
      : "0x";
  return { success: false, data: data as Hex };
}

function decodeAggregate(data: Hex): CallResult[] | null {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data });
    return results.map(({ success, returnData }) => ({ success, data: returnData }));
  } catch {
    return null;
  }
}

function isTimeout(answer: unknown): boolean {
  return answer instanceof RpcError && answer.kind === "timeout";
}

function isEndless(answer: unknown): boolean {
  return answer instanceof RpcError && (answer.kind === "timeout" || answer.kind === "too_big");
}

function keyOf({ to, data }: Call): string {
  return `${to}${data.slice(0, 10)}`;
}
