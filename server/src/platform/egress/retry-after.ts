// How long a server asks to be left alone.

const SECONDS = /^\d{1,12}(\.\d+)?$/;
const DATE = /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds: seconds, by some with a fraction, or a date, which is compared with `nowMs`. Null
 * where there is none that can be understood.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const ms = SECONDS.test(text)
    ? Math.ceil(Number(text) * 1000)
    : DATE.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
