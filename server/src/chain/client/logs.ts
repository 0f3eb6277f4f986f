// Logs, whole or not at all. A block's logs are asked for by its hash and held against its bloom; a range's logs are asked
// for together with the block at its end, so that a node that has not come that far is noticed, and near the head with all of its
// headers. What does not agree is asked for again, at another URL too, and in the end refused; it is never passed on with
// something missing.

import type { Logger } from "pino";
import type { Address, Hash, Hex } from "viem";
import { ChainFault, isChainFault } from "../rpc/fault.ts";
import { type Block, type LogChunk, parseOrNull, quantity, type RawLog } from "../rpc/raw.ts";
import type { RequestOptions, Rpc, RpcCall } from "../rpc/rpc.ts";
import { RpcError, type RpcErrorKind, toFault } from "../rpc/rpc-error.ts";
import { settle } from "../rpc/settle.ts";
import { AddressGroups } from "./address-groups.ts";
import { type Bloom, explains, isEmptyBloom, parseBloom } from "./bloom.ts";
import { explainsAddresses, holdAgainst } from "./log-check.ts";
import { ContradictingLogs, parseLogs, twoLogsAt } from "./log-parse.ts";
import { LogStep, type Span, shrink } from "./log-range.ts";
import { logsFromReceipts } from "./receipt-logs.ts";

export interface LogReaderOptions {
  settleMs: number;
  timeoutMs: number;
  initialStep: number;
  maxStep: number;
  /** Ranges asked for ahead of the one that is being consumed. */
  readAhead: number;
  /** Addresses in one filter, to begin with; more are asked for in groups. */
  maxAddresses: number;
  log: Logger;
}

export interface LogRange {
  fromBlock: number;
  toBlock: number;
  addresses: readonly Address[];
  topics?: readonly Hex[];
  /** From this block on the logs are held against every block's header; nowhere where left out. */
  checkFrom?: number;
  signal?: AbortSignal;
  /** Asked about a block whose logs never agree with it: true to go on as if it had none. Where left out, the range fails with it. */
  isLeftOut?: (block: Block, fault: ChainFault) => boolean;
}

type Filter = Pick<LogRange, "addresses" | "topics" | "checkFrom" | "signal" | "isLeftOut">;

const ATTEMPTS_AT_BLOOM = 4;
const BLOOM_IS_WIDE =
  "blocks' bloom filters name logs that the node does not return: from now on they only show that an answer may not be empty";
const BLOOMS_LOST =
  "the node's headers have no bloom filter any more: until one has it again, logs are requested together with their block, twice";
/** Some nodes cut an answer at 100, 256 or more logs without a word: one with so many is looked at again. */
const SMALLEST_CUT = 100;
const MAY_BE_ABOUT_SIZE: ReadonlySet<RpcErrorKind> = new Set(["too_big", "timeout", "server", "invalid"]);
/** Timeouts of one range after which it is asked for in halves. */
const TIMEOUTS_PER_RANGE = 2;

export class LogReader {
  readonly #rpc: Rpc;
  readonly #options: LogReaderOptions;
  readonly #step: LogStep;
  /** The chain's blooms speak of logs that its nodes do not hand out. */
  #isBloomWide = false;
  /** The chain's headers have blooms: one without is no whole answer. `lost` while the node leaves out what it gave before. */
  #blooms: "never_seen" | "there" | "lost" = "never_seen";
  readonly #groups: AddressGroups;

  constructor(rpc: Rpc, options: LogReaderOptions) {
    this.#rpc = rpc;
    this.#options = options;
    this.#step = new LogStep(options.initialStep, options.maxStep);
    this.#groups = new AddressGroups(options.maxAddresses);
  }

