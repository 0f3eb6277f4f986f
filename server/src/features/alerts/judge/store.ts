// The alerts' own tables: what an evaluation reads of them, and how its transitions are carried out, set by set, with their events in the
// same transaction.
import { hash, randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Alert } from "../../../events/alert.ts";
import { emit } from "../../../events/emit.ts";
import type { DomainEvent } from "../../../events/types.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import { ALERT_CATEGORIES } from "../../../monitors/categories.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { keyOf, type Signal } from "../state/signal.ts";
import { FLAPPING_MS, type OpenAlert, type Silence, type Transition } from "./evaluate.ts";
import { ALERT_COLUMNS, type AlertRow, alertOf } from "./view.ts";

/** Rows that go over in one statement. */
const CHUNK = 1000;

/** Seconds since the epoch, to the microsecond, as milliseconds. */
const ms = (column: string) => sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

interface OpenRow {
  id: string;
  chain_id: number;
  vault_address: string;
  category: string;
  subject: string;
  severity: AlertSeverity;
  conditions: string[];
  content_hash: string;
  is_unconfirmed: boolean;
  is_block_gone: boolean;
  is_acknowledged: boolean;
  is_flapping: boolean;
  quiet_since_ms: number | null;
  last_seen_ms: number;
  notified_at_ms: number | null;
  notified_severity: AlertSeverity | null;
}

/** Those of categories that only another release knows are judged by it. */
export async function loadOpen(tx: Tx, areas: readonly string[]): Promise<OpenAlert[]> {
  if (areas.length === 0) return [];
  const { rows } = await sql<OpenRow>`
    select a.id, a.chain_id, a.vault_address, a.category, a.subject, a.severity, a.conditions, a.content_hash, a.is_unconfirmed,
      a.block_number is not null and b.number is null as is_block_gone, a.acknowledged_at is not null as is_acknowledged,
      a.is_flapping, ${ms("a.quiet_since")} as quiet_since_ms, ${ms("a.last_seen_at")} as last_seen_ms,
      ${ms("a.notified_at")} as notified_at_ms, a.notified_severity
    from alerts a
    left join blocks b on b.chain_id = a.chain_id and b.number = a.block_number and b.hash = a.block_hash
    where a.area = any (${areas}::text[]) and a.category = any (${[...ALERT_CATEGORIES]}::text[]) and a.resolved_at is null`.execute(
    tx,
  );
  return rows.map((row) => ({
    id: row.id,
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    category: row.category,
    subject: row.subject,
    severity: row.severity,
    conditions: row.conditions,
    content: row.content_hash,
    isUnconfirmed: row.is_unconfirmed,
    isBlockGone: row.is_block_gone,
    isAcknowledged: row.is_acknowledged,
    isFlapping: row.is_flapping,
    quietSinceMs: row.quiet_since_ms,
    lastSeenMs: row.last_seen_ms,
    notified:
      row.notified_at_ms === null || row.notified_severity === null
        ? null
        : { atMs: row.notified_at_ms, severity: row.notified_severity },
  }));
}

/** For each key, how many of its alerts ended within the time that counts for flapping. */
export async function loadEnded(tx: Tx, area: string, nowMs: number): Promise<Map<string, number>> {
  const { rows } = await sql<{
    chain_id: number;
    vault_address: string;
    category: string;
    subject: string;
    n: number;
  }>`
    select chain_id, vault_address, category, subject, count(*) as n
    from alerts where area = ${area} and resolved_at >= ${timestampOfMs(nowMs - FLAPPING_MS)}
    group by 1, 2, 3, 4`.execute(tx);
  return new Map(
    rows.map((row) => [keyOf({ ...row, chainId: row.chain_id, vaultAddress: row.vault_address }), row.n]),
  );
}

/** Of what happened once the keys of which an alert is over. What a reorganisation took away may happen again. */
export async function loadOver(tx: Tx, signals: readonly Signal[]): Promise<Set<string>> {
  const once = signals.filter(({ isOnce }) => isOnce);
  if (once.length === 0) return new Set();
  const { rows } = await sql<{ n: number }>`
    select r.n from ${recordset(
      once.map(({ chainId, vaultAddress, category, subject }, n) => ({
        n,
        chain_id: chainId,
        vault_address: vaultAddress,
        category,
        subject,
      })),
      "n integer, chain_id bigint, vault_address text, category text, subject text",
    )} where exists (select from alerts a where a.chain_id = r.chain_id and a.vault_address = r.vault_address
      and a.category = r.category and a.subject = r.subject and a.resolved_at is not null and not a.is_withdrawn)`.execute(
    tx,
  );
  return new Set(rows.map(({ n }) => keyOf(once[n] as Signal)));
}

