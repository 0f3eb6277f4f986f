// How a service is doing, from what was reported and the time that has passed since (docs/decisions/0016, reports). Pure: an answer is judged
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

/** Where a service begins to do badly. */
export interface ServiceThresholds {
  warningRate: number;
  criticalRate: number;
  /** Schedules since the last run. */
  warningSchedules: number;
  criticalSchedules: number;
}

const USUAL: ServiceThresholds = {
  warningRate: 0.95,
  criticalRate: 0.8,
  warningSchedules: 2,
  criticalSchedules: 3,
};
const MIN_RUNS = 5;

/** Worse ones first. A service that a vault never ran says nothing about the others of its name. */
export const BY_SEVERITY = ["critical", "warning", "paused", "healthy", "unknown"] as const;

/**
 * `paused` (also when switched off): never late. `critical`: success rate under 0.80, or three schedules or more without a run; `warning`:
 * under 0.95, or two. The rate counts from five runs on, lateness where a schedule is known. `unknown`: never reported.
 */
export function judge(facts: ServiceFacts, nowMs: number): ServiceStatus {
  if (facts.isPaused || !facts.isEnabled) return "paused";
  if (lastSignMs(facts) === null) return "unknown";
  return worst([rateStatus(facts), silenceStatus(facts, nowMs - (lastSignMs(facts) ?? nowMs))]);
}

/** How a service that is neither paused nor switched off does by its success rate alone. */
export function rateStatus(facts: ServiceFacts, thresholds = USUAL): "critical" | "warning" | "healthy" {
  const runs = facts.recentSuccess + facts.recentFailed;
  const rate = runs < MIN_RUNS ? 1 : facts.recentSuccess / runs;
  if (rate < thresholds.criticalRate) return "critical";
  return rate < thresholds.warningRate ? "warning" : "healthy";
}

/** The same by how long nothing was heard of it. */
export function silenceStatus(
  { scheduleSeconds }: ServiceFacts,
  silentMs: number,
  thresholds = USUAL,
): "critical" | "warning" | "healthy" {
  if (scheduleSeconds === null) return "healthy";
  const missed = silentMs / 1000 / scheduleSeconds;
  if (missed >= thresholds.criticalSchedules) return "critical";
  return missed >= thresholds.warningSchedules ? "warning" : "healthy";
}

/** When it last ran, or was first told of while it never did; null when nothing was ever reported. */
export function lastSignMs(facts: ServiceFacts): number | null {
  return facts.lastRunMs ?? facts.firstStateMs;
}

/** The worst of several. */
export function worst(statuses: readonly ServiceStatus[]): ServiceStatus {
  return BY_SEVERITY.find((status) => statuses.includes(status)) ?? "unknown";
}
