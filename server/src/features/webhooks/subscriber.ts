// From events to deliveries: one for each endpoint that wants the event and whose owner manages or operates its vault at this moment. Of an
// endpoint for all vaults these are the ones that its owner has accepted.
import { sql } from "kysely";
import { IS_ACCEPTED } from "../../auth/acceptance.ts";
import { enqueue } from "../../delivery/enqueue.ts";
import type { Alert } from "../../events/alert.ts";
import type { Subscriber } from "../../events/fan-out.ts";
import type { EventType, PublishedEvent, WebhookEventType } from "../../events/types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/db/db.ts";
import { vaultIdOf } from "../../vault.ts";
import { ALL_EVENTS, EVENT_TYPE_NAMES, payloadOf, publicTypeOf } from "./payload.ts";

export function webhookSubscriber(clock: Clock): Subscriber {
  return {
    name: "webhooks",
    types: [...(EVENT_TYPE_NAMES as EventType[]), "alert.withdrawn"],
    async onEvents(tx, events) {
      const wanted = await endpointsFor(tx, events);
      const nowMs = clock.now();
      const deliveries = events.flatMap((event) => {
        const ids = wanted.get(event.seq);
        if (ids === undefined) return [];
        const type = publicTypeOf(event.type) as WebhookEventType;
        const body = payloadOf(event, type);
        return ids.map((targetId) => ({
          queue: "webhook" as const,
          targetId,
          key: event.id,
          eventId: event.id,
          eventType: type,
          chainId: event.chainId,
          vaultAddress: event.vaultAddress,
          body,
          dueAtMs: nowMs,
        }));
      });
      await enqueue(tx, deliveries, nowMs);
    },
  };
}

/** Of an event of an alert. */
function categoryOf(event: PublishedEvent): string | null {
  if (event.type === "alert.dispatch") return event.data.alert.category;
  return event.type.startsWith("alert.") ? (event.data as Alert).category : null;
}

/** Ids of the endpoints that get each event, by the event's seq. A role lost counts at the head, as everywhere. */
async function endpointsFor(tx: Tx, events: readonly PublishedEvent[]): Promise<Map<number, string[]>> {
  const rows = events.map((event) => ({
    seq: event.seq,
    type: publicTypeOf(event.type),
    chain_id: event.chainId,
    vault_address: event.vaultAddress,
    vault_id: vaultIdOf(event),
    category: categoryOf(event),
  }));
  const { rows: found } = await sql<{ seq: number; ids: string[] }>`
    select e.seq, array_agg(distinct w.id order by w.id) as ids
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (seq bigint, type text, chain_id bigint, vault_address text, vault_id text, category text)
    join vault_operators r on r.chain_id = e.chain_id and r.vault_address = e.vault_address
    join webhooks w on w.created_by = r.wallet and w.is_enabled
      and (w.limited_to_chain_id is null or w.limited_to_chain_id = r.chain_id)
      and (w.event_types is null and e.type = any (${[...ALL_EVENTS]}::text[]) or e.type = any (w.event_types))
      and (e.category is null or w.alert_categories is null or e.category = any (w.alert_categories)) and (e.vault_id = any (w.vaults) or w.vaults is null and ${IS_ACCEPTED})
    group by e.seq`.execute(tx);
  return new Map(found.map(({ seq, ids }) => [seq, ids]));
}
