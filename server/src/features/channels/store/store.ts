// Channels and their configurations as rows. Every change is recorded in the audit log in the transaction that makes it; of a secret
// nothing is recorded but that it changed.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import { record } from "../../../audit/append/record.ts";
import type { AuditEntryInput } from "../../../audit/entries/entries.ts";
import { cancelPending, forgiveTarget } from "../../../delivery/enqueue.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Caller } from "../../../platform/permission.ts";
import { type SecretBox, sealedIn } from "../../../platform/secret-box.ts";
import { addressesOf } from "../providers/email.ts";
import { KEEPS_DESTINATION } from "../providers/fields.ts";
import type { ChannelConfig } from "../providers/provider.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";
import { isChangeable, isVisible } from "./access.ts";
import { changesBetween, type SplitConfig } from "./config.ts";
import { type ChatName, forgetEndpoint, holdEndpoint } from "./endpoints.ts";
import { cutLinks } from "./links.ts";
import type { MailConsent } from "./mail-addresses.ts";
import { holdChannelLimit } from "./quotas.ts";

/** A channel as it is shown. */
export interface ChannelRow {
  id: string;
  provider: ProviderName;
  name: string;
  config: ChannelConfig;
  masks: ChannelConfig;
  created_by: Address;
  created_at: string;
  updated_at: string;
  is_enabled: boolean;
  disabled_reason: string | null;
  /** To what is pressed in it is sent; null: nothing can be answered from it. */
  chat_endpoint_id: string | null;
  /** Whose mail the addresses of the channel have agreed to: the wallet's, or that of a contract on its chain. Not shown. */
  mail_owner: string;
}

/** Of channel `c`. */
export const MAIL_OWNER = sql<string>`concat(c.limited_to_chain_id || ':', c.created_by)`;

/** With what the caller may do about it. */
export type OwnChannelRow = ChannelRow & { can_manage: boolean };

const COLUMNS = sql`c.id, c.provider, c.name, g.config, g.masks, c.created_by, c.created_at, c.updated_at, c.is_enabled, c.disabled_reason, c.chat_endpoint_id, ${MAIL_OWNER} as mail_owner`;
const FROM = sql`notification_channels c join channel_configs g on g.channel_id = c.id and g.is_current`;

/** The channels that the caller may see, the newest first. */
export async function listChannels(db: Pick<Database, "kysely">, caller: Caller): Promise<OwnChannelRow[]> {
  const { rows } = await sql<OwnChannelRow>`
    select ${COLUMNS}, ${isChangeable(caller)} as can_manage from ${FROM} where ${isVisible(caller)} order by c.created_at desc, c.id`.execute(
    db.kysely,
  );
  return rows;
}

/** A channel that the caller may see. `confirmed`: for a write. @throws Problem `not_found` */
export async function findChannel(
  db: Database["kysely"] | Tx,
  caller: Caller,
  id: string,
  confirmed = false,
): Promise<OwnChannelRow> {
  const { rows } = await sql<OwnChannelRow>`
    select ${COLUMNS}, ${isChangeable(caller)} as can_manage from ${FROM} where c.id = ${id} and ${isVisible(caller, confirmed)}`.execute(
    db,
  );
  if (rows[0] === undefined) throw channelNotFound();
  return rows[0];
}

export function channelNotFound(): Problem {
  return new Problem("not_found", "There is no such notification channel that you may see.");
}

export interface StoreParts {
  box: SecretBox;
  consent: MailConsent;
}

/** The addresses that a channel sends mail to; none where it sends no mail. */
export function recipientsOf(provider: ProviderName, config: ChannelConfig): string[] {
  return provider === "email" && config.to !== undefined ? addressesOf(config.to) : [];
}

export interface NewChannel {
  provider: ProviderName;
  name: string;
  split: SplitConfig;
  endpointId: string | null;
}

