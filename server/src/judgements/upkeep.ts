// Whether a vault's balance of upkeep pays for the next update of its price.

/** How much is missing of what an update costs; null where either is not known. */
export function shortfallOf(balance: bigint | null, required: bigint | null): bigint | null {
  if (balance === null || required === null) return null;
  return required > balance ? required - balance : 0n;
}