  async *inRange(range: LogRange): AsyncGenerator<LogChunk, void, void> {
    const { fromBlock, toBlock } = range;
    const ahead: Promise<LogChunk[]>[] = [];
    let next = fromBlock;
    try {
      for (;;) {
        while (ahead.length < this.#options.readAhead && next <= toBlock) {
          const span = { from: next, to: Math.min(toBlock, next + this.#step.size - 1) };
          const chunks = this.#span(span, range);
          // A failure is seen when its turn comes; until then it must not count as unhandled.
          chunks.catch(() => {});
          ahead.push(chunks);
          next = span.to + 1;
        }
        const current = ahead.shift();
        if (current === undefined) return;
        yield* await current;
      }
    } finally {
      await Promise.allSettled(ahead);
    }
  }

  async ofBlock(block: Block, addresses: readonly Address[], topics?: readonly Hex[]): Promise<RawLog[]> {
    if (addresses.length === 0) return [];
    const filter: Filter = topics ? { addresses, topics } : { addresses };
    let why = "the node does not have the block";
    let logsBloom = block.logsBloom;
    const logs = await settle({ settleMs: this.#options.settleMs }, async (rotate) => {
      try {
        if (logsBloom === null && this.#blooms !== "never_seen") {
          why = "a header without its bloom";
          logsBloom = await this.#bloomOf(block, rotate);
          if (logsBloom === null && this.#blooms === "there" && rotate < ATTEMPTS_AT_BLOOM) return null;
        }
        this.#noteBloom(logsBloom, block.number);
        const bloom = logsBloom && !isEmptyBloom(logsBloom) ? parseBloom(logsBloom) : null;
        const found = await this.#byHash(block.hash, filter, rotate);
        if (found.some((log) => log.blockHash !== block.hash || log.blockNumber !== block.number)) {
          why = "logs of another block";
          return null;
        }
        if (logsBloom === null && (found.length === 0 || this.#blooms === "lost")) {
          const again = await this.#togetherWithBlock(block, filter, rotate);
          return again?.length === found.length ? again : null;
        }
        if (bloom === null || explainsAddresses(found, addresses, bloom)) return found;
        why = "fewer logs than its bloom speaks of";
        return await this.#againstBloom(block, bloom, filter, rotate);
      } catch (error) {
        if (!(error instanceof ContradictingLogs)) throw error;
        why = error.message;
        return null;
      }
    });
    if (logs === null) throw new ChainFault("inconsistent", `block ${block.number}: ${why}`);
    return logs;
  }

  /**
   * On a chain without blooms nothing tells an empty block from a node that does not have it and says so with an empty list. So
   * block and logs are asked for in one request, which one node answers.
   */
  async #togetherWithBlock(block: Block, filter: Filter, rotate: number): Promise<RawLog[] | null> {
    const [header, ...answers] = await this.#groups.ask(filter.addresses, async (groups) => {
      const calls = groups.map((addresses) => logsCall({ blockHash: block.hash }, { ...filter, addresses }));
      const both = await this.#rpc.batch(
        [{ method: "eth_getBlockByHash", params: [block.hash, false] }, ...calls],
        { rotate },
      );
      const fault = both.find((answer) => answer instanceof RpcError);
      if (fault) throw fault;
      return both;
    });
    if (parseOrNull(header)?.hash !== block.hash) return null;
    const logs = merged(answers.map(parseLogs));
    return logs.every((log) => log.blockHash === block.hash) ? logs : null;
  }

  async #bloomOf({ hash }: Block, rotate: number): Promise<Hex | null> {
    const header = parseOrNull(await this.#rpc.request("eth_getBlockByHash", [hash, false], { rotate }));
    return header?.hash === hash ? header.logsBloom : null;
  }

  /** That a node leaves blooms out which it gave before is no reason to stand still; it is said, once, and again when they are back. */
  #noteBloom(bloom: Hex | null, block: number): void {
    if (bloom !== null) {
      if (this.#blooms === "lost")
        this.#options.log.info({ block }, "the node's headers have their bloom again");
      this.#blooms = "there";
    } else if (this.#blooms === "there") {
      this.#options.log.warn({ block }, BLOOMS_LOST);
      this.#blooms = "lost";
    }
  }

  /** All logs of one transaction. */
  async ofTransaction(hash: Hash): Promise<RawLog[]> {
    const logs = await settle({ settleMs: this.#options.settleMs }, async (rotate) => {
      const receipt = await this.#rpc.request("eth_getTransactionReceipt", [hash], { rotate });
      return receipt === null ? null : parseLogs((receipt as { logs?: unknown }).logs);
    });
    if (logs === null) throw new ChainFault("inconsistent", `the node has no receipt of transaction ${hash}`);
    return logs;
  }

