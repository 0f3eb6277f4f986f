// The bytes that a webhook gets, made once for an event and sent as they are ever after.
import type { WebhookEventType } from "../../events/types.ts";
import { EVENT_TYPES, type EventType, type PublishedEvent } from "../../events/types.ts";

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as WebhookEventType[];

/** What only endpoints get that name it: it asks to be acted on. */
const ONLY_BY_NAME: readonly WebhookEventType[] = ["alert.dispatch"];

/** What an endpoint gets that names none. */
export const ALL_EVENTS = EVENT_TYPE_NAMES.filter((type) => !ONLY_BY_NAME.includes(type));

/** The name under which webhooks get an event; null: they do not. An alert that is withdrawn is over, as one that is resolved. */
export function publicTypeOf(type: EventType): WebhookEventType | null {
  if (type === "alert.withdrawn") return "alert.resolved";
  return type in EVENT_TYPES ? (type as WebhookEventType) : null;
}

export function payloadOf(event: PublishedEvent, type: WebhookEventType): string {
  return JSON.stringify({
    event_id: `evt_${event.id}`,
    event_type: type,
    timestamp: event.at,
    vault_address: event.vaultAddress,
    chain_id: event.chainId,
    data: event.data,
  });
}
