// From alert events to notices: which channels are told of an alert, and in which form.
//
// Guarantee: a channel is told of an alert's firing once, of its updates after that, and of its end exactly where the firing was told,
// bound meanwhile or not. An alert about what could not be delivered to a channel goes to others. A channel whose binding escalates is told
// of nothing before nobody took it in time (escalation.ts).
import { sql } from "kysely";
import { enqueue } from "../../../delivery/enqueue.ts";
import type { NewDelivery } from "../../../delivery/types.ts";
import type { Alert } from "../../../events/alert.ts";
import type { Subscriber } from "../../../events/fan-out.ts";
import type { PublishedEvent } from "../../../events/types.ts";
import { ALERT_SEVERITIES, type AlertSeverity } from "../../../monitors/base/finding.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { vaultIdOfRow } from "../../../vault.ts";
import type { NoticeForm } from "../notice/notice.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";
import { loadWaits, storeWaits, type Wait } from "./escalation.ts";
import { deliveryOf, type NoticeParts, storeTold } from "./notices.ts";

export interface FanOutParts extends NoticeParts {
  /** Ids of the channels that get what concerns no vault. */
  systemChannels: readonly string[];
}

type AlertEvent = Extract<PublishedEvent, { type: keyof typeof FORMS }>;
type Acknowledged = Extract<PublishedEvent, { type: "alert.acknowledged" }>;

export function channelSubscriber(parts: FanOutParts): Subscriber {
  return {
    name: "channels",
    types: [...(Object.keys(FORMS) as AlertEvent["type"][]), "alert.acknowledged"],
    async onEvents(tx, published) {
      const events = published as readonly (AlertEvent | Acknowledged)[];
      const alerts = events.flatMap((event) => (event.type === "alert.acknowledged" ? [] : [event]));
      const rooms = await readRooms(tx, alerts, parts.systemChannels);
      const waits = await loadWaits(tx, [...new Set(events.map(({ data }) => data.id))]);
      const made: NewDelivery[] = [];
      const told: { alert_id: string; channel_id: string }[] = [];
      const tell = (event: AlertEvent, channelId: string, form = FORMS[event.type] as NoticeForm) => {
        const { id: key, type: eventType, at, data: alert } = event;
        const provider = rooms.providers.get(channelId) as ProviderName;
        made.push(deliveryOf(parts, provider, channelId, { key, eventId: key, eventType, form, at, alert }));
      };
      for (const event of events) {
        const waiting = waits.get(event.data.id) as Map<string, Wait>;
        if (event.type === "alert.acknowledged") {
          waiting.clear();
          continue;
        }
        const alert = event.data;
        if (event.type === "alert.silenced") {
          for (const channelId of readersOf(alert, rooms)) tell(event, channelId);
          continue;
        }
        const known = rooms.told.get(alert.id) ?? new Set<string>();
        rooms.told.set(alert.id, known);
        if (isEnd(event)) {
          for (const channelId of known) tell(event, channelId);
          waiting.clear();
          continue;
        }
        for (const channelId of channelsFor(alert, rooms, parts.systemChannels)) {
          if (!known.has(channelId)) told.push({ alert_id: alert.id, channel_id: channelId });
          tell(event, channelId, known.has(channelId) ? FORMS[event.type] : "firing");
          known.add(channelId);
        }
        for (const channelId of escalationsFor(alert, rooms)) {
          const wait = waiting.get(channelId);
          if (wait === undefined) waiting.set(channelId, { since: event.at, isTold: false });
          else if (wait.isTold) tell(event, channelId);
        }
      }
      const nowMs = parts.clock.now();
      await storeTold(tx, told, nowMs);
      await storeWaits(tx, waits);
      await enqueue(tx, made, nowMs);
    },
  };
}

interface Binding {
  channelId: string;
  /** Null: all. */
  categories: AlertCategory[] | null;
  minSeverity: AlertSeverity;
  /** Null: the channel is told at once. */
  escalateAfterSeconds: number | null;
}

interface Rooms {
  providers: Map<string, ProviderName>;
  enabled: Set<string>;
  /** By vault. */
  bindings: Map<string, Binding[]>;
  /** By alert: the channels that know of it. */
  told: Map<string, Set<string>>;
}

/** Which channels an alert's firing goes to. Pure. */
function channelsFor(alert: Alert, rooms: Rooms, systemChannels: readonly string[]): string[] {
  // A dead letter of a channel is no news for that channel.
  const silent = alert.category === "system" ? alert.details.target_id : null;
  const heard = (ids: readonly string[]) => ids.filter((id) => rooms.enabled.has(id) && id !== silent);
  if (alert.chain_id === 0) return heard(systemChannels);
  const bound = boundTo(alert, rooms)
    .filter((binding) => binding.escalateAfterSeconds === null && admits(binding, alert))
    .map(({ channelId }) => channelId);
  const channels = heard(bound);
  return channels.length === 0 && silent !== null && silent !== undefined ? heard(systemChannels) : channels;
}

