// From what is to be told to a channel's delivery, and the note of which channels know of which alert.
import { sql } from "kysely";
import type { NewDelivery } from "../../../delivery/types.ts";
import type { Alert } from "../../../events/alert.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Notice, NoticeForm } from "../notice/notice.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";

export interface NoticeParts {
  clock: Clock;
  /** How long channels that group wait for more. */
  collectMs: number;
  chainNames: ReadonlyMap<number, string>;
}

export interface News {
  /** What makes it one for a channel. */
  key: string;
  eventId: string | null;
  eventType: string;
  form: NoticeForm;
  at: string;
  alert: Alert;
  /** Of what was escalated: since when nobody took it. */
  unattendedSince?: string;
}

export function deliveryOf(
  { clock, collectMs, chainNames }: NoticeParts,
  provider: ProviderName,
  channelId: string,
  { key, eventId, eventType, form, at, alert, unattendedSince }: News,
): NewDelivery {
  const notice: Notice = {
    id: key,
    form,
    at,
    alert,
    chainName: chainNames.get(alert.chain_id) ?? null,
    ...(unattendedSince !== undefined && { unattendedSince }),
  };
  return {
    queue: "channel",
    targetId: channelId,
    key,
    eventId,
    eventType,
    chainId: alert.chain_id,
    vaultAddress: alert.vault_address,
    body: JSON.stringify(notice),
    dueAtMs: clock.now() + (PROVIDERS[provider].isGrouping ? collectMs : 0),
  };
}

/** Of which alerts which channels have been told. */
export async function storeTold(tx: Tx, told: readonly object[], nowMs: number): Promise<void> {
  if (told.length === 0) return;
  await sql`
    insert into channel_alerts (alert_id, channel_id, told_at)
    select alert_id, channel_id, ${timestampOfMs(nowMs)}
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as r (alert_id uuid, channel_id uuid)
    on conflict do nothing`.execute(tx);
}
