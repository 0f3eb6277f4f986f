// Times of the audit log, exact to the microsecond: a Date keeps milliseconds only, so times are whole numbers of
// microseconds since the Unix epoch, which a double holds exactly until the year 2255.

/** RFC 3339 in UTC with six fractional digits, e.g. `2026-05-09T10:00:00.123456Z`. */
export function formatMicroseconds(microseconds: number): string {
  const second = Math.floor(microseconds / 1_000_000);
  const rest = microseconds - second * 1_000_000;
  return `${textOfSecond(second)}.${String(rest).padStart(6, "0")}Z`;
}

let lastSecond = Number.NaN;
let lastText = "";

/** Entries come by thousands of the same second, or of the same block: the last one's text is kept. */
function textOfSecond(second: number): string {
  if (second !== lastSecond) {
    lastText = new Date(second * 1000).toISOString().slice(0, 19);
    lastSecond = second;
  }
  return lastText;
}

/** The reverse: takes exactly the form that `formatMicroseconds` makes. Years beyond 2255 lose precision. */
export function microsecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
