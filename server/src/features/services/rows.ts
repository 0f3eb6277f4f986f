// The row of a service: found or made when it is first reported of, and its settings, each the word of the newest report that named it.
import { sql } from "kysely";
import { zeroAddress } from "viem";
import { executeNamed, type Tx } from "../../platform/db/db.ts";
import { laterReport, type Rejection, type Report } from "../../reports/handler.ts";
import { type VaultColumns, vaultIdOfRow } from "../../vault.ts";

export interface ServiceRow {
  id: number;
  chain_id: number;
  vault_address: string;
  name: string;
  settings: Settings;
  /** What came before is not kept any more (prune.ts). */
  runs_from: string | null;
  states_from: string | null;
}

/** What stays as it is until a report names it again. */
export interface Settings {
  display_name?: Word<string>;
  is_enabled?: Word<boolean>;
  schedule_seconds?: Word<number>;
}

interface Word<T> {
  value: T;
  at: string;
  id: string;
}

type ServiceReport = Report<"vaultops.service.run"> | Report<"vaultops.service.state">;

/** The rows of the services that the reports are about, in the order of the reports. */
export async function serviceRows(tx: Tx, reports: readonly ServiceReport[]): Promise<ServiceRow[]> {
  if (reports.length === 0) return [];
  const wanted = new Map(reports.map((report) => [keyOf(placeOf(report)), placeOf(report)]));
  const known = await find(tx, [...wanted.values()]);
  const missing = [...wanted].filter(([key]) => !known.has(key)).map(([, place]) => place);
  if (missing.length > 0) {
    await sql`
      insert into services (chain_id, vault_address, name)
      select * from jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) as p (chain_id bigint, vault_address text, name text)
      on conflict do nothing`.execute(tx);
    for (const [key, row] of await find(tx, missing)) known.set(key, row);
  }
  return reports.map((report) => known.get(keyOf(placeOf(report))) as ServiceRow);
}

/** Why a report is refused that tells of a time whose history is not kept any more: nobody can tell now whether it came before. */
export function forgottenSince(from: string | null, field: string, at: string): Rejection | null {
  if (from === null || at >= from) return null;
  return {
    code: "invalid_event",
    detail: `${field} lies before ${from}; the service's history before that is no longer kept.`,
  };
}

/** Brings a service's settings up to what a report says. */
export function nameSettings({ settings }: ServiceRow, report: ServiceReport): void {
  const { data } = report;
  if ("display_name" in data) name(settings, "display_name", data.display_name, report);
  if ("is_enabled" in data) name(settings, "is_enabled", data.is_enabled, report);
  name(settings, "schedule_seconds", data.schedule_seconds, report);
}

interface ServiceKey extends VaultColumns {
  name: string;
}

function placeOf({ vault, data }: ServiceReport): ServiceKey {
  return {
    chain_id: vault?.chainId ?? 0,
    vault_address: vault?.vaultAddress ?? zeroAddress,
    name: data.service,
  };
}

function keyOf(key: ServiceKey): string {
  return `${vaultIdOfRow(key)}:${key.name}`;
}

async function find(tx: Tx, places: readonly ServiceKey[]): Promise<Map<string, ServiceRow>> {
  const { rows } = await executeNamed(
    tx,
    "engine_services",
    sql<ServiceRow>`
    select s.id, s.chain_id, s.vault_address, s.name, s.settings, s.runs_from, s.states_from
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as p (chain_id bigint, vault_address text, name text)
    join services s on s.chain_id = p.chain_id and s.vault_address = p.vault_address collate "C" and s.name = p.name collate "C"`,
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function name<K extends keyof Settings>(
  settings: Settings,
  key: K,
  value: NonNullable<Settings[K]>["value"] | undefined,
  report: ServiceReport,
): void {
  if (value === undefined) return;
  const before = settings[key];
  if (before !== undefined && !laterReport(report, { time: before.at, id: before.id })) return;
  settings[key] = { value, at: report.time, id: report.id } as Settings[K];
}
