// The webhook of a Telegram bot, of which each has one: set where a channel of it is to be answered from, and taken back after the last one. A
// webhook that somebody else has set is left alone.
import { type Egress, EgressError } from "../../../platform/egress/egress.ts";
import { Problem } from "../../../platform/errors.ts";
import { baseOf, type ChannelConfig, membersOf } from "../providers/provider.ts";
import { TELEGRAM_API } from "../providers/telegram.ts";

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;

export interface BotWebhook {
  /** Where it leads. */
  url: string;
  /** What the addresses of webhooks of this service begin with. */
  ownPrefix: string;
}

/** @throws Problem `conflict`: the bot has another webhook, or Telegram does not take this one */
export async function setBotWebhook(
  egress: Pick<Egress, "request">,
  config: ChannelConfig,
  { url, ownPrefix }: BotWebhook,
  secretToken: string,
): Promise<void> {
  const { url: before = "" } = (await call(egress, config, "getWebhookInfo", {})) as { url?: string };
  if (before !== "" && !before.startsWith(ownPrefix))
    throw new Problem(
      "conflict",
      "The bot has a webhook of another program. Use a bot of its own, or remove that webhook (deleteWebhook) first.",
    );
  await call(egress, config, "setWebhook", {
    url,
    secret_token: secretToken,
    allowed_updates: ["callback_query"],
    max_connections: 10,
  });
}

/** Only where it leads here. @throws Problem `conflict` where Telegram does not answer */
export async function removeBotWebhook(
  egress: Pick<Egress, "request">,
  config: ChannelConfig,
  { url }: Pick<BotWebhook, "url">,
): Promise<void> {
  const { url: before } = (await call(egress, config, "getWebhookInfo", {})) as { url?: string };
  if (before === url) await call(egress, config, "deleteWebhook", {});
}

async function call(
  egress: Pick<Egress, "request">,
  config: ChannelConfig,
  method: string,
  body: object,
): Promise<unknown> {
  try {
    const answer = await egress.request({
      url: `${baseOf(config, TELEGRAM_API)}/bot${config.bot_token}/${method}`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const { ok, result } = membersOf({ body: answer.body.toString("utf8") });
    if (answer.status === 200 && ok === true) return result;
    throw new Problem("conflict", `Telegram refused ${method} for this bot with status ${answer.status}.`);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // Nothing of the error is said: it may name the URL, in which the token stands.
    throw new Problem("conflict", `Telegram could not be asked for ${method}. Try again.`);
  }
}
