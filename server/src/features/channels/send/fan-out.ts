// From alert events to notices: which channels are told of an alert, and in which form.
//
// Guarantee: a channel is told of an alert's firing once, of its updates after that, and of its end exactly where the firing was told,
// bound meanwhile or not. An alert about what could not be delivered to a channel goes to others.
import { sql } from "kysely";
import { enqueue } from "../../../delivery/enqueue.ts";
import type { NewDelivery } from "../../../delivery/types.ts";
import type { Alert } from "../../../events/alert.ts";
import type { Subscriber } from "../../../events/fan-out.ts";
import type { PublishedEvent } from "../../../events/types.ts";
import { ALERT_SEVERITIES, type AlertSeverity } from "../../../monitors/base/finding.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { vaultIdOfRow } from "../../../vault.ts";
import type { Notice, NoticeForm } from "../notice/notice.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";

export interface FanOutParts {
  clock: Clock;
  /** Ids of the channels that get what concerns no vault. */
  systemChannels: readonly string[];
  /** How long channels that group wait for more. */
  collectMs: number;
  chainNames: ReadonlyMap<number, string>;
}

type AlertEvent = Extract<PublishedEvent, { type: keyof typeof FORMS }>;

export function channelSubscriber(parts: FanOutParts): Subscriber {
  return {
    name: "channels",
    types: ["alert.firing", "alert.updated", "alert.resolved", "alert.withdrawn", "alert.silenced"],
    async onEvents(tx, events) {
      const alerts = events as readonly AlertEvent[];
      const rooms = await readRooms(tx, alerts, parts.systemChannels);
      const made: NewDelivery[] = [];
      const told: { alert_id: string; channel_id: string }[] = [];
      for (const event of alerts) {
        const alert = event.data;
        if (event.type === "alert.silenced") {
          for (const channelId of readersOf(alert, rooms))
            made.push(deliveryOf(parts, rooms, event, channelId, formOf(event)));
          continue;
        }
        const known = rooms.told.get(alert.id) ?? new Set<string>();
        rooms.told.set(alert.id, known);
        if (isEnd(event)) {
          for (const channelId of known) made.push(deliveryOf(parts, rooms, event, channelId, formOf(event)));
          continue;
        }
        for (const channelId of channelsFor(alert, rooms, parts.systemChannels)) {
          const form = known.has(channelId) ? formOf(event) : "firing";
          if (!known.has(channelId)) told.push({ alert_id: alert.id, channel_id: channelId });
          known.add(channelId);
          made.push(deliveryOf(parts, rooms, event, channelId, form));
        }
      }
      const nowMs = parts.clock.now();
      await storeTold(tx, told, nowMs);
      await enqueue(tx, made, nowMs);
    },
  };
}

interface Rooms {
  providers: Map<string, ProviderName>;
  enabled: Set<string>;
  /** By vault. */
  bindings: Map<
    string,
    { channelId: string; categories: AlertCategory[] | null; minSeverity: AlertSeverity }[]
  >;
  /** By alert: the channels that know of it. */
  told: Map<string, Set<string>>;
}

/** Which channels an alert's firing goes to. Pure. */
function channelsFor(alert: Alert, rooms: Rooms, systemChannels: readonly string[]): string[] {
  // A dead letter of a channel is no news for that channel.
  const silent = alert.category === "system" ? alert.details.target_id : null;
  const heard = (ids: readonly string[]) => ids.filter((id) => rooms.enabled.has(id) && id !== silent);
  if (alert.chain_id === 0) return heard(systemChannels);
  const bound = (rooms.bindings.get(vaultIdOfRow(alert)) ?? [])
    .filter(
      ({ categories, minSeverity }) =>
        (categories?.includes(alert.category) ?? true) &&
        ALERT_SEVERITIES.indexOf(alert.severity) <= ALERT_SEVERITIES.indexOf(minSeverity),
    )
    .map(({ channelId }) => channelId);
  const channels = heard(bound);
  return channels.length === 0 && silent !== null && silent !== undefined ? heard(systemChannels) : channels;
}

/** Where people read that something is silenced: on every channel that is told of the category, but those whose messages are incidents. */
function readersOf(alert: Alert, { bindings, providers }: Rooms): string[] {
  return (bindings.get(vaultIdOfRow(alert)) ?? [])
    .filter(({ categories }) => categories?.includes(alert.category) ?? true)
    .map(({ channelId }) => channelId)
    .filter((id) => PROVIDERS[providers.get(id) as ProviderName].isGrouping);
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
  }>`
    select b.channel_id, c.provider, b.chain_id, b.vault_address, case when not b.is_all_categories then b.categories end as categories, b.min_severity
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
    const { channel_id: channelId, categories, min_severity: minSeverity } = row;
    const ofVault = rooms.bindings.get(place) ?? [];
    rooms.bindings.set(place, [...ofVault, { channelId, categories, minSeverity }]);
  }
  return rooms;
}

function deliveryOf(
  { clock, collectMs, chainNames }: FanOutParts,
  { providers }: Rooms,
  event: AlertEvent,
  channelId: string,
  form: NoticeForm,
): NewDelivery {
  const notice: Notice = {
    id: event.id,
    form,
    at: event.at,
    alert: event.data,
    chainName: chainNames.get(event.chainId) ?? null,
  };
  const { isGrouping } = PROVIDERS[providers.get(channelId) as ProviderName];
  return {
    queue: "channel",
    targetId: channelId,
    key: event.id,
    eventId: event.id,
    eventType: event.type,
    chainId: event.chainId,
    vaultAddress: event.vaultAddress,
    body: JSON.stringify(notice),
    dueAtMs: clock.now() + (isGrouping ? collectMs : 0),
  };
}

async function storeTold(tx: Tx, told: readonly object[], nowMs: number): Promise<void> {
  if (told.length === 0) return;
  await sql`
    insert into channel_alerts (alert_id, channel_id, told_at)
    select alert_id, channel_id, ${timestampOfMs(nowMs)}
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as r (alert_id uuid, channel_id uuid)
    on conflict do nothing`.execute(tx);
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

function formOf({ type }: AlertEvent): NoticeForm {
  return FORMS[type];
}