export async function loadSilences(tx: Tx, nowMs: number): Promise<Silence[]> {
  const { rows } = await sql<{
    chain_id: number;
    vault_address: string;
    category: string | null;
    ends_at_ms: number;
  }>`
    select chain_id, vault_address, category, ${ms("ends_at")} as ends_at_ms
    from silences where ends_at > ${timestampOfMs(nowMs)}`.execute(tx);
  return rows.map((row) => ({
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    category: row.category,
    endsAtMs: row.ends_at_ms,
  }));
}

/** Stands for all that is shown of an alert. */
export function contentOf(signal: Signal): string {
  const { severity, title, message, nextStep, details, conditions, vaultName, transactionUrl } = signal;
  const { isUnconfirmed = false, block = null } = signal;
  return hash(
    "sha1",
    JSON.stringify([
      severity,
      title,
      message,
      nextStep,
      details,
      conditions,
      vaultName,
      transactionUrl,
      isUnconfirmed,
      block,
    ]),
    "base64url",
  );
}

export interface ApplyParts {
  area: string;
  nowMs: number;
  publicUrl: string;
}

/** Carries transitions out and puts their events on the spine. */
export async function apply(tx: Tx, transitions: readonly Transition[], parts: ApplyParts): Promise<void> {
  const now = timestampOfMs(parts.nowMs);
  const named = transitions.map((transition) => ({
    id: transition.type === "open" ? randomUUID() : transition.alert.id,
    transition,
  }));
  for (let at = 0; at < named.length; at += CHUNK) {
    const chunk = named.slice(at, at + CHUNK);
    await insertOpened(tx, chunk.flatMap(openedRow), parts.area, now);
    await writeShown(tx, chunk.flatMap(shownRow));
    await writeLife(tx, chunk.flatMap(lifeRow), now);
    await emit(tx, await eventsOf(tx, chunk, parts, now));
  }
}

interface Named {
  id: string;
  transition: Transition;
}

function shownColumns(signal: Signal) {
  return {
    severity: signal.severity,
    vault_name: signal.vaultName,
    title: signal.title,
    message: signal.message,
    next_step: signal.nextStep,
    details: signal.details,
    transaction_url: signal.transactionUrl,
    content_hash: contentOf(signal),
    conditions: signal.conditions,
    is_unconfirmed: signal.isUnconfirmed ?? false,
    block_number: signal.block?.number ?? null,
    block_hash: signal.block?.hash ?? null,
  };
}

const SHOWN = `severity text, vault_name text, title text, message text, next_step text, details jsonb, transaction_url text, content_hash text,
  conditions text[], is_unconfirmed boolean, block_number bigint, block_hash text`;

function openedRow({ id, transition }: Named) {
  if (transition.type !== "open") return [];
  const { signal, notice } = transition;
  return [
    {
      id,
      chain_id: signal.chainId,
      vault_address: signal.vaultAddress,
      category: signal.category,
      subject: signal.subject,
      notice,
      ...shownColumns(signal),
    },
  ];
}

function shownRow({ id, transition }: Named) {
  if (transition.type !== "update" || transition.signal === null) return [];
  return [{ id, ...shownColumns(transition.signal) }];
}

function lifeRow({ id, transition }: Named): object[] {
  if (transition.type === "open") return [];
  if (transition.type === "close") {
    const { isWithdrawn, alert } = transition;
    return [{ id, is_closed: true, is_withdrawn: isWithdrawn, is_left: alert.isLeft ?? false }];
  }
  const { notice, quietSinceMs, isFlapping, isAcknowledgementLost } = transition;
  return [
    {
      id,
      is_closed: false,
      is_withdrawn: false,
      is_seen: quietSinceMs === null,
      notice,
      is_flapping: isFlapping,
      quiet_since: quietSinceMs === null ? null : timestampOfMs(quietSinceMs),
      is_acknowledgement_lost: isAcknowledgementLost,
    },
  ];
}

