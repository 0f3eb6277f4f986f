/** Every event that the vault contracts can emit, as data, and how to make a log of it. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type AbiEvent,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiItem,
  toEventHash,
} from "viem";

export interface EventEntry {
  /** The contract, or the set of shapes, that the event belongs to. */
  readonly section: string;
  readonly topic: Hex;
  /** With names and indexed marks, e.g. `StrategyPaused(address indexed strategy)`. */
  readonly signature: string;
  readonly abi: AbiEvent;
}

export interface RawLog {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const TABLE_PATH = fileURLToPath(new URL("../contracts/events.txt", import.meta.url));

/** The table of `contracts/events.txt`, in its order. */
export function readEventTable(): readonly EventEntry[] {
  let section = "";
  const entries: EventEntry[] = [];
  for (const line of readFileSync(TABLE_PATH, "utf8").split("\n")) {
    const heading = /^\[(.+)\]$/.exec(line);
    if (heading?.[1]) section = heading[1];
    const entry = /^(0x[0-9a-f]{64}) {2}(.+)$/.exec(line);
    if (!entry?.[1] || !entry[2]) continue;
    entries.push({ section, topic: entry[1] as Hex, signature: entry[2], abi: parseEvent(entry[2]) });
  }
  return entries;
}

/** The log of an event with these arguments, in the order of the signature. */
export function encodeEvent(signature: string, args: readonly unknown[]): RawLog {
  const abi = parseEvent(signature);
  if (args.length !== abi.inputs.length) throw new Error(`${signature} takes ${abi.inputs.length} arguments`);
  const indexed = args.filter((_, index) => abi.inputs[index]?.indexed);
  const plainInputs = abi.inputs.filter((input) => !input.indexed);
  const plain = args.filter((_, index) => !abi.inputs[index]?.indexed);
  const topics =
    indexed.length === 0
      ? [toEventHash(abi)]
      : encodeEventTopics({ abi: [abi], eventName: abi.name, args: indexed as never });
  return { topics: topics as Hex[], data: encodeAbiParameters(plainInputs, plain) };
}

function parseEvent(signature: string): AbiEvent {
  return parseAbiItem(`event ${signature}`) as AbiEvent;
}
