// Times at the edge of the API. In: ISO 8601 as clients write it. Out: RFC 3339 UTC with six fractional digits, always, so that
// strings sort as the moments do and compare with what the database returns.
//
// A time is kept as that string from end to end: a JavaScript Date holds milliseconds and would lose what the audit log orders by.

const FRACTION = String.raw`(?:[.,](\d{1,9}))?`;
const OFFSET = String.raw`([Zz]|[+\- ]\d{2}(?::?\d{2})?)?`;
const EXTENDED = new RegExp(
  String.raw`^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2})(?::(\d{2})${FRACTION})?${OFFSET})?$`,
);
const BASIC = new RegExp(
  String.raw`^(\d{4})(\d{2})(\d{2})(?:[Tt](\d{2})(\d{2})(?:(\d{2})${FRACTION})?${OFFSET})?$`,
);

const DAY_MS = 86_400_000;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z: what four digits can write and PostgreSQL can hold. */
const MIN_MS = -62_135_596_800_000;
const MAX_MS = 253_402_300_799_999;
/** The last second that the API can write. A contract, or who calls it, may say any number. */
export const MAX_SECONDS = 253_402_300_799;

/**
 * Reads a time as clients write it and returns it in the API's form, `2026-05-09T10:00:00.123456Z`; null for anything else.
 *
 * Understood (ISO 8601, extended or basic format, `T` and `Z` in either case; no weeks, no days of the year): a date alone (its midnight
 * UTC); a date and time with `Z`, an offset (`+02:00`, `+0200`, `+02`) or none (UTC); seconds left out; 1 to 9 fractional digits, cut, not rounded, to the microsecond; `24:00:00`,
 * the end of a day; a leap second (23:59:60 UTC on the last day of a month), which counts as the second after it, as in
 * PostgreSQL. A space in the offset's place is the `+` that a query string turned into one.
 */
export function parseTimestamp(text: string): string | null {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return null;
  const [, y, mo, d, h = "00", mi = "00", s = "00", fraction = "", offset = "Z"] = match;
  const [year, month, day, hour, minute, second] = [
    Number(y),
    Number(mo),
    Number(d),
    Number(h),
    Number(mi),
    Number(s),
  ];
  const micros = fraction.slice(0, 6).padEnd(6, "0");

  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 24 || minute > 59 || second > 60) return null;
  if (hour === 24 && (minute !== 0 || second !== 0 || Number(fraction) !== 0)) return null;
  const offsetMs = offsetOf(offset);
  if (offsetMs === null) return null;

  const ms = midnightMs(year, month, day) + (hour * 3600 + minute * 60 + second) * 1000 - offsetMs;
  if (second === 60 && !isMonthStart(ms)) return null;
  if (ms < MIN_MS || ms > MAX_MS) return null;
  return `${isoOf(ms).slice(0, 19)}.${micros}Z`;
}

let [lastMs, lastText] = [0, "1970-01-01T00:00:00.000Z"];

/** Entries and facts come by many of one moment, whose text is made once. */
function isoOf(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** The API's form of a moment given in milliseconds since the Unix epoch. */
export function timestampOfMs(ms: number): string {
  return `${isoOf(ms).slice(0, -1)}000Z`;
}

/** The API's form of a moment given in whole seconds since the Unix epoch, such as a block's timestamp. */
export function timestampOfSeconds(seconds: number): string {
  return `${isoOf(seconds * 1000).slice(0, 19)}.000000Z`;
}

/** Null beyond what the API can write. */
export function timestampOrNull(seconds: number | bigint | null): string | null {
  return seconds === null || seconds > MAX_SECONDS ? null : timestampOfSeconds(Number(seconds));
}

/** An argument of an event, decimal digits: it is kept as it is where the API cannot write it as a time. */
export function timestampOrDigits(seconds: string): string {
  return timestampOrNull(BigInt(seconds)) ?? seconds;
}

/** A double holds whole microseconds exactly until the year 2255. */
export function timestampOfMicroseconds(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000);
  const rest = microseconds - ms * 1000;
  return `${isoOf(ms).slice(0, 23)}${String(rest).padStart(3, "0")}Z`;
}

/** The reverse, of a time in the API's form. */
export function microsecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}

/** For people: `2026-05-09 10:00:00 UTC`, from a time in the API's form. */
export function readableTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`;
}

/** Date.UTC reads the years 0 to 99 as 1900 to 1999, so they are shifted by one whole Gregorian cycle of 400 years. */
function midnightMs(year: number, month: number, day: number): number {
  const CYCLE_MS = 146_097 * DAY_MS;
  return Date.UTC(year + 400, month - 1, day) - CYCLE_MS;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Offset in milliseconds east of UTC, null when it is none (hours to 23, minutes to 59). */
function offsetOf(offset: string): number | null {
  if (offset === "Z" || offset === "z") return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", "") || "0");
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** A leap second is added after 23:59:59 UTC of a month's last day (RFC 3339, 5.7): one second on, the next month begins. */
function isMonthStart(ms: number): boolean {
  return ms % DAY_MS === 0 && new Date(ms).getUTCDate() === 1;
}
