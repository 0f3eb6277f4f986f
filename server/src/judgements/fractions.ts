// Parts of amounts, exact: no money passes through a floating-point number.

const SCALE = 10n ** 12n;

/** A threshold's fraction to twelve digits, which is more than anybody types. */
function scaled(fraction: number): bigint {
  return BigInt(Math.round(fraction * 1e12));
}

/** Whether a part is more than that fraction of the whole. */
export function isMoreThan(part: bigint, whole: bigint, fraction: number): boolean {
  return part * SCALE > whole * scaled(fraction);
}

/** Whether a part is less than that fraction of the whole. */
export function isLessThan(part: bigint, whole: bigint, fraction: number): boolean {
  return part * SCALE < whole * scaled(fraction);
}

/** Whether a part is away from one fraction of the whole by more than another. */
export function isApart(part: bigint, whole: bigint, fraction: number, by: number): boolean {
  const away = part * SCALE - whole * scaled(fraction);
  return (away < 0n ? -away : away) > whole * scaled(by);
}

/** `0.52 %`, cut, never rounded up; without a whole there is no part. */
export function percentWords(part: bigint, whole: bigint): string {
  if (whole === 0n) return "an unknown part";
  const hundredths = (part * 1_000_000n) / whole;
  return (
    `${hundredths / 10_000n}.${(hundredths % 10_000n).toString().padStart(4, "0")}`.replace(/\.?0+$/, "") +
    " %"
  );
}
