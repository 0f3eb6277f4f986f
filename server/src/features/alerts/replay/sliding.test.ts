// Extremes over a window, against looking at all of it.
import { expect, it } from "vitest";
import { SlidingExtreme, type Standing } from "./sliding.ts";

const WINDOW = 50;

it("has the greatest that stood within the window, whatever the series", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 50; round += 1) {
    let at = 0;
    const times = Array.from({ length: 40 }, () => {
      at += random(30);
      return at;
    });
    const series: Standing<number>[] = times.map((atMs, nth) => ({
      value: random(10),
      atMs,
      untilMs: times[nth + 1] ?? null,
    }));
    const sliding = new SlidingExtreme<number>(WINDOW, (a, b) => a > b);
    let next = 0;
    for (let nowMs = 0; nowMs <= at + 2 * WINDOW; nowMs += 1) {
      while (next < series.length && (series[next] as Standing<number>).atMs <= nowMs)
        sliding.add(series[next++] as Standing<number>);
      const standing = series.filter(
        ({ atMs, untilMs }) => atMs <= nowMs && (untilMs === null || untilMs >= nowMs - WINDOW),
      );
      const greatest = standing.length === 0 ? null : Math.max(...standing.map(({ value }) => value));
      expect(sliding.at(nowMs)?.value ?? null).toBe(greatest);
    }
  }
});

it("says when the greatest leaves, and compares with nothing from before it was cleared", () => {
  const sliding = new SlidingExtreme<number>(WINDOW, (a, b) => a > b);
  sliding.add({ value: 9, atMs: 0, untilMs: 10 });
  sliding.add({ value: 1, atMs: 10, untilMs: null });
  expect(sliding.at(60)).toEqual({ value: 9, leavesMs: 61 });
  expect(sliding.at(61)).toEqual({ value: 1, leavesMs: null });
  sliding.clear();
  expect(sliding.at(61)).toBeNull();
});
