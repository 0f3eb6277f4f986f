import fc from "fast-check";
import { expect, it } from "vitest";
import {
  basisPoints,
  counted,
  exactUnits,
  groupedUnits,
  percent,
  percentExact,
  pricePerShare,
  shortUnits,
} from "./amount.ts";

it("moves the point and loses no digit, however large the amount", () => {
  expect(exactUnits("1757360903861", 6)).toBe("1757360.903861");
  expect(exactUnits("1", 18)).toBe("0.000000000000000001");
  expect(exactUnits("-1500000", 6)).toBe("-1.5");
  expect(exactUnits("42", 0)).toBe("42");
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.integer({ min: 0, max: 30 }), (raw, decimals) => {
      const [whole = "", fraction = ""] = exactUnits(raw, decimals).split(".");
      expect(BigInt(whole + fraction.padEnd(decimals, "0"))).toBe(raw);
    }),
  );
});

it("groups thousands of the whole part alone", () => {
  expect(groupedUnits("1234567891234567", 6)).toBe("1,234,567,891.234567");
});

it("shortens with a unit, from the exact text and not from a float", () => {
  expect(shortUnits("1757360903861", 6)).toBe("1.757M");
  expect(shortUnits("976274649", 6)).toBe("976.27");
  expect(shortUnits("4512", 6)).toBe("0.004512");
  // As a float this would round to 10K.
  expect(shortUnits("9999999999999999999999", 18)).toBe("10,000");
});

it("shows a price per share to six places", () => {
  expect(pricePerShare("1009516", 6)).toBe("1.009516");
  expect(pricePerShare("100325968", 8)).toBe("1.003259");
  expect(pricePerShare("1000000", 6)).toBe("1.0000");
});

it("shows rates as per cent, and all that the API gives on hover", () => {
  expect(percent(0.05820243)).toBe("5.82 %");
  expect(percent(-0.001)).toBe("-0.10 %");
  expect(percentExact(0.05820243)).toBe("5.820243 %");
  expect(basisPoints(1250)).toBe("12.5 %");
  expect(basisPoints(0)).toBe("0 %");
});

it("counts one as one", () => {
  expect([0, 1, 1234].map((value) => counted(value, "vault"))).toEqual([
    "0 vaults",
    "1 vault",
    "1,234 vaults",
  ]);
  expect([1, 2].map((value) => counted(value, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});
