// How many blocks one eth_getLogs may span. Providers differ, say so in their own words, and change it; so the span is
// learned: halved when refused, or cut to what the refusal suggests, and grown again on success.

/** A sub-range to ask for instead, both ends inclusive. */
export interface Span {
  from: number;
  to: number;
}

const CLOSE_ENOUGH = 8;

export class LogStep {
  #size: number;
  readonly #max: number;
  /** A span that was refused; grown back slowly, because a refusal may have been about the density of one place. */
  #refused = Number.POSITIVE_INFINITY;
  #successes = 0;

  constructor(initial: number, max: number) {
    this.#size = Math.max(1, initial);
    this.#max = Math.max(1, max);
  }

  get size(): number {
    return this.#size;
  }

  succeeded(size: number): void {
    if (size < this.#size) return;
    this.#successes += 1;
    if (this.#successes % 32 === 0) this.#refused *= 2;
    const room = Math.floor((size + Math.min(this.#refused, size * 3)) / 2);
    const next = Math.min(this.#max, size * 2, room);
    // Below an eighth of difference the search for the limit costs more than it brings.
    if (next - size >= Math.max(1, size / CLOSE_ENOUGH)) this.#size = next;
  }

  refused(size: number, next: number): void {
    this.#refused = Math.min(this.#refused, size);
    this.#size = Math.max(1, Math.min(this.#size, next));
  }
}

const HEX_RANGE = /\[\s*(0x[0-9a-f]{1,14})\s*,\s*(0x[0-9a-f]{1,14})\s*\]/i;
const DECIMAL_RANGE = /range\s+(\d{1,15})\s*-\s*(\d{1,15})/i;
const CAP =
  /(?:up to an?|limited to(?: an?| 0 -)?|max(?:imum)?(?: is set to| allowed is| block range)?[:=,]?|limit of|over|exceeds max block range|larger than)\s+([\d,]{1,12})(k)?\b/i;

/**
 * The first part to ask for after `from..to` (more than one block) was refused with that message. Always begins at `from`
 * and is always shorter: a hint that is reversed, lies elsewhere or does not shrink is not followed.
 */
export function shrink({ from, to }: Span, message: string): Span {
  const half = from + ((to - from) >> 1);
  const suggested = hintedEnd(from, message);
  return { from, to: suggested !== null && suggested >= from && suggested < to ? suggested : half };
}

function hintedEnd(from: number, message: string): number | null {
  const range = HEX_RANGE.exec(message) ?? DECIMAL_RANGE.exec(message);
  if (range) {
    const [start, end] = [Number(range[1]), Number(range[2])];
    return start === from ? end : null;
  }
  const cap = CAP.exec(message);
  if (!cap || !/range|block/i.test(message) || /results|logs in/i.test(message)) return null;
  return from + Number(cap[1]!.replaceAll(",", "")) * (cap[2] ? 1000 : 1) - 1;
}
