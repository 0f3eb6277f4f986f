// Channels read for sending: with their configuration opened, and what they have taken before.
import { sql } from "kysely";
import type { Database } from "../../../platform/db/db.ts";
import type { Logger } from "../../../platform/log.ts";
import { type SecretBox, SecretBoxError, sealedIn } from "../../../platform/secret-box.ts";
import { type ButtonAction, sealButton } from "../notice/sealed-button.ts";
import type { ChannelConfig, Provider } from "../providers/provider.ts";
import type { ProviderName } from "../providers/registry.ts";
import { PROVIDERS } from "../providers/registry.ts";
import { type ChatName, opened as openEndpoint } from "../store/endpoints.ts";
import { type AskedAddress, askedAddresses } from "../store/mail-addresses.ts";
import { MAIL_OWNER } from "../store/store.ts";

/** One configuration of a channel, whole. */
export interface OpenConfig {
  id: string;
  whole: ChannelConfig;
}

/** A channel as it is sent to. */
export interface ChannelTarget {
  kind: "channel";
  id: string;
  /** Whose mail it sends. */
  owner: string;
  provider: Provider;
  /** Null: its secrets do not open, as when a key is missing. */
  current: OpenConfig | null;
  /** Where one answers from it: what seals its buttons. */
  seal?: ((action: ButtonAction, subjectId: string) => string) | undefined;
}

export interface AcceptedFiring {
  /** The configuration under which the channel took it; null where that is forgotten. */
  config: OpenConfig | null;
}

interface ConfigRow {
  config_id: string;
  config: ChannelConfig;
  sealed_secrets: string;
}

interface TargetRow {
  id: string;
  provider: ProviderName;
  mail_owner: string;
  endpoint_id: string | null;
  endpoint_secrets: string | null;
}

/** An address as it is asked whether it wants mail. */
export interface AddressTarget extends AskedAddress {
  kind: "address";
}

/** The channels that are enabled, and the addresses that wait to be confirmed. */
export async function loadTargets(
  db: Pick<Database, "kysely">,
  box: SecretBox,
  log: Logger,
  ids: readonly string[],
): Promise<Map<string, ChannelTarget | AddressTarget | null>> {
  const { rows } = await sql<ConfigRow & TargetRow>`
    select c.id, c.provider, ${MAIL_OWNER} as mail_owner, g.id as config_id, g.config, g.sealed_secrets,
      e.id as endpoint_id, e.sealed_secrets as endpoint_secrets
    from notification_channels c join channel_configs g on g.channel_id = c.id and g.is_current
    left join chat_endpoints e on e.id = c.chat_endpoint_id
    where c.id = any (${[...ids]}::uuid[]) and c.is_enabled`.execute(db.kysely);
  const targets = new Map<string, ChannelTarget | AddressTarget | null>();
  for (const row of rows) {
    let current: OpenConfig | null = null;
    let seal: ChannelTarget["seal"];
    try {
      current = opened(box, row);
      seal = sealerOf(box, row);
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error;
      log.error({ err: error, channel_id: row.id }, "a channel's secrets cannot be decrypted");
    }
    const provider = PROVIDERS[row.provider];
    targets.set(row.id, { kind: "channel", id: row.id, owner: row.mail_owner, provider, current, seal });
  }
  const others = ids.filter((id) => !targets.has(id));
  if (others.length === 0) return targets;
  for (const asked of await askedAddresses(db.kysely, others))
    targets.set(asked.id, { kind: "address", ...asked });
  return targets;
}

function sealerOf(box: SecretBox, row: TargetRow): ChannelTarget["seal"] {
  const { id: channelId, endpoint_id: id, endpoint_secrets: sealed } = row;
  if (id === null || sealed === null) return undefined;
  const { buttonKey } = openEndpoint(box, { id, provider: row.provider as ChatName, sealed_secrets: sealed });
  return (action, subjectId) => sealButton(buttonKey, { action, channelId, subjectId });
}

/** Of these alerts those whose firing the channel has taken. */
export async function acceptedFirings(
  db: Pick<Database, "kysely">,
  box: SecretBox,
  channelId: string,
  alertIds: readonly string[],
): Promise<Map<string, AcceptedFiring>> {
  const { rows } = await sql<{ alert_id: string } & (ConfigRow | { config_id: null })>`
    select a.alert_id, g.id as config_id, g.config, g.sealed_secrets
    from channel_alerts a left join channel_configs g on g.id = a.config_id
    where a.channel_id = ${channelId} and a.alert_id = any (${[...alertIds]}::uuid[]) and a.accepted_at is not null`.execute(
    db.kysely,
  );
  const configs = new Map<string, OpenConfig>();
  const accepted = new Map<string, AcceptedFiring>();
  for (const row of rows) {
    if (row.config_id === null) {
      accepted.set(row.alert_id, { config: null });
      continue;
    }
    const config = configs.get(row.config_id) ?? opened(box, row);
    configs.set(row.config_id, config);
    accepted.set(row.alert_id, { config });
  }
  return accepted;
}

function opened(box: SecretBox, { config_id: id, config, sealed_secrets: sealed }: ConfigRow): OpenConfig {
  const secrets = JSON.parse(box.open(sealed, sealedIn("channel_configs", "sealed_secrets", id)));
  return { id, whole: { ...config, ...(secrets as ChannelConfig) } };
}
