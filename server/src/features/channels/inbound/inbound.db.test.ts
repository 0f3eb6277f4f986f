// Answers from Slack, from the button in a message to the entry in the audit log, and everything that is refused on the way.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  BEN,
  boundTo,
  CARL,
  CHAIN,
  CHANNELS,
  OTHER_VAULT,
  VAULT,
  VERA,
} from "../../../../test/channels.ts";
import { SLACK_PLACE, slackRequest } from "../../../../test/chat.ts";
import { type ChatGround, type Made, openChatGround } from "../../../../test/chat-ground.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";

let chat: ChatGround;

beforeAll(async () => {
  chat = await openChatGround();
});
afterAll(() => chat.close());
beforeEach(() => chat.clear());

describe("acknowledging from Slack", () => {
  test("is done by the wallet, once, with one entry that says how it came", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    const alert = await chat.fire();
    const before = (await chat.entries()).length;
    const value = chat.buttons().acknowledge as string;
    expect(await chat.press(channel, { value })).toBe(200);
    const { rows } = await chat.database.db.pool.query("select status, acknowledged_by from alerts");
    expect(rows[0]).toEqual({ status: "acknowledged", acknowledged_by: ANNE });
    const via = {
      channel_id: channel.id,
      provider: "slack",
      provider_user: "U0ANNE",
      channel_created_by: ANNE,
    };
    expect((await chat.entries()).slice(before)).toMatchObject([
      {
        action_type: "alert_acknowledge",
        actor_wallet: ANNE,
        chain_id: CHAIN,
        vault_address: VAULT,
        details: { alert_id: alert.id, category: alert.category, via },
      },
    ]);
    await expect.poll(() => chat.slack.answers.at(-1)).toMatchObject({ response_type: "in_channel" });
    const after = await chat.state();
    // The same request again, and the same button again.
    expect(await chat.press(channel, { value })).toBe(200);
    chat.later(60_000);
    expect(await chat.press(channel, { value })).toBe(200);
    expect(await chat.state()).toEqual(after);
  });

  test("of many at once is done once", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    const before = (await chat.entries()).length;
    // The same request three times, and the same press in requests of their own.
    const asked = [0, 0, 0, 1, 2].map((ageSeconds) => chat.press(channel, { value, ageSeconds }));
    expect(await Promise.all(asked)).toEqual([200, 200, 200, 200, 200]);
    expect((await chat.entries()).slice(before)).toMatchObject([{ action_type: "alert_acknowledge" }]);
  });

  test("is answered while the database is busy, and done when it is not", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    const busy = await chat.database.db.pool.connect();
    try {
      await busy.query("begin");
      await busy.query("select from alerts for update");
      expect(await chat.press(channel, { value })).toBe(200);
      const { rows } = await chat.database.db.pool.query("select acknowledged_by from alerts");
      expect(rows).toEqual([{ acknowledged_by: null }]);
    } finally {
      await busy.query("rollback");
      busy.release();
    }
    await expect.poll(() => chat.slack.answers.at(-1)).toMatchObject({ response_type: "in_channel" });
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
  });

  test.each(["before", "after"] as const)(
    "is done once by a service that is killed %s it has committed, and asked again",
    async (moment) => {
      const channel = await chat.makeSlack();
      await chat.link(channel);
      await chat.fire();
      const value = chat.buttons().acknowledge as string;
      const before = (await chat.entries()).length;
      expect(await killedAt(chat, moment, slackRequest(chat, channel.inbound_url, { value }))).toBe(
        "SIGKILL",
      );
      const isDone = moment === "after";
      expect((await chat.entries()).length - before).toBe(isDone ? 1 : 0);
      expect(await chat.press(channel, { value })).toBe(200);
      expect((await chat.entries()).slice(before)).toMatchObject([{ action_type: "alert_acknowledge" }]);
    },
  );

  test("is an operator's to do, and a viewer's not", async () => {
    const channel = await chat.makeSlack();
    const { pool } = chat.database.db;
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    const role = (name: string) => pool.query("update members set role = $1 where wallet = $2", [name, VERA]);
    try {
      await role("operator");
      await chat.link(channel, { by: VERA, user: "U0VERA" });
      await role("view_only");
      const before = await chat.state();
      expect(await chat.press(channel, { value, user: "U0VERA" })).toBe(200);
      expect(await chat.state()).toEqual(before);
      await role("operator");
      chat.later();
      expect(await chat.press(channel, { value, user: "U0VERA" })).toBe(200);
      expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: VERA });
    } finally {
      await role("view_only");
    }
  });

  test("has three buttons on an alert, and none that silences what may not be silenced", async () => {
    await chat.makeSlack();
    await chat.fire();
    expect(Object.keys(chat.buttons())).toEqual(["acknowledge", "silence_1h", "silence_8h"]);
  });

  test("has no buttons in a channel that is not interactive", async () => {
    await chat.channel("slack", { name: "plain" });
    await chat.fire();
    expect(chat.buttons("plain")).toEqual({});
  });
});

