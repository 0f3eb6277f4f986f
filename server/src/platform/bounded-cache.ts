// A cache with a bound, for what can be found out again.

/**
 * Keeps what was used last, `most` entries at the most. Two generations: where the younger is full the older goes whole, since to
 * evict entries one by one costs a `Map` a walk each time. The library `quick-lru` does the same and holds twice its `maxSize`; with an object
 * for each entry and two look-ups for each hit, for an expiry that nothing here needs, a hit takes it half as long again, and hits are
 * what this is for.
 */
export class BoundedCache<K, V> {
  readonly #half: number;
  #younger = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  get(key: K): V | undefined {
    const found = this.#younger.get(key);
    if (found !== undefined) return found;
    const aged = this.#older.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    if (this.#younger.size >= this.#half && !this.#younger.has(key)) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
  }

  delete(key: K): void {
    this.#younger.delete(key);
    this.#older.delete(key);
  }
}
