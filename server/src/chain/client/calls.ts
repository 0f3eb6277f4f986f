// Reading contracts: many calls at one block, each with its own outcome. A call that reverts is an answer (`success: false`), and
// so much only where the node says that the contract's own code ended it. One that fails otherwise while the node answers its
// neighbours is unread; a node that answers none is a fault of the whole, never fifty failed reads.
//
// Calls go through Multicall3 where it stands at that block, else as JSON-RPC batches of eth_call. An aggregate tells in itself at
// which block it ran, so a node that answers with another block's state is found out. A contract that burns all
// gas or returns a flood spoils a multicall for its neighbours, so calls that failed without a word are asked for alone; one
// that no node finishes in time, while it finishes others, or that floods, is unread and rests for a while, longer each time.
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, multicall3Abi } from "viem";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { ChainFault } from "../rpc/fault.ts";
import {
  type BlockRef,
  type Call,
  type CallResult,
  MalformedAnswer,
  parseOrNull,
  quantity,
  toBytes,
} from "../rpc/raw.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { RpcError, toFault } from "../rpc/rpc-error.ts";
import { settle } from "../rpc/settle.ts";

/** Multicall3, at the same address on every chain that has it (multicall3.com). */
export const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
/** Views in one aggregate; fewer for a while once a larger one failed as a whole, as where a node allows little gas. */
const CALLS_PER_REQUEST = { most: 300, least: 120 };
const FEWER_FOR_MS = 600_000;
const ABSENCE_HOLDS_MS = 600_000;
/** How long an unread call rests: the first time, and at most. */
const REST_MS = { first: 15_000, most: 600_000 };
/** How often aggregates that failed as a whole are halved in one read, so that a node that does badly is not stormed. */
const MOST_SPLITS = 16;
/** Of what is read again anyway: rounds of the same internal error before it is given up. */
const SERVER_ROUNDS = 2;
/** An answer of another block's state is asked for so often, each time beginning at another URL. */
const OTHER_BLOCK_ANSWERS = 3;
const MOST_REMEMBERED = 20_000;
const TIMEOUTS_PER_CALL = 2;
/** Rounds of them, the node found well in between, before a call that is read for good counts as failed. */
const ROUNDS_FOR_GOOD = 3;
/** 256 KiB: more than any view here has to say. */
const MOST_HEX_OF_A_CALL = 2 + 2 * 256 * 1024;
const FAILED: CallResult = { success: false, data: "0x" };
const UNREAD: CallResult = { success: false, data: "0x", isUnread: true };
/** Multicall3's `getBlockNumber()` and `getCurrentBlockTimestamp()`: at which block an aggregate ran. */
const PROOF: readonly Call[] = [
  { to: MULTICALL3, data: "0x42cbb15c" },
  { to: MULTICALL3, data: "0x0f28c97d" },
];
/** A call that every node answers at once. */
const NOTHING: Call = { to: "0x0000000000000000000000000000000000000001", data: "0x" };

export interface ReadOptions {
  /**
   * What is read once and kept (a name, decimals): asked for with more patience, an earlier failure does not count, and there is no
   * later reading to wait for: a call that has no end though the node is well, or floods, counts as failed.
   */
  isForGood?: boolean;
}

