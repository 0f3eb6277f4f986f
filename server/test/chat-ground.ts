// Channels that one answers from, over a ground of channels: made, linked and pressed as people do it, with Slack's answers on the loopback.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ANNE, alertEvent, boundTo, CHANNELS, openChannelGround, testAlert, VAULT } from "./channels.ts";
import { pressSlack, SLACK_PLACE, type SlackPress, startSlackAnswers } from "./chat.ts";
import { FakeClock } from "./delivery.ts";

export interface Made {
  id: string;
  inbound_url: string;
}

interface Message {
  blocks: { type: string; elements: { action_id: string; value: string }[] }[];
  reply_markup: { inline_keyboard: { callback_data: string }[][] };
}

export const LINKS = "/api/v1/me/links";

export type ChatGround = Awaited<ReturnType<typeof openChatGround>>;

export async function openChatGround() {
  const slack = await startSlackAnswers();
  /** Named by the operator: tests put ids in. */
  const systemChannels: string[] = [];
  const ground = await openChannelGround({ systemChannels, egress: slack.egress });
  const { pool } = ground.database.db;

  /** So much later: longer than a channel pauses between two messages, where not told. */
  function later(ms = 2000): void {
    ground.clock.at(ground.clock.now() - FakeClock.BEGIN_MS + ms);
  }

  async function makeSlack(
    name = "duty",
    place: object = SLACK_PLACE,
    by = ANNE,
    vault = VAULT,
  ): Promise<Made> {
    const config = { ...ground.receiver.configOf("slack", name), ...place };
    const body = { provider: "slack", name, config, interactive: true };
    const made = await ground.ask("POST", CHANNELS, by, { body });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await ground.ask("POST", `${boundTo(vault)}/${made.body.id}`, by);
    return made.body;
  }

  async function makeTelegram(name = "duty", config: object = {}): Promise<Made & { token: string }> {
    const whole: Record<string, string> = {
      ...ground.receiver.configOf("telegram", name),
      base_url: `${ground.receiver.url}/telegram/main`,
      ...config,
    };
    const made = await ground.ask("POST", CHANNELS, ANNE, {
      body: { provider: "telegram", name, config: whole, interactive: true },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await ground.ask("POST", `${boundTo(VAULT)}/${made.body.id}`, ANNE);
    return { ...made.body, token: ground.receiver.botWebhooks.get(whole.bot_token as string)?.secret_token };
  }

  /** An alert that fires, as a row and as an event. */
  async function fire(changes: Parameters<typeof testAlert>[0] = {}) {
    later();
    const alert = testAlert(changes);
    await pool.query(
      `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
         conditions, is_unconfirmed, started_at, last_seen_at)
       values ($1, $2, $3, $4, $5, 'engine', $6, $7, 'm', 'n', '{}', '', '{}', false, '2026-05-01', '2026-05-01')`,
      [
        alert.id,
        alert.chain_id,
        alert.vault_address,
        alert.category,
        randomUUID(),
        alert.severity,
        alert.title,
      ],
    );
    await ground.emit(alertEvent("alert.firing", alert));
    await ground.deliver();
    return alert;
  }

  /** The buttons of the last message to Slack, by action. */
  function buttons(name = "duty"): Record<string, string> {
    const { body } = ground.receiver.taken("slack").findLast(({ path }) => path.split("/")[1] === name) as {
      body: Message;
    };
    const elements = body.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    return Object.fromEntries(elements.map((one) => [one.action_id, one.value]));
  }

  /** The buttons of the last message to a chat of Telegram, in their order. */
  function keyboard(chatId = "-100123"): string[] {
    const messages = ground.receiver.taken("telegram") as { body: Message & { chat_id: string } }[];
    const { body } = messages.findLast(({ body }) => body.chat_id === chatId) as { body: Message };
    return body.reply_markup.inline_keyboard.flat().map((one) => one.callback_data);
  }

  const press = (channel: Made, wish: SlackPress) => pressSlack(ground, channel.inbound_url, wish);

  /** Anne's link to `user`, made as people make it. */
  async function link(channel: Made, { by = ANNE, user = "U0ANNE" } = {}): Promise<string> {
    const asked = await ground.ask("POST", LINKS, by, { body: { channel_id: channel.id } });
    expect(asked.status, JSON.stringify(asked.body)).toBe(201);
    later();
    await ground.send();
    expect(await press(channel, { value: buttons().link as string, user })).toBe(200);
    const confirmed = await ground.ask("PUT", `${LINKS}/${asked.body.id}`, by, { body: { confirmed: true } });
    expect(confirmed.body).toMatchObject({ status: "confirmed", provider_user: user });
    return asked.body.id;
  }

  /** What a refused press must leave as it is. */
  async function state() {
    later();
    await ground.deliver();
    const { rows: alerts } = await pool.query("select id, status, acknowledged_by from alerts order by id");
    const { rows: silences } = await pool.query("select id from silences");
    const { rows: handled } = await pool.query("select key from chat_handled");
    const { rows: links } = await pool.query(
      "select id, provider_user, confirmed_at from chat_links order by id",
    );
    const entries = (await ground.entries()).length;
    return { alerts, silences, handled, links, entries, told: ground.receiver.received.length };
  }

  return {
    ...ground,
    slack,
    systemChannels,
    later,
    makeSlack,
    makeTelegram,
    fire,
    buttons,
    keyboard,
    press,
    link,
    state,
    async clear() {
      await ground.clear();
      for (const table of [
        "alerts",
        "silences",
        "events",
        "deliveries",
        "delivery_targets",
        "chat_endpoints",
      ])
        await pool.query(`delete from ${table}`);
      ground.receiver.botWebhooks.clear();
      slack.answers.length = 0;
      systemChannels.length = 0;
      ground.clock.at(0);
    },
    /** While it runs, the wallet holds its role no more. */
    async without(wallet: string, run: () => Promise<void>) {
      await pool.query("update vault_roles set to_block = 6 where wallet = $1", [wallet]);
      try {
        await run();
      } finally {
        await pool.query("update vault_roles set to_block = null where wallet = $1", [wallet]);
      }
    },
    async close() {
      await ground.close();
      await slack.close();
    },
  };
}
