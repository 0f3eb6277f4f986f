// Extremes over a window that slides along a series, each looked at a bounded number of times. A value stands until the next one: it
// leaves the window when the next is older than the window's beginning.

export interface Standing<T> {
  value: T;
  atMs: number;
  /** When the next one came; null: it stands. */
  untilMs: number | null;
}

/** The greatest by `isMore`; the newest of those that are the same. */
export class SlidingExtreme<T> {
  readonly #windowMs: number;
  readonly #isMore: (a: T, b: T) => boolean;
  /** Each less than the one before it. */
  #kept: Standing<T>[] = [];

  constructor(windowMs: number, isMore: (a: T, b: T) => boolean) {
    this.#windowMs = windowMs;
    this.#isMore = isMore;
  }

  add(standing: Standing<T>): void {
    while (this.#kept.length > 0 && !this.#isMore((this.#kept.at(-1) as Standing<T>).value, standing.value))
      this.#kept.pop();
    this.#kept.push(standing);
  }

  /** What was before is compared with nothing. */
  clear(): void {
    this.#kept = [];
  }

  /** With when it leaves the window, if another is known to follow it. */
  at(nowMs: number): { value: T; leavesMs: number | null } | null {
    let first = this.#kept[0];
    while (first !== undefined && first.untilMs !== null && first.untilMs < nowMs - this.#windowMs) {
      this.#kept.shift();
      first = this.#kept[0];
    }
    if (first === undefined) return null;
    return {
      value: first.value,
      leavesMs: first.untilMs === null ? null : first.untilMs + this.#windowMs + 1,
    };
  }
}
