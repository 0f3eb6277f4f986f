// Bodies as JSON, read strictly (after RFC 7493, I-JSON): what two parsers could understand differently, or what PostgreSQL cannot
// store, is refused here with 400, so that it can never surface further in as a fault of the service.
import { isUtf8 } from "node:buffer";
import { Problem } from "../errors.ts";
import { endOfString, nextSignificant, pointerTo } from "./json-text.ts";

const MAX_DEPTH = 64;

/** What is wrong, in words that follow the name of the place, and where in the text that place begins. */
export interface JsonFault {
  message: string;
  at: number;
}

/**
 * Parses a body. Undefined for an empty one. Throws Problem `invalid_json` for text that is not UTF-8 or not JSON, and, naming the place
 * in its `errors`, for: a key given twice in one object, the key `__proto__`, more than 64 levels, NUL characters, lone surrogates (also
 * in keys), numbers that a double does not hold: too large ones, and integers that would come out as another.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const { value, faults } = parseJsonList(bytes);
  for (const { message, at } of faults.values()) {
    const path = pointerTo(bytes.toString("utf8"), at);
    const detail = `${path === "" ? "The body" : path} ${message}.`;
    throw new Problem("invalid_json", detail, { errors: [{ path, message }] });
  }
  return value;
}

/**
 * Parses a body whose elements are judged one by one. `faults` holds, for each element of a list (0 where the body is no list),
 * the first thing for which parseJsonBody would have refused it. Throws `invalid_json` only for text that is not UTF-8 or not JSON.
 */
export function parseJsonList(bytes: Buffer): { value: unknown; faults: ReadonlyMap<number, JsonFault> } {
  if (!isUtf8(bytes)) throw new Problem("invalid_json", "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("invalid_json", "The body is not valid JSON.");
  }
  return { value, faults: faultsOf(text) };
}

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Walks text that is known to be JSON once, without recursion. */
function faultsOf(text: string): Map<number, JsonFault> {
  const faults = new Map<number, JsonFault>();
  const keys: (Set<string> | null)[] = [];
  const isList = text.trimStart().startsWith("[");
  let element = 0;
  const fault = (message: string | null, at: number) => {
    if (message !== null && !faults.has(element)) faults.set(element, { message, at });
  };
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        keys.push(null);
        if (keys.length > MAX_DEPTH) fault(`is nested deeper than ${MAX_DEPTH} levels`, i);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        keys.pop();
        break;
      case COMMA:
        if (isList && keys.length === 1) element++;
        break;
      case QUOTE: {
        const end = endOfString(text, i);
        const raw = text.slice(i + 1, end);
        const hasEscapes = raw.includes("\\");
        const value: string = hasEscapes ? JSON.parse(`"${raw}"`) : raw;
        if (hasEscapes) fault(textFault(value), i);
        if (nextSignificant(text, end + 1) === COLON) fault(addKey(keys, value), i);
        i = end;
        break;
      }
      default: {
        if (!startsNumber(text.charCodeAt(i))) break;
        const number = numberAt(text, i);
        fault(numberFault(number), i);
        i += number.length - 1;
      }
    }
  }
  return faults;
}

function addKey(keys: (Set<string> | null)[], key: string): string | null {
  const level = keys.length - 1;
  const seen = keys[level] ?? new Set<string>();
  if (seen.has(key)) return `holds the key ${JSON.stringify(key.slice(0, 100))} twice in one object`;
  seen.add(key);
  keys[level] = seen;
  return key === "__proto__" ? 'holds the key "__proto__", which is not allowed' : null;
}

/** Text without escapes comes from valid UTF-8 and JSON, so it holds neither. */
function textFault(value: string): string | null {
  if (value.includes("\0")) return "holds a NUL character, which cannot be stored";
  if (!value.isWellFormed()) return "holds half of a surrogate pair, which is no text";
  return null;
}

const NUMBER = /[\d.eE+-]+/y;

function startsNumber(code: number): boolean {
  return code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9);
}

function numberAt(text: string, index: number): string {
  NUMBER.lastIndex = index;
  return (NUMBER.exec(text) as RegExpExecArray)[0];
}

function numberFault(text: string): string | null {
  const value = Number(text);
  if (!Number.isFinite(value)) return `holds the number ${text.slice(0, 40)}, which is too large`;
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return null;
  // As a double's shortest form writes it, or the double's own value: either reads back the same.
  if (String(value) === text || BigInt(value) === BigInt(text)) return null;
  return `holds the number ${text.slice(0, 40)}, which cannot be kept exactly; send it as a string`;
}
