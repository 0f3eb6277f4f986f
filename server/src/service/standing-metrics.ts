// What stands in the database, for Prometheus: how long the log is and how much of it is signed, what waits to be handed out or sent, which
// alerts are open. Read when the metrics are asked for, by processes with the role `worker`; the parts of `/readyz`, by every process; and
// how far the replica is behind, by those that read from it.
//
// Guarantee: metrics are served whatever the database does. What could not be read has no value, so that nothing old passes for new.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";
import { readStates, type StreamState } from "../audit/streams/store.ts";
import type { Database } from "../platform/db/db.ts";
import type { Replica } from "../platform/db/replica.ts";
import type { Readiness } from "../platform/lifecycle/health.ts";

/** How long what was read is given out again: several metrics come of one statement. */
const LIFE_MS = 1_000;
/** A scrape does not wait for a database that does not answer. */
const TIMEOUT_MS = 2_000;
/** More is counted no further: a long queue must not make the scrape slow. */
const MAX_COUNTED = 100_000;

type Values = readonly { labels: Record<string, string>; value: number }[];
interface Standing {
  entries: number;
  signed: number;
  signed_at: number | null;
  events: number;
  events_age: number;
  deliveries: { queue: string; count: number; age: number }[];
  alerts: { category: string; severity: string; count: number }[];
}

export function addReadinessMetric(registry: Registry, readiness: Pick<Readiness, "report">): void {
  const NUMBERS = { ok: 0, degraded: 1, failed: 2 };
  const help = "State of each part of /readyz: 0 in order, 1 degraded, 2 failed.";
  gauge(registry, "readiness_state", help, ["check"], async () =>
    (await readiness.report()).checks.map(({ name, state }) => ({
      labels: { check: name },
      value: NUMBERS[state],
    })),
  );
}

export function addReplicaMetrics(
  registry: Registry,
  replica: Pick<Replica, "lagMs" | "maxLagMs"> | null,
): void {
  const inSeconds = (
    name: string,
    help: string,
    milliseconds: (replica: Pick<Replica, "lagMs" | "maxLagMs">) => number,
  ) =>
    gauge(registry, name, help, [], async () =>
      replica === null ? [] : [{ labels: {}, value: milliseconds(replica) / 1000 }],
    );
  inSeconds(
    "replica_lag_seconds",
    "How long ago the replica was last known to have all that the primary had; it grows while the replica is away. None where there is no replica.",
    (of) => of.lagMs(),
  );
  inSeconds(
    "replica_max_lag_seconds",
    "database.replica_max_lag_seconds: above it the primary is read from instead. None where there is no replica.",
    ({ maxLagMs }) => maxLagMs,
  );
}

/** `names`: of the streams that are configured. */
export function addStreamMetrics(
  registry: Registry,
  db: Pick<Database, "kysely">,
  names: readonly string[],
): void {
  const byStream = (name: string, help: string, value: (state: StreamState) => number) =>
    gauge(registry, name, help, ["stream"], async () => {
      if (names.length === 0) return [];
      const states = await inTime(readStates(db.kysely, names));
      return states.map((state) => ({ labels: { stream: state.name }, value: value(state) }));
    });
  byStream(
    "audit_stream_lag_entries",
    "Entries of the audit log that a stream's receiver has not taken.",
    ({ lag_entries }) => lag_entries,
  );
  byStream(
    "audit_stream_lag_seconds",
    "Since when the oldest of them has stood in the log; 0 where there is none.",
    ({ lag_seconds }) => lag_seconds,
  );
}

