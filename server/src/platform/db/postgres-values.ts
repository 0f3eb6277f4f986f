// How values of PostgreSQL become values of the service, on our own connections only (pg's global parsers stay as
// they are): money and counts are never rounded in silence, and moments keep their microseconds.
//
//   timestamptz → "2026-05-09T10:00:00.123456Z"   int8 → number, refused beyond 2^53
//   numeric → bigint (ours have scale 0)           json, jsonb → parsed        date, timestamp → as text
import pg from "pg";

/** For the `types` option of a pg client or pool. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format === "binary") return pg.types.getTypeParser(oid, "binary");
    return PARSERS.get(oid) ?? pg.types.getTypeParser(oid, "text");
  },
} as pg.CustomTypesConfig;

/** PostgreSQL's ISO form in UTC ("2026-05-09 10:00:00.12+00") as RFC 3339 with six fractional digits; null for what that cannot say. */
export function rfc3339Of(text: string): string | null {
  const match = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?\+00$/.exec(text);
  return match && `${match[1]}T${match[2]}.${(match[3] ?? "").padEnd(6, "0")}Z`;
}

/** @throws RangeError for what RFC 3339 cannot say: infinity, years outside 1 to 9999, an offset other than UTC */
function parseTimestamptz(text: string): string {
  const time = rfc3339Of(text);
  if (time === null) throw new RangeError(`the timestamp ${text} has no RFC 3339 form in UTC`);
  return time;
}

/** @throws RangeError beyond ±(2^53 − 1), where a number would be rounded */
function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the bigint ${text} does not fit a JavaScript number exactly`);
  return value;
}

/** @throws RangeError for a fraction, NaN or infinity: all numerics of the schema are whole */
function parseNumeric(text: string): bigint {
  if (!/^-?\d+$/.test(text))
    throw new RangeError(`the numeric ${text} is not a whole number; cast it in the query`);
  return BigInt(text);
}

const asText = (text: string) => text;

// pg's declaration says a function, pg-types 2 brings an object.
const { create: arrayParser } = pg.types.arrayParser as unknown as {
  create(text: string, parseEntry: (entry: string) => unknown): { parse(): unknown[] };
};

function arrayOf<T>(parse: (text: string) => T): (text: string) => unknown {
  return (text) => arrayParser(text, parse).parse();
}

// Object ids of built-in types, the same in every PostgreSQL: src/include/catalog/pg_type.dat.
const PARSERS = new Map<number, (text: string) => unknown>([
  [20, parseInt8],
  [1016, arrayOf(parseInt8)],
  [1700, parseNumeric],
  [1231, arrayOf(parseNumeric)],
  [1184, parseTimestamptz],
  [1185, arrayOf(parseTimestamptz)],
  [1082, asText],
  [1182, arrayOf(asText)],
  [1114, asText],
  [1115, arrayOf(asText)],
  [1186, asText],
]);
