// What Math has of numbers, for amounts and times that are bigint.

export function lesser(one: bigint, other: bigint): bigint {
  if (other < one) return other;
  return one;
}

export function greater(one: bigint, other: bigint): bigint {
  if (other > one) return other;
  return one;
}
