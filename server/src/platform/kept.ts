// Kept: a value that is loaded when it is asked for, at most once at a time however many ask, and kept for a moment.
// Guarantee: what `get` gives was loaded by a load that began after the last `invalidate` and no longer than `maxAgeMs` ago. While it is
// fresh it is given at once, without a promise, so that a crowd of pollers costs nothing.

export class Kept<T> {
  /** The last value that was loaded, fresh or not. */
  value: T | null = null;
  readonly #load: () => Promise<T>;
  readonly #maxAgeMs: number;
  #loadedAtMs = 0;
  /** Raised by each invalidation; and as it was when the load of the value began. */
  #epoch = 0;
  #valueEpoch = -1;
  #loading: { epoch: number; done: Promise<T> } | null = null;

  constructor(load: () => Promise<T>, maxAgeMs: number) {
    this.#load = load;
    this.#maxAgeMs = maxAgeMs;
  }

  get(): T | Promise<T> {
    const isFresh = this.#valueEpoch === this.#epoch && performance.now() - this.#loadedAtMs < this.#maxAgeMs;
    return isFresh ? (this.value as T) : this.#refresh();
  }

  /** Makes the next answer load again: all that was committed before this call is in it. */
  invalidate(): void {
    this.#epoch += 1;
  }

  #refresh(): Promise<T> {
    const running = this.#loading;
    if (running?.epoch === this.#epoch) return running.done;
    // A load that began before the invalidation may have missed what it tells of: another follows it.
    const done = running
      ? running.done.then(
          () => this.#run(),
          () => this.#run(),
        )
      : this.#run();
    const loading = { epoch: this.#epoch, done };
    this.#loading = loading;
    const finish = () => {
      if (this.#loading === loading) this.#loading = null;
    };
    done.then(finish, finish);
    return done;
  }

  async #run(): Promise<T> {
    const epoch = this.#epoch;
    const startedAtMs = performance.now();
    const value = await this.#load();
    this.value = value;
    this.#valueEpoch = epoch;
    this.#loadedAtMs = startedAtMs;
    return value;
  }
}

/** Makes something of a value at once where it is available, else when it comes. */
export function whenAtHand<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
