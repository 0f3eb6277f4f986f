// Keeper runs: services that fail run after run, fail too often, or fall silent. A service of no vault in particular belongs to every
// vault, as in the services' listing. Silence comes with time alone, that in which it would have been heard, so its moments are computed
// ahead.
import type { AlertRules } from "../../../config/alert-rules.ts";
import type { AlertSeverity } from "../../../events/alert.ts";
import { graceMs, type Listening, silentAtMs, silentMs } from "../../../judgements/listening.ts";
import {
  lastSignMs,
  rateStatus,
  type ServiceThresholds,
  silenceStatus,
} from "../../../judgements/service-status.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { type EventOf, earliest, type Finding, isWorse, type Monitor } from "../state/finding.ts";
import type { ServiceState, VaultService } from "../state/state.ts";
import { durationWords, errorWords, vaultWords } from "../state/wording.ts";

type Rule = AlertRules["keeper_run"];

export const keeperRun: Monitor<VaultService, Rule> = {
  category: "keeper_run",
  judge(service, rule, listening) {
    const rows = service.rows.filter(({ isPaused, isEnabled }) => !isPaused && isEnabled);
    const faults = rows.flatMap((row) => {
      const fault = faultOf(row, rule, listening);
      return fault === null ? [] : [{ row, ...fault }];
    });
    const wakeMs = earliest(...rows.map((row) => nextSilenceMs(row, rule, listening)));
    const worst = faults.reduce<(typeof faults)[number] | null>(
      (found, fault) => (found === null || isWorse(fault.severity, found.severity) ? fault : found),
      null,
    );
    if (worst === null) return { findings: [], wakeMs };
    const conditions = [...new Set(faults.flatMap((fault) => fault.conditions))];
    return { findings: [findingOf(service, worst, conditions)], wakeMs };
  },
  events({ details }, added) {
    const { service, status, success_rate, last_run, last_error } = details as unknown as ServiceDetails;
    const data = { service, status, success_rate, last_run, last_error };
    const events: EventOf[] = [];
    if (added.some((condition) => RATES.includes(condition))) events.push({ type: "service.degraded", data });
    if (added.includes("silent")) events.push({ type: "service.down", data });
    else if (added.includes("late")) events.push({ type: "service.late", data });
    return events;
  },
};

const RATES: readonly string[] = ["rate_low", "rate_very_low"];

interface ServiceDetails {
  service: string;
  status: "warning" | "critical";
  success_rate: number | null;
  last_run: string | null;
  last_error: string | null;
  consecutive_failures: number;
  schedule_seconds: number | null;
}

interface Fault {
  severity: AlertSeverity;
  conditions: string[];
  sentences: string[];
}

function faultOf(row: ServiceState, rule: Rule, listening: Listening): Fault | null {
  const thresholds = thresholdsOf(rule);
  const rate = rateStatus(row, thresholds);
  const silence = silenceStatus(row, silenceOf(row, listening), thresholds);
  const conditions: string[] = [];
  const sentences: string[] = [];
  if (row.consecutiveFailures >= rule.consecutive_failures) {
    conditions.push("failing");
    const runs =
      row.consecutiveFailures >= MOST_COUNTED ? `${MOST_COUNTED} or more` : row.consecutiveFailures;
    sentences.push(`The last ${runs} runs failed${errorWords(row.lastError)}.`);
  }
  if (rate !== "healthy") {
    conditions.push("rate_low", ...(rate === "critical" ? ["rate_very_low"] : []));
    sentences.push(
      `Of the last ${row.recentSuccess + row.recentFailed} runs ${row.recentSuccess} succeeded.`,
    );
  }
  if (silence !== "healthy") {
    conditions.push("late", ...(silence === "critical" ? ["silent"] : []));
    const every = `though it should run every ${durationWords(row.scheduleSeconds ?? 0)}`;
    sentences.push(
      row.lastRun === null
        ? `It has not run yet, ${every}.`
        : `It last ran at ${readableTime(row.lastRun)}, ${every}.`,
    );
  }
  if (conditions.length === 0) return null;
  const isCritical = rate === "critical" || silence === "critical";
  return { severity: isCritical ? "critical" : "warning", conditions, sentences };
}

/** As many failures in a row as are counted. */
export const MOST_COUNTED = 20;

function thresholdsOf(rule: Rule): ServiceThresholds {
  return {
    warningRate: rule.warning_success_rate,
    criticalRate: rule.critical_success_rate,
    warningSchedules: rule.warning_schedules,
    criticalSchedules: rule.critical_schedules,
  };
}

/** How long nothing was heard of it. */
function silenceOf(row: ServiceState, listening: Listening): number {
  const since = lastSignMs(row);
  return since === null ? 0 : silentMs(listening, since, graceMs(row.scheduleSeconds ?? 0));
}

/** When it will have been silent for long enough to be late, or silent. */
function nextSilenceMs(row: ServiceState, rule: Rule, listening: Listening): number | null {
  const since = lastSignMs(row);
  const { scheduleSeconds } = row;
  if (since === null || scheduleSeconds === null) return null;
  const heard = silenceOf(row, listening);
  const lengths = [rule.warning_schedules, rule.critical_schedules].map((n) => n * scheduleSeconds * 1000);
  return earliest(
    ...lengths
      .filter((length) => length > heard)
      .map((length) => Math.ceil(silentAtMs(listening, since, length, graceMs(scheduleSeconds)))),
  );
}

function findingOf(
  service: VaultService,
  { row, severity, sentences }: Fault & { row: ServiceState },
  conditions: string[],
): Finding {
  const runs = row.recentSuccess + row.recentFailed;
  const details: ServiceDetails = {
    service: row.name,
    status: severity === "critical" ? "critical" : "warning",
    success_rate: runs === 0 ? null : row.recentSuccess / runs,
    last_run: row.lastRun,
    last_error: row.lastError,
    consecutive_failures: row.consecutiveFailures,
    schedule_seconds: row.scheduleSeconds,
  };
  const isSilent = conditions.includes("late");
  return {
    subject: row.name,
    severity,
    title: `${row.displayName} ${conditions.includes("silent") ? "is silent" : isSilent ? "is late" : "fails"}`,
    message: `${vaultWords(service)}: service ${row.displayName}. ${sentences.join(" ")}`,
    nextStep: isSilent
      ? "Check whether the keeper's process runs and reports. If it is meant to be stopped, let the engine report it as paused or switched off."
      : "Read the keeper's log for the failed runs.",
    details: { ...details },
    conditions,
  };
}
