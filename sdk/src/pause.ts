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

/** The header `Retry-After` in milliseconds; null where it is missing or names a date. */
export function retryAfterOf(response: Response): number | null {
  const value = response.headers.get("retry-after");
  return value !== null && /^\d+$/.test(value) ? Number(value) * 1000 : null;
}

const MAX_WAIT_MS = 300_000;

/** How long a program that goes on by itself waits then. The answer may be of something between, which says what it likes. */
export function waitOf(retryAfterMs: number | null): number | null {
  return retryAfterMs === null ? null : Math.min(retryAfterMs, MAX_WAIT_MS);
}
