// Reading contracts: many calls at one block, each with its own outcome. A call that reverts is an answer (`success: false`);
// a node that does not answer is a fault of the whole, never fifty failed reads.
//
// Calls go through Multicall3 where it stands at that block, else as JSON-RPC batches of eth_call. A contract that burns all
// gas or returns a flood spoils a multicall for its neighbours, so calls that failed without a word are asked for alone.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import { parseOrNull } from "./blocks.ts";
import { ChainFault } from "./fault.ts";
import { type BlockRef, type Call, type CallResult, MalformedAnswer, quantity, toBytes } from "./raw.ts";
import type { Rpc } from "./rpc.ts";
import { RpcError, toFault } from "./rpc-error.ts";
import { settle } from "./settle.ts";

/** Multicall3, at the same address on every chain that has it (multicall3.com). */
const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const CALLS_PER_REQUEST = 120;
const ABSENCE_HOLDS_MS = 600_000;
const MOST_KNOWN_SILENT = 20_000;

export class CallReader {
  readonly #rpc: Rpc;
  readonly #settleMs: number;
  /** Multicall3 stands at this block and every later one. */
  #presentFrom = Number.POSITIVE_INFINITY;
  #absentUntilMs = 0;
  #absentAt = -1;
  /** Whether the node takes a block hash in place of a number (EIP-1898). */
  #takesHashes = true;
  /** `to` and selector of calls that fail without a word when asked for alone, too. */
  readonly #silent = new Set<string>();

  constructor(rpc: Rpc, settleMs: number) {
    this.#rpc = rpc;
    this.#settleMs = settleMs;
  }

  async multicall(calls: readonly Call[], at: BlockRef): Promise<CallResult[]> {
    if (calls.length < 2 || this.#isAbsent(at)) return await this.individually(calls, at);
    const parts: Promise<CallResult[]>[] = [];
    for (let start = 0; start < calls.length; start += CALLS_PER_REQUEST) {
      parts.push(this.#aggregate(calls.slice(start, start + CALLS_PER_REQUEST), at));
    }
    const results = (await Promise.all(parts)).flat();
    const doubtful = calls.flatMap((call, index) => (this.#isDoubtful(call, results[index]!) ? [index] : []));
    const alone = await this.individually(
      doubtful.map((index) => calls[index]!),
      at,
    );
    doubtful.forEach((index, nth) => {
      results[index] = alone[nth]!;
      if (!alone[nth]!.success) this.#remember(calls[index]!);
    });
    return results;
  }

  async individually(calls: readonly Call[], at: BlockRef): Promise<CallResult[]> {
    if (calls.length === 0) return [];
    return await this.#atBlock(at, async (block, rotate) => {
      const requests = calls.map((call) => ({ method: "eth_call", params: [call, block] }));
      const answers =
        calls.length === 1
          ? [await this.#one(requests[0]!.params, rotate)]
          : await this.#rpc.batch(requests, { rotate });
      return answers.map(toResult);
    });
  }

  async code(address: Address, at: BlockRef): Promise<Hex> {
    return await this.#atBlock(at, async (block, rotate) =>
      toBytes(await this.#rpc.request("eth_getCode", [address, block], { rotate }), "code"),
    );
  }

  async #one(params: readonly unknown[], rotate: number): Promise<unknown> {
    return await this.#rpc.request("eth_call", params, { rotate }).catch((error: unknown) => {
      if (error instanceof RpcError) return error;
      throw error;
    });
  }

  async #aggregate(calls: readonly Call[], at: BlockRef): Promise<CallResult[]> {
    if (calls.length === 1) return await this.individually(calls, at);
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
      return (await Promise.all(parts.map((part) => this.#aggregate(part, at)))).flat();
    }
    if (whole!.data === "0x") {
      if ((await this.code(MULTICALL3, at)) !== "0x")
        throw new ChainFault("inconsistent", "the node's state and code differ");
      this.#absentUntilMs = Date.now() + ABSENCE_HOLDS_MS;
      if (at !== "latest") this.#absentAt = Math.max(this.#absentAt, at.number);
      return await this.individually(calls, at);
    }
    if (at !== "latest") this.#presentFrom = Math.min(this.#presentFrom, at.number);
    const results = decodeAggregate(whole!.data);
    if (results?.length !== calls.length) throw toFault(new MalformedAnswer("answer to a multicall"));
    return results;
  }

  #isAbsent(at: BlockRef): boolean {
    if (at !== "latest" && at.number >= this.#presentFrom) return false;
    if (at !== "latest" && at.number <= this.#absentAt) return true;
    return Date.now() < this.#absentUntilMs;
  }

  #isDoubtful(call: Call, result: CallResult): boolean {
    return !result.success && result.data === "0x" && !this.#silent.has(silentKey(call));
  }

  #remember(call: Call): void {
    if (this.#silent.size >= MOST_KNOWN_SILENT) this.#silent.clear();
    this.#silent.add(silentKey(call));
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

function silentKey({ to, data }: Call): string {
  return `${to}${data.slice(0, 10)}`;
}
