// Links: how a user of a chat comes to act for a wallet, and how somebody else does not.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ANNE, BEN, boundTo, CARL, CHANNELS, NICK, VAULT, VERA } from "../../../../test/channels.ts";
import { SLACK_PLACE, slackRequest } from "../../../../test/chat.ts";
import { type ChatGround, LINKS, type Made, openChatGround } from "../../../../test/chat-ground.ts";
import { FakeClock } from "../../../../test/delivery.ts";

let chat: ChatGround;

beforeAll(async () => {
  chat = await openChatGround();
});
afterAll(() => chat.close());
beforeEach(() => chat.clear());

describe("links", () => {
  const waiting = async (channel: Made, by = ANNE) => {
    const { status, body } = await chat.ask("POST", LINKS, by, { body: { channel_id: channel.id } });
    expect(status).toBe(201);
    chat.later();
    await chat.send();
    return body;
  };
  const confirm = (id: string, by = ANNE) =>
    chat.ask("PUT", `${LINKS}/${id}`, by, { body: { confirmed: true } });

  test("the message names the wallet, who presses is shown, and nothing holds before the wallet confirms", async () => {
    const channel = await chat.makeSlack();
    const asked = await waiting(channel);
    expect(asked).toMatchObject({
      status: "waiting",
      provider_user: null,
      wallet: ANNE,
      channel_id: channel.id,
    });
    expect(JSON.stringify(chat.receiver.taken("slack").at(-1)?.body)).toContain(ANNE);
    expect((await confirm(asked.id)).status).toBe(409);
    const button = chat.buttons().link as string;
    await chat.press(channel, { value: button });
    expect((await chat.ask("GET", LINKS, ANNE)).body).toMatchObject([
      { status: "pressed", provider_user: "U0ANNE", provider_user_name: "name-of-U0ANNE" },
    ]);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    await chat.press(channel, { value });
    expect((await chat.state()).alerts[0]).toMatchObject({ status: "firing" });
    const before = (await chat.entries()).length;
    expect((await confirm(asked.id)).status).toBe(200);
    expect((await confirm(asked.id)).status).toBe(200);
    expect((await chat.entries()).slice(before)).toMatchObject([
      {
        action_type: "chat_link_add",
        actor_wallet: ANNE,
        details: { link_id: asked.id, via: { provider_user: "U0ANNE" } },
      },
    ]);
    await chat.press(channel, { value });
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
  });

  test("who presses second takes nothing from the first, so that nobody slips in between sight and confirmation", async () => {
    const channel = await chat.makeSlack();
    const asked = await waiting(channel);
    const value = chat.buttons().link as string;
    await chat.press(channel, { value, user: "U0ANNE" });
    await chat.press(channel, { value, user: "U0MALLORY" });
    expect((await confirm(asked.id)).body.provider_user).toBe("U0ANNE");
  });

  test("an attacker who sends his own link to a manager gains nothing", async () => {
    const channel = await chat.makeSlack();
    await chat.ask("POST", `${boundTo(VAULT)}/${channel.id}`, BEN);
    await chat.link(channel, { by: ANNE, user: "U0ANNE" });
    // Ben's button, pressed by Anne's user: she acts for her wallet as before.
    const bens = await waiting(channel, BEN);
    const value = chat.buttons().link as string;
    await chat.press(channel, { value, user: "U0ANNE" });
    expect((await chat.ask("GET", LINKS, BEN)).body).toMatchObject([
      { status: "waiting", provider_user: null },
    ]);
    expect((await confirm(bens.id, BEN)).status).toBe(409);
    await chat.fire();
    await chat.press(channel, { value: chat.buttons().acknowledge as string });
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
    // Nor can he confirm Anne's link, see it or take it.
    const annes = (await chat.ask("GET", LINKS, ANNE)).body[0].id;
    for (const method of ["PUT", "DELETE"])
      expect((await chat.ask(method, `${LINKS}/${annes}`, BEN, { body: { confirmed: true } })).status).toBe(
        404,
      );
    // A manager without a link who is fooled into pressing acts for the attacker's wallet, with its roles alone.
    await chat.ask("DELETE", `${LINKS}/${annes}`, ANNE);
    await chat.press(channel, { value, user: "U0ANNE" });
    expect((await confirm(bens.id, BEN)).status).toBe(200);
    await chat.database.db.pool.query("update alerts set acknowledged_at = null, acknowledged_by = null");
    await chat.database.db.pool.query("update vault_roles set to_block = 6 where wallet = $1", [BEN]);
    try {
      chat.later(1000);
      await chat.press(channel, { value: await lastAlertButton() });
      expect((await chat.state()).alerts[0]).toMatchObject({ status: "firing" });
    } finally {
      await chat.database.db.pool.query("update vault_roles set to_block = null where wallet = $1", [BEN]);
    }
  });

  test("a user who was fooled frees herself by the second button", async () => {
    const channel = await chat.makeSlack();
    await chat.ask("POST", `${boundTo(VAULT)}/${channel.id}`, BEN);
    await chat.link(channel, { by: BEN, user: "U0ANNE" });
    await waiting(channel, ANNE);
    await chat.press(channel, { value: chat.buttons().unlink as string, user: "U0ANNE" });
    expect((await chat.ask("GET", LINKS, BEN)).body).toEqual([]);
    expect((await chat.entries()).at(-1)).toMatchObject({
      action_type: "chat_link_remove",
      actor_wallet: BEN,
      details: { wallet: BEN, via: { provider_user: "U0ANNE" } },
    });
  });

  test("a removal that is sent again takes back nothing that was linked since", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await waiting(channel);
    const removal = slackRequest(chat, channel.inbound_url, { value: chat.buttons().unlink as string });
    expect((await chat.app.inject(removal)).statusCode).toBe(200);
    expect((await chat.ask("GET", LINKS, ANNE)).body).toMatchObject([{ status: "waiting" }]);
    await chat.link(channel);
    expect((await chat.app.inject(removal)).statusCode).toBe(200);
    expect((await chat.ask("GET", LINKS, ANNE)).body[0]).toMatchObject({ status: "confirmed" });
  });

  test("of strangers who press what is not theirs nothing is kept", async () => {
    const channel = await chat.makeSlack();
    await waiting(channel);
    const { link, unlink } = chat.buttons() as { link: string; unlink: string };
    await chat.press(channel, { value: link });
    const before = await chat.state();
    for (const value of [link, unlink]) await chat.press(channel, { value, user: "U0MALLORY" });
    expect(await chat.state()).toEqual(before);
  });

  test("403 insufficient_scope: a token that may only read links nobody", async () => {
    const channel = await chat.makeSlack();
    const asked = await waiting(channel);
    await chat.press(channel, { value: chat.buttons().link as string });
    const reading = { scope: "read" as const };
    const begun = { ...reading, body: { channel_id: channel.id } };
    expect((await chat.ask("POST", LINKS, ANNE, begun)).body.code).toBe("insufficient_scope");
    const confirmed = { ...reading, body: { confirmed: true } };
    expect((await chat.ask("PUT", `${LINKS}/${asked.id}`, ANNE, confirmed)).body.code).toBe(
      "insufficient_scope",
    );
    expect((await chat.ask("DELETE", `${LINKS}/${asked.id}`, ANNE, reading)).body.code).toBe(
      "insufficient_scope",
    );
  });

  test("ten minutes, to the millisecond", async () => {
    const channel = await chat.makeSlack();
    const asked = await waiting(channel);
    await chat.press(channel, { value: chat.buttons().link as string });
    const endsAtMs = Date.parse(asked.expires_at) - FakeClock.BEGIN_MS;
    chat.clock.at(endsAtMs - 1);
    expect((await chat.ask("GET", LINKS, ANNE)).body).toHaveLength(1);
    chat.clock.at(endsAtMs);
    expect((await confirm(asked.id)).status).toBe(404);
    expect((await chat.ask("GET", LINKS, ANNE)).body).toEqual([]);
  });

  test("404 for a channel that one may not see; 409 for one that cannot be answered from", async () => {
    const channel = await chat.makeSlack();
    for (const wallet of [CARL, NICK, VERA])
      expect((await chat.ask("POST", LINKS, wallet, { body: { channel_id: channel.id } })).status).toBe(404);
    const plain = await chat.channel("slack", { name: "plain" });
    expect((await chat.ask("POST", LINKS, ANNE, { body: { channel_id: plain } })).status).toBe(409);
    expect(
      (await chat.ask("PUT", `${LINKS}/${randomUUID()}`, ANNE, { body: { confirmed: false } })).status,
    ).toBe(400);
  });

  test.each([
    ["its signing secret", { signing_secret: "e".repeat(32) }],
    ["its workspace", { team_id: "T0NEW" }],
    ["its channel", { channel_id: "C0NEW" }],
  ])("end when the channel's owner changes %s, which takes its secrets in full", async (_, changes) => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    const change = (config: object) =>
      chat.ask("PATCH", `${CHANNELS}/${channel.id}`, ANNE, { body: { config } });
    expect((await change(changes)).body.code).toBe("secret_required");
    const { webhook_url } = chat.receiver.configOf("slack", "duty");
    expect(
      (await change({ webhook_url, signing_secret: SLACK_PLACE.signing_secret, ...changes })).status,
    ).toBe(200);
    expect((await chat.ask("GET", LINKS, ANNE)).body).toEqual([]);
    const tail = (await chat.entries()).slice(-2).map(({ action_type }) => action_type);
    expect(tail).toEqual(["notification_channel_update", "chat_link_remove"]);
  });

  test("stay when its name changes, and end with the channel", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.ask("PATCH", `${CHANNELS}/${channel.id}`, ANNE, { body: { name: "Night" } });
    expect((await chat.ask("GET", LINKS, ANNE)).body).toHaveLength(1);
    await chat.ask("DELETE", `${CHANNELS}/${channel.id}`, ANNE);
    expect((await chat.database.db.pool.query("select from chat_links")).rows).toEqual([]);
    expect((await chat.database.db.pool.query("select from chat_endpoints")).rows).toEqual([]);
  });

  async function lastAlertButton(): Promise<string> {
    const { body } = chat.receiver
      .taken("slack")
      .findLast(({ body: one }) => JSON.stringify(one).includes("silence_1h")) as {
      body: { blocks: { elements: { value: string }[] }[] };
    };
    return body.blocks.at(-1)?.elements[0]?.value as string;
  }
});
