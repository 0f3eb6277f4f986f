// States of services: paused or not, by whom, why. Every state reported is kept in its place in time, because a late one may turn out to
// be a change.
//
// Guarantee: however reports are shuffled, the audit log gets exactly one entry for each change that they tell of, and the service's row
// shows what the same reports in order would. States that follow each other with the same is_paused are one stretch; a late report can
// split one but never join two, so an entry once written stays the entry of a stretch.
import { sql } from "kysely";
import type { Address } from "viem";
import type { AuditEntryInput } from "../../audit/entries/entries.ts";
import { ZERO_ADDRESS } from "../../audit/entries/entries.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Report, ReportHandler } from "../../reports/handler.ts";
import { forgottenSince, nameSettings, type ServiceRow, serviceRows } from "./rows.ts";

type State = Report<"vaultops.service.state">;

export const serviceStates: ReportHandler<"vaultops.service.state"> = {
  type: "vaultops.service.state",
  async apply(tx, reports, effects) {
    const found = await serviceRows(tx, reports);
    const rejections = reports.map(({ time }, index) =>
      forgottenSince((found[index] as ServiceRow).states_from, "time", time),
    );
    const stands = (_: unknown, index: number) => rejections[index] === null;
    const [states, services] = [reports.filter(stands), found.filter(stands)];
    if (states.length === 0) return rejections;
    for (const [index, state] of states.entries()) nameSettings(services[index] as ServiceRow, state);
    await store(tx, states, services);
    const byId = new Map(services.map((service) => [service.id, service]));
    for (const change of await unrecordedChanges(tx, states, services)) {
      effects.audit(entryOf(change, byId.get(change.service_id) as ServiceRow));
    }
    await showNewest(tx, [...byId.values()]);
    return rejections;
  },
};

interface StateKey {
  service_id: number;
  reported_at: string;
  report_id: string;
  source: string;
}

interface Change extends StateKey {
  is_paused: boolean;
  paused_by: Address | null;
  reason: string | null;
}

function keyOf(report: State, service: ServiceRow | undefined): StateKey {
  return {
    service_id: service?.id as number,
    reported_at: report.time,
    report_id: report.id,
    source: report.source,
  };
}

async function store(tx: Tx, reports: readonly State[], services: readonly ServiceRow[]): Promise<void> {
  const rows = reports.map((report, index) => ({
    ...keyOf(report, services[index]),
    is_paused: report.data.is_paused,
    paused_by: report.data.paused_by,
    reason: report.data.reason,
    next_run: report.data.next_run,
  }));
  await sql`
    insert into service_states (service_id, reported_at, report_id, source, is_paused, paused_by, reason, next_run)
    select service_id, reported_at, report_id, source, is_paused, paused_by, reason, next_run
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (service_id bigint, reported_at timestamptz, report_id text,
      source text, is_paused boolean, paused_by text, reason text, next_run timestamptz)
    on conflict do nothing`.execute(tx);
}

/**
 * The first state of every stretch that begins with a change and has no entry yet, in the order of time; each is marked as having one.
 * Only stretches that the reports, or their neighbours in time, stand in can be such.
 */
