// Escalation: channels that are told only of what fires, unacknowledged and unsilenced, for as long as their binding says.
//
// Guarantee: a channel is told once for each time that nobody takes an alert. It waits from the first notice that its binding admits; an
// acknowledgement ends the wait, and a silence that covers the alert starts it again at the silence's end. Any number of processes may look.
import { sql } from "kysely";
import { enqueue } from "../../../delivery/enqueue.ts";
import type { Alert } from "../../../events/alert.ts";
import { ALERT_SEVERITIES } from "../../../monitors/base/finding.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { every } from "../../../platform/lifecycle/every.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import type { ProviderName } from "../providers/registry.ts";
import { deliveryOf, type NoticeParts, storeTold } from "./notices.ts";

/** How one channel stands to one alert. */
export interface Wait {
  since: string;
  /** Nobody took the alert in time, and the channel was told. */
  isTold: boolean;
}

/** By alert and channel. */
export type Waits = Map<string, Map<string, Wait>>;

/** Nobody else changes them until the transaction ends. */
export async function loadWaits(tx: Tx, alertIds: readonly string[]): Promise<Waits> {
  const { rows } = await sql<{ alert_id: string; channel_id: string; since: string; is_told: boolean }>`
    select alert_id, channel_id, since, told_at is not null as is_told from channel_escalations
    where alert_id = any (${[...alertIds]}::uuid[]) for update`.execute(tx);
  const waits: Waits = new Map(alertIds.map((id) => [id, new Map()]));
  for (const { alert_id, channel_id, since, is_told: isTold } of rows)
    waits.get(alert_id)?.set(channel_id, { since, isTold });
  return waits;
}

/** What is there no more is forgotten, what is new begins to wait. */
export async function storeWaits(tx: Tx, waits: Waits): Promise<void> {
  const rows = [...waits].flatMap(([alert_id, channels]) =>
    [...channels].map(([channel_id, { since }]) => ({ alert_id, channel_id, since })),
  );
  const kept = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (alert_id uuid, channel_id uuid, since timestamptz)`;
  await sql`
    delete from channel_escalations e where alert_id = any (${[...waits.keys()]}::uuid[])
      and not exists (select from ${kept} where r.alert_id = e.alert_id and r.channel_id = e.channel_id and r.since = e.since)`.execute(
    tx,
  );
  if (rows.length > 0)
    await sql`
      insert into channel_escalations (alert_id, channel_id, since) select alert_id, channel_id, since from ${kept}
      on conflict do nothing`.execute(tx);
}

export interface EscalationParts extends NoticeParts {
  db: Pick<Database, "transaction">;
  /** Alerts as they are now. */
  alertsById(tx: Tx, ids: readonly string[]): Promise<Alert[]>;
}

/** So much later than due a channel may be told. */
const LOOK_EVERY_MS = 5_000;
const MAX_AT_ONCE = 500;

export function escalationTask(parts: EscalationParts & { clock: Clock; log: Logger }): Task {
  return every(
    { name: "channels: escalate", role: "worker", ms: LOOK_EVERY_MS, log: parts.log },
    async (signal) => {
      while (!signal.aborted && (await escalate(parts)) === MAX_AT_ONCE);
    },
  );
}

interface DueRow {
  alert_id: string;
  channel_id: string;
  provider: ProviderName;
  since: string;
  is_known: boolean;
}

/** Tells what is due. Returns how many waits ended by it. */
export async function escalate(parts: EscalationParts): Promise<number> {
  return parts.db.transaction(async (tx) => {
    const nowMs = parts.clock.now();
    const now = timestampOfMs(nowMs);
    // What an older release's process has acknowledged is told in no event.
    await sql`
      delete from channel_escalations e using alerts a
      where a.id = e.alert_id and (a.resolved_at is not null or a.acknowledged_at is not null)`.execute(tx);
    const { rows } = await sql<DueRow>`
      select e.alert_id, e.channel_id, c.provider, w.since,
        exists (select from channel_alerts k where k.alert_id = e.alert_id and k.channel_id = e.channel_id) as is_known
      from channel_escalations e
      join alerts a on a.id = e.alert_id
      join channel_bindings b on b.channel_id = e.channel_id and b.chain_id = a.chain_id and b.vault_address = a.vault_address
      join notification_channels c on c.id = e.channel_id and c.is_enabled
      cross join lateral (
        select greatest(e.since, max(s.ends_at)) as since from silences s
        where s.chain_id = a.chain_id and s.vault_address = a.vault_address and (s.category is null or s.category = a.category)
      ) w
      where e.told_at is null and e.since <= ${now}::timestamptz - make_interval(secs => b.escalate_after_seconds)
        and (b.is_all_categories or a.category = any (b.categories))
        and array_position(${[...ALERT_SEVERITIES]}::text[], a.severity) <= array_position(${[...ALERT_SEVERITIES]}::text[], b.min_severity)
        and w.since <= ${now}::timestamptz - make_interval(secs => b.escalate_after_seconds)
      order by e.since, e.alert_id, e.channel_id limit ${MAX_AT_ONCE} for update of e skip locked`.execute(
      tx,
    );
    const alerts = new Map(
      (await parts.alertsById(tx, [...new Set(rows.map((row) => row.alert_id))])).map((one) => [one.id, one]),
    );
    const due = rows.flatMap((row) => {
      const alert = alerts.get(row.alert_id);
      return alert === undefined ? [] : [{ row, alert }];
    });
    const pairs = due.map(({ row: { alert_id, channel_id } }) => ({ alert_id, channel_id }));
    await storeTold(tx, pairs, nowMs);
    await sql`
      update channel_escalations e set told_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as r (alert_id uuid, channel_id uuid)
      where e.alert_id = r.alert_id and e.channel_id = r.channel_id`.execute(tx);
    const made = due.map(({ row, alert }) =>
      deliveryOf(parts, row.provider, row.channel_id, {
        key: `escalation:${alert.id}:${row.since}`,
        eventId: null,
        eventType: "alert.escalated",
        form: row.is_known ? "update" : "firing",
        at: now,
        alert,
        unattendedSince: row.since,
      }),
    );
    await enqueue(tx, made, nowMs);
    return rows.length;
  });
}
