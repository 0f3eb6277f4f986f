import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { LogStep, shrink } from "./log-range.ts";

describe("a refused range is asked for in smaller parts", () => {
  test.each([
    ["Alchemy", 0x100, 0x2000, "this block range should work: [0x100, 0x1fff]", 0x1fff],
    ["Infura", 0x100, 0x2000, "Try with this block range [0x100, 0x900].", 0x900],
    [
      "reth",
      3600741,
      4600741,
      "query exceeds max results 20000, retry with the range 3600741-3620740",
      3620740,
    ],
    ["QuickNode", 0, 50_000, "eth_getLogs is limited to a 10,000 range", 9_999],
    ["a free tier", 1000, 3000, "you can make eth_getLogs requests with up to a 10 block range", 1009],
    ["avalanche", 0, 5_000_000, "requested too many blocks from 0 to 5000000, maximum is set to 2048", 2047],
  ])("the hint of %s is followed", (_who, from, to, message, end) => {
    expect(shrink({ from, to }, message)).toEqual({ from, to: end });
  });

  test.each([
    ["reversed", "this block range should work: [0x2000, 0x100]"],
    ["no smaller", "this block range should work: [0x100, 0x2000]"],
    ["larger", "this block range should work: [0x100, 0x9999999]"],
    ["elsewhere", "this block range should work: [0x5000, 0x6000]"],
    ["empty", "this block range should work: [0x100, 0xff]"],
    ["a limit on results, not blocks", "query returned more than 10000 results"],
    ["a limit of nothing", "eth_getLogs is limited to a 0 block range"],
  ])("a hint that is %s is not: the range is halved", (_what, message) => {
    expect(shrink({ from: 0x100, to: 0x2000 }, message)).toEqual({ from: 0x100, to: 0x1080 });
  });

  test("whatever the message, the part begins where the range does and is shorter, so asking again must end", () => {
    const message = fc.oneof(
      fc.string(),
      fc.tuple(fc.bigInt(), fc.bigInt()).map(([a, b]) => `[0x${a.toString(16)}, 0x${b.toString(16)}]`),
      fc.nat().map((n) => `limited to a ${n} block range`),
      fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => `retry with the range ${a}-${b}`),
    );
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 1_000_000 }), message, (from, more, text) => {
        const part = shrink({ from, to: from + more }, text);
        expect(part.from).toBe(from);
        expect(part.to).toBeGreaterThanOrEqual(from);
        expect(part.to).toBeLessThan(from + more);
      }),
    );
  });
});

describe("the step", () => {
  test("grows on success up to its limit", () => {
    const step = new LogStep(100, 1000);
    for (let round = 0; round < 20; round++) step.succeeded(step.size);
    expect(step.size).toBe(1000);
  });

  test("finds a provider's limit and does not keep running into it", () => {
    const limit = 10_000;
    const step = new LogStep(2000, 100_000);
    let refusals = 0;
    for (let round = 0; round < 60; round++) {
      const size = step.size;
      if (size > limit) {
        refusals += 1;
        step.refused(size, Math.ceil(size / 2));
      } else step.succeeded(size);
    }
    expect(refusals).toBeLessThan(10);
    expect(step.size).toBeGreaterThan(limit / 2);
  });

  test("never falls below one block", () => {
    const step = new LogStep(4, 10);
    for (let round = 0; round < 10; round++) step.refused(step.size, Math.floor(step.size / 2));
    expect(step.size).toBe(1);
  });
});
