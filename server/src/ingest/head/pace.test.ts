import { describe, expect, it } from "vitest";
import { Pace } from "./pace.ts";

describe("the pace of polling", () => {
  it.each([1_000, 2_000, 12_000])(
    "sees a block within a tenth of an interval of %i ms, at a few requests each",
    (intervalMs) => {
      const { delays, polls } = simulate(Array.from({ length: 60 }, (_, index) => (index + 1) * intervalMs));
      const settled = delays.slice(30);
      expect(Math.max(...settled)).toBeLessThanOrEqual(Math.max(intervalMs / 10, 60));
      expect(polls / 60).toBeLessThan(16);
    },
  );

  it("keeps up with a chain of several blocks a second", () => {
    const { delays, polls } = simulate(Array.from({ length: 200 }, (_, index) => (index + 1) * 250));
    expect(Math.max(...delays.slice(100))).toBeLessThanOrEqual(60);
    expect(polls / 200).toBeLessThan(6);
  });

  it("asks about once a second while nothing comes, and notices a block on demand within two", () => {
    const { delays, polls } = simulate([1_000, 2_000, 3_000, 600_000, 1_200_000]);
    expect(Math.max(...delays)).toBeLessThanOrEqual(2_000);
    expect(polls).toBeLessThan(1_600);
  });

  it("is not put out by a clock that is set back a day, or forward", () => {
    for (const jumpMs of [-86_400_000, 86_400_000]) {
      const pace = new Pace();
      for (let time = 0; time < 100_000; time += 1_000) pace.moved(1, time);
      pace.moved(1, 100_000 + jumpMs);
      for (let block = 1; block <= 40; block += 1) {
        const time = 100_000 + jumpMs + block * 1_000;
        expect(pace.delayMs(time - 1)).toBeLessThanOrEqual(2_000);
        pace.moved(1, time);
      }
      expect(pace.intervalMs).toBeGreaterThan(900);
      expect(pace.intervalMs).toBeLessThan(1_100);
    }
  });

  it("calls a chain halted after far longer than its blocks take, and never before it has seen one", () => {
    const pace = new Pace();
    expect(pace.isHalted(1e12)).toBe(false);
    for (let time = 0; time < 100_000; time += 1_000) pace.moved(1, time);
    expect(pace.isHalted(99_000 + 59_000)).toBe(false);
    expect(pace.isHalted(99_000 + 61_000)).toBe(true);
    const slow = new Pace();
    for (let time = 0; time < 1_200_000; time += 12_000) slow.moved(1, time);
    expect(slow.isHalted(1_188_000 + 200_000)).toBe(false);
    expect(slow.isHalted(1_188_000 + 260_000)).toBe(true);
  });
});

/** Polls at the pace until all blocks are seen; how late each was seen, and how many requests it took. */
function simulate(blockTimesMs: number[]): { delays: number[]; polls: number } {
  const pace = new Pace();
  const delays: number[] = [];
  let polls = 0;
  for (let nowMs = 0; delays.length < blockTimesMs.length; nowMs += pace.delayMs(nowMs)) {
    polls += 1;
    const seen = blockTimesMs.filter((time) => time <= nowMs).slice(delays.length);
    for (const time of seen) delays.push(nowMs - time);
    if (seen.length > 0) pace.moved(seen.length, nowMs);
  }
  return { delays, polls };
}