interface Aside {
  /** The node answered other calls at that block, so what it does not answer is that call's own affair. */
  isPart?: boolean;
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
  readonly #loners = new BoundedCache<string, true>(MOST_REMEMBERED);
  /** Calls that stayed unread though the node was well, and until when (Unix ms) they are not asked again. */
  readonly #resting = new BoundedCache<string, { untilMs: number; restMs: number }>(MOST_REMEMBERED);
  #fewerUntilMs = 0;
  /** Whether `block.number` in a contract is the number of the node's block (on some layer 2s it is that of layer 1). */
  #countsOwnBlocks = false;

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
    const isLoner = (index: number) => this.#loners.get(keyOf(calls[index]!)) === true;
    const together = all.filter((index) => !isLoner(index));
    const parts: Promise<void>[] = [fill(all.filter(isLoner), (own) => this.individually(own, at, options))];
    const splits = { left: MOST_SPLITS };
    const size = Date.now() < this.#fewerUntilMs ? CALLS_PER_REQUEST.least : CALLS_PER_REQUEST.most;
    for (let start = 0; start < together.length; start += size) {
      const part = together.slice(start, start + size);
      parts.push(fill(part, (own) => this.#aggregate(own, at, options, splits)));
    }
    await Promise.all(parts);

    const doubtful = together.filter((index) => isSilent(results[index]!));
    await fill(doubtful, (own) => this.individually(own, at, { ...options, isPart: true }));
    for (const index of doubtful) {
      if (!results[index]!.success) this.#loners.set(keyOf(calls[index]!), true);
    }
    return results;
  }

  /** Whether Multicall3 stands at that block. */
  async hasMulticall(at: Exclude<BlockRef, "latest">): Promise<boolean> {
    if (at.number >= this.#presentFrom) return true;
    if (this.#isAbsent(at)) return false;
    if ((await this.code(MULTICALL3, at)) !== "0x") {
      this.#presentFrom = Math.min(this.#presentFrom, at.number);
      return true;
    }
    this.#absentUntilMs = Date.now() + ABSENCE_HOLDS_MS;
    this.#absentAt = Math.max(this.#absentAt, at.number);
    return false;
  }

  async individually(
    calls: readonly Call[],
    at: BlockRef,
    { isForGood = false, isPart = false }: ReadOptions & Aside = {},
  ): Promise<CallResult[]> {
    const asked = isForGood ? calls : calls.filter((call) => !this.#isResting(call));
    if (asked.length === 0) return calls.map(() => UNREAD);
    const answers = await this.#atBlock(at, async (block, rotate) => {
      const results = await this.#ask(asked, block, rotate, isForGood ? ROUNDS_FOR_GOOD : 1);
      return this.#judged(asked, results, { isForGood, isPart });
    });
    const byCall = new Map(asked.map((call, index) => [call, answers[index]!]));
    return calls.map((call) => byCall.get(call) ?? UNREAD);
  }

  async code(address: Address, at: BlockRef): Promise<Hex> {
    return await this.#atBlock(at, async (block, rotate) =>
      toBytes(await this.#rpc.request("eth_getCode", [address, block], { rotate }), "code"),
    );
  }

  /** Words of storage, in that order, in JSON-RPC batches. */
  async storage(slots: readonly { address: Address; slot: Hex }[], at: BlockRef): Promise<Hex[]> {
    if (slots.length === 0) return [];
    return await this.#atBlock(at, async (block, rotate) => {
      const requests = slots.map(({ address, slot }) => ({
        method: "eth_getStorageAt",
        params: [address, slot, block],
      }));
      const answers = await this.#rpc.batch(requests, { rotate });
      return answers.map((answer) => {
        if (answer instanceof RpcError) throw answer;
        return toBytes(answer, "storage");
      });
    });
  }

