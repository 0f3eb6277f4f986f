// The formula is held against two other ways of computing it: whole powers of integers with bounds on every rounding, which know
// neither logarithm nor exponential, and floats, to their precision.

import { describe, expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { type Apy, realisedApy, usdValue, YEAR_SECONDS } from "./yield.ts";

const DAY = 86_400;

function apy(fromPps: bigint, toPps: bigint, seconds: number): Apy {
  return realisedApy(
    { pps: fromPps, timestamp: 1_700_000_000 },
    { pps: toPps, timestamp: 1_700_000_000 + seconds },
  );
}

describe("realised APY", () => {
  test("is the ratio itself over exactly one mean year", () => {
    expect(apy(1_000_000n, 1_053_000n, YEAR_SECONDS)).toEqual({ apy: 0.053, reason: null });
    expect(apy(10n ** 18n, 10n ** 18n + 1n, YEAR_SECONDS)).toEqual({ apy: 0, reason: null });
  });

  test("compounds shorter windows: 0.1 % in 7 days", () => {
    expect(apy(1_000_000n, 1_001_000n, 7 * DAY).apy).toBe(0.05353527);
  });

  test("is negative for a loss, and -1 when everything is lost", () => {
    expect(apy(1_000_000n, 999_000n, 7 * DAY).apy).toBe(-0.0508644);
    expect(apy(1_000_000n, 0n, 7 * DAY)).toEqual({ apy: -1, reason: null });
  });

  test("is a true 0 when the price stood still, never -0", () => {
    expect(Object.is(apy(1_000_001n, 1_000_001n, DAY).apy, 0)).toBe(true);
    expect(Object.is(apy(10n ** 18n, 10n ** 18n - 1n, YEAR_SECONDS).apy, 0)).toBe(true);
  });

  test("rounds half away from zero, once", () => {
    expect(apy(10n ** 9n, 10n ** 9n + 5n, YEAR_SECONDS).apy).toBe(1e-8);
    expect(apy(10n ** 9n, 10n ** 9n - 5n, YEAR_SECONDS).apy).toBe(-1e-8);
    expect(apy(10n ** 10n, 10n ** 10n + 49n, YEAR_SECONDS).apy).toBe(0);
    // 1.000000005² over two years is the same tie.
    expect(apy(10n ** 18n, 1_000_000_005n ** 2n, 2 * YEAR_SECONDS).apy).toBe(1e-8);
  });

  test("is null with the reason instead of Infinity or NaN", () => {
    expect(apy(0n, 1_000_000n, DAY)).toEqual({ apy: null, reason: "zero_pps" });
    expect(apy(1_000_000n, 10_000_000n, DAY)).toEqual({ apy: null, reason: "out_of_range" });
    expect(apy(1n, 2n ** 256n - 1n, 1)).toEqual({ apy: null, reason: "out_of_range" });
    expect(apy(1_000_000n, 1_000_000n, 0)).toEqual({ apy: null, reason: "history_too_short" });
    expect(realisedApy(null, { pps: 1n, timestamp: 1 })).toEqual({ apy: null, reason: "history_too_short" });
    expect(realisedApy(null, null)).toEqual({ apy: null, reason: "no_pps" });
  });

  test("shows a jump by donation and a price that stood for a minute as they are, finite", () => {
    expect(apy(1_000_000n, 2_000_000n, DAY).apy).toBeCloseTo(2 ** (YEAR_SECONDS / DAY) - 1, -100);
    const minute = apy(1_000_000n, 1_000_100n, 60).apy!;
    expect(Number.isFinite(minute)).toBe(true);
    expect(minute).toBeGreaterThan(1e22);
  });

  test("is the correctly rounded value of the formula, by whole powers alone", () => {
    // A window whose exponent is a small fraction p/q: (1 + apy)^q lies between the bounds of ratio^p.
    const windows = [1, 2, 3, 7, 30, 60, 365].map((days) => reduce(YEAR_SECONDS, days * DAY));
    const price = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const drift = fc.integer({ min: -30_000, max: 30_000 });
    fc.assert(
      fc.property(price, drift, fc.constantFrom(...windows), (from, ppm, [p, q, seconds]) => {
        const to = (from * BigInt(1_000_000 + ppm)) / 1_000_000n;
        if (to <= 0n) return;
        const got = apy(from, to, seconds).apy;
        if (got === null) return;
        // Where a double holds fewer digits than 1e-8, its own half step is the bound.
        const half = Math.max(0.5e-8, Math.abs(got) * 2 ** -52);
        const low = scaled(got) - scaled(half) - 1n;
        const high = scaled(got) + scaled(half) + 1n;
        const [least, most] = power(ratio(to, from), p);
        expect(power(decimal(SCALE + low), q)[0] <= most).toBe(true);
        expect(power(decimal(SCALE + high), q)[1] >= least).toBe(true);
      }),
      { numRuns: process.env.VAULTOPS_FULL ? 3000 : 300 },
    );
  });

  test("agrees with floats wherever those are exact enough", () => {
    const price = fc.bigInt({ min: 10n ** 6n, max: 10n ** 15n });
    fc.assert(
      fc.property(price, price, fc.integer({ min: 200 * DAY, max: 2000 * DAY }), (from, to, seconds) => {
        const { apy: got } = apy(from, to, seconds);
        const float = Math.expm1((YEAR_SECONDS / seconds) * (Math.log(Number(to)) - Math.log(Number(from))));
        expect(Math.abs(got! - float)).toBeLessThanOrEqual(1e-8 + Math.abs(float) * 1e-12);
      }),
    );
  });

  test("grows with the price and never leaves the numbers, whatever a contract answers", () => {
    const any = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(any, any, any, fc.integer({ min: 1, max: 10 ** 10 }), (from, a, b, seconds) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const [less, more] = [apy(from, low, seconds).apy, apy(from, high, seconds).apy];
        for (const value of [less, more]) expect(value === null || Number.isFinite(value)).toBe(true);
        if (less !== null && more !== null) expect(less).toBeLessThanOrEqual(more);
        if (less === null) expect(more).toBeNull();
      }),
    );
  });
});