/** Makes a channel; recorded last. @throws Problem `channel_limit`, `rate_limited` */
export async function createChannel(
  tx: Tx,
  { box, consent }: StoreParts,
  nowMs: number,
  { wallet: by, limitedToChainId }: Caller,
  { provider, name, split, endpointId }: NewChannel,
): Promise<OwnChannelRow> {
  await holdChannelLimit(tx, by);
  const id = randomUUID();
  const now = timestampOfMs(nowMs);
  if (endpointId !== null)
    await holdEndpoint(tx, endpointId, provider as ChatName, { ...split.config, ...split.secrets });
  await sql`
    insert into notification_channels (id, provider, name, created_by, limited_to_chain_id, created_at, updated_at, chat_endpoint_id)
    values (${id}, ${provider}, ${name}, ${by}, ${limitedToChainId}, ${now}, ${now}, ${endpointId})`.execute(
    tx,
  );
  await insertConfig(tx, box, nowMs, id, split);
  const owner = limitedToChainId === null ? by : `${limitedToChainId}:${by}`;
  await consent.ask(tx, nowMs, { owner, by, addresses: recipientsOf(provider, split.config) });
  await record(tx, [entry("notification_channel_create", by, { channel_id: id, provider, name })]);
  return {
    id,
    provider,
    name,
    config: split.config,
    masks: split.masks,
    created_by: by,
    created_at: now,
    updated_at: now,
    is_enabled: true,
    disabled_reason: null,
    chat_endpoint_id: endpointId,
    mail_owner: owner,
    can_manage: true,
  };
}

/** Makes a configuration the current one. */
export async function insertConfig(
  tx: Tx,
  box: SecretBox,
  nowMs: number,
  channelId: string,
  { config, secrets, masks }: SplitConfig,
): Promise<void> {
  const id = randomUUID();
  const sealed = box.seal(JSON.stringify(secrets), sealedIn("channel_configs", "sealed_secrets", id));
  await sql`update channel_configs set is_current = false where channel_id = ${channelId} and is_current`.execute(
    tx,
  );
  await forgetConfigs(tx, [channelId]);
  await sql`
    insert into channel_configs (id, channel_id, config, masks, sealed_secrets, created_at)
    values (${id}, ${channelId}, ${JSON.stringify(config)}::jsonb, ${JSON.stringify(masks)}::jsonb, ${sealed},
      ${timestampOfMs(nowMs)})`.execute(tx);
}

/** Forgets configurations, and their secrets, under which no alert waits to be resolved and none can be on its way. */
export async function forgetConfigs(tx: Tx, channelIds: readonly string[]): Promise<void> {
  await sql`
    delete from channel_configs g where channel_id = any (${[...channelIds]}::uuid[]) and not is_current
      and not exists (select from channel_alerts a
        where a.channel_id = g.channel_id and (a.config_id = g.id or a.accepted_at is null))`.execute(tx);
}

export interface ChannelChanges {
  name?: string;
  isEnabled?: boolean;
  /** Given what there is, what there shall be. */
  config?: (before: SplitConfig) => SplitConfig;
  /** Where what is pressed shall go; null: nowhere. */
  endpointId?: string | null;
}

/** Changes a channel that the caller may change. @throws Problem `not_found`, `insufficient_role`, `rate_limited` */
export async function updateChannel(
  tx: Tx,
  { box, consent }: StoreParts,
  nowMs: number,
  caller: Caller,
  id: string,
  changes: ChannelChanges,
): Promise<OwnChannelRow> {
  const before = await lockChangeable(tx, caller, id);
  const changed: string[] = [];
  let cut: AuditEntryInput[] = [];
  if (changes.name !== undefined && changes.name !== before.name) {
    await sql`update notification_channels set name = ${changes.name} where id = ${id}`.execute(tx);
    changed.push("name");
  }
  if (changes.config !== undefined) {
    const current = await currentConfig(tx, box, id);
    const after = changes.config(current);
    const names = changesBetween(current, after);
    if (names.length > 0) {
      await insertConfig(tx, box, nowMs, id, after);
      if (names.some((name) => !keepsLinks(before.provider, name)))
        cut = await cutLinks(tx, before, caller.wallet);
      const known = recipientsOf(before.provider, before.config);
      const addresses = recipientsOf(before.provider, after.config).filter((each) => !known.includes(each));
      await consent.ask(tx, nowMs, { owner: before.mail_owner, by: caller.wallet, addresses });
    }
    changed.push(...names.map((name) => `config.${name}`));
  }
  const { endpointId = before.chat_endpoint_id } = changes;
  if (endpointId !== null && (changes.config !== undefined || changes.endpointId !== undefined)) {
    const { config, secrets } = await currentConfig(tx, box, id);
    await holdEndpoint(tx, endpointId, before.provider as ChatName, { ...config, ...secrets });
  }
  if (endpointId !== before.chat_endpoint_id) {
    await sql`update notification_channels set chat_endpoint_id = ${endpointId} where id = ${id}`.execute(tx);
    cut.push(...(await cutLinks(tx, before, caller.wallet)));
    if (before.chat_endpoint_id !== null) await forgetEndpoint(tx, before.chat_endpoint_id);
    if ((endpointId === null) !== (before.chat_endpoint_id === null)) changed.push("interactive");
  }
  if (changes.isEnabled !== undefined && changes.isEnabled !== before.is_enabled) {
    await setEnabled(tx, nowMs, id, changes.isEnabled);
    changed.push("is_enabled");
  }
  if (changed.length > 0) {
    await sql`update notification_channels set updated_at = ${timestampOfMs(nowMs)} where id = ${id}`.execute(
      tx,
    );
    const update = entry("notification_channel_update", caller.wallet, { channel_id: id, changed });
    await record(tx, [update, ...cut]);
  }
  return findChannel(tx, caller, id);
}

