// Patience: how long one thing that cannot be completed may hold up its chain. A node that does badly is well again in a while; what it
// still does not tell then, it may never tell, and everything after it must not wait for it.
import { BoundedCache } from "../../platform/bounded-cache.ts";

const PATIENCE_MS = 300_000;
const MOST_REMEMBERED = 10_000;

export class Patience {
  readonly #ms: number;
  readonly #nowMs: () => number;
  /** The first failure, by what failed. */
  readonly #since = new BoundedCache<string, number>(MOST_REMEMBERED);

  constructor(ms = PATIENCE_MS, nowMs = () => performance.now()) {
    this.#ms = ms;
    this.#nowMs = nowMs;
  }

  /** It failed: whether it has for so long that it is gone on without. */
  isOver(what: string): boolean {
    const since = this.#since.get(what);
    if (since !== undefined) return this.#nowMs() - since >= this.#ms;
    this.#since.set(what, this.#nowMs());
    return this.#ms <= 0;
  }

  /** It succeeded. */
  end(what: string): void {
    this.#since.delete(what);
  }
}
