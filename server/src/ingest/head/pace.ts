// Pace: when to ask for the head again. Learns how far apart a chain's blocks come and asks often only when the next one is
// due, so that a block is seen within a few hundredths of its interval at a handful of requests each.

const FIRST_GUESS_MS = 1_000;
const MIN_POLL_MS = 20;
const MAX_POLL_MS = 500;
const MAX_IDLE_MS = 1_000;
/** The longest sleep, however slow the chain seems: one that mines on demand has no rhythm. */
const MAX_WAIT_MS = 2_000;
const MIN_HALT_MS = 60_000;
/** Where new heads are heard, how often that is checked. */
const MIN_CHECK_MS = 1_000;
const WEIGHT = 0.2;

export class Pace {
  #intervalMs = FIRST_GUESS_MS;
  #lastMs: number | null = null;

  /** `count` new blocks were seen at a moment (Unix ms). */
  moved(count: number, nowMs: number): void {
    // A clock that was set back says nothing of the chain.
    if (this.#lastMs !== null && count > 0 && nowMs >= this.#lastMs) {
      const sample = Math.min((nowMs - this.#lastMs) / count, 10 * 60_000);
      this.#intervalMs += WEIGHT * (sample - this.#intervalMs);
    }
    this.#lastMs = nowMs;
  }

  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** How long to wait before the next request. */
  delayMs(nowMs: number): number {
    const step = clamp(this.#intervalMs / 20, MIN_POLL_MS, MAX_POLL_MS);
    if (this.#lastMs === null) return step;
    const untilDueMs = this.#lastMs + this.#intervalMs * 0.9 - nowMs;
    if (untilDueMs > step) return Math.min(untilDueMs, MAX_WAIT_MS);
    // The longer a block is overdue, the less the next moment matters.
    const overdueMs = nowMs - this.#lastMs - this.#intervalMs * 1.5;
    return clamp(overdueMs / 4, step, Math.max(step, MAX_IDLE_MS));
  }

  /** The same where a WebSocket tells of new heads: only in case it does not. */
  checkMs(nowMs: number): number {
    return clamp(Math.max(this.delayMs(nowMs), this.#intervalMs * 1.5), MIN_CHECK_MS, MAX_WAIT_MS);
  }

  /** Whether the head has stood still for much longer than blocks take. */
  isHalted(nowMs: number): boolean {
    return this.#lastMs !== null && nowMs - this.#lastMs > Math.max(MIN_HALT_MS, this.#intervalMs * 20);
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
