// Logs from a node's answer: checked for form, put in order, freed of repetitions. Plain string work without a formatter in
// between, because filling in the past is a million of these.
import { MalformedAnswer, type RawLog, toBytes, toHash, toLowerAddress, toNumber } from "../rpc/raw.ts";

/** Answers that cannot all be of one chain. */
export class ContradictingLogs extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ContradictingLogs";
  }
}

/** Two logs at one place that are not the same log: the answer mixes two blocks of one height. */
export function twoLogsAt(blockNumber: number, logIndex: number): ContradictingLogs {
  return new ContradictingLogs(`two different logs at block ${blockNumber}, index ${logIndex}`);
}

/**
 * The logs of one answer in order of block and log index, each place once. Throws MalformedAnswer for what is no list of
 * logs, ContradictingLogs when blocks of one height stand side by side.
 */
export function parseLogs(answer: unknown): RawLog[] {
  if (!Array.isArray(answer)) throw new MalformedAnswer("list of logs");
  const logs: RawLog[] = [];
  let isOrdered = true;
  let previous: RawLog | null = null;
  for (const entry of answer) {
    const log = parseLog(entry);
    // `removed: true` marks a log that a reorganisation took back: it is not part of the chain.
    if (log === null) continue;
    if (previous !== null && place(previous, log) >= 0) isOrdered = false;
    previous = log;
    logs.push(log);
  }
  if (!isOrdered) logs.sort(place);
  return withoutRepetitions(logs, isOrdered);
}

function parseLog(entry: unknown): RawLog | null {
  if (typeof entry !== "object" || entry === null) throw new MalformedAnswer("log");
  const log = entry as Record<string, unknown>;
  if (log.removed === true) return null;
  const topics = log.topics;
  if (!Array.isArray(topics) || topics.length > 4) throw new MalformedAnswer("topics of a log");
  return {
    address: toLowerAddress(log.address, "address of a log"),
    topics: topics.map((topic) => toHash(topic, "topic")),
    data: toBytes(log.data, "data of a log"),
    blockNumber: toNumber(log.blockNumber, "block number of a log"),
    blockHash: toHash(log.blockHash, "block hash of a log"),
    blockTimestamp: timeOrNull(log.blockTimestamp),
    txHash: toHash(log.transactionHash, "transaction hash of a log"),
    txIndex: toNumber(log.transactionIndex, "transaction index of a log"),
    logIndex: toNumber(log.logIndex, "index of a log"),
  };
}

/** A convenience that not every node gives, and some give in a form of their own: what is no quantity is left to the header. */
function timeOrNull(value: unknown): number | null {
  return typeof value === "string" && /^0x[0-9a-f]{1,12}$/i.test(value) ? Number(value) : null;
}

function place(a: RawLog, b: RawLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
}

function withoutRepetitions(logs: RawLog[], isOrdered: boolean): RawLog[] {
  const kept: RawLog[] = isOrdered ? logs : [];
  let last: RawLog | undefined;
  for (const log of logs) {
    if (last?.blockNumber === log.blockNumber) {
      if (last.blockHash !== log.blockHash) throw twoLogsAt(log.blockNumber, log.logIndex);
      if (last.logIndex === log.logIndex) {
        if (!isSame(last, log)) throw twoLogsAt(log.blockNumber, log.logIndex);
        continue;
      }
    }
    last = log;
    if (!isOrdered) kept.push(log);
  }
  return kept;
}

function isSame(a: RawLog, b: RawLog): boolean {
  return (
    a.txHash === b.txHash &&
    a.address === b.address &&
    a.data === b.data &&
    a.topics.join() === b.topics.join()
  );
}
