// Answers from Telegram, its webhook, and what switching on asks of a channel.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ANNE, BEN, CHANNELS } from "../../../../test/channels.ts";
import { pressTelegram } from "../../../../test/chat.ts";
import { type ChatGround, LINKS, openChatGround } from "../../../../test/chat-ground.ts";

let chat: ChatGround;

beforeAll(async () => {
  chat = await openChatGround();
});
afterAll(() => chat.close());
beforeEach(() => chat.clear());

describe("Telegram", () => {
  test("the webhook is set when switched on, with a secret, and removed with the last channel of the bot", async () => {
    const [bot] = Object.values(chat.receiver.configOf("telegram")) as [string];
    const first = await chat.makeTelegram();
    expect(chat.receiver.botWebhooks.get(bot)).toMatchObject({
      url: first.inbound_url,
      allowed_updates: ["callback_query"],
      secret_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    const second = await chat.makeTelegram("second", { chat_id: "-100456" });
    expect(second.inbound_url).toBe(first.inbound_url);
    await chat.ask("PATCH", `${CHANNELS}/${first.id}`, ANNE, { body: { interactive: false } });
    expect(chat.receiver.botWebhooks.has(bot)).toBe(true);
    await chat.ask("DELETE", `${CHANNELS}/${second.id}`, ANNE);
    expect(chat.receiver.botWebhooks.has(bot)).toBe(false);
  });

  test("409 where the bot has a webhook of another program, which stays", async () => {
    const config: Record<string, string> = {
      ...chat.receiver.configOf("telegram"),
      base_url: `${chat.receiver.url}/telegram/main`,
    };
    chat.receiver.botWebhooks.set(config.bot_token as string, { url: "https://other.example/hook" });
    const made = await chat.ask("POST", CHANNELS, ANNE, {
      body: { provider: "telegram", name: "d", config, interactive: true },
    });
    expect(made.status).toBe(409);
    expect((await chat.ask("GET", CHANNELS, ANNE)).body).toEqual([]);
    const plain = await chat.ask("POST", CHANNELS, ANNE, {
      body: { provider: "telegram", name: "d", config },
    });
    expect(plain.status).toBe(201);
    const on = await chat.ask("PATCH", `${CHANNELS}/${plain.body.id}`, ANNE, { body: { interactive: true } });
    expect([on.status, JSON.stringify(on.body).includes("planted")]).toEqual([409, false]);
    await chat.ask("DELETE", `${CHANNELS}/${plain.body.id}`, ANNE);
    expect(chat.receiver.botWebhooks.get(config.bot_token as string)?.url).toBe("https://other.example/hook");
  });

  test("acknowledges, once for each update, and refuses a wrong token and another chat", async () => {
    const channel = await chat.makeTelegram();
    const asked = await chat.ask("POST", LINKS, ANNE, { body: { channel_id: channel.id } });
    chat.later();
    await chat.send();
    const { token } = channel;
    await pressTelegram(chat, channel.inbound_url, {
      value: chat.keyboard()[0] as string,
      updateId: 1,
      token,
    });
    expect(
      (await chat.ask("PUT", `${LINKS}/${asked.body.id}`, ANNE, { body: { confirmed: true } })).status,
    ).toBe(200);
    await chat.fire();
    const value = chat.keyboard()[0] as string;
    const before = await chat.state();
    const wrong = await pressTelegram(chat, channel.inbound_url, { value, updateId: 2, token: "wrong" });
    expect(wrong.status).toBe(401);
    const elsewhere = await pressTelegram(chat, channel.inbound_url, {
      value,
      updateId: 3,
      token,
      chat: -1,
    });
    expect(elsewhere).toEqual({ status: 200, body: {} });
    const stranger = await pressTelegram(chat, channel.inbound_url, {
      value,
      updateId: 4,
      token,
      user: 666,
    });
    expect(stranger).toMatchObject({
      status: 200,
      body: { method: "answerCallbackQuery", show_alert: true },
    });
    expect(await chat.state()).toEqual(before);
    const done = await pressTelegram(chat, channel.inbound_url, { value, updateId: 5, token });
    expect(done).toMatchObject({ status: 200, body: { callback_query_id: "77", show_alert: false } });
    const after = await chat.state();
    expect(after.alerts[0]).toMatchObject({ acknowledged_by: ANNE });
    expect(await pressTelegram(chat, channel.inbound_url, { value, updateId: 5, token })).toEqual({
      status: 200,
      body: {},
    });
    expect(await chat.state()).toEqual(after);
  });

  /** A channel, linked to Anne's user 42 there, and a press of what stands on the last message. */
  async function linked() {
    const channel = await chat.makeTelegram();
    const press = (wish: { value: string; chat?: number; user?: number }) =>
      pressTelegram(chat, channel.inbound_url, { updateId: ++updates, token: channel.token, ...wish });
    const asked = await chat.ask("POST", LINKS, ANNE, { body: { channel_id: channel.id } });
    chat.later();
    await chat.send();
    await press({ value: chat.keyboard()[0] as string });
    await chat.ask("PUT", `${LINKS}/${asked.body.id}`, ANNE, { body: { confirmed: true } });
    return { channel, press };
  }
  let updates = 100;

  test("a button of another channel of the same bot changes nothing, wherever it is pressed", async () => {
    const { press } = await linked();
    await chat.makeTelegram("second", { chat_id: "-100456" });
    await chat.fire();
    const value = chat.keyboard("-100456")[0] as string;
    expect(value).not.toBe(chat.keyboard()[0]);
    const before = await chat.state();
    for (const where of [-100123, -100456]) expect((await press({ value, chat: where })).status).toBe(200);
    expect(await chat.state()).toEqual(before);
  });

  test("a wallet that holds no role any more changes nothing, and does once it holds one again", async () => {
    const { press } = await linked();
    await chat.fire();
    const value = chat.keyboard()[0] as string;
    await chat.without(ANNE, async () => {
      const before = await chat.state();
      expect((await press({ value })).status).toBe(200);
      expect(await chat.state()).toEqual(before);
    });
    expect((await press({ value })).status).toBe(200);
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
  });

  test("an attacker who sends his own link to a manager gains nothing", async () => {
    const { channel, press } = await linked();
    const asked = await chat.ask("POST", LINKS, BEN, { body: { channel_id: channel.id } });
    expect(asked.status).toBe(201);
    chat.later();
    await chat.send();
    // Anne presses it, whose user acts for herself there; Ben sees no user of hers that he could confirm.
    await press({ value: chat.keyboard()[0] as string });
    const { body: links } = await chat.ask("GET", LINKS, BEN);
    const confirmed = await chat.ask("PUT", `${LINKS}/${asked.body.id}`, BEN, { body: { confirmed: true } });
    expect(links).toMatchObject([{ status: "waiting", provider_user: null }]);
    expect(confirmed.status).toBe(409);
    await chat.fire();
    await press({ value: chat.keyboard()[0] as string });
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
  });

  test("what was done is remembered for a day", async () => {
    const { pool } = chat.database.db;
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    await chat.press(channel, { value: chat.buttons().acknowledge as string });
    chat.later(24 * 3_600_000);
    await chat.fire();
    await chat.press(channel, { value: chat.buttons().silence_1h as string });
    expect((await pool.query("select from chat_handled")).rows).toHaveLength(1);
  });
});

describe("switching on", () => {
  test.each([
    ["Slack without its ids", "slack", {}],
    ["another provider", "discord", {}],
    ["a chat by its name", "telegram", { chat_id: "@duty" }],
  ] as const)("400: %s", async (_, provider, more) => {
    const config = { ...chat.receiver.configOf(provider), ...more };
    const { status, body } = await chat.ask("POST", CHANNELS, ANNE, {
      body: { provider, name: "d", config, interactive: true },
    });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
    expect(body.errors.length).toBeGreaterThan(0);
  });
});
