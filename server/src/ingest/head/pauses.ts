// Pauses: what failed is left alone for a while, twice as long each time in a row, and at least as long again as the failing took.

const FIRST_MS = 1_000;
const MOST_MS = 60_000;

export class Pauses {
  readonly #nowMs: () => number;
  readonly #pauses = new Map<string, { untilMs: number; failures: number }>();

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  isOn(subject: string): boolean {
    const pause = this.#pauses.get(subject);
    return pause !== undefined && this.#nowMs() < pause.untilMs;
  }

  /** It failed, after so long. Returns how long it is left alone. */
  begin(
    subject: string,
    { tookMs = 0, mostMs = MOST_MS }: { tookMs?: number; mostMs?: number | undefined } = {},
  ): number {
    const failures = this.#pauses.get(subject)?.failures ?? 0;
    const pauseMs = Math.max(Math.min(mostMs, FIRST_MS * 2 ** failures), Math.min(mostMs, tookMs * 2));
    this.#pauses.set(subject, { untilMs: this.#nowMs() + pauseMs, failures: failures + 1 });
    return pauseMs;
  }

  /** It did not fail. */
  end(subject: string): void {
    this.#pauses.delete(subject);
  }
}
