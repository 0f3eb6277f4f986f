// One event of a contract: its signature, and the fact that its log says. The signature is compiled once to readers of topics
// and data, so that decoding a log is slicing a string, without an ABI in between.
//
// Data is hostile. A log that does not hold exactly what the signature promises (count of topics, length of data, offsets,
// padding) throws Undecodable; nothing is guessed and nothing else is thrown.
import { type Address, type Hex, toEventHash } from "viem";
import { checksum, topicAddress } from "../../address.ts";
import type { FactBody } from "../../facts.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { cleanText, REASON_LENGTH, utf8 } from "../../text.ts";

export class Undecodable extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Undecodable";
  }
}

export type Value = Address | Hex | string | bigint | number | boolean | readonly Value[];

export interface EventCodec {
  readonly signature: string;
  readonly name: string;
  readonly topic: Hex;
  /** Names of the parameters, in the order of the signature. */
  readonly parameters: readonly string[];
  /** Which of a log's topics holds the parameter of that name; 0 where it is not indexed or there is none. */
  topicOf(parameter: string): number;
  /** The values in the order of the signature. Throws Undecodable. */
  read(log: RawLog): Value[];
}

type Primitive<T extends string> = T extends `${infer E}[]`
  ? Primitive<E>[]
  : T extends `(${infer M})`
    ? Members<M>
    : T extends "address"
      ? Address
      : T extends "bool"
        ? boolean
        : T extends "string"
          ? string
          : T extends "uint8" | "uint16"
            ? number
            : T extends `uint${string}` | `int${string}`
              ? bigint
              : Hex;
type Members<M extends string> = M extends `${infer A},${infer B}`
  ? [Primitive<A>, ...Members<B>]
  : [Primitive<M>];
/** Of what has no fixed length (and of tuples) a topic holds the hash alone. */
type Indexed<T extends string> = T extends "string" | "bytes" | `${string}[]` | `(${string})`
  ? Hex
  : Primitive<T>;
type Argument<P extends string> = P extends `${infer T} indexed ${string}`
  ? Indexed<T>
  : P extends `${infer T} ${string}`
    ? Primitive<T>
    : Primitive<P>;
type Arguments<P extends string> = P extends ""
  ? []
  : P extends `${infer A}, ${infer B}`
    ? [Argument<A>, ...Arguments<B>]
    : [Argument<P>];
/**
 * The values of a signature such as `Transfer(address indexed from, address indexed to, uint256 value)`. A tuple is written without blanks
 * and with members of fixed size: `((uint256,int256) old, (uint256,int256) now)`.
 */
export type ArgumentsOf<S extends string> = S extends `${string}(${infer P})` ? Arguments<P> : never;

/** Reads an event's log to the fact it says; null for an event that is left out on purpose. */
export interface EventRule extends EventCodec {
  toBody(values: Value[]): FactBody | null;
  /** Where the values hold the wallet that the event names as the one who acted; -1 where it names none. */
  readonly actorAt: number;
}

/** `actor` is the name of the parameter that says who acted, where there is one. */
export function on<const S extends string>(
  signature: S,
  toBody: (...values: ArgumentsOf<S>) => FactBody | null,
  actor?: string,
): EventRule {
  const codec = compileEvent(signature);
  const call = toBody as unknown as (...values: Value[]) => FactBody | null;
  const actorAt = actor === undefined ? -1 : codec.parameters.indexOf(actor);
  if (actor !== undefined && actorAt < 0) throw new Error(`${signature} has no parameter ${actor}`);
  return { ...codec, toBody: (values) => call(...values), actorAt };
}

type Contract = Extract<FactBody, { kind: "other" }>["contract"];

/** An event without a meaning of its own yet: kept whole under its name. */
export function other(contract: Contract, signature: string, actor?: string): EventRule {
  const codec = compileEvent(signature);
  const toBody = (values: Value[]): FactBody => {
    const args: Record<string, unknown> = {};
    for (const [index, name] of codec.parameters.entries()) args[name] = values[index];
    return { kind: "other", contract, event: codec.name, args };
  };
  return { ...codec, toBody, actorAt: actor === undefined ? -1 : codec.parameters.indexOf(actor) };
}

/** Rules by topic. Two rules for one topic are a mistake in the table. */
export function byTopic(rules: readonly EventRule[]): ReadonlyMap<string, EventRule> {
  const map = new Map<string, EventRule>();
  for (const rule of rules) {
    if (map.has(rule.topic)) throw new Error(`${rule.signature} has the topic of another rule`);
    map.set(rule.topic, rule);
  }
  return map;
}

type ReadWord = (word: string) => Value;
type ReadValue = (log: RawLog, body: string) => Value;

export function compileEvent(signature: string): EventCodec {
  const [, name, list] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
  if (name === undefined || list === undefined) throw new Error(`not an event signature: ${signature}`);
  const inputs = list === "" ? [] : list.split(", ").map(parseInput);
  const plain = inputs.filter((input) => !input.isIndexed);
  const topicCount = 1 + inputs.length - plain.length;
  let topic = 0;
  let head = 0;
  const readers = inputs.map((input): ReadValue => {
    if (input.isIndexed) return readTopic(++topic, input.type);
    const at = WORD * head;
    head += membersOf(input.type)?.length ?? 1;
    return readData(at, input.type);
  });
  const headLength = head * WORD;
  return {
    signature,
    name,
    topic: toEventHash(`event ${signature}`),
    parameters: inputs.map((input) => input.name),
    topicOf: (parameter) =>
      inputs.filter((input) => input.isIndexed).findIndex((input) => input.name === parameter) + 1,
    read(log) {
      if (log.topics.length !== topicCount) {
        throw new Undecodable(`${log.topics.length} topics where the event has ${topicCount}`);
      }
      const body = log.data.slice(2);
      if (body.length < headLength)
        throw new Undecodable(`${body.length / 2} bytes of data, too few for the event`);
      const values = new Array<Value>(readers.length);
      for (let index = 0; index < readers.length; index++) values[index] = readers[index]!(log, body);
      return values;
    },
  };
}

