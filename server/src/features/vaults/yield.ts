// Realised net APY from two prices per share, and the dollar value of an amount.
//
// Guarantee: a figure is the correctly rounded value (to 1e-8) of the formula over exact integers, or null with the reason.
// It is computed in fixed-point bigint arithmetic and becomes a float once, at the very end; there is no Infinity, no NaN and
// no 0 that stands for "not known". Net means: the price per share already has the vault's fees taken out.

/** Seconds of a mean Gregorian year (365.2425 days), the exponent's numerator. */
export const YEAR_SECONDS = 31_556_952;

/** Windows with a fixed length, in seconds; `inception` has none: it spans the whole history. */
export const WINDOW_SECONDS = { "1d": 86_400, "7d": 604_800, "30d": 2_592_000 } as const;
export type WindowName = keyof typeof WINDOW_SECONDS | "inception";
export const WINDOW_NAMES: readonly WindowName[] = ["1d", "7d", "30d", "inception"];

/** A price per share that stood at a block; `timestamp` is the block's, in Unix seconds. */
export interface PricePoint {
  /** In whatever unit, as long as both ends of a window have the same: the yield is of their ratio. */
  pps: bigint;
  timestamp: number;
}

export type ApyReason =
  /** The vault has no price per share yet, or no supply to price. */
  | "no_pps"
  /** No point stands at or before the window's start. */
  | "history_too_short"
  /** The price at the window's start is zero: nothing to relate to. */
  | "zero_pps"
  /** A jump annualised beyond what a number can hold. */
  | "out_of_range";

export type Apy = { apy: number; reason: null } | { apy: null; reason: ApyReason };

/**
 * (to.pps ÷ from.pps) ^ (YEAR_SECONDS ÷ Δt) − 1, a fraction rounded half away from zero to 1e-8. Δt is the time between the two
 * blocks. `from` is the last point at or before the window's start, null where there is none.
 */
export function realisedApy(from: PricePoint | null, to: PricePoint | null): Apy {
  if (!to) return unknown("no_pps");
  if (!from || from.timestamp >= to.timestamp) return unknown("history_too_short");
  if (from.pps <= 0n) return unknown("zero_pps");
  if (to.pps <= 0n) return { apy: -1, reason: null };
  const exponent = (ln(to.pps, from.pps) * BigInt(YEAR_SECONDS)) / BigInt(to.timestamp - from.timestamp);
  if (exponent > MAX_EXPONENT) return unknown("out_of_range");
  const growth = exponent < MIN_EXPONENT ? 0n : exp(exponent);
  return { apy: fractionOf(roundScaled(growth - ONE, APY_DECIMALS), APY_DECIMALS), reason: null };
}

/**
 * `amountRaw` of a token with `decimals`, in US dollars at `priceE18` (dollars per whole token × 10^18), rounded to 1e-6. A JSON
 * number: for people to read, never to compute a payment from.
 */
export function usdValue(amountRaw: bigint, decimals: number, priceE18: bigint): number {
  const divisor = 10n ** BigInt(decimals + 18 - USD_DECIMALS);
  return fractionOf((amountRaw * priceE18 + divisor / 2n) / divisor, USD_DECIMALS);
}

const APY_DECIMALS = 8;
const USD_DECIMALS = 6;

// Fixed point: a real number r is the bigint r × 2^BITS. The errors of ln and exp stay some bits above the last; the exponent
// multiplies them by at most 2^25 (Δt = 1 s), so 100 bits and more are right where 1e-8 needs 27.
const BITS = 192n;
const ONE = 1n << BITS;
/** How near to the middle between two roundings a value counts as exactly there. */
const TIE = 1n << 64n;
const LN2 = atanhTwice(ONE / 3n);
/** ln of the largest double, less a little: beyond it the figure would be Infinity. */
const MAX_EXPONENT = 709n * ONE;
/** Below it the growth is nothing at any rounding. */
const MIN_EXPONENT = -64n * ONE;

/** ln(a ÷ b) for positive integers. */
function ln(a: bigint, b: bigint): bigint {
  const shift = BigInt(a.toString(2).length - b.toString(2).length);
  // m = a ÷ (b × 2^shift) lies between 1/2 and 2, so that the series in (m − 1) ÷ (m + 1) converges fast.
  const [x, y] = shift >= 0n ? [a, b << shift] : [a << -shift, b];
  return atanhTwice(((x - y) << BITS) / (x + y)) + shift * LN2;
}

/** 2 × atanh(z) = 2 × (z + z³/3 + z⁵/5 + …), for |z| ≤ 1/3. */
function atanhTwice(z: bigint): bigint {
  const square = (z * z) >> BITS;
  let power = z;
  let sum = z;
  for (let n = 3n; power !== 0n && power !== -1n; n += 2n) {
    power = (power * square) >> BITS;
    sum += power / n;
  }
  return sum << 1n;
}

/** e^x: whole powers of two apart, Taylor's series on the rest. */
function exp(x: bigint): bigint {
  let powers = x / LN2;
  let rest = x % LN2;
  if (rest < 0n) {
    rest += LN2;
    powers -= 1n;
  }
  let term = ONE;
  let sum = ONE;
  for (let n = 1n; term !== 0n; n += 1n) {
    term = ((term * rest) >> BITS) / n;
    sum += term;
  }
  return powers >= 0n ? sum << powers : sum >> -powers;
}

/** A fixed-point value as an integer count of 10^-decimals, half away from zero. */
function roundScaled(value: bigint, decimals: number): bigint {
  const magnitude = (value < 0n ? -value : value) * 10n ** BigInt(decimals);
  const rounded = (magnitude + (ONE >> 1n) + TIE) >> BITS;
  return value < 0n ? -rounded : rounded;
}

/** An integer count of 10^-decimals as the nearest double. */
function fractionOf(scaled: bigint, decimals: number): number {
  // Decimal text is parsed with one correct rounding; dividing two floats would round twice.
  const value = Number(`${scaled}e-${decimals}`);
  return value === 0 ? 0 : value;
}

function unknown(reason: ApyReason): Apy {
  return { apy: null, reason };
}