describe("dollar value", () => {
  test("is amount × price at any decimals", () => {
    const PRICE = 3100n * 10n ** 18n;
    expect(usdValue(1_500_000n, 6, PRICE)).toBe(4650);
    expect(usdValue(150_000_000n, 8, PRICE)).toBe(4650);
    expect(usdValue(15n * 10n ** 17n, 18, PRICE)).toBe(4650);
    expect(usdValue(0n, 18, PRICE)).toBe(0);
  });

  test("stays finite for the largest amounts and keeps the smallest", () => {
    expect(usdValue(2n ** 256n - 1n, 0, 2n ** 128n)).toBeGreaterThan(1e90);
    expect(Number.isFinite(usdValue(2n ** 256n - 1n, 0, 2n ** 256n - 1n))).toBe(true);
    expect(usdValue(1n, 6, 10n ** 18n)).toBe(0.000001);
    expect(usdValue(10n ** 300n, 255, 10n ** 18n)).toBe(1e45);
  });
});

const SCALE = 10n ** 40n;

function scaled(value: number): bigint {
  const [digits, exponent] = value.toExponential(20).split("e") as [string, string];
  const shift = 40 - 20 + Number(exponent);
  const mantissa = BigInt(digits.replace(".", ""));
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : mantissa / 10n ** BigInt(-shift);
}

function reduce(a: number, b: number): [number, number, number] {
  const gcd = (x: number, y: number): number => (y === 0 ? x : gcd(y, x % y));
  return [a / gcd(a, b), b / gcd(a, b), b];
}

/** A number between two mantissas times a power of two. */
type Bounds = [low: bigint, high: bigint, exponent: number];

function ratio(a: bigint, b: bigint): Bounds {
  return [(a << 700n) / b, (a << 700n) / b + 1n, -700];
}

function decimal(value: bigint): Bounds {
  return ratio(value < 0n ? 0n : value, SCALE);
}

/** Bounds on base^n, by repeated squaring with outward rounding; the results order like the numbers. */
function power(base: Bounds, n: number): [bigint, bigint] {
  let result: Bounds = [1n, 1n, 0];
  let square = base;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = trim([result[0] * square[0], result[1] * square[1], result[2] + square[2]]);
    square = trim([square[0] * square[0], square[1] * square[1], square[2] * 2]);
  }
  return [normal(result[0], result[2]), normal(result[1], result[2])];
}

function trim([low, high, exponent]: Bounds): Bounds {
  const excess = high.toString(2).length - 400;
  if (excess <= 0) return [low, high, exponent];
  return [low >> BigInt(excess), (high >> BigInt(excess)) + 1n, exponent + excess];
}

/** Orders like the value: its binary exponent above 400 bits of mantissa. */
function normal(mantissa: bigint, exponent: number): bigint {
  if (mantissa === 0n) return -(1n << 2000n);
  const bits = mantissa.toString(2).length;
  const aligned = bits > 400 ? mantissa >> BigInt(bits - 400) : mantissa << BigInt(400 - bits);
  return (BigInt(exponent + bits) << 401n) + aligned;
}