  /**
   * The bloom speaks of an address that the answer has no log of. Either it is the bloom's own blur, or the answer is not
   * whole: every log of the block together should explain the bloom. null: ask again.
   */
  async #againstBloom(block: Block, bloom: Bloom, filter: Filter, rotate: number): Promise<RawLog[] | null> {
    const all = await this.#everyLog(block.hash, bloom, rotate);
    if (all === null) {
      // The node hands out no whole blocks: a second answer that says the same has to do.
      const again = await this.#byHash(block.hash, filter, rotate + 1);
      const isSettled = rotate >= 2 && again.every((log) => log.blockHash === block.hash);
      if (isSettled)
        this.#options.log.debug(
          { block: block.number },
          "the bloom filter could not be checked against the whole block",
        );
      return isSettled ? again : null;
    }
    if (all.some((log) => log.blockHash !== block.hash)) return null;
    if (!explains(all, bloom)) {
      // A node that lags has no log of the block. One that has some, time and again the same, serves a chain whose headers
      // speak of logs that nobody is given (system transactions).
      if (all.length === 0 || (rotate < ATTEMPTS_AT_BLOOM && !this.#isBloomWide)) return null;
      if (!this.#isBloomWide) this.#options.log.warn({ block: block.number }, BLOOM_IS_WIDE);
      this.#isBloomWide = true;
    }
    return all.filter(passes(filter));
  }

  async #everyLog(hash: Hash, bloom: Bloom, rotate: number): Promise<RawLog[] | null> {
    try {
      const logs = parseLogs(await this.#rpc.request("eth_getLogs", [{ blockHash: hash }], { rotate }));
      return logs.length < SMALLEST_CUT || explains(logs, bloom)
        ? logs
        : await logsFromReceipts(this.#rpc, hash, { rotate });
    } catch (error) {
      if (error instanceof RpcError && error.kind !== "unknown_block") return null;
      throw error;
    }
  }

  async #byHash(hash: Hash, filter: Filter, rotate: number): Promise<RawLog[]> {
    return await this.#groups.ask(filter.addresses, async (groups) => {
      const answers = groups.map(async (addresses) => {
        const part = { ...filter, addresses };
        try {
          const logs = await this.#ask({ blockHash: hash }, part, { rotate });
          if (logs.length < SMALLEST_CUT) return logs;
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind !== "too_big") throw error;
        }
        // No filter can fetch them, or it may have been cut without a word: the receipts hold them all.
        return (await logsFromReceipts(this.#rpc, hash, { rotate })).filter(passes(part));
      });
      return merged(await Promise.all(answers));
    });
  }

  /** The span in as many chunks as the node makes necessary. */
  async #span(span: Span, filter: Filter): Promise<LogChunk[]> {
    const chunks: LogChunk[] = [];
    let part = span;
    while (part.from <= span.to) {
      filter.signal?.throwIfAborted();
      const size = part.to - part.from + 1;
      try {
        const logs = size === 1 ? await this.#single(part.from, filter) : await this.#several(part, filter);
        this.#step.succeeded(size);
        chunks.push({ fromBlock: part.from, toBlock: part.to, logs });
        const from = part.to + 1;
        part = { from, to: Math.min(span.to, from + this.#step.size - 1) };
      } catch (error) {
        // Which block it is that contradicts itself.
        if (filter.isLeftOut && size > 1 && isChainFault(error, "inconsistent")) {
          part = { from: part.from, to: part.from + Math.floor(size / 2) - 1 };
          continue;
        }
        // An error in no known words may still be about the size; only what fails for single blocks too is given up.
        const isAboutSize = error instanceof RpcError && MAY_BE_ABOUT_SIZE.has(error.kind);
        if (!isAboutSize || size === 1) throw toFault(error);
        part = shrink(part, error.message);
        this.#step.refused(size, part.to - part.from + 1);
      }
    }
    return chunks;
  }

  async #several({ from, to }: Span, filter: Filter): Promise<RawLog[]> {
    let why = "the node has not reached that block";
    const logs = await settle({ settleMs: this.#options.settleMs, signal: filter.signal }, async (rotate) => {
      try {
        const end = this.#rpc.request("eth_getBlockByNumber", [quantity(to), false], {
          rotate,
          signal: filter.signal,
        });
        const asked = this.#groups.ask(filter.addresses, (groups) =>
          Promise.all(groups.map((addresses) => this.#whole({ from, to }, { ...filter, addresses }, rotate))),
        );
        const [header, answers] = await Promise.all([end, asked]);
        const block = parseOrNull(header);
        if (block?.number !== to) return null;
        const found = merged(answers);
        if (found.some((log) => log.blockNumber < from || log.blockNumber > to)) why = "logs of other blocks";
        else if (found.at(-1)?.blockNumber === to && found.at(-1)?.blockHash !== block.hash)
          why = "logs of another block";
        else return await this.#checked(found, { from, to }, filter, rotate);
        return null;
      } catch (error) {
        if (!(error instanceof ContradictingLogs)) throw error;
        why = error.message;
        return null;
      }
    });
    if (logs === null) throw new ChainFault("inconsistent", `blocks ${from} to ${to}: ${why}`);
    return logs;
  }

  /**
   * The logs of the range, of which both ends were asked for again where the answer is long enough to have been cut: what is cut lacks
   * logs at one end. Throws RpcError `too_big` then, so that less is asked for.
   */
  async #whole({ from, to }: Span, filter: Filter, rotate: number): Promise<RawLog[]> {
    const logs = await this.#ask(rangeOf(from, to), filter, { rotate });
    const [first, last] = [logs[0]?.blockNumber, logs.at(-1)?.blockNumber];
    if (logs.length < SMALLEST_CUT || first === undefined || last === undefined) return logs;
    const [head, tail] = await Promise.all([
      this.#ask(rangeOf(from, first), filter, { rotate }),
      this.#ask(rangeOf(last, to), filter, { rotate }),
    ]);
    const isWhole =
      first < last &&
      head.length === logs.filter((log) => log.blockNumber <= first).length &&
      tail.length === logs.filter((log) => log.blockNumber >= last).length;
    if (isWhole) return logs;
    this.#options.log.debug({ from, to, logs: logs.length }, "an answer may be incomplete");
    throw new RpcError("too_big", null, `an answer of ${logs.length} logs may have been cut`);
  }

  /** The same logs, those of doubtful blocks asked for by their hash. Throws ContradictingLogs when logs and headers do not agree. */
  async #checked(logs: RawLog[], { from, to }: Span, filter: Filter, rotate: number): Promise<RawLog[]> {
    const first = Math.max(from, filter.checkFrom ?? Number.POSITIVE_INFINITY);
    if (first > to) return logs;
    const numbers = Array.from({ length: to - first + 1 }, (_, index) => first + index);
    const answers = await this.#rpc.batch(
      numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] })),
      { rotate, signal: filter.signal },
    );
    const headers = answers.map((answer, index): Block => {
      const header = answer instanceof RpcError ? null : parseOrNull(answer);
      if (header === null || header.number !== numbers[index])
        throw new ContradictingLogs("the node does not have every block");
      if (header.logsBloom !== null && this.#blooms === "never_seen") this.#blooms = "there";
      return header;
    });
    const checked = holdAgainst(headers, logs, filter.addresses);
    if ("why" in checked) throw new ContradictingLogs(checked.why);
    if (checked.doubtful.length === 0) return logs;
    const anew = new Set(checked.doubtful.map(({ number }) => number));
    const found = await Promise.all(
      checked.doubtful.map((block) => this.ofBlock(block, filter.addresses, filter.topics)),
    );
    return merged([logs.filter((log) => !anew.has(log.blockNumber)), ...found]);
  }

  async #single(number: number, filter: Filter): Promise<RawLog[]> {
    const block = await this.#headerOf(number, filter);
    return await this.ofBlock(block, filter.addresses, filter.topics).catch(async (error: unknown) => {
      if (!isChainFault(error, "inconsistent") || !filter.isLeftOut) throw error;
      // A header that was told wrong has no logs, and would never have.
      if ((await this.#headerOf(number, filter)).hash === block.hash && filter.isLeftOut(block, error))
        return [];
      throw error;
    });
  }

  async #headerOf(number: number, { signal }: Filter): Promise<Block> {
    const block = await settle({ settleMs: this.#options.settleMs, signal }, async (rotate) =>
      parseOrNull(await this.#rpc.request("eth_getBlockByNumber", [quantity(number), false], { rotate })),
    );
    if (block?.number !== number) throw new ChainFault("block_missing", `the node has no block ${number}`);
    return block;
  }

  async #ask(where: Record<string, string>, filter: Filter, options: RequestOptions): Promise<RawLog[]> {
    const { signal } = filter;
    const { method, params } = logsCall(where, filter);
    const isRange = "fromBlock" in where && where.fromBlock !== where.toBlock;
    return parseLogs(
      await this.#rpc.request(method, params, {
        ...options,
        signal,
        timeoutMs: this.#options.timeoutMs,
        ...(isRange ? { giveUpAfterTimeouts: TIMEOUTS_PER_RANGE } : {}),
      }),
    );
  }
}

function logsCall(where: Record<string, string>, { addresses, topics }: Filter): RpcCall {
  const address = addresses.length === 1 ? addresses[0] : addresses;
  return { method: "eth_getLogs", params: [{ ...where, address, ...(topics ? { topics: [topics] } : {}) }] };
}

function rangeOf(from: number, to: number): Record<string, string> {
  return { fromBlock: quantity(from), toBlock: quantity(to) };
}

function passes({ addresses, topics }: Filter): (log: RawLog) => boolean {
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  const first = topics ? new Set<string>(topics) : null;
  return (log) => wanted.has(log.address) && (first === null || first.has(log.topics[0] ?? ""));
}

function merged(answers: RawLog[][]): RawLog[] {
  if (answers.length === 1) return answers[0]!;
  const logs = answers.flat().sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  for (let index = 1; index < logs.length; index++) {
    const [a, b] = [logs[index - 1]!, logs[index]!];
    if (a.blockNumber === b.blockNumber && a.blockHash !== b.blockHash)
      throw twoLogsAt(a.blockNumber, b.logIndex);
  }
  return logs;
}