async function insertOpened(tx: Tx, rows: readonly object[], area: string, now: string): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into alerts (id, chain_id, vault_address, category, subject, area, severity, vault_name, title, message, next_step, details,
      transaction_url, content_hash, conditions, is_unconfirmed, block_number, block_hash, started_at, last_seen_at,
      notified_at, notified_severity, last_notice)
    select id, chain_id, vault_address, category, subject, ${area}, severity, vault_name, title, message, next_step, details,
      transaction_url, content_hash, conditions, is_unconfirmed, block_number, block_hash, ${now}, ${now},
      case when notice is not null then ${now}::timestamptz end, case when notice is not null then severity end, notice
    from ${recordset(rows, `id uuid, chain_id bigint, vault_address text, category text, subject text, notice text, ${SHOWN}`)}`.execute(
    tx,
  );
}

async function writeShown(tx: Tx, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update alerts a set severity = r.severity, vault_name = r.vault_name, title = r.title, message = r.message, next_step = r.next_step,
      details = r.details, transaction_url = r.transaction_url, content_hash = r.content_hash, conditions = r.conditions,
      is_unconfirmed = r.is_unconfirmed, block_number = coalesce(r.block_number, a.block_number),
      block_hash = coalesce(r.block_hash, a.block_hash)
    from ${recordset(rows, `id uuid, ${SHOWN}`)} where a.id = r.id`.execute(tx);
}

/** Whole sentences, as the rest of the message. */
const LEFT =
  "It is resolved because the configuration no longer names its chain or its vault; its cause may still be there.";

const LIFE = `id uuid, is_closed boolean, is_withdrawn boolean, is_left boolean, is_seen boolean, notice text, is_flapping boolean, quiet_since timestamptz,
  is_acknowledgement_lost boolean`;

async function writeLife(tx: Tx, rows: readonly object[], now: string): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update alerts a set
      resolved_at = case when r.is_closed then ${now}::timestamptz end,
      is_withdrawn = r.is_withdrawn,
      message = case when r.is_left then a.message || ' ' || ${LEFT} else a.message end,
      details = case when r.is_left then a.details || '{"resolved_because": "not_followed"}' else a.details end,
      last_seen_at = case when r.is_seen then ${now}::timestamptz else a.last_seen_at end,
      is_flapping = case when r.is_closed then a.is_flapping else r.is_flapping end,
      quiet_since = case when r.is_closed then a.quiet_since else r.quiet_since end,
      acknowledged_at = case when r.is_acknowledgement_lost then null else a.acknowledged_at end,
      acknowledged_by = case when r.is_acknowledgement_lost then null else a.acknowledged_by end,
      notified_at = case when r.notice is not null then ${now}::timestamptz else a.notified_at end,
      notified_severity = case when r.notice is not null then a.severity else a.notified_severity end,
      last_notice = coalesce(r.notice, a.last_notice)
    from ${recordset(rows, LIFE)} where a.id = r.id`.execute(tx);
}

function recordset(rows: readonly object[], columns: string): RawBuilder<unknown> {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (${sql.raw(columns)})`;
}

/** What webhooks get of new conditions, then the notices, in the order of the transitions. */
async function eventsOf(
  tx: Tx,
  chunk: readonly Named[],
  { nowMs, publicUrl }: ApplyParts,
  now: string,
): Promise<DomainEvent[]> {
  const told = chunk.filter(({ transition }) => noticeType(transition) !== null).map(({ id }) => id);
  const views = new Map<string, Alert>();
  if (told.length > 0) {
    const { rows } = await sql<AlertRow>`
      select ${sql.raw(ALERT_COLUMNS)} from alerts where id = any(${told}::uuid[])`.execute(tx);
    for (const row of rows) views.set(row.id, alertOf(row, publicUrl));
  }
  return chunk.flatMap(({ id, transition }) => {
    const place =
      transition.type === "open"
        ? transition.signal
        : (transition.alert as Pick<Signal, "chainId" | "vaultAddress">);
    const { chainId, vaultAddress } = place as Pick<Signal, "chainId" | "vaultAddress">;
    const events: { type: string; data: unknown }[] = [...conditionEvents(transition, nowMs)];
    const type = noticeType(transition);
    if (type !== null) events.push({ type, data: views.get(id) });
    return events.map((event) => ({ ...event, chainId, vaultAddress, at: now }) as DomainEvent);
  });
}

function conditionEvents(transition: Transition, nowMs: number) {
  if (transition.type === "close" || transition.signal === null) return [];
  const { signal } = transition;
  const added = transition.type === "open" ? signal.conditions : transition.added;
  return added.length === 0 ? [] : (signal.events?.(signal, added, nowMs) ?? []);
}

function noticeType(transition: Transition): DomainEvent["type"] | null {
  if (transition.type === "close") {
    if (!transition.isTold) return null;
    return transition.isWithdrawn ? "alert.withdrawn" : "alert.resolved";
  }
  if (transition.notice === null) return null;
  return transition.notice === "opened" ? "alert.firing" : "alert.updated";
}