/** Deletes a channel that the caller may change. At most the send under way still goes out. @throws Problem as above */
export async function deleteChannel(tx: Tx, nowMs: number, caller: Caller, id: string): Promise<void> {
  const channel = await lockChangeable(tx, caller, id);
  const { provider, name, chat_endpoint_id: endpointId } = channel;
  const cut = await cutLinks(tx, channel, caller.wallet);
  await cancelPending(tx, id, nowMs);
  await sql`delete from channel_alerts where channel_id = ${id}`.execute(tx);
  await sql`delete from notification_channels where id = ${id}`.execute(tx);
  if (endpointId !== null) await forgetEndpoint(tx, endpointId);
  const deletion = entry("notification_channel_delete", caller.wallet, { channel_id: id, provider, name });
  await record(tx, [deletion, ...cut]);
}

/** Enables or disables; what was pending for a disabled channel is canceled. */
export async function setEnabled(
  tx: Tx,
  nowMs: number,
  id: string,
  isEnabled: boolean,
  reason: string | null = null,
): Promise<void> {
  await sql`
    update notification_channels set is_enabled = ${isEnabled}, disabled_reason = ${reason} where id = ${id}`.execute(
    tx,
  );
  if (isEnabled) await forgiveTarget(tx, id);
  else await cancelPending(tx, id, nowMs);
}

/** @throws Problem `not_found`, `insufficient_role` */
export async function lockChangeable(tx: Tx, caller: Caller, id: string): Promise<ChannelRow> {
  const { rows } = await sql<ChannelRow & { is_changeable: boolean }>`
    select ${COLUMNS}, ${isChangeable(caller)} as is_changeable
    from ${FROM} where c.id = ${id} and ${isVisible(caller)} for update of c`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw channelNotFound();
  if (!row.is_changeable) {
    throw new Problem(
      "insufficient_role",
      "Only its creator, or a wallet that manages every vault that the channel is bound to, can change it.",
    );
  }
  return row;
}

/** Of a channel that exists. */
export async function currentConfig(tx: Tx, box: SecretBox, channelId: string): Promise<SplitConfig> {
  const { rows } = await sql<{
    id: string;
    config: ChannelConfig;
    masks: ChannelConfig;
    sealed_secrets: string;
  }>`
    select id, config, masks, sealed_secrets from channel_configs where channel_id = ${channelId} and is_current`.execute(
    tx,
  );
  const { id, config, masks, sealed_secrets: sealed } = rows[0]!;
  const secrets = JSON.parse(box.open(sealed, sealedIn("channel_configs", "sealed_secrets", id)));
  return { config, masks, secrets: secrets as ChannelConfig };
}

/** Whether users stay who they are when the member changes. */
function keepsLinks(provider: ProviderName, member: string): boolean {
  const schema = PROVIDERS[provider].configSchema.properties[member] as { [KEEPS_DESTINATION]?: boolean };
  return schema?.[KEEPS_DESTINATION] === true;
}

type ChannelAction = "create" | "update" | "delete";

/** An entry that concerns no vault. */
export function entry<A extends `notification_channel_${ChannelAction}`>(
  action: A,
  actor: Address,
  details: Extract<AuditEntryInput, { action_type: A }>["details"],
): AuditEntryInput {
  return {
    action_type: action,
    vault_address: zeroAddress,
    chain_id: 0,
    actor_wallet: actor,
    details,
  } as AuditEntryInput;
}
