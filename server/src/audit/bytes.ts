// Bytes compared and looked up where they lie: a text made of them each time would cost several times as much as reading them.
import { randomInt } from "node:crypto";

/** Whether the bytes at two places are the same. Eight at once: as fast as a machine compares them, without a call for it. */
export function equalBytes(a: DataView, at: number, b: DataView, bAt: number, length: number): boolean {
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    if (a.getBigInt64(at + i) !== b.getBigInt64(bAt + i)) return false;
  }
  for (; i < length; i += 1) {
    if (a.getUint8(at + i) !== b.getUint8(bAt + i)) return false;
  }
  return true;
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/**
 * What was made of bytes that come again and again, made once for each. Forgets all when it holds too much. Keys lie in one piece of memory
 * and are found by an open table: as objects, thousands of them would be in no cache when they are looked for.
 */
export class ByteTable<T> {
  readonly #make: (bytes: Buffer) => T;
  readonly #max: number;
  /** Nobody knows beforehand which bytes would lie in one place. */
  readonly #seed = randomInt(2 ** 32) | 0;
  /** Two numbers for each place: the mark of its bytes, and 1 + where they are; 0 where there are none. */
  #places = new Int32Array(2 * 1024);
  /** For each key the number of its value, its length, and its bytes. */
  #keys = new DataView(new ArrayBuffer(64 * 1024));
  #filled = 0;
  #values: T[] = [];

  constructor(max: number, make: (bytes: Buffer) => T) {
    this.#max = max;
    this.#make = make;
  }

  get(view: DataView, at: number, length: number): T {
    const mark = this.#markOf(view, at, length);
    const places = this.#places;
    const keys = this.#keys;
    const last = places.length - 2;
    for (let place = (mark << 1) & last; places[place + 1] !== 0; place = (place + 2) & last) {
      const key = places[place + 1]! - 1;
      const isSame =
        places[place] === mark &&
        keys.getInt32(key + 4) === length &&
        equalBytes(keys, key + KEY_HEADER, view, at, length);
      if (isSame) return this.#values[keys.getInt32(key)]!;
    }
    return this.#add(mark, Buffer.from(view.buffer, view.byteOffset + at, length));
  }

  #add(mark: number, bytes: Buffer): T {
    if (this.#values.length >= this.#max) {
      this.#places.fill(0);
      this.#filled = 0;
      this.#values = [];
    }
    if (4 * this.#values.length >= this.#places.length) this.#spread();
    const end = this.#filled + KEY_HEADER + bytes.length;
    if (end > this.#keys.byteLength) {
      const keys = new Uint8Array(2 * end);
      keys.set(new Uint8Array(this.#keys.buffer));
      this.#keys = new DataView(keys.buffer);
    }
    this.#keys.setInt32(this.#filled, this.#values.length);
    this.#keys.setInt32(this.#filled + 4, bytes.length);
    bytes.copy(new Uint8Array(this.#keys.buffer), this.#filled + KEY_HEADER);
    this.#put(mark, this.#filled + 1);
    this.#filled = end;
    const value = this.#make(bytes);
    this.#values.push(value);
    return value;
  }

  #put(mark: number, key: number): void {
    const last = this.#places.length - 2;
    let place = (mark << 1) & last;
    while (this.#places[place + 1] !== 0) place = (place + 2) & last;
    this.#places[place] = mark;
    this.#places[place + 1] = key;
  }

  /** Twice as many places, so that more than half of them stay empty. */
  #spread(): void {
    const before = this.#places;
    this.#places = new Int32Array(2 * before.length);
    for (let place = 0; place < before.length; place += 2) {
      if (before[place + 1] !== 0) this.#put(before[place]!, before[place + 1]!);
    }
  }

  #markOf(view: DataView, at: number, length: number): number {
    let mark = this.#seed ^ length;
    let i = 0;
    for (; i + 4 <= length; i += 4) mark = mixed(mark, view.getInt32(at + i));
    for (; i < length; i += 1) mark = mixed(mark, view.getUint8(at + i));
    return mark;
  }
}

const KEY_HEADER = 8;

function mixed(mark: number, more: number): number {
  const product = Math.imul(mark ^ more, 0x9e3779b1);
  return product ^ (product >>> 15);
}