/** Which channels are told of it unless somebody takes it. Pure. */
function escalationsFor(alert: Alert, rooms: Rooms): string[] {
  const silent = alert.category === "system" ? alert.details.target_id : null;
  return boundTo(alert, rooms)
    .filter((binding) => binding.escalateAfterSeconds !== null && admits(binding, alert))
    .map(({ channelId }) => channelId)
    .filter((id) => id !== silent);
}

function boundTo(alert: Alert, { bindings }: Rooms): Binding[] {
  return bindings.get(vaultIdOfRow(alert)) ?? [];
}

function admits(binding: Binding, { category, severity }: Alert): boolean {
  return (
    isOfCategory(binding, category) &&
    ALERT_SEVERITIES.indexOf(severity) <= ALERT_SEVERITIES.indexOf(binding.minSeverity)
  );
}

function isOfCategory({ categories }: Binding, category: AlertCategory): boolean {
  return categories?.includes(category) ?? true;
}

/**
 * Where people read that something is silenced: on every channel that is told of the category at once, but those whose messages are
 * incidents.
 */
function readersOf(alert: Alert, rooms: Rooms): string[] {
  return boundTo(alert, rooms)
    .filter((binding) => binding.escalateAfterSeconds === null && isOfCategory(binding, alert.category))
    .map(({ channelId }) => channelId)
    .filter((id) => PROVIDERS[rooms.providers.get(id) as ProviderName].isGrouping);
}

async function readRooms(
  tx: Tx,
  events: readonly AlertEvent[],
  systemChannels: readonly string[],
): Promise<Rooms> {
  const alerts = events.map(({ data }) => data);
  const { rows: bindings } = await sql<{
    channel_id: string;
    provider: ProviderName;
    chain_id: number;
    vault_address: string;
    categories: AlertCategory[] | null;
    min_severity: AlertSeverity;
    escalate_after_seconds: number | null;
  }>`
    select b.channel_id, c.provider, b.chain_id, b.vault_address, case when not b.is_all_categories then b.categories end as categories, b.min_severity, b.escalate_after_seconds
    from channel_bindings b join notification_channels c on c.id = b.channel_id and c.is_enabled
    where (b.chain_id, b.vault_address) in (
      select * from unnest(${alerts.map((one) => one.chain_id)}::bigint[], ${alerts.map((one) => one.vault_address as string)}::text[]))
    order by b.bound_at, b.channel_id`.execute(tx);
  const { rows: told } = await sql<{ alert_id: string; channel_id: string; provider: ProviderName }>`
    select a.alert_id, a.channel_id, c.provider
    from channel_alerts a join notification_channels c on c.id = a.channel_id
    where a.alert_id = any (${alerts.map(({ id }) => id)}::uuid[])`.execute(tx);
  const { rows: system } = await sql<{ id: string; provider: ProviderName }>`
    select id, provider from notification_channels
    where id::text = any (${systemChannels.map((id) => id.toLowerCase())}::text[]) and is_enabled`.execute(
    tx,
  );
  const rooms: Rooms = { providers: new Map(), enabled: new Set(), bindings: new Map(), told: new Map() };
  for (const { id, provider } of system) {
    rooms.providers.set(id, provider);
    rooms.enabled.add(id);
  }
  for (const { alert_id, channel_id, provider } of told) {
    rooms.providers.set(channel_id, provider);
    const channels = rooms.told.get(alert_id) ?? new Set();
    rooms.told.set(alert_id, channels.add(channel_id));
  }
  for (const row of bindings) {
    rooms.providers.set(row.channel_id, row.provider);
    rooms.enabled.add(row.channel_id);
    const place = vaultIdOfRow(row);
    const ofVault = rooms.bindings.get(place) ?? [];
    const { channel_id: channelId, categories, min_severity: minSeverity } = row;
    const { escalate_after_seconds: escalateAfterSeconds } = row;
    rooms.bindings.set(place, [...ofVault, { channelId, categories, minSeverity, escalateAfterSeconds }]);
  }
  return rooms;
}

function isEnd({ type }: AlertEvent): boolean {
  return type === "alert.resolved" || type === "alert.withdrawn";
}

const FORMS = {
  "alert.firing": "firing",
  "alert.updated": "update",
  "alert.resolved": "resolved",
  "alert.withdrawn": "withdrawn",
  "alert.silenced": "silenced",
} as const;