/** Characters of a 32-byte word in hex. */
const WORD = 64;
const TOO_WIDE = "an address wider than 20 bytes";
const ADDRESS_PADDING = "0".repeat(24);

function parseInput(text: string): { type: string; name: string; isIndexed: boolean } {
  const [type, ...rest] = text.split(" ");
  return { type: type!, name: rest.at(-1)!, isIndexed: rest[0] === "indexed" };
}

function readTopic(index: number, type: string): ReadValue {
  if (type === "address") {
    return (log) => {
      const address = topicAddress(log.topics[index]!);
      if (address === null) throw new Undecodable(TOO_WIDE);
      return address;
    };
  }
  if (type === "bytes32" || hasNoWord(type)) return (log) => log.topics[index]!;
  const read = wordReader(type);
  return (log) => read(log.topics[index]!.slice(2));
}

/** Of what does not fit a word a topic holds the hash. */
function hasNoWord(type: string): boolean {
  return type === "string" || type === "bytes" || type.endsWith("[]") || type.startsWith("(");
}

function membersOf(type: string): string[] | null {
  return type.startsWith("(") && type.endsWith(")") ? type.slice(1, -1).split(",") : null;
}

function readData(at: number, type: string): ReadValue {
  const members = membersOf(type);
  if (members) {
    const readers = members.map(wordReader);
    return (_log, body) =>
      readers.map((read, nth) => read(body.slice(at + WORD * nth, at + WORD * (nth + 1))));
  }
  if (type === "string") return (_log, body) => cleanText(utf8(bytesAt(body, at)), REASON_LENGTH);
  if (type === "bytes") return (_log, body) => `0x${bytesAt(body, at)}`;
  if (type === "bytes[]") {
    return (_log, body) => {
      const items = startOf(body, at) + WORD;
      const count = length(body, items - WORD);
      if (count > (body.length - items) / WORD) throw new Undecodable("an array longer than the data");
      // Offsets of the items count from the first of them.
      const own = body.slice(items);
      return Array.from({ length: count }, (_, nth): Hex => `0x${bytesAt(own, WORD * nth)}`);
    };
  }
  if (type.endsWith("[]")) {
    const read = wordReader(type.slice(0, -2));
    return (_log, body) => {
      const start = startOf(body, at);
      const count = length(body, start);
      if (count > (body.length - start - WORD) / WORD) throw new Undecodable("an array longer than the data");
      return Array.from({ length: count }, (_, nth) => {
        const from = start + WORD * (nth + 1);
        return read(body.slice(from, from + WORD));
      });
    };
  }
  const read = wordReader(type);
  return (_log, body) => read(body.slice(at, at + WORD));
}

function wordReader(type: string): ReadWord {
  const [, kind, digits] = /^(u?int|bytes)(\d+)$/.exec(type) ?? [];
  const size = Number(digits);
  if (kind === "uint" && size > 16) return (word) => unsigned(word, size);
  if (kind === "int") return (word) => signed(word, size);
  if (kind === "bytes" && size < 32) return (word) => bytes(word, size);
  switch (type) {
    case "address":
      return (word) => {
        if (!word.startsWith(ADDRESS_PADDING)) throw new Undecodable(TOO_WIDE);
        return checksum(word.slice(24));
      };
    case "bytes32":
      return (word) => `0x${word}`;
    case "bool":
      return (word) => boolean(word);
    case "uint8":
      return (word) => small(word, 0xff);
    case "uint16":
      return (word) => small(word, 0xffff);
    default:
      throw new Error(`no reader for ${type}`);
  }
}

function unsigned(word: string, bits: number): bigint {
  const value = BigInt(`0x${word}`);
  if (value >> BigInt(bits) !== 0n) throw new Undecodable(`a value wider than ${bits} bits`);
  return value;
}

/** In two's complement, the sign carried through the word. */
function signed(word: string, bits: number): bigint {
  const value = BigInt.asIntN(256, BigInt(`0x${word}`));
  if (BigInt.asIntN(bits, value) !== value) throw new Undecodable(`a value wider than ${bits} bits`);
  return value;
}

/** Bytes stand at the beginning of their word. */
function bytes(word: string, size: number): Hex {
  if (/[^0]/.test(word.slice(size * 2))) throw new Undecodable(`more than ${size} bytes`);
  return `0x${word.slice(0, size * 2)}`;
}

function boolean(word: string): boolean {
  return small(word, 1) === 1;
}

function small(word: string, max: number): number {
  const value = BigInt(`0x${word}`);
  if (value > BigInt(max)) throw new Undecodable(`a value beyond ${max}`);
  return Number(value);
}

/** Where dynamic data begins, in characters. */
function startOf(body: string, at: number): number {
  const start = length(body, at) * 2;
  if (start + WORD > body.length) throw new Undecodable("an offset outside the data");
  return start;
}

/** A length or offset: a word that fits the data. */
function length(body: string, at: number): number {
  const value = BigInt(`0x${body.slice(at, at + WORD)}`);
  if (value > BigInt(body.length)) throw new Undecodable("a length or offset outside the data");
  return Number(value);
}

function bytesAt(body: string, at: number): string {
  const start = startOf(body, at) + WORD;
  const end = start + length(body, start - WORD) * 2;
  if (end > body.length) throw new Undecodable("bytes that end outside the data");
  return body.slice(start, end);
}
