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
  const { text, value } = parseJson(bytes);
  for (const { message, at } of faultsOf(text, { isEach: false }).values()) {
    const path = pointerTo(text, at);
    const detail = `${path === "" ? "The body" : path} ${message}.`;
    throw new Problem("invalid_json", detail, { errors: [{ path, message }] });
  }
  return value;
}

/**
 * Parses a body whose elements are judged one by one. `faults` holds, for each element of a list (0 where the body is no list),
 * the first thing for which parseJsonBody would have refused it. `check` sees the value first and may refuse it, so that nothing is looked
 * for in what has too many elements. Throws `invalid_json` only for text that is not UTF-8 or not JSON, and what `check` throws.
 */
export function parseJsonList(
  bytes: Buffer,
  check: (value: unknown) => void,
): { value: unknown; faults: ReadonlyMap<number, JsonFault> } {
  const { text, value } = parseJson(bytes);
  check(value);
  return { value, faults: faultsOf(text, { isEach: Array.isArray(value) }) };
}

function parseJson(bytes: Buffer): { text: string; value: unknown } {
  if (!isUtf8(bytes)) throw new Problem("invalid_json", "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Problem("invalid_json", "The body is not valid JSON.");
  }
}

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const SMALL_E = 0x65;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Walks text that is known to be JSON once, without recursion, up to the first fault, or that of each element of a list. What most texts
 * are made of, short numbers and strings without escapes, is passed over without a copy.
 */
function faultsOf(text: string, { isEach }: { isEach: boolean }): Map<number, JsonFault> {
  const faults = new Map<number, JsonFault>();
  const keys: (Set<string> | null)[] = [];
  let element = 0;
  let isFaulty = false;
  for (let i = 0; i < text.length; i++) {
    let message: string | null = null;
    const at = i;
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, at);
      if (!isFaulty) message = stringFault(text, at, i, keys);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      keys.push(null);
      if (keys.length > MAX_DEPTH) message = `is nested deeper than ${MAX_DEPTH} levels`;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      keys.pop();
    } else if (code === COMMA) {
      if (isEach && keys.length === 1) {
        element++;
        isFaulty = false;
      }
    } else if (startsNumber(code)) {
      const endOfPlain = endOfDigits(text, at + 1);
      const end = endOfExponent(text, endOfPlain);
      // A short number without an exponent is finite, and exact where it is an integer.
      const isSure = end === endOfPlain && end - at <= SURE_CHARACTERS;
      if (!isFaulty && !isSure) message = numberFault(text.slice(at, end));
      i = end - 1;
    }
    if (message === null || isFaulty) continue;
    faults.set(element, { message, at });
    if (!isEach) break;
    isFaulty = true;
  }
  return faults;
}

/** A fault of the string between the quotes at `start` and `end`, as text or as a key. */
function stringFault(text: string, start: number, end: number, keys: (Set<string> | null)[]): string | null {
  const isKey = nextSignificant(text, end + 1) === COLON;
  const raw = text.slice(start + 1, end);
  const hasEscapes = raw.includes("\\");
  // Text without escapes comes from valid UTF-8 and JSON, so it holds neither a NUL character nor half a pair.
  const isSuspect = hasEscapes && SUSPECT.test(raw);
  if (!isKey && !isSuspect) return null;
  const value: string = hasEscapes ? JSON.parse(`"${raw}"`) : raw;
  return (isSuspect ? textFault(value) : null) ?? (isKey ? addKey(keys, value) : null);
}

/** An escape of what may be a fault: NUL, or a half of a surrogate pair. */
const SUSPECT = /\\u(?:0000|[dD][89a-fA-F])/;

function addKey(keys: (Set<string> | null)[], key: string): string | null {
  const level = keys.length - 1;
  const seen = keys[level] ?? new Set<string>();
  if (seen.has(key)) return `contains the key ${JSON.stringify(key.slice(0, 100))} twice in one object`;
  seen.add(key);
  keys[level] = seen;
  return key === "__proto__" ? 'contains the key "__proto__", which is not allowed' : null;
}

function textFault(value: string): string | null {
  if (value.includes("\0")) return "contains a NUL character, which cannot be stored";
  if (!value.isWellFormed()) return "contains half of a surrogate pair, which is no text";
  return null;
}

const SURE_CHARACTERS = 15;

function startsNumber(code: number): boolean {
  return code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9);
}

/** After digits and a point. */
function endOfDigits(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); (code >= DIGIT_0 && code <= DIGIT_9) || code === POINT; )
    code = text.charCodeAt(++end);
  return end;
}

/** After an exponent, where one begins at `start`: its letter, the sign that it may have, its digits. */
function endOfExponent(text: string, start: number): number {
  if ((text.charCodeAt(start) | 0x20) !== SMALL_E) return start;
  const sign = text.charCodeAt(start + 1);
  return endOfDigits(text, start + (sign === PLUS || sign === MINUS ? 2 : 1));
}

function numberFault(text: string): string | null {
  const value = Number(text);
  if (!Number.isFinite(value)) return `contains the number ${text.slice(0, 40)}, which is too large`;
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(text)) return null;
  // As a double's shortest form writes it, or the double's own value: either reads back the same.
  if (String(value) === text || BigInt(value).toString() === text) return null;
  return `contains the number ${text.slice(0, 40)}, which cannot be kept exactly; send it as a string`;
}
