// Switching on and off that one answers from a channel: what its configuration must hold, its endpoint, and a Telegram bot's webhook. What a
// provider is told stands before what is stored, so that a process that dies in between leaves something that the same request mends.
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { Problem } from "../../../platform/errors.ts";
import type { Logger } from "../../../platform/log.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { ChannelConfig } from "../providers/provider.ts";
import { type ChatName, endpointOf, inboundUrl, isShared } from "../store/endpoints.ts";
import { chatOf } from "./registry.ts";
import { removeBotWebhook, setBotWebhook } from "./telegram-webhook.ts";

export interface SwitchParts {
  db: Pick<Database, "transaction" | "kysely">;
  clock: Clock;
  log: Logger;
  box: SecretBox;
  egress: Pick<Egress, "request">;
  publicUrl: string;
}

/** Returns the endpoint's id, under which the channel is to be stored. @throws Problem `invalid_request`, `conflict` */
export async function switchOn(
  { db, clock, box, egress, publicUrl }: SwitchParts,
  provider: string,
  config: ChannelConfig,
): Promise<string> {
  const chat = chatOf(provider);
  const faults =
    chat === null
      ? [{ path: "/interactive", message: "is for channels of Slack and Telegram" }]
      : chat.lacks(config).map(({ member, message }) => ({ path: `/config/${member}`, message }));
  if (faults.length > 0)
    throw new Problem("invalid_request", `${faults[0]?.path} ${faults[0]?.message}.`, { errors: faults });
  const name = provider as ChatName;
  const { id, secret } = await db.transaction((tx) => endpointOf(tx, box, clock.now(), name, config));
  if (name === "telegram") {
    const webhook = { url: inboundUrl(publicUrl, name, id), ownPrefix: inboundUrl(publicUrl, name, "") };
    await setBotWebhook(egress, config, webhook, secret);
  }
  return id;
}

/** Tells the provider that nothing goes to the channel's endpoint any more, where no other channel has it. Telegram's silence stops nobody. */
export async function switchOff(
  { db, log, egress, publicUrl }: SwitchParts,
  channel: { id: string; provider: string; endpointId: string },
  config: ChannelConfig,
): Promise<void> {
  if (channel.provider !== "telegram" || (await isShared(db, channel.endpointId, channel.id))) return;
  const url = inboundUrl(publicUrl, channel.provider, channel.endpointId);
  try {
    await removeBotWebhook(egress, config, { url });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ channel_id: channel.id, reason: error.message }, "a bot's webhook could not be removed");
  }
}
