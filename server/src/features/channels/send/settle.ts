// What follows from the outcomes of notices, stored in the transaction that stores the outcomes: which alerts a channel has taken, and
// that a channel is gone or has moved, which is recorded in the audit log as any change of a channel is.
import { sql } from "kysely";
import { zeroAddress } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { AuditEntryInput } from "../../../audit/entries/entries.ts";
import type { Settled } from "../../../delivery/types.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { isFiring, isOver, type Notice } from "../notice/notice.ts";
import type { ChannelConfig } from "../providers/provider.ts";
import { changesBetween } from "../store/config.ts";
import { CONFIRMATION } from "../store/mail-addresses.ts";
import { currentConfig, entry, forgetConfigs, insertConfig, setEnabled } from "../store/store.ts";
import { forgetSent } from "./rate-budget.ts";

/** What an outcome tells beside its kind, as its note. */
export interface Note {
  /** The configuration that was sent under. */
  configId: string;
  /** The channel will take nothing any more; why. */
  gone?: string;
  /** Members of the configuration that have become others. */
  config?: ChannelConfig;
}

export async function settleNotices(
  tx: Tx,
  box: SecretBox,
  nowMs: number,
  log: Logger,
  settled: readonly Settled[],
): Promise<void> {
  const accepted: { channel_id: string; alert_id: string; config_id: string }[] = [];
  const ended: { channel_id: string; alert_id: string; is_over: boolean }[] = [];
  const notes = new Map<string, Note>();
  for (const { delivery, outcome, status } of settled) {
    if (delivery.eventType === CONFIRMATION) continue;
    const notice = JSON.parse(delivery.body) as Notice;
    const note = outcome.note === undefined ? null : (JSON.parse(outcome.note) as Note);
    if (note !== null) notes.set(delivery.targetId, { ...notes.get(delivery.targetId), ...note });
    if (!isFiring(notice) && !isOver(notice)) continue;
    const place = { channel_id: delivery.targetId, alert_id: notice.alert.id };
    if (outcome.kind === "delivered" && isFiring(notice) && note !== null)
      accepted.push({ ...place, config_id: note.configId });
    else if (status === "delivered" || status === "dead" || status === "canceled")
      ended.push({ ...place, is_over: isOver(notice) });
  }
  await forgetSent(tx, settled);
  await storeAccepted(tx, accepted, nowMs);
  await storeEnded(tx, ended);
  const entries: AuditEntryInput[] = [];
  for (const [channelId, { gone, config }] of notes) {
    if (gone === undefined && config === undefined) continue;
    const { rows } = await sql<{ is_enabled: boolean }>`
      select is_enabled from notification_channels where id = ${channelId} for update`.execute(tx);
    const [channel] = rows;
    if (channel === undefined) continue;
    const changed: string[] = [];
    if (config !== undefined) changed.push(...(await moveConfig(tx, box, nowMs, channelId, config)));
    if (gone !== undefined && channel.is_enabled) {
      await setEnabled(tx, nowMs, channelId, false, gone);
      changed.push("is_enabled");
      log.warn({ channel_id: channelId, reason: gone }, "a channel was disabled: its provider has none");
    }
    if (changed.length === 0) continue;
    await sql`update notification_channels set updated_at = ${timestampOfMs(nowMs)} where id = ${channelId}`.execute(
      tx,
    );
    const reason = gone ?? "the provider says that it is another now";
    entries.push(
      entry("notification_channel_update", zeroAddress, { channel_id: channelId, changed, reason }),
    );
  }
  await record(tx, entries);
}

/** The first acceptance counts: it is what a resolve must be told under. */
async function storeAccepted(tx: Tx, accepted: readonly object[], nowMs: number): Promise<void> {
  if (accepted.length === 0) return;
  await sql`
    update channel_alerts a set accepted_at = ${timestampOfMs(nowMs)}, config_id = g.id
    from jsonb_to_recordset(${JSON.stringify(accepted)}::jsonb) as r (channel_id uuid, alert_id uuid, config_id uuid)
    left join channel_configs g on g.id = r.config_id
    where a.channel_id = r.channel_id and a.alert_id = r.alert_id and a.accepted_at is null`.execute(tx);
}

/** What is over there is forgotten, and a firing that never arrived is as if it had not been told. */
async function storeEnded(tx: Tx, ended: readonly { channel_id: string }[]): Promise<void> {
  if (ended.length === 0) return;
  await sql`
    delete from channel_alerts a
    using jsonb_to_recordset(${JSON.stringify(ended)}::jsonb) as r (channel_id uuid, alert_id uuid, is_over boolean)
    where a.channel_id = r.channel_id and a.alert_id = r.alert_id and (r.is_over or a.accepted_at is null)`.execute(
    tx,
  );
  await forgetConfigs(tx, [...new Set(ended.map(({ channel_id }) => channel_id))]);
}

/** Returns the names of what has become another. */
async function moveConfig(
  tx: Tx,
  box: SecretBox,
  nowMs: number,
  channelId: string,
  changes: ChannelConfig,
): Promise<string[]> {
  const current = await currentConfig(tx, box, channelId);
  const after = { ...current, config: { ...current.config, ...changes } };
  const names = changesBetween(current, after);
  if (names.length > 0) await insertConfig(tx, box, nowMs, channelId, after);
  return names.map((name) => `config.${name}`);
}
