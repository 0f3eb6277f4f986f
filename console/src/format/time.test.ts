import { expect, it } from "vitest";
import { countdown, duration, microsecondAfter, relative, utc, utcExact } from "./time.ts";

it("says how long ago or how long still, cut to one unit", () => {
  expect(relative(0, 1_000)).toBe("now");
  expect(relative(0, 59_900)).toBe("59 s ago");
  expect(relative(0, 119_000)).toBe("1 min ago");
  expect(relative(0, 47 * 3_600_000)).toBe("47 h ago");
  expect(relative(3 * 86_400_000, 0)).toBe("in 3 d");
});

it("counts down in two units, and never below nothing", () => {
  expect(countdown(172_792)).toBe("1 d 23 h");
  expect(countdown(18_120)).toBe("5 h 02 min");
  expect(countdown(725)).toBe("12 min 05 s");
  expect(countdown(9.9)).toBe("9 s");
  expect(countdown(-5)).toBe("0 s");
});

it("spells out what is configured", () => {
  expect(duration(172_800)).toBe("2 d");
  expect(duration(129_600)).toBe("1 d 12 h");
  expect(duration(45)).toBe("45 s");
  expect(duration(0.5)).toBe("0.5 s");
});

it("shows the API's own digits in UTC", () => {
  expect(utc("2026-05-09T10:00:00.123456Z")).toBe("2026-05-09 10:00:00 UTC");
  expect(utcExact("2026-05-09T10:00:00.123456Z")).toBe("2026-05-09 10:00:00.123456 UTC");
});

it("finds the microsecond after a time across seconds and years", () => {
  expect(microsecondAfter("2026-05-09T10:00:00.123456Z")).toBe("2026-05-09T10:00:00.123457Z");
  expect(microsecondAfter("2026-12-31T23:59:59.999999Z")).toBe("2027-01-01T00:00:00.000000Z");
});