describe("a press changes nothing, tells nothing and uses nothing up", () => {
  const refusals: [string, (channel: Made, value: string) => Promise<number>, number][] = [
    [
      "with other bytes than were signed",
      (c, value) => chat.press(c, { value, tamper: (body) => `${body}&a=1` }),
      401,
    ],
    ["with another secret", (c, value) => chat.press(c, { value, secret: "f".repeat(32) }), 401],
    ["too late", (c, value) => chat.press(c, { value, ageSeconds: 301 }), 401],
    ["from the future", (c, value) => chat.press(c, { value, ageSeconds: -301 }), 401],
    ["of a user who acts for nobody", (c, value) => chat.press(c, { value, user: "U0MALLORY" }), 200],
    ["in another channel of the workspace", (c, value) => chat.press(c, { value, channel: "C0OTHER" }), 200],
    ["in another workspace", (c, value) => chat.press(c, { value, team: "T0OTHER" }), 200],
    ["of a button that we did not make", (c) => chat.press(c, { value: "a".repeat(64) }), 200],
    [
      "at another endpoint",
      (c, value) =>
        chat.press({ ...c, inbound_url: c.inbound_url.replace(/[^/]+$/, randomUUID()) }, { value }),
      401,
    ],
    [
      "at the other provider's endpoint",
      (c, value) =>
        chat.press({ ...c, inbound_url: c.inbound_url.replace("/slack/", "/telegram/") }, { value }),
      401,
    ],
  ];

  test.each(refusals)("%s", async (_, refused, status) => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    const before = await chat.state();
    expect(await refused(channel, value)).toBe(status);
    expect(await chat.state()).toEqual(before);
    // What was refused used nothing up.
    expect(await chat.press(channel, { value })).toBe(200);
    expect((await chat.state()).alerts[0]).toMatchObject({ status: "acknowledged" });
  });

  test("with a button of another channel, of the same app", async () => {
    const [first, second] = [
      await chat.makeSlack(),
      await chat.makeSlack("other", { ...SLACK_PLACE, channel_id: "C0OTHER" }),
    ];
    expect(first.inbound_url).toBe(second.inbound_url);
    await chat.link(first);
    await chat.fire();
    const before = await chat.state();
    expect(await chat.press(first, { value: chat.buttons("other").acknowledge as string })).toBe(200);
    expect(await chat.state()).toEqual(before);
    // Pressed where it stands, the user acts for nobody there.
    expect(
      await chat.press(first, { value: chat.buttons("other").acknowledge as string, channel: "C0OTHER" }),
    ).toBe(200);
    expect(await chat.state()).toEqual(before);
  });

  test("on a vault on which the wallet holds no role now, or only a viewer's", async () => {
    const channel = await chat.makeSlack("duty", SLACK_PLACE, CARL, OTHER_VAULT);
    await chat.link(channel, { by: CARL, user: "U0CARL" });
    await chat.fire({ vault_address: OTHER_VAULT });
    const value = chat.buttons().acknowledge as string;
    const { pool } = chat.database.db;
    await pool.query("update vault_roles set to_block = 6 where wallet = $1", [CARL]);
    try {
      for (const role of [false, true]) {
        if (role)
          await pool.query(
            "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
            [CHAIN, OTHER_VAULT, CARL, ANNE],
          );
        const before = await chat.state();
        chat.later(1000);
        expect(await chat.press(channel, { value, user: "U0CARL" })).toBe(200);
        expect(await chat.state()).toEqual(before);
      }
      await expect.poll(() => chat.slack.answers.at(-1)).toMatchObject({ response_type: "ephemeral" });
    } finally {
      await pool.query("update vault_roles set to_block = null where wallet = $1", [CARL]);
      await pool.query("delete from members where wallet = $1", [CARL]);
    }
  });

  test("on a vault to which the channel is not bound any more, or only by the word of somebody who left it", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    await chat.ask("DELETE", `${boundTo(VAULT)}/${channel.id}`, ANNE);
    const before = await chat.state();
    expect(await chat.press(channel, { value })).toBe(200);
    expect(await chat.state()).toEqual(before);
    await chat.ask("POST", `${boundTo(VAULT)}/${channel.id}`, ANNE);
    await chat.database.db.pool.query("update channel_bindings set bound_by = $1", [BEN]);
    await chat.without(BEN, async () => {
      const left = await chat.state();
      expect(await chat.press(channel, { value })).toBe(200);
      expect(await chat.state()).toEqual(left);
      // Confirmed by a manager who remains, it counts again.
      expect((await chat.ask("POST", `${boundTo(VAULT)}/${channel.id}`, ANNE, { body: {} })).status).toBe(
        200,
      );
      expect(await chat.press(channel, { value })).toBe(200);
      expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
    });
  });

  test("but of a channel that the operator named, which need not be bound, it counts", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    await chat.ask("DELETE", `${boundTo(VAULT)}/${channel.id}`, ANNE);
    chat.systemChannels.push(channel.id);
    expect(await chat.press(channel, { value: chat.buttons().acknowledge as string })).toBe(200);
    expect((await chat.state()).alerts[0]).toMatchObject({ acknowledged_by: ANNE });
  });

  test("in a channel that is disabled, no longer interactive, or gone", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().acknowledge as string;
    await chat.ask("PATCH", `${CHANNELS}/${channel.id}`, ANNE, { body: { is_enabled: false } });
    expect(await chat.press(channel, { value })).toBe(200);
    await chat.ask("PATCH", `${CHANNELS}/${channel.id}`, ANNE, {
      body: { is_enabled: true, interactive: false },
    });
    expect(await chat.press(channel, { value })).toBe(401);
    const again = await chat.ask("PATCH", `${CHANNELS}/${channel.id}`, ANNE, { body: { interactive: true } });
    expect(await chat.press(again.body, { value })).toBe(200);
    expect((await chat.state()).alerts[0]).toMatchObject({ status: "firing" });
    await chat.ask("DELETE", `${CHANNELS}/${channel.id}`, ANNE);
    expect(await chat.press(again.body, { value })).toBe(401);
  });

  test("413: more than 64 KiB", async () => {
    const channel = await chat.makeSlack();
    expect(await chat.press(channel, { value: "a".repeat(66_000) })).toBe(413);
  });

  test("nothing is posted but to hooks.slack.com", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const told = chat.receiver.received.length;
    const responseUrl = `${chat.receiver.url}/slack/answers/T0`;
    expect(await chat.press(channel, { value: chat.buttons().acknowledge as string, responseUrl })).toBe(200);
    await chat.deliver();
    expect(chat.receiver.received.length).toBe(told);
    expect((await chat.state()).alerts[0]).toMatchObject({ status: "acknowledged" });
  });
});