  /** Asks each call; one that ends in a timeout did so in every round, while the node finished another. */
  async #ask(calls: readonly Call[], block: unknown, rotate: number, rounds: number): Promise<unknown[]> {
    const requests = calls.map((call) => ({ method: "eth_call", params: [call, block] }));
    const isOnce = rounds === ROUNDS_FOR_GOOD;
    const options = {
      rotate,
      giveUpAfterTimeouts: TIMEOUTS_PER_CALL,
      ...(isOnce ? {} : { serverRounds: SERVER_ROUNDS }),
    };
    const results = await this.#rpc.batch(requests, options);
    const late = [...results.keys()].filter((index) => isTimeout(results[index]));
    if (late.length === 0) return results;
    // A node that finishes some call at that block is well: what it does not finish is endless.
    await this.#rpc.request("eth_call", [NOTHING, block], {
      rotate,
      giveUpAfterTimeouts: TIMEOUTS_PER_CALL,
      serverRounds: 1,
      isLeast: true,
    });
    if (rounds === 1) return results;
    const unfinished = late.map((index) => calls[index]!);
    const again = await this.#ask(unfinished, block, rotate, rounds - 1);
    for (const [nth, index] of late.entries()) results[index] = again[nth];
    return results;
  }

  /** What each answer comes to. Throws the node's error where it is the node's rather than one call's. */
  #judged(
    calls: readonly Call[],
    answers: readonly unknown[],
    { isForGood = false, isPart = false }: ReadOptions & Aside,
  ): CallResult[] {
    const answeredAny = isPart || answers.some((answer) => isAnswer(answer));
    return calls.map((call, index) => {
      const answer = answers[index];
      if (!(answer instanceof RpcError)) {
        const result = { success: true, data: toBytes(answer, "result of a call") };
        return this.#bounded(call, result);
      }
      if (answer.kind === "reverted")
        return this.#bounded(call, { success: false, data: revertData(answer) });
      if (isEndless(answer)) return isForGood ? FAILED : this.#rested(call);
      if (isForGood || !answeredAny || !isOnlyOfCall(answer)) throw answer;
      return this.#rested(call);
    });
  }

  async #aggregate(
    calls: readonly Call[],
    at: BlockRef,
    options: ReadOptions,
    splits: { left: number },
  ): Promise<CallResult[]> {
    if (calls.length === 1) return await this.individually(calls, at, { ...options, isPart: true });
    const proof = at === "latest" ? [] : PROOF;
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: "aggregate3",
      args: [
        [...proof, ...calls].map(({ to, data }) => ({ target: to, allowFailure: true, callData: data })),
      ],
    });
    let others = 0;
    const whole = await this.#atBlock(at, async (block, rotate) => {
      const rounds = options.isForGood ? ROUNDS_FOR_GOOD : 1;
      const answers = await this.#ask([{ to: MULTICALL3, data }], block, rotate, rounds);
      // In words that tell nothing: of the node, unless it answers the least of calls; then of some call in it.
      if (answers[0] instanceof RpcError && isOnlyOfCall(answers[0]))
        await this.#rpc.request("eth_call", [NOTHING, block], { rotate, serverRounds: 1, isLeast: true });
      const [result] = this.#judged([{ to: MULTICALL3, data }], answers, { isPart: true });
      if (!result!.success || result!.data === "0x") return { result: result!, parts: [] };
      const parts = decodeAggregate(result!.data);
      if (parts?.length !== proof.length + calls.length) throw new MalformedAnswer("answer to a multicall");
      if (at === "latest" || (await this.#ranAt(at, parts, rotate))) return { result: result!, parts };
      others += 1;
      if (others < OTHER_BLOCK_ANSWERS) return null;
      throw new ChainFault("other_block", `the node answers block ${at.number} with the state of another`);
    });
    if (!whole.result.success) {
      // Out of gas, of time or of bounds as a whole: smaller parts.
      if (calls.length > CALLS_PER_REQUEST.least) this.#fewerUntilMs = Date.now() + FEWER_FOR_MS;
      if (splits.left <= 0) return calls.map(() => UNREAD);
      splits.left -= 1;
      const half = calls.length >> 1;
      const first = await this.#aggregate(calls.slice(0, half), at, options, splits);
      return [...first, ...(await this.#aggregate(calls.slice(half), at, options, splits))];
    }
    if (whole.result.data === "0x") {
      if ((await this.code(MULTICALL3, at)) !== "0x")
        throw new ChainFault("inconsistent", "the node's state and code differ");
      this.#absentUntilMs = Date.now() + ABSENCE_HOLDS_MS;
      if (at !== "latest") this.#absentAt = Math.max(this.#absentAt, at.number);
      return await this.individually(calls, at, options);
    }
    if (at !== "latest") this.#presentFrom = Math.min(this.#presentFrom, at.number);
    return calls.map((call, index) => this.#bounded(call, whole.parts[proof.length + index]!));
  }

  /** Whether an aggregate ran at that block, by the number that it tells, or by the time where contracts count other blocks. */
  async #ranAt(
    at: Exclude<BlockRef, "latest">,
    parts: readonly CallResult[],
    rotate: number,
  ): Promise<boolean> {
    const [number, timestamp] = parts.slice(0, PROOF.length).map(toWord);
    if (number === BigInt(at.number)) {
      this.#countsOwnBlocks = true;
      return true;
    }
    if (this.#countsOwnBlocks || number == null || number > Number.MAX_SAFE_INTEGER) return false;
    if (timestamp !== BigInt(at.timestamp ?? (await this.#timestampOf(at.number, rotate)) ?? -1))
      return false;
    // Several blocks may be of one second: where the chain's own block of the told number is of it too, that block's state was read.
    const told = await this.#timestampOf(Number(number), rotate);
    return told === undefined ? number > BigInt(at.number) : timestamp !== BigInt(told);
  }

  async #timestampOf(number: number, rotate: number): Promise<number | undefined> {
    const header = await this.#rpc.request("eth_getBlockByNumber", [quantity(number), false], { rotate });
    return parseOrNull(header)?.timestamp;
  }

  /** The result; a failure where it has no measure, which the contract chose. */
  #bounded(call: Call, result: CallResult): CallResult {
    if (result.data.length > MOST_HEX_OF_A_CALL && call.to !== MULTICALL3) {
      this.#rested(call);
      return FAILED;
    }
    this.#resting.delete(keyOf(call));
    return result;
  }

  /** Unread, and not asked for a while, longer each time in a row. */
  #rested(call: Call): CallResult {
    // An aggregate is another each time, and halved where it is unread.
    if (call.to === MULTICALL3) return UNREAD;
    const before = this.#resting.get(keyOf(call))?.restMs;
    const restMs = Math.min(REST_MS.most, before === undefined ? REST_MS.first : before * 2);
    this.#resting.set(keyOf(call), { untilMs: Date.now() + restMs, restMs });
    return UNREAD;
  }

  #isAbsent(at: BlockRef): boolean {
    if (at !== "latest" && at.number >= this.#presentFrom) return false;
    if (at !== "latest" && at.number <= this.#absentAt) return true;
    return Date.now() < this.#absentUntilMs;
  }

  #isResting(call: Call): boolean {
    const rest = this.#resting.get(keyOf(call));
    return rest !== undefined && Date.now() < rest.untilMs;
  }

  /** Runs `read` for the block until a node that has it answers. By hash; where nodes take none, by number and checked. */
  async #atBlock<T>(at: BlockRef, read: (block: unknown, rotate: number) => Promise<T | null>): Promise<T> {
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
      if (error instanceof RpcError && (error.kind === "server" || error.kind === "timeout"))
        throw new ChainFault("unread", error.message, { cause: error });
      throw toFault(error);
    }
  }
}

/** Kinds that may be about one call alone; the others say that the node has not that block or its state, or is asked too much. */
function isOnlyOfCall({ kind }: RpcError): boolean {
  return kind === "server" || kind === "invalid";
}

function isAnswer(answer: unknown): boolean {
  return !(answer instanceof RpcError) || answer.kind === "reverted";
}

/** Failed without a word of its own: beside others that may be for want of gas. */
function isSilent({ success, data, isUnread }: CallResult): boolean {
  return !success && data === "0x" && isUnread !== true;
}

function revertData({ data }: RpcError): Hex {
  return typeof data === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(data) ? (data.toLowerCase() as Hex) : "0x";
}

function toWord({ success, data }: CallResult): bigint | null {
  return success && data.length === 66 ? BigInt(data) : null;
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
