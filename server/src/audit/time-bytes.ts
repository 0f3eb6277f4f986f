// Times of the audit log as the bytes that stand in its texts, without a text made for each of millions.
import { equalBytes, viewOf } from "./bytes.ts";
import { formatMicroseconds } from "./times.ts";

/** `2026-05-09T10:00:00.123456Z` */
export const TIME_LENGTH = 27;

/** One time's bytes: what it has in common with the time before, it keeps. */
export class TimeBytes {
  readonly #bytes = Buffer.alloc(TIME_LENGTH);
  readonly #view = viewOf(this.#bytes);
  #day = Number.NaN;
  #second = Number.NaN;

  /** False, and nothing else, for what is no time in the API's form. */
  set(microseconds: number): boolean {
    if (!isApiTime(microseconds)) return false;
    const second = Math.floor(microseconds / 1_000_000);
    if (second !== this.#second) this.#setSecond(second);
    this.#write(20, 6, microseconds - second * 1_000_000);
    return true;
  }

  #setSecond(second: number): void {
    const day = Math.floor(second / DAY_SECONDS);
    if (day !== this.#day) {
      this.#bytes.latin1Write(formatMicroseconds(second * 1_000_000), 0);
      this.#day = day;
    }
    const rest = second - day * DAY_SECONDS;
    const minutes = Math.floor(rest / 60);
    const hours = Math.floor(minutes / 60);
    this.#write(11, 2, hours);
    this.#write(14, 2, minutes - hours * 60);
    this.#write(17, 2, rest - minutes * 60);
    this.#second = second;
  }

  /** Its bytes stand there. */
  isAt(view: DataView, at: number): boolean {
    return equalBytes(this.#view, 0, view, at, TIME_LENGTH);
  }

  #write(at: number, digits: number, value: number): void {
    let left = value;
    for (let i = at + digits - 1; i >= at; i -= 1) {
      const rest = Math.floor(left / 10);
      this.#bytes[i] = 0x30 + left - rest * 10;
      left = rest;
    }
  }
}

/** Whether it is of a year of four digits. */
export function isApiTime(microseconds: number): boolean {
  return microseconds >= FIRST && microseconds <= LAST;
}

const DAY_SECONDS = 86_400;
const FIRST = Date.parse("0001-01-01T00:00:00Z") * 1000;
const LAST = Date.parse("9999-12-31T23:59:59Z") * 1000;
