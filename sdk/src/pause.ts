/** Resolves after the time, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** No answer puts an attempt off for longer: it may be of something between, and says what it likes. */
const MAX_RETRY_AFTER_SECONDS = 300;

/** The header `Retry-After` in milliseconds; null where it is missing or names a date. */
export function retryAfterOf(response: Response): number | null {
  const value = response.headers.get("retry-after");
  return value !== null && /^\d+$/.test(value)
    ? Math.min(Number(value), MAX_RETRY_AFTER_SECONDS) * 1000
    : null;
}
