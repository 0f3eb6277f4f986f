// Bodies as JSON, read strictly (after RFC 7493, I-JSON): what two parsers could understand differently, or what PostgreSQL cannot
// store, is refused here with 400, so that it can never surface further in as a fault of the service.
import { isUtf8 } from "node:buffer";
import { Problem } from "../errors.ts";

const MAX_DEPTH = 64;

/**
 * Parses a body. Undefined for an empty one. Throws Problem `invalid_json` for: text that is not UTF-8 or not JSON, a key given twice
 * in one object, the key `__proto__`, more than 64 levels, NUL characters, lone surrogates (also in keys).
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new Problem("invalid_json", "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem("invalid_json", "The body is not valid JSON.");
  }
  check(text);
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;

/** Walks text that is known to be JSON once, without recursion. */
function check(text: string): void {
  const keys: (Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        keys.push(null);
        if (keys.length > MAX_DEPTH)
          throw new Problem("invalid_json", `The body is nested deeper than ${MAX_DEPTH} levels.`);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        keys.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, i);
        const raw = text.slice(i + 1, end);
        const value = raw.includes("\\") ? decode(raw) : raw;
        i = end;
        if (nextSignificant(text, end + 1) === COLON) addKey(keys, value);
      }
    }
  }
}

function addKey(keys: (Set<string> | null)[], key: string): void {
  const level = keys.length - 1;
  const seen = keys[level] ?? new Set<string>();
  if (seen.has(key))
    throw new Problem(
      "invalid_json",
      `The key ${JSON.stringify(key.slice(0, 100))} is given twice in one object.`,
    );
  if (key === "__proto__") throw new Problem("invalid_json", 'The key "__proto__" is not allowed.');
  seen.add(key);
  keys[level] = seen;
}

function decode(raw: string): string {
  const value: string = JSON.parse(`"${raw}"`);
  if (value.includes("\0"))
    throw new Problem("invalid_json", "The body holds a NUL character, which cannot be stored.");
  if (!value.isWellFormed())
    throw new Problem("invalid_json", "The body holds half of a surrogate pair, which is no text.");
  return value;
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (isEscaped(text, end));
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function nextSignificant(text: string, from: number): number {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i++;
  return text.charCodeAt(i);
}
