// Services as the API shows them: rows of one name joined into one, judged at the moment of the answer.
import { judge, type ServiceStatus, worst } from "../../judgements/service-status.ts";
import type { Settings } from "./rows.ts";

/** Listed even where nothing was ever reported. */
export const ALWAYS_LISTED = [
  "fulfill_deposits",
  "fulfill_redeems",
  "fulfill_claims",
  "fulfill_swaps",
  "redemption_queue_engine",
  "cleanup_processed_redeems",
  "tx_manager",
] as const;

/** A service of one vault as stored; times in the API's form. */
export interface StoredService {
  name: string;
  settings: Settings;
  first_state_at: string | null;
  is_paused: boolean;
  next_run: string | null;
  paused_at: string | null;
  paused_by: string | null;
  paused_reason: string | null;
  resumed_at: string | null;
  total_executions: number;
  last_run: string | null;
  last_error: string | null;
  recent_success: number;
  recent_failed: number;
  recent_seconds: number;
}

export interface ServiceView {
  name: string;
  display_name: string;
  status: ServiceStatus;
  last_run: string | null;
  next_run: string | null;
  schedule_seconds: number | null;
  success_rate: number | null;
  avg_execution_time: number | null;
  avg_execution_time_seconds: number | null;
  total_executions: number;
  is_enabled: boolean;
}

export interface VaultServiceView extends ServiceView {
  is_paused: boolean;
  paused_at: string | null;
  paused_by: string | null;
  paused_reason: string | null;
  resumed_at: string | null;
  last_error: string | null;
}

/** Every service by name: those always listed first, then the others in the order of their names. */
export function viewServices(rows: readonly StoredService[], nowMs: number): VaultServiceView[] {
  const byName = Map.groupBy(rows, ({ name }) => name);
  const others = [...byName.keys()].filter((name) => !(ALWAYS_LISTED as readonly string[]).includes(name));
  return [...ALWAYS_LISTED, ...others.sort()].map((name) => viewService(name, byName.get(name) ?? [], nowMs));
}

/** The listing without what is told of one vault's services alone. */
export function withoutPauses(services: readonly VaultServiceView[]): ServiceView[] {
  return services.map(
    ({ is_paused, paused_at, paused_by, paused_reason, resumed_at, last_error, ...view }) => view,
  );
}

/** Sums, the latest run, the next one, the worst status. What is set counts by its newest report. */
function viewService(name: string, rows: readonly StoredService[], nowMs: number): VaultServiceView {
  const judged = rows.map((row) => ({ row, status: judge(factsOf(row), nowMs) }));
  const sum = (key: "total_executions" | "recent_success" | "recent_failed" | "recent_seconds") =>
    rows.reduce((total, row) => total + row[key], 0);
  const runs = sum("recent_success") + sum("recent_failed");
  const average = runs === 0 ? null : Math.round((sum("recent_seconds") / runs) * 1e6) / 1e6;
  // The row that the pause shown is of: one that is paused before one that was, then the latest.
  const pause = rows
    .filter(({ paused_at }) => paused_at !== null)
    .sort((a, b) => Number(b.is_paused) - Number(a.is_paused) || compare(b.paused_at, a.paused_at))[0];
  const failure = [...rows]
    .filter(({ last_error }) => last_error !== null)
    .sort((a, b) => compare(b.last_run, a.last_run))[0];
  return {
    name,
    display_name: newestWord(rows, "display_name") ?? titleOf(name),
    status: worst(judged.map(({ status }) => status)),
    last_run: extreme(
      rows.map(({ last_run }) => last_run),
      1,
    ),
    next_run: extreme(rows.map(nextRunOf), -1),
    schedule_seconds: newestWord(rows, "schedule_seconds"),
    success_rate: runs === 0 ? null : sum("recent_success") / runs,
    avg_execution_time: average,
    avg_execution_time_seconds: average,
    total_executions: sum("total_executions"),
    is_enabled: rows.length === 0 || rows.some(isEnabled),
    is_paused: rows.some(({ is_paused }) => is_paused),
    paused_at: pause?.paused_at ?? null,
    paused_by: pause?.paused_by ?? null,
    paused_reason: pause?.paused_reason ?? null,
    resumed_at: pause?.resumed_at ?? null,
    last_error: failure?.last_error ?? null,
  };
}

function factsOf(row: StoredService) {
  return {
    isPaused: row.is_paused,
    isEnabled: isEnabled(row),
    scheduleSeconds: row.settings.schedule_seconds?.value ?? null,
    lastRunMs: row.last_run === null ? null : Date.parse(row.last_run),
    firstStateMs: row.first_state_at === null ? null : Date.parse(row.first_state_at),
    recentSuccess: row.recent_success,
    recentFailed: row.recent_failed,
  };
}

function isEnabled({ settings }: StoredService): boolean {
  return settings.is_enabled?.value ?? true;
}

/** As reported, unless a run has ended since; then a schedule after that run. None while it is paused or switched off. */
function nextRunOf(row: StoredService): string | null {
  if (row.is_paused || !isEnabled(row)) return null;
  if (row.next_run !== null && (row.last_run === null || row.next_run > row.last_run)) return row.next_run;
  const schedule = row.settings.schedule_seconds?.value;
  if (schedule === undefined || row.last_run === null) return null;
  return `${new Date(Date.parse(row.last_run) + schedule * 1000).toISOString().slice(0, -1)}000Z`;
}

function newestWord<K extends keyof Settings>(
  rows: readonly StoredService[],
  key: K,
): NonNullable<Settings[K]>["value"] | null {
  const words = rows.flatMap(({ settings }) => settings[key] ?? []);
  return words.sort((a, b) => compare(b.at, a.at) || compare(b.id, a.id))[0]?.value ?? null;
}

/** The greatest (1) or least (−1) of the texts that are not null. */
function extreme(texts: readonly (string | null)[], direction: 1 | -1): string | null {
  return texts.filter((text) => text !== null).sort((a, b) => direction * compare(b, a))[0] ?? null;
}

function compare(a: string | null, b: string | null): number {
  const [left, right] = [a ?? "", b ?? ""];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `fulfill_redeems` → `Fulfill redeems`. */
function titleOf(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
