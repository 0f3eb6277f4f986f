// Exported files, read back entry by entry at constant memory: JSON in any layout, NDJSON and CSV, told apart by how they begin.
import { parseUnambiguous } from "./unambiguous.ts";

/** An entry as it stands in the file, or what an export closes with. */
export type ExportPart =
  | { kind: "entry"; value: Record<string, unknown> }
  | { kind: "end"; total: number; checkpoint: string | null };

/** The file is no export, or cut short in the middle of an entry. */
export class ExportUnreadable extends Error {}

export type ExportFormat = "json" | "ndjson" | "csv";

/** A file as a whole, or in pieces of any length: of a Node stream, or of the body of an answer. */
export type ExportFile = string | Uint8Array | AsyncIterable<Uint8Array>;

/** The first line of an export in CSV. */
export const CSV_HEADER =
  "id,seq,timestamp,recorded_at,action_type,vault_address,chain_id,actor_wallet,details";

/** The format and the parts of an export. @throws ExportUnreadable, also while the parts are read */
export async function readExport(
  file: ExportFile,
): Promise<{ format: ExportFormat; parts: AsyncGenerator<ExportPart> }> {
  const text = decode(isInPieces(file) ? file : piecesOf(file));
  let head = "";
  for (;;) {
    const { value, done } = await text.next();
    head += value ?? "";
    if (head.trimStart().length >= 16 || done) break;
  }
  const start = head.trimStart().replaceAll(/\s/g, "");
  const rest = prepend(head, text);
  if (start.startsWith('{"logs":[')) return { format: "json", parts: jsonParts(rest) };
  if (start.startsWith("{") && !start.startsWith('{"logs"'))
    return { format: "ndjson", parts: lineParts(rest) };
  if (start.startsWith("id,seq,")) return { format: "csv", parts: csvParts(rest) };
  throw new ExportUnreadable("it does not begin like an export of an audit log (JSON, NDJSON or CSV)");
}

function isInPieces(file: ExportFile): file is AsyncIterable<Uint8Array> {
  return typeof file === "object" && Symbol.asyncIterator in file;
}

/** Of a large file no text of its whole length is made. */
async function* piecesOf(file: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

const PIECE_BYTES = 65_536;

async function* decode(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new ExportUnreadable("it is not UTF-8");
    }
  };
  for await (const chunk of file) yield decoded(chunk);
  yield decoded();
}

async function* prepend(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

async function* lineParts(text: AsyncGenerator<string>): AsyncGenerator<ExportPart> {
  for await (const line of lines(text, "\n")) {
    if (line.trim() === "") continue;
    const value = parseObject(line);
    yield Object.hasOwn(value, "total") ? endOf(value) : { kind: "entry", value };
  }
}

/** What an export closes with, and nothing beside it: another program would read what stood there. */
function endOf(value: Record<string, unknown>): ExportPart {
  const { total, checkpoint, ...others } = value;
  const isSound = Number.isSafeInteger(total) && (checkpoint === null || typeof checkpoint === "string");
  if (!isSound || Object.keys(others).length > 0)
    throw new ExportUnreadable("its end is not that of an export");
  return { kind: "end", total: total as number, checkpoint: checkpoint as string | null };
}

/** The elements of the `logs` array one by one, then the rest of the object. */
async function* jsonParts(text: AsyncGenerator<string>): AsyncGenerator<ExportPart> {
  let buffer = "";
  let at = 0;
  let isInArray = false;
  // What may stand between two elements.
  let allowed: "first" | "comma" | "next" = "first";
  // Where the current element begins, how deep we are within it, and whether within a string.
  let start = -1;
  let depth = 0;
  let isInString = false;
  for await (const chunk of text) {
    buffer += chunk;
    if (!isInArray) {
      const open = buffer.indexOf("[");
      if (open < 0) continue;
      [isInArray, at] = [true, open + 1];
    }
    for (; at < buffer.length; at++) {
      const code = buffer.charCodeAt(at);
      if (depth === 0) {
        if (code === OPEN && allowed !== "comma") [start, depth] = [at, 1];
        else if (code === COMMA && allowed === "comma") allowed = "next";
        else if (code === CLOSE_ARRAY && allowed !== "next") {
          const rest: string[] = [buffer.slice(at + 1)];
          for await (const more of text) rest.push(more);
          yield endOf(parseObject(rest.join("").replace(/^\s*,/, "{")));
          return;
        } else if (!SPACES.includes(code)) {
          throw new ExportUnreadable("between its entries there is something that is not an entry");
        }
      } else if (isInString) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) isInString = false;
      } else if (code === QUOTE) {
        isInString = true;
      } else if (code === OPEN || code === OPEN_ARRAY) {
        depth++;
      } else if (code === CLOSE || code === CLOSE_ARRAY) {
        depth--;
        if (depth > 0) continue;
        yield { kind: "entry", value: parseObject(buffer.slice(start, at + 1)) };
        buffer = buffer.slice(at + 1);
        [at, start, allowed] = [-1, -1, "comma"];
      }
    }
  }
  throw new ExportUnreadable("it is cut short: the end of the export is missing");
}

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
const SPACES = [0x20, 0x0a, 0x0d, 0x09];

/** Rows of RFC 4180 as the export writes them: `details` alone is quoted, and no row has a line feed of its own. */
async function* csvParts(text: AsyncGenerator<string>): AsyncGenerator<ExportPart> {
  let isHeader = true;
  for await (const line of lines(text, "\r\n")) {
    if (isHeader) {
      // Under other names, or in another order, the same rows would say something else.
      if (line !== CSV_HEADER) throw new ExportUnreadable("its first line is not the header of an export");
      isHeader = false;
      continue;
    }
    if (line === "") continue;
    const match =
      /^([^,"]*),([^,"]*),([^,"]*),([^,"]*),([^,"]*),([^,"]*),(0|[1-9]\d*),([^,"]*),"((?:[^"]|"")*)"$/.exec(
        line,
      );
    if (match === null) throw new ExportUnreadable("a row of it is not as an export writes it");
    const [, id, seq, timestamp, recorded_at, action_type, vault_address, chain, actor_wallet, details] =
      match;
    const entry = { id, seq, timestamp, recorded_at, action_type, vault_address, actor_wallet };
    yield {
      kind: "entry",
      value: { ...entry, chain_id: Number(chain), details: parseJson(details!.replaceAll('""', '"')) },
    };
  }
}

async function* lines(text: AsyncGenerator<string>, separator: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of text) {
    const parts = (rest + chunk).split(separator);
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest !== "") yield rest;
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ExportUnreadable("it contains something that is not an entry");
  }
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  const { value, fault } = parseUnambiguous(text);
  if (fault !== null) throw new ExportUnreadable(fault);
  return value;
}
