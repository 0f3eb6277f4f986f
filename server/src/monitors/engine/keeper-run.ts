// Keeper runs: services that fail run after run, fail too often, or fall silent. A service of no vault in particular belongs to every
// vault, as in the services' listing. Silence comes with time alone, that in which it would have been heard, so its moments are computed
// ahead.

import { sql } from "kysely";
import type { Static } from "typebox";
import type { Address } from "viem";
import { cleanText } from "../../chain/text.ts";
import { graceMs, type Listening, silentAtMs, silentMs } from "../../judgements/listening.ts";
import {
  lastSignMs,
  rateStatus,
  type ServiceFacts,
  type ServiceThresholds,
  silenceStatus,
} from "../../judgements/service-status.ts";
import type { Tx } from "../../platform/db/db.ts";
import { readableTime } from "../../platform/http/time.ts";
import { vaultIdOf, vaultIdOfRow } from "../../vault.ts";
import { type AlertSeverity, earliest, type Finding, isWorse } from "../base/finding.ts";
import { type Asked, engineSource, HORIZON_MS, monitor, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import { count, share, thresholds } from "../base/thresholds.ts";
import { durationWords, errorWords, vaultWords } from "../base/wording.ts";

export interface ServiceState extends ServiceFacts {
  name: string;
  displayName: string;
  lastRun: string | null;
  lastError: string | null;
  /** Failed runs since the last that succeeded, 20 at most. */
  consecutiveFailures: number;
}

/** A vault with the rows of one of its services: its own, and the one of no vault in particular. */
export interface VaultService extends NamedVault {
  rows: readonly ServiceState[];
}

const rule = thresholds("A service that fails or falls silent.", {
  consecutive_failures: count(
    "Warning after failures in a row",
    3,
    20,
    "Failed runs in a row that are a warning.",
  ),
  warning_success_rate: share(
    "Warning under a success rate of",
    0.95,
    "Success rate of the last 100 runs under which it is a warning.",
  ),
  critical_success_rate: share(
    "Critical under a success rate of",
    0.8,
    "Success rate under which it is critical.",
  ),
  warning_schedules: count(
    "Warning after schedules without a run",
    2,
    100,
    "Schedules without a run that are a warning.",
  ),
  critical_schedules: count(
    "Critical after schedules without a run",
    3,
    100,
    "Schedules without a run that are critical.",
  ),
});

type Rule = Static<typeof rule>;

export const keeperRun = monitor({
  category: "keeper_run",
  name: "Keeper runs",
  subject: "the service",
  fires:
    "**warning**: `consecutive_failures` runs failed in a row, the success rate of the last 100 runs is under `warning_success_rate`, or `warning_schedules` passed without a run. **critical**: under `critical_success_rate`, or `critical_schedules` passed",
  rule,
  contradictions(thresholds) {
    const { warning_success_rate, critical_success_rate, warning_schedules, critical_schedules } = thresholds;
    const found: [string, string][] = [];
    if (critical_success_rate > warning_success_rate)
      found.push(["critical_success_rate", "must not be greater than warning_success_rate"]);
    if (critical_schedules < warning_schedules)
      found.push(["critical_schedules", "must not be less than warning_schedules"]);
    return found;
  },
  source: engineSource(loadServices),
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
    const events: { type: ServiceEvent; data: typeof data }[] = [];
    if (added.some((condition) => RATES.includes(condition))) events.push({ type: "service.degraded", data });
    if (added.includes("silent")) events.push({ type: "service.down", data });
    else if (added.includes("late")) events.push({ type: "service.late", data });
    return events;
  },
});

type ServiceEvent = "service.degraded" | "service.late" | "service.down";

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
      ? "Check that the keeper's process runs and reports. If it is stopped on purpose, let the engine report it as paused or switched off."
      : "Read the keeper's log for the failed runs.",
    details: { ...details },
    conditions,
  };
}

interface ServiceRow {
  chain_id: number;
  vault_address: Address;
  name: string;
  display_name: string | null;
  schedule_seconds: number | null;
  last_run: string | null;
  last_run_ms: number | null;
  first_state_ms: number | null;
  last_error: string | null;
  recent_success: number;
  recent_failed: number;
  consecutive_failures: number;
}

