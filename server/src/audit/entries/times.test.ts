import { expect, it } from "vitest";
import fc from "../../../test/fast-check.ts";
import { formatMicroseconds, microsecondsOf } from "./times.ts";

it("writes six fractional digits, and reads back the very microsecond", () => {
  expect(formatMicroseconds(1_778_320_800_123_456)).toBe("2026-05-09T10:00:00.123456Z");
  expect(formatMicroseconds(0)).toBe("1970-01-01T00:00:00.000000Z");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (microseconds) => {
      expect(microsecondsOf(formatMicroseconds(microseconds))).toBe(microseconds);
    }),
  );
});