async function unrecordedChanges(
  tx: Tx,
  reports: readonly State[],
  services: readonly ServiceRow[],
): Promise<Change[]> {
  const keys = reports.map((report, index) => keyOf(report, services[index]));
  const { rows } = await sql<Change>`
    with fresh as (
      select * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        as r (service_id bigint, reported_at timestamptz, report_id text, source text)
    ), places as (
      select service_id, reported_at, report_id collate "C" as report_id, source collate "C" as source from fresh
      union
      select n.service_id, n.reported_at, n.report_id, n.source from fresh f
      cross join lateral (
        (select * from service_states s where s.service_id = f.service_id
          and (s.reported_at, s.report_id, s.source) < (f.reported_at, f.report_id, f.source)
          order by s.reported_at desc, s.report_id desc, s.source desc limit 1)
        union all
        (select * from service_states s where s.service_id = f.service_id
          and (s.reported_at, s.report_id, s.source) > (f.reported_at, f.report_id, f.source)
          order by s.reported_at, s.report_id, s.source limit 1)
      ) n
    ), stretches as (
      select s.service_id, s.is_paused, before.reported_at is null as is_first,
        coalesce(before.reported_at, '-infinity') as from_at, coalesce(before.report_id, '') as from_id,
        coalesce(before.source, '') as from_source,
        coalesce(after.reported_at, 'infinity') as to_at, coalesce(after.report_id, '') as to_id,
        coalesce(after.source, '') as to_source
      from places p
      join service_states s using (service_id, reported_at, report_id, source)
      left join lateral (
        select o.reported_at, o.report_id, o.source from service_states o
        where o.service_id = s.service_id and o.is_paused = not s.is_paused
          and (o.reported_at, o.report_id, o.source) < (s.reported_at, s.report_id, s.source)
        order by o.reported_at desc, o.report_id desc, o.source desc limit 1
      ) before on true
      left join lateral (
        select o.reported_at, o.report_id, o.source from service_states o
        where o.service_id = s.service_id and o.is_paused = not s.is_paused
          and (o.reported_at, o.report_id, o.source) > (s.reported_at, s.report_id, s.source)
        order by o.reported_at, o.report_id, o.source limit 1
      ) after on true
    ), firsts as (
      select distinct f.service_id, f.reported_at, f.report_id, f.source
      from stretches t
      cross join lateral (
        select * from service_states s where s.service_id = t.service_id and s.is_paused = t.is_paused
          and (s.reported_at, s.report_id, s.source) > (t.from_at, t.from_id, t.from_source)
        order by s.reported_at, s.report_id, s.source limit 1
      ) f
      -- A service that was never paused was not resumed.
      where (t.is_paused or not t.is_first)
        and not exists (
          select from service_states m where m.service_id = t.service_id and m.is_recorded
            and (m.reported_at, m.report_id, m.source) > (t.from_at, t.from_id, t.from_source)
            and (m.reported_at, m.report_id, m.source) < (t.to_at, t.to_id, t.to_source))
    )
    update service_states s set is_recorded = true from firsts f
    where s.service_id = f.service_id and s.reported_at = f.reported_at and s.report_id = f.report_id and s.source = f.source
    returning s.service_id, s.reported_at, s.report_id, s.source, s.is_paused, s.paused_by, s.reason`.execute(
    tx,
  );
  return rows.sort((a, b) => (a.reported_at < b.reported_at ? -1 : a.reported_at > b.reported_at ? 1 : 0));
}

function entryOf(change: Change, service: ServiceRow): AuditEntryInput {
  return {
    action_type: change.is_paused ? "service_pause" : "service_resume",
    vault_address: service.vault_address as Address,
    chain_id: service.chain_id,
    actor_wallet: change.paused_by ?? ZERO_ADDRESS,
    details: {
      service: service.name,
      ...(change.reason === null ? {} : { reason: change.reason }),
      reported_at: change.reported_at,
      source: change.source,
      reported: true,
    },
  };
}

/** Brings the services' rows up to what their states say now. */
async function showNewest(tx: Tx, services: readonly ServiceRow[]): Promise<void> {
  const rows = services.map(({ id, settings }) => ({ id, settings }));
  await sql`
    update services s set
      settings = c.settings, first_state_at = least(s.first_state_at, first.reported_at), is_paused = newest.is_paused, next_run = newest.next_run,
      paused_at = began.reported_at, paused_by = coalesce(pause.paused_by, began.paused_by),
      paused_reason = coalesce(pause.reason, began.reason), resumed_at = ended.reported_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c (id bigint, settings jsonb)
    cross join lateral (
      select * from service_states o where o.service_id = c.id order by o.reported_at desc, o.report_id desc, o.source desc limit 1
    ) newest
    cross join lateral (
      select * from service_states o where o.service_id = c.id order by o.reported_at, o.report_id, o.source limit 1
    ) first
    left join lateral (
      select * from service_states o where o.service_id = c.id and o.is_paused
      order by o.reported_at desc, o.report_id desc, o.source desc limit 1
    ) pause on true
    left join lateral (
      select * from service_states o where o.service_id = c.id and not o.is_paused
        and (o.reported_at, o.report_id, o.source) < (pause.reported_at, pause.report_id, pause.source)
      order by o.reported_at desc, o.report_id desc, o.source desc limit 1
    ) free on true
    left join lateral (
      select * from service_states o where o.service_id = c.id and o.is_paused
        and (o.reported_at, o.report_id, o.source) >
          (coalesce(free.reported_at, '-infinity'), coalesce(free.report_id, ''), coalesce(free.source, ''))
      order by o.reported_at, o.report_id, o.source limit 1
    ) began on true
    left join lateral (
      select * from service_states o where o.service_id = c.id and not o.is_paused
        and (o.reported_at, o.report_id, o.source) > (pause.reported_at, pause.report_id, pause.source)
      order by o.reported_at, o.report_id, o.source limit 1
    ) ended on true
    where s.id = c.id`.execute(tx);
}
