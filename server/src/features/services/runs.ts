// Runs of services. Each counts once, whatever number of reports tell of it, and in its place in time, whenever it comes.
import { sql } from "kysely";
import { executeNamed, type Tx } from "../../platform/db/db.ts";
import type { Rejection, Report, ReportHandler } from "../../reports/handler.ts";
import { forgottenSince, nameSettings, type ServiceRow, serviceRows } from "./rows.ts";

type Run = Report<"vaultops.service.run">;

export const serviceRuns: ReportHandler<"vaultops.service.run"> = {
  type: "vaultops.service.run",
  async apply(tx, reports, { latest }) {
    const refused = new Map<Run, Rejection>();
    const refuse = (run: Run, rejection: Rejection | null) => rejection && refused.set(run, rejection);
    for (const run of reports) refuse(run, refusalOf(run.data, latest));
    const timely = reports.filter((run) => !refused.has(run));
    const services = await serviceRows(tx, timely);
    const standing = timely.flatMap((run, index) => {
      const service = services[index] as ServiceRow;
      refuse(run, forgottenSince(service.runs_from, "data/finished_at", run.data.finished_at));
      return refused.has(run) ? [] : [{ run, service }];
    });
    if (standing.length > 0) await store(tx, standing);
    return reports.map((run) => refused.get(run) ?? null);
  },
};

function refusalOf({ started_at, finished_at }: Run["data"], latest: string): Rejection | null {
  if (finished_at < started_at)
    return { code: "invalid_event", detail: "data/finished_at is earlier than data/started_at." };
  if (finished_at > latest) return { code: "invalid_event", detail: "data/finished_at lies in the future." };
  return null;
}

/** Stores what is new of the runs, then brings the services' totals and windows up to date. */
async function store(tx: Tx, standing: readonly { run: Run; service: ServiceRow }[]): Promise<void> {
  for (const { run, service } of standing) nameSettings(service, run);
  const column = <T>(of: (each: { run: Run; service: ServiceRow }) => T) => standing.map(of);
  const services = new Set(standing.map(({ service }) => service));
  const settings = [...services].map(({ id, settings }) => ({ id, settings }));
  const { rows: fresh } = await executeNamed(
    tx,
    "engine_runs",
    sql<{ id: number; runs: number; last_run: string }>`
    with fresh as (
      insert into service_runs (service_id, run_id, status, started_at, finished_at, error)
      select * from unnest(${column(({ service }) => service.id)}::bigint[], ${column(({ run }) => run.data.run_id)}::text[],
        ${column(({ run }) => run.data.status)}::text[], ${column(({ run }) => run.data.started_at)}::timestamptz[],
        ${column(({ run }) => run.data.finished_at)}::timestamptz[], ${column(({ run }) => run.data.error ?? null)}::text[])
      on conflict do nothing
      returning service_id, finished_at
    )
    select service_id as id, count(*)::integer as runs, max(finished_at) as last_run from fresh group by 1`,
  );
  const counts = new Map(fresh.map((row) => [row.id, row]));
  const changes = settings.map((row) => ({ ...row, ...counts.get(row.id) }));
  await executeNamed(
    tx,
    "engine_runs_counted",
    sql`
    update services s set
      settings = c.settings,
      total_executions = s.total_executions + coalesce(c.runs, 0),
      last_run = greatest(s.last_run, c.last_run),
      last_error = w.last_error,
      recent_success = w.success, recent_failed = w.failed, recent_seconds = w.seconds
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (id bigint, settings jsonb, runs integer, last_run timestamptz)
    cross join lateral service_window(c.id) w
    where s.id = c.id`,
  );
}
