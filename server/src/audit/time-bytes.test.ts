import { expect, it } from "vitest";
import { viewOf } from "./bytes.ts";
import { isApiTime, TIME_LENGTH, TimeBytes } from "./time-bytes.ts";
import { formatMicroseconds } from "./times.ts";

it("a time's bytes are those of its text, whatever time came before", () => {
  const start = Date.UTC(2026, 1, 28, 23, 59, 59) * 1000;
  const steps = [0, 1, 999_999, 1_000_000, 59e6, 3600e6, 86_400e6, -1, -86_400e6, 31_557_600e6 * 40, -3e15];
  const time = new TimeBytes();
  for (const step of [...steps, ...steps.toReversed()]) {
    const microseconds = start + step;
    const text = formatMicroseconds(microseconds);
    const bytes = viewOf(Buffer.from(`..${text}..`));
    expect(text.length).toBe(TIME_LENGTH);
    expect(time.set(microseconds)).toBe(true);
    expect(time.isAt(bytes, 2)).toBe(true);
    expect(time.isAt(bytes, 1)).toBe(false);
    expect(time.set(microseconds + 1)).toBe(true);
    expect(time.isAt(bytes, 2)).toBe(false);
  }
});

it("what is no time of four digits' years is none", () => {
  const last = Date.UTC(9999, 11, 31, 23, 59, 59) * 1000;
  expect([last, last + 1e6, -62_135_596_800e6, -62_135_596_800e6 - 1e6].map(isApiTime)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  for (const none of [Number.NaN, Infinity, -Infinity, last + 1e6])
    expect(new TimeBytes().set(none)).toBe(false);
});
