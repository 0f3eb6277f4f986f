// Whether a vault's price may still be used, for how long and why not, judged at the moment of an answer.
//
// remaining = last update + expiry − the later of now and the head's time, in whole seconds, never below 0; null without a rule. The head
// counts too: on a chain ahead of our clock the contract would refuse already. A price is stale when that moment has passed (at it the
// contract still takes it), when the contract's own flag says so, or when there was never an update; in all three nothing remains.

export interface StalenessRule {
  /** Unix seconds of the last price update; null where there was none or the family has no such thing. */
  lastUpdate: number | null;
  expirationSeconds: number | null;
  /** The flag that the contract itself keeps; null where it has none. */
  isFlagged: boolean | null;
  /** Unix seconds of the block that set the flag; null where it is not set. */
  flaggedAt: number | null;
}

export const STALENESS_REASONS = ["expired", "flagged", "never_updated"] as const;
export type StalenessReason = (typeof STALENESS_REASONS)[number];

export interface Staleness {
  /** null: the price may be used. */
  reason: StalenessReason | null;
  isStale: boolean;
  remainingSeconds: number | null;
}

/** @param headSeconds Unix seconds of the chain's newest block, null before the first */
export function stalenessAt(rule: StalenessRule, nowMs: number, headSeconds: number | null): Staleness {
  const wouldExpireAt = wouldExpireAtOf(rule);
  const now = Math.max(Math.floor(nowMs / 1000), headSeconds ?? 0);
  const isExpired = wouldExpireAt !== null && now > wouldExpireAt;
  const reason = lastingReason(rule) ?? (isExpired ? "expired" : null);
  if (reason !== null) return { reason, isStale: true, remainingSeconds: 0 };
  const remainingSeconds = wouldExpireAt === null ? null : Math.max(0, wouldExpireAt - now);
  return { reason, isStale: false, remainingSeconds };
}

/** Unix seconds at which the price ceased or ceases to be of use; null without a rule, and where it never was of use. */
export function expiresAtOf(rule: StalenessRule): number | null {
  return lastingReason(rule) === "flagged" ? rule.flaggedAt : wouldExpireAtOf(rule);
}

/** The same by the last update alone. */
export function wouldExpireAtOf({ lastUpdate, expirationSeconds }: StalenessRule): number | null {
  return lastUpdate === null || expirationSeconds === null ? null : lastUpdate + expirationSeconds;
}

/** What time does not change. */
function lastingReason({ isFlagged, lastUpdate, expirationSeconds }: StalenessRule): StalenessReason | null {
  if (isFlagged === true) return "flagged";
  return lastUpdate === null && expirationSeconds !== null ? "never_updated" : null;
}
