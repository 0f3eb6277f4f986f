// How long a vault's price may still be used, judged at the moment of an answer.
//
// remaining = last update + expiry − the later of now and the head's time, in whole seconds, never below 0; null without a rule or
// before the first update. The head counts too: on a chain ahead of our clock the contract would refuse already.

export interface StalenessRule {
  /** Unix seconds of the last price update; null where there was none or the family has no such thing. */
  lastUpdate: number | null;
  expirationSeconds: number | null;
  /** The flag that the contract itself keeps; null where it has none. */
  isFlagged: boolean | null;
}

export interface Staleness {
  remainingSeconds: number | null;
  /** The time is up, or the contract says so. */
  isStale: boolean;
}

/** @param headSeconds Unix seconds of the chain's newest block, null before the first */
export function stalenessAt(rule: StalenessRule, nowMs: number, headSeconds: number | null): Staleness {
  const expiresAt = expiryOf(rule);
  if (expiresAt === null) return { remainingSeconds: null, isStale: rule.isFlagged === true };
  const now = Math.max(Math.floor(nowMs / 1000), headSeconds ?? 0);
  const remainingSeconds = Math.max(0, expiresAt - now);
  return { remainingSeconds, isStale: rule.isFlagged === true || remainingSeconds === 0 };
}

/** Unix seconds at which the price expires; null without a rule. */
export function expiryOf({ lastUpdate, expirationSeconds }: StalenessRule): number | null {
  return lastUpdate === null || expirationSeconds === null ? null : lastUpdate + expirationSeconds;
}