describe("silencing from Slack", () => {
  test("covers the vault and the category, is told on the vault's channels, and done twice is done once", async () => {
    const channel = await chat.makeSlack();
    await chat.channel("slack", { name: "others", wish: { min_severity: "critical" } });
    await chat.channel("pagerduty", { name: "pager" });
    await chat.link(channel);
    const alert = await chat.fire({ severity: "warning" });
    const paged = chat.receiver.taken("pagerduty").length;
    const value = chat.buttons().silence_1h as string;
    expect(await chat.press(channel, { value })).toBe(200);
    chat.later(1000);
    expect(await chat.press(channel, { value })).toBe(200);
    const { rows } = await chat.database.db.pool.query("select * from silences");
    expect(rows).toMatchObject([
      {
        chain_id: CHAIN,
        vault_address: VAULT,
        category: alert.category,
        created_by: ANNE,
        ends_at: timestampOfMs(chat.clock.now() - 1000 + 3_600_000),
      },
    ]);
    const entries = (await chat.entries()).filter(({ action_type }) => action_type === "alert_silence");
    expect(entries.at(-1)).toMatchObject({
      actor_wallet: ANNE,
      details: { via: { provider_user: "U0ANNE" } },
    });
    chat.later();
    await chat.deliver();
    const said = chat.receiver.taken("slack").filter(({ body }) => JSON.stringify(body).includes("Silenced"));
    expect(said.map(({ path }) => path.split("/")[1]).sort()).toEqual(["duty", "others"]);
    expect(chat.receiver.taken("pagerduty").length).toBe(paged);
  });

  test("never covers governance or losses, whatever button is pressed", async () => {
    const channel = await chat.makeSlack();
    await chat.link(channel);
    await chat.fire();
    const value = chat.buttons().silence_8h as string;
    for (const category of ["governance", "losses"]) {
      await chat.database.db.pool.query("update alerts set category = $1", [category]);
      const before = await chat.state();
      expect(await chat.press(channel, { value })).toBe(200);
      expect(await chat.state()).toEqual(before);
    }
  });
});

const PROCESS = fileURLToPath(new URL("./test-process.ts", import.meta.url));

/** Asks a service of its own, which ends itself with -9; returns what ended it. */
async function killedAt(
  { database, secretKey, clock }: ChatGround,
  moment: "before" | "after",
  request: object,
): Promise<unknown> {
  const asked = [database.url, secretKey, String(clock.now()), moment, JSON.stringify(request)];
  const [, signal] = await once(spawn(process.execPath, [PROCESS, ...asked], { stdio: "inherit" }), "exit");
  return signal;
}
