// When a webhook that failed is tried again: pure.

const STANDARD_SECONDS = [1, 2, 4, 8, 16];
const EXTENDED_SECONDS = [...STANDARD_SECONDS, 60, 300, 1800, 7200, 21_600];

export const RETRY_SCHEDULES = ["standard", "extended"] as const;
export type RetrySchedule = (typeof RETRY_SCHEDULES)[number];

/** At most this share of a wait is added to it, so that endpoints that failed together do not come back together. */
const MAX_JITTER = 0.1;

/** Milliseconds to wait after the attempt (from 1) has failed; null: no more. `random` gives 0 to 1. */
export function retryDelayMs(schedule: RetrySchedule, attempt: number, random: () => number): number | null {
  const seconds = (schedule === "extended" ? EXTENDED_SECONDS : STANDARD_SECONDS)[attempt - 1];
  return seconds === undefined ? null : Math.round(seconds * 1000 * (1 + MAX_JITTER * random()));
}