/** Services that are neither paused nor switched off and have failed lately, or are late. Those of no vault belong to every vault. */
async function loadServices(tx: Tx, { book, nowMs }: Asked<{ keeper_run: Rule }>): Promise<VaultService[]> {
  const schedules = book.least(({ keeper_run: rule }) =>
    Math.min(rule.warning_schedules, rule.critical_schedules),
  );
  const { rows } = await sql<ServiceRow>`
    select s.chain_id, s.vault_address, s.name, s.settings #>> '{display_name,value}' as display_name, s.schedule_seconds,
      s.last_run, (extract(epoch from s.last_run) * 1000)::float8 as last_run_ms,
      (extract(epoch from s.first_state_at) * 1000)::float8 as first_state_ms, s.last_error, s.recent_success, s.recent_failed,
      case when s.recent_failed = 0 then 0 else (
        select count(*) filter (where successes = 0)::integer from (
          select sum(case r.status when 'success' then 1 else 0 end) over (order by r.finished_at desc, r.run_id desc) as successes
          from (
            select status, finished_at, run_id from service_runs r where r.service_id = s.id and r.status <> 'skipped'
            order by finished_at desc, run_id desc limit ${MOST_COUNTED}
          ) r
        ) counted
      ) end as consecutive_failures
    from (select *, (settings #>> '{schedule_seconds,value}')::float8 as schedule_seconds from services) s
    where not s.is_paused and coalesce((s.settings #>> '{is_enabled,value}')::boolean, true)
      and (s.recent_failed > 0
        or extract(epoch from coalesce(s.last_run, s.first_state_at))::float8 + s.schedule_seconds * ${schedules}::float8
           <= ${(nowMs + HORIZON_MS) / 1000}::float8)`.execute(tx);
  const shared = Map.groupBy(
    rows.filter((row) => row.chain_id === 0),
    (row) => row.name,
  );
  const own = rows.filter((row) => row.chain_id !== 0);
  if (rows.length === 0) return [];
  const vaults = await loadVaults(tx, shared.size > 0 ? null : own);
  const ownOf = Map.groupBy(own, vaultIdOfRow);
  return vaults.flatMap((vault) => {
    const mine = Map.groupBy(
      ownOf.get(vaultIdOf({ chainId: vault.chainId, vaultAddress: vault.address })) ?? [],
      (row) => row.name,
    );
    const names = new Set([...mine.keys(), ...shared.keys()]);
    return [...names].map((name) => ({
      ...vault,
      rows: [...(mine.get(name) ?? []), ...(shared.get(name) ?? [])].map(serviceOf),
    }));
  });
}

/** The vaults that the rows are about; all of them where `rows` is null. */
async function loadVaults(
  tx: Tx,
  rows: readonly { chain_id: number; vault_address: string }[] | null,
): Promise<NamedVault[]> {
  const places = JSON.stringify(
    rows?.map(({ chain_id, vault_address }) => ({ chain_id, vault_address })) ?? [],
  );
  const named = sql`where (v.chain_id, v.address) in (
    select chain_id, vault_address from jsonb_to_recordset(${places}::jsonb) as p (chain_id bigint, vault_address text))`;
  const found = await sql<RefRow>`
    select ${REF} from vaults v join chains c on c.chain_id = v.chain_id ${rows === null ? sql`` : named}`.execute(
    tx,
  );
  return found.rows.map(refOf);
}

function serviceOf(row: ServiceRow): ServiceState {
  const words = row.name.replaceAll("_", " ");
  return {
    name: row.name,
    displayName: cleanText(row.display_name ?? words.charAt(0).toUpperCase() + words.slice(1), 64),
    isPaused: false,
    isEnabled: true,
    scheduleSeconds: row.schedule_seconds,
    lastRunMs: row.last_run_ms,
    firstStateMs: row.first_state_ms,
    recentSuccess: row.recent_success,
    recentFailed: row.recent_failed,
    lastRun: row.last_run,
    lastError: row.last_error,
    consecutiveFailures: row.consecutive_failures,
  };
}
