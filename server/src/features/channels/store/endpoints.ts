// The endpoints to which providers send what is pressed, one for all channels that share a secret, with the keys that prove a request and seal
// the buttons. They stand sealed beside each other, so that neither is used for another row.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { type SecretBox, sealedIn } from "../../../platform/secret-box.ts";
import type { ChannelConfig } from "../providers/provider.ts";

/** The providers from which one can answer, each with the secret of a configuration by which channels share an endpoint. */
const SHARED_SECRET = { slack: "signing_secret", telegram: "bot_token" } as const;
export type ChatName = keyof typeof SHARED_SECRET;

export interface Endpoint {
  id: string;
  provider: ChatName;
  /** What proves a request: Slack's signing secret, or the token that Telegram was told. */
  secret: string;
  buttonKey: Buffer;
}

/** Where the provider sends to. */
export function inboundUrl(publicUrl: string, provider: string, endpointId: string): string {
  return `${publicUrl}/api/v1/inbound/${provider}/${endpointId}`;
}

/** The endpoint of the configuration's secret, made where there is none. */
export async function endpointOf(
  tx: Tx,
  box: SecretBox,
  nowMs: number,
  provider: ChatName,
  config: ChannelConfig,
): Promise<Endpoint> {
  // What was made for a channel that then was not stored.
  await sql`
    delete from chat_endpoints e where created_at < ${timestampOfMs(nowMs - UNUSED_MS)}
      and not exists (select from notification_channels c where c.chat_endpoint_id = e.id)`.execute(tx);
  const shared = config[SHARED_SECRET[provider]] as string;
  const id = randomUUID();
  const secret = provider === "slack" ? shared : randomBytes(32).toString("base64url");
  const sealed = box.seal(
    JSON.stringify({ secret, button_key: randomBytes(32).toString("base64") }),
    sealedIn("chat_endpoints", "sealed_secrets", id),
  );
  const { rows } = await sql<EndpointRow>`
    insert into chat_endpoints (id, provider, fingerprint, sealed_secrets, created_at)
    values (${id}, ${provider}, ${fingerprintOf(provider, config)}, ${sealed}, ${timestampOfMs(nowMs)})
    on conflict (fingerprint) do update set provider = excluded.provider
    returning id, provider, sealed_secrets`.execute(tx);
  return opened(box, rows[0] as EndpointRow);
}

export async function findEndpoint(
  db: Pick<Database, "kysely">,
  box: SecretBox,
  provider: ChatName,
  id: string,
): Promise<Endpoint | null> {
  const { rows } = await sql<EndpointRow>`
    select id, provider, sealed_secrets from chat_endpoints where id = ${id} and provider = ${provider}`.execute(
    db.kysely,
  );
  return rows[0] === undefined ? null : opened(box, rows[0]);
}

/** Keeps an endpoint from being forgotten while a channel comes to it. @throws Problem `conflict` where it is another secret's by now */
export async function holdEndpoint(
  tx: Tx,
  id: string,
  provider: ChatName,
  config: ChannelConfig,
): Promise<void> {
  const { rows } = await sql`
    select from chat_endpoints where id = ${id} and fingerprint = ${fingerprintOf(provider, config)} for share`.execute(
    tx,
  );
  if (rows.length === 0)
    throw new Problem("conflict", "Somebody else changed the channel at the same time. Try again.");
}

/** Whether another channel is answered from through the endpoint. */
export async function isShared(
  db: Pick<Database, "kysely">,
  endpointId: string,
  channelId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from notification_channels where chat_endpoint_id = ${endpointId} and id <> ${channelId} limit 1`.execute(
    db.kysely,
  );
  return rows.length > 0;
}

/** Forgets an endpoint, its secrets and its links, once no channel has it. */
export async function forgetEndpoint(tx: Tx, id: string): Promise<void> {
  await sql`
    delete from chat_endpoints e where id = ${id}
      and not exists (select from notification_channels c where c.chat_endpoint_id = e.id)`.execute(tx);
}

/** What is handled already is known by this; the first to say so does it. */
export async function markHandled(tx: Tx, endpointId: string, key: string, nowMs: number): Promise<boolean> {
  await sql`delete from chat_handled where handled_at < ${timestampOfMs(nowMs - KEPT_MS)}`.execute(tx);
  const { rows } = await sql`
    insert into chat_handled (endpoint_id, key, handled_at) values (${endpointId}, ${key}, ${timestampOfMs(nowMs)})
    on conflict do nothing returning key`.execute(tx);
  return rows.length > 0;
}

const UNUSED_MS = 3_600_000;
const KEPT_MS = 24 * 3_600_000;

interface EndpointRow {
  id: string;
  provider: ChatName;
  sealed_secrets: string;
}

export function opened(box: SecretBox, { id, provider, sealed_secrets: sealed }: EndpointRow): Endpoint {
  const content = JSON.parse(box.open(sealed, sealedIn("chat_endpoints", "sealed_secrets", id))) as {
    secret: string;
    button_key: string;
  };
  return { id, provider, secret: content.secret, buttonKey: Buffer.from(content.button_key, "base64") };
}

function fingerprintOf(provider: ChatName, config: ChannelConfig): string {
  // At another host the same token is another server's bot.
  const parts = [provider, config[SHARED_SECRET[provider]], config.base_url ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
