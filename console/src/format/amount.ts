// Amounts as people read them. Raw integers become text by moving the point, never through a float; what is shortened says so by
// its unit (k, M, B) and stands exact on hover.

/** A raw amount in whole units, exact, without grouping: 1757360903861 of 6 decimals is "1757360.903861". */
export function exactUnits(raw: string | bigint, decimals: number): string {
  const value = BigInt(raw);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The same with its thousands apart: "1,757,360.903861". */
export function groupedUnits(raw: string | bigint, decimals: number): string {
  const [whole = "", fraction] = exactUnits(raw, decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Short: four significant digits and k, M, B from ten thousand up: "1.757M", "974.2", "0.004512". */
export function shortUnits(raw: string | bigint, decimals: number): string {
  const exact = exactUnits(raw, decimals);
  const whole = exact.replace(/^-/, "").split(".")[0] ?? "0";
  // Intl takes a decimal string as it is, so no digit is lost before it rounds.
  const text = exact as unknown as number;
  if (whole.length > 4) return COMPACT.format(text);
  return (whole === "0" ? SMALL : PLAIN).format(text);
}

/** A price per share: all its digits where they are few, else eight after the point. */
export function pricePerShare(raw: string | bigint, decimals: number): string {
  const [whole = "", fraction = ""] = exactUnits(raw, decimals).split(".");
  if (whole.length > 6) return shortUnits(raw, decimals);
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${fraction.padEnd(4, "0").slice(0, 6)}`;
}

export const usdShort = (value: number): string =>
  Math.abs(value) >= 10_000 ? USD_COMPACT.format(value) : USD.format(value);
export const usdExact = (value: number): string => USD_EXACT.format(value);

/** A fraction as per cent: 0.05820243 is "5.82 %". */
export const percent = (fraction: number): string => `${PERCENT.format(fraction * 100)} %`;
/** All eight digits that the API gives: "5.820243 %". */
export const percentExact = (fraction: number): string => `${PERCENT_EXACT.format(fraction * 100)} %`;
/** Basis points as per cent, exactly: 1250 is "12.5 %". */
export const basisPoints = (bps: number): string => `${exactUnits(BigInt(bps), 2)} %`;

export const count = (value: number): string => COUNT.format(value);

/** How many of what: "1 vault", "2 vaults". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SMALL = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const USD = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const USD_EXACT = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 6,
});
const USD_COMPACT = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 4,
});
const PERCENT = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const PERCENT_EXACT = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });
const COUNT = new Intl.NumberFormat("en");
