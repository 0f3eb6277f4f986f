// Runs of services. Each counts once, whatever number of reports tell of it, and in its place in time, whenever it comes.
import { sql } from "kysely";
import type { Tx } from "../../platform/db.ts";
import type { Rejection, Report, ReportHandler } from "./handler.ts";
import { type ServiceRow, serviceRows } from "./service-rows.ts";

type Run = Report<"vaultops.service.run">;

export const serviceRuns: ReportHandler<"vaultops.service.run"> = {
  type: "vaultops.service.run",
  async apply(tx, reports, { latest }) {
    const rejections = reports.map(({ data }) => refusalOf(data, latest));
    const runs = reports.filter((_, index) => rejections[index] === null);
    if (runs.length > 0) await store(tx, runs, await serviceRows(tx, runs));
    return rejections;
  },
};

function refusalOf({ started_at, finished_at }: Run["data"], latest: string): Rejection | null {
  if (finished_at < started_at)
    return { code: "invalid_event", detail: "data/finished_at is earlier than data/started_at." };
  if (finished_at > latest) return { code: "invalid_event", detail: "data/finished_at lies in the future." };
  return null;
}

/** Stores what is new of the runs, then brings the services' totals and windows up to date. */
async function store(tx: Tx, runs: readonly Run[], services: readonly ServiceRow[]): Promise<void> {
  const rows = runs.map(({ data }, index) => ({
    service_id: services[index]?.id,
    run_id: data.run_id,
    status: data.status,
    started_at: data.started_at,
    finished_at: data.finished_at,
    error: data.error,
  }));
  const settings = [...new Set(services)].map(({ id, settings }) => ({ id, settings }));
  const { rows: fresh } = await sql<{ id: number; runs: number; last_run: string }>`
    with fresh as (
      insert into service_runs (service_id, run_id, status, started_at, finished_at, error)
      select service_id, run_id, status, started_at, finished_at, error
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (service_id bigint, run_id text, status text, started_at timestamptz, finished_at timestamptz, error text)
      on conflict do nothing
      returning service_id, finished_at
    )
    select service_id as id, count(*)::integer as runs, max(finished_at) as last_run from fresh group by 1`.execute(
    tx,
  );
  const counts = new Map(fresh.map((row) => [row.id, row]));
  const changes = settings.map((row) => ({ ...row, ...counts.get(row.id) }));
  await sql`
    update services s set
      settings = c.settings,
      total_executions = s.total_executions + coalesce(c.runs, 0),
      last_run = greatest(s.last_run, c.last_run),
      last_error = f.error,
      recent_success = w.success, recent_failed = w.failed, recent_seconds = w.seconds
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (id bigint, settings jsonb, runs integer, last_run timestamptz)
    left join lateral (
      select r.error from service_runs r where r.service_id = c.id and r.status = 'failed'
      order by r.finished_at desc, r.run_id desc limit 1
    ) f on true
    cross join lateral (
      select count(*) filter (where status = 'success') as success, count(*) filter (where status = 'failed') as failed,
        coalesce(sum(extract(epoch from finished_at - started_at)), 0) as seconds
      from (
        select r.status, r.started_at, r.finished_at from service_runs r
        where r.service_id = c.id and r.status <> 'skipped' order by r.finished_at desc, r.run_id desc limit 100
      ) recent
    ) w
    where s.id = c.id`.execute(tx);
}