export function addStandingMetrics(registry: Registry, db: Pick<Database, "kysely">): void {
  let last: { promise: Promise<Standing>; atMs: number } | null = null;
  const standing = () => {
    if (last === null || Date.now() - last.atMs >= LIFE_MS)
      last = { promise: readStanding(db), atMs: Date.now() };
    return last.promise;
  };
  const single = (name: string, help: string, value: (standing: Standing) => number | null) =>
    gauge(registry, name, help, [], async () => {
      const found = value(await standing());
      return found === null ? [] : [{ labels: {}, value: found }];
    });
  single("audit_entries", "Entries of the audit log.", ({ entries }) => entries);
  single("audit_signed_entries", "Entries under the newest signed checkpoint.", ({ signed }) => signed);
  single(
    "audit_signed_timestamp_seconds",
    "When the newest checkpoint was signed, as Unix time.",
    ({ signed_at }) => signed_at,
  );
  single(
    "events_waiting",
    "Events that are not handed out to their subscribers yet.",
    ({ events }) => events,
  );
  single(
    "events_waiting_seconds",
    "Age of the oldest event that is not handed out yet; 0 where there is none.",
    ({ events_age }) => events_age,
  );
  const byQueue = (name: string, help: string, value: (queue: Standing["deliveries"][number]) => number) =>
    gauge(registry, name, help, ["queue"], async () =>
      (await standing()).deliveries.map((each) => ({ labels: { queue: each.queue }, value: value(each) })),
    );
  byQueue(
    "deliveries_waiting",
    `Deliveries that are due and not sent, up to ${MAX_COUNTED.toLocaleString("en")}; those of targets that fail or rest are left out.`,
    ({ count }) => count,
  );
  byQueue(
    "deliveries_waiting_seconds",
    "How long the oldest of them has been due; 0 where there is none.",
    ({ age }) => age,
  );
  gauge(
    registry,
    "alerts_open",
    "Alerts that are firing or acknowledged.",
    ["category", "severity"],
    async () =>
      (await standing()).alerts.map(({ category, severity, count }) => ({
        labels: { category, severity },
        value: count,
      })),
  );
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Promise<Values>,
): void {
  new Gauge({
    name: `vaultops_${name}`,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const values = await read().catch((): Values => []);
      this.reset();
      // Without labels a reset leaves 0, which nobody has said.
      if (values.length === 0 && labelNames.length === 0) this.remove();
      for (const { labels, value } of values) this.set(labels, value);
    },
  });
}

async function readStanding(db: Pick<Database, "kysely">): Promise<Standing> {
  return (await inTime(STANDING.execute(db.kysely))).rows[0] as Standing;
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  const result = await Promise.race([reading, sleep(TIMEOUT_MS, null, { ref: false })]);
  if (result === null) throw new Error("the database does not answer");
  return result;
}

const STANDING = sql<Standing>`
  with waiting_events as (
    select count(*)::int as count, min(created_at) as oldest_at
      from (select created_at from events where fanned_out_at is null and failures < 10 limit ${MAX_COUNTED}) e
  ), waiting as (
    select d.queue, count(*)::int as count, min(d.due_at) as oldest_at
      from (
        select d.queue, d.due_at from deliveries d left join delivery_targets t on t.target_id = d.target_id
         where d.status in ('pending', 'failed') and d.queue in ('channel', 'webhook') and d.due_at <= now()
           and t.failing_since is null and coalesce(t.not_before <= now(), true)
           and not exists (select from webhooks w where w.id = d.target_id and not w.is_enabled)
         limit ${MAX_COUNTED}) d
     group by d.queue
  )
  select coalesce((select seq from audit_entries order by seq desc limit 1), 0)::float8 as entries,
         coalesce((select size from audit_checkpoints order by size desc limit 1), 0)::float8 as signed,
         (select extract(epoch from created_at)::float8 from audit_checkpoints order by size desc limit 1) as signed_at,
         (select count from waiting_events) as events,
         coalesce((select extract(epoch from now() - oldest_at)::float8 from waiting_events), 0) as events_age,
         (select json_agg(json_build_object('queue', q.queue, 'count', coalesce(w.count, 0),
                  'age', coalesce(extract(epoch from now() - w.oldest_at)::float8, 0)))
            from (values ('channel'), ('webhook')) q (queue) left join waiting w on w.queue = q.queue) as deliveries,
         coalesce((select json_agg(a) from (
           select category, severity, count(*)::int as count from alerts where resolved_at is null group by 1, 2) a), '[]') as alerts`;
