// Times of the audit log, exact to the microsecond: a Date keeps milliseconds only, so times are whole numbers of
// microseconds since the Unix epoch, which a double holds exactly until the year 2255.

/** RFC 3339 in UTC with six fractional digits, e.g. `2026-05-09T10:00:00.123456Z`. */
export function formatMicroseconds(microseconds: number): string {
  const second = Math.floor(microseconds / 1_000_000);
  const rest = microseconds - second * 1_000_000;
  return `${textOfSecond(second)}.${String(rest).padStart(6, "0")}Z`;
}

const DAY_SECONDS = 86_400;
const MAX_DAYS = 1_000;
/** Of the days that were asked for: a log's times, and those of its blocks, are on few. */
const days = new Map<number, string>();
const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"));

function textOfSecond(second: number): string {
  const day = Math.floor(second / DAY_SECONDS);
  const rest = second - day * DAY_SECONDS;
  const minutes = Math.floor(rest / 60);
  return `${dateOf(day)}T${TWO[Math.floor(minutes / 60)]}:${TWO[minutes % 60]}:${TWO[rest % 60]}`;
}

function dateOf(day: number): string {
  let date = days.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, -14);
    if (days.size >= MAX_DAYS) days.clear();
    days.set(day, date);
  }
  return date;
}

/** The reverse: takes exactly the form that `formatMicroseconds` makes. Years beyond 2255 lose precision. */
export function microsecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
