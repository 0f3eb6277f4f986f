// How a service is doing, from what was reported and the time that has passed since (decisions, engine data 4). Pure: an answer is judged
// at the moment it is given, so a service that falls silent degrades though nothing is reported.

export type ServiceStatus = "critical" | "warning" | "paused" | "healthy" | "unknown";

/** What is known of one service of one vault. Times in Unix milliseconds; null = never. */
export interface ServiceFacts {
  isPaused: boolean;
  isEnabled: boolean;
  scheduleSeconds: number | null;
  lastRunMs: number | null;
  /** When its state was first reported: what never ran is late from then on. */
  firstStateMs: number | null;
  /** Of the last 100 runs that succeeded or failed. */
  recentSuccess: number;
  recentFailed: number;
}

const CRITICAL_RATE = 0.8;
const WARNING_RATE = 0.95;
const CRITICAL_SCHEDULES = 3;
const WARNING_SCHEDULES = 2;
const MIN_RUNS = 5;

/** Worse ones first. A service that a vault never ran says nothing about the others of its name. */
export const BY_SEVERITY = ["critical", "warning", "paused", "healthy", "unknown"] as const;

/**
 * `paused` (also when switched off): never late. `critical`: success rate under 0.80, or three schedules or more without a run; `warning`:
 * under 0.95, or two. The rate counts from five runs on, lateness where a schedule is known. `unknown`: never reported.
 */
export function judge(facts: ServiceFacts, nowMs: number): ServiceStatus {
  if (facts.isPaused || !facts.isEnabled) return "paused";
  const since = facts.lastRunMs ?? facts.firstStateMs;
  if (since === null) return "unknown";
  const missed = facts.scheduleSeconds === null ? 0 : (nowMs - since) / 1000 / facts.scheduleSeconds;
  const runs = facts.recentSuccess + facts.recentFailed;
  const rate = runs < MIN_RUNS ? 1 : facts.recentSuccess / runs;
  if (rate < CRITICAL_RATE || missed >= CRITICAL_SCHEDULES) return "critical";
  if (rate < WARNING_RATE || missed >= WARNING_SCHEDULES) return "warning";
  return "healthy";
}

/** The worst of several. */
export function worst(statuses: readonly ServiceStatus[]): ServiceStatus {
  return BY_SEVERITY.find((status) => statuses.includes(status)) ?? "unknown";
}
