// Times of the audit log, exact to the microsecond: a Date keeps milliseconds only, so times are whole numbers of
// microseconds since the Unix epoch, which a double holds exactly until the year 2255.

/** RFC 3339 in UTC with six fractional digits, e.g. `2026-05-09T10:00:00.123456Z`. */
export function formatMicroseconds(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = microseconds - milliseconds * 1000;
  return `${new Date(milliseconds).toISOString().slice(0, 23)}${String(rest).padStart(3, "0")}Z`;
}

/** The reverse: takes exactly the form that `formatMicroseconds` makes. Years beyond 2255 lose precision. */
export function microsecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26));
}
