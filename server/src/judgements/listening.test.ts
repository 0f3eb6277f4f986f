import { describe, expect, it } from "vitest";
import fc from "../../test/fast-check.ts";
import {
  countedMs,
  countsAtMs,
  type Gap,
  graceMs,
  isHearing,
  type Listening,
  listenedMs,
  silentAtMs,
  silentMs,
  windowFromMs,
} from "./listening.ts";

const GRACE = 60;
const heard = (nowMs: number, gaps: Gap[] = [], untilMs = nowMs): Listening => ({ nowMs, untilMs, gaps });
const gap = (fromMs: number, toMs: number): Gap => ({ fromMs, toMs });

describe("silence", () => {
  it("is the time since the sign where one could hear all the time", () => {
    expect(silentMs(heard(1000), 400, GRACE)).toBe(600);
    expect(silentMs(heard(1000), 1200, GRACE)).toBe(0);
  });

  it("has the time taken off in which nothing could be heard, and keeps what was before it", () => {
    const listening = heard(2000, [gap(500, 900), gap(1000, 1100)]);
    expect(silentMs(listening, 400, 0)).toBe(1600 - 500);
    expect(silentMs(listening, 600, 0)).toBe(1400 - 400);
    expect(silentMs(listening, 1200, GRACE)).toBe(800);
  });

  it("stands still from the gap on until its grace is over, then counts on from where it stood", () => {
    const gaps = [gap(500, 900)];
    const at = (nowMs: number) => silentMs(heard(nowMs, gaps), 400, GRACE);
    expect([at(900), at(960), at(961)]).toEqual([100, 100, 101]);
  });

  it("has one grace for each sign, however often nothing is heard, and by the time in which something is", () => {
    const gaps = [gap(500, 900), gap(930, 1000), gap(1020, 1100)];
    expect(silentMs(heard(1110, gaps), 400, GRACE)).toBe(100);
    expect(silentMs(heard(1200, gaps), 400, GRACE)).toBe(100 + 90);
  });

  it("needs no grace after a sign that came when the gap was over", () => {
    expect(silentMs(heard(920, [gap(500, 900)]), 900, GRACE)).toBe(20);
  });

  it("counts only what a heartbeat has proved", () => {
    const listening = heard(2000, [], 700);
    expect(silentMs(listening, 400, GRACE)).toBe(300);
    expect([isHearing(listening), isHearing(heard(2000))]).toEqual([true, true]);
    expect(isHearing(heard(7000, [], 1999))).toBe(false);
  });

  it("is none while nothing was ever heard, and begins with the first heartbeat", () => {
    expect(silentMs(heard(2000, [], Number.NEGATIVE_INFINITY), 400, GRACE)).toBe(0);
    expect(silentMs(heard(2000, [gap(Number.NEGATIVE_INFINITY, 1500)]), 400, GRACE)).toBe(440);
  });

  it("of a daily sign is found although nothing is heard for ten minutes each day", () => {
    const day = 86_400_000;
    const gaps = [1, 2, 3, 4].map((n) => gap(n * day, n * day + 600_000));
    expect(silentMs(heard(3.1 * day, gaps), 0, graceMs(86_400))).toBeGreaterThan(3 * day);
    expect(silentMs(heard(2.9 * day, gaps), 0, graceMs(86_400))).toBeLessThan(3 * day);
  });
});

it("the grace is a schedule long, a minute at least and ten at most", () => {
  expect([1, 60, 300, 600, 86_400].map(graceMs)).toEqual([60_000, 60_000, 300_000, 600_000, 600_000]);
});

/** Gaps in order, with what is told of them at each moment. */
const gapsArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 })), { maxLength: 8 })
  .map((pairs) => {
    let atMs = 0;
    return pairs.map(([heardMs, lostMs]) => {
      const fromMs = atMs + heardMs;
      atMs = fromMs + lostMs;
      return gap(fromMs, atMs);
    });
  });
const known = (gaps: Gap[], nowMs: number): Listening => {
  const closed = gaps.filter(({ toMs }) => toMs <= nowMs);
  const open = gaps.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  return heard(nowMs, closed, open?.fromMs ?? nowMs);
};

it("whatever gaps come, silence once counted is never taken back", () => {
  fc.assert(
    fc.property(gapsArbitrary, fc.integer({ min: 0, max: 2000 }), (gaps, signMs) => {
      let before = 0;
      for (let nowMs = 0; nowMs < 6000; nowMs += 7) {
        const silent = silentMs(known(gaps, nowMs), signMs, GRACE);
        expect(silent).toBeGreaterThanOrEqual(before);
        before = silent;
      }
    }),
  );
});

it("the moment named ahead is the first at which so much has been counted", () => {
  fc.assert(
    fc.property(
      gapsArbitrary,
      fc.integer({ min: 0, max: 2000 }),
      fc.integer({ min: 1, max: 3000 }),
      (gaps, signMs, ms) => {
        const nowMs = Math.max(signMs, gaps.at(-1)?.toMs ?? 0);
        const momentMs = silentAtMs(known(gaps, nowMs), signMs, ms, GRACE);
        const silentAt = (atMs: number) => silentMs(known(gaps, atMs), signMs, GRACE);
        expect(silentAt(Math.max(nowMs, momentMs))).toBeGreaterThanOrEqual(ms);
        if (momentMs > nowMs) expect(silentAt(momentMs - 1)).toBeLessThan(ms);
      },
    ),
  );
});

it("a window holds as much time in which one could hear as it is long", () => {
  fc.assert(
    fc.property(gapsArbitrary, fc.integer({ min: 1, max: 2000 }), (gaps, ms) => {
      expect(listenedMs(windowFromMs(6000, ms, gaps), 6000, gaps)).toBe(ms);
    }),
  );
});

it("a moment that somebody told of counts when it comes, after a gap not before its grace is over", () => {
  const gaps = [gap(500, 900), gap(930, 1000)];
  const at = (nowMs: number, toldMs: number) => countedMs(known(gaps, nowMs), toldMs, GRACE);
  expect([at(499, 400), at(700, 400), at(920, 400), at(1029, 400), at(1030, 400)]).toEqual([
    499, 500, 500, 500, 1030,
  ]);
  expect(at(1001, 1000)).toBe(1001);
  expect([450, 600, 2000].map((ms) => countsAtMs(heard(1100, gaps), 400, ms, GRACE))).toEqual([
    450, 1030, 2000,
  ]);
  expect(countsAtMs(heard(1100, gaps), 1000, 1050, GRACE)).toBe(1050);
});
