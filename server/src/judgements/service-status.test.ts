import { describe, expect, it } from "vitest";
import { judge, type ServiceFacts, worst } from "./service-status.ts";

const NOW = 1_800_000_000_000;
const facts = (more: Partial<ServiceFacts> = {}): ServiceFacts => ({
  isPaused: false,
  isEnabled: true,
  scheduleSeconds: 60,
  lastRunMs: NOW,
  firstStateMs: null,
  recentSuccess: 0,
  recentFailed: 0,
  ...more,
});
const silentFor = (seconds: number, more: Partial<ServiceFacts> = {}) =>
  judge(facts({ lastRunMs: NOW - seconds * 1000, ...more }), NOW);
const rated = (recentSuccess: number, recentFailed: number) =>
  judge(facts({ recentSuccess, recentFailed }), NOW);

describe("judge", () => {
  it("is unknown only while nothing was ever reported", () => {
    expect(judge(facts({ lastRunMs: null }), NOW)).toBe("unknown");
    expect(judge(facts({ lastRunMs: null, firstStateMs: NOW }), NOW)).toBe("healthy");
  });

  it.each([
    [0, "healthy"],
    [119.999, "healthy"],
    [120, "warning"],
    [179.999, "warning"],
    [180, "critical"],
    [1e9, "critical"],
    [-300, "healthy"],
  ])("after %d s without a run on a schedule of 60 s it is %s", (seconds, status) => {
    expect(silentFor(seconds)).toBe(status);
  });

  it("judges what never ran by the time since it was first told of", () => {
    const since = (seconds: number) =>
      judge(facts({ lastRunMs: null, firstStateMs: NOW - seconds * 1000 }), NOW);
    expect([since(119), since(120), since(180)]).toEqual(["healthy", "warning", "critical"]);
  });

  it("is never late without a schedule, paused or switched off", () => {
    expect(silentFor(1e9, { scheduleSeconds: null })).toBe("healthy");
    expect(silentFor(1e9, { isPaused: true })).toBe("paused");
    expect(silentFor(1e9, { isEnabled: false })).toBe("paused");
    expect(judge(facts({ isPaused: true, recentFailed: 100 }), NOW)).toBe("paused");
  });

  it.each([
    [0, 4, "healthy"],
    [0, 5, "critical"],
    [4, 1, "warning"],
    [79, 21, "critical"],
    [80, 20, "warning"],
    [94, 6, "warning"],
    [95, 5, "healthy"],
    [5, 0, "healthy"],
  ])("with %d runs that succeeded and %d that failed it is %s", (success, failed, status) => {
    expect(rated(success, failed)).toBe(status);
  });

  it("lets the worse of rate and lateness decide", () => {
    expect(silentFor(120, { recentSuccess: 1, recentFailed: 9 })).toBe("critical");
    expect(silentFor(180, { recentSuccess: 94, recentFailed: 6 })).toBe("critical");
  });
});

describe("worst", () => {
  it("puts critical over warning over paused over healthy over unknown", () => {
    expect(worst(["unknown", "healthy", "paused", "warning", "critical"])).toBe("critical");
    expect(worst(["healthy", "warning", "paused"])).toBe("warning");
    expect(worst(["healthy", "paused", "unknown"])).toBe("paused");
    expect(worst(["unknown", "healthy"])).toBe("healthy");
    expect(worst([])).toBe("unknown");
  });
});
