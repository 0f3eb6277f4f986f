// What goes wrong on the way to a channel, and that it costs no other channel anything and no notice its arrival.
import { zeroAddress } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  alertEvent,
  CHANNELS,
  type ChannelGround,
  openChannelGround,
  testAlert,
} from "../../../../test/channels.ts";
import type { ProviderReply } from "../../../../test/provider-rules.ts";

let ground: ChannelGround;

beforeAll(async () => {
  ground = await openChannelGround();
});
afterAll(() => ground.close());
beforeEach(async () => {
  const { pool } = ground.database.db;
  for (const table of ["channel_alerts", "notification_channels", "deliveries", "delivery_targets", "events"])
    await pool.query(`delete from ${table}`);
  ground.receiver.received.length = 0;
  ground.clock.at(0);
});

const fire = (...alerts: ReturnType<typeof testAlert>[]) =>
  ground.emit(...alerts.map((alert) => alertEvent("alert.firing", alert)));
const answering = (status: number, body = "", headers: Record<string, string> = {}): ProviderReply => ({
  status,
  body,
  headers,
});

async function deliveries(id: string) {
  return (await ground.ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body.deliveries;
}

describe("a notice of several requests", () => {
  test("is made again whole where one of them is not taken, and stands as one delivery", async () => {
    const id = await ground.channel("opsgenie");
    const alert = testAlert({ severity: "warning" });
    await fire(alert);
    await ground.deliver();
    ground.receiver.received.length = 0;
    const taken = answering(202, "{}");
    ground.receiver.fail("opsgenie", taken, answering(503));
    await ground.emit(
      alertEvent("alert.updated", { ...alert, severity: "critical", last_notice: "severity_raised" }),
    );
    await ground.deliver();
    expect(ground.receiver.received.map(({ status }) => status)).toEqual([202, 503]);
    ground.clock.at(60_000);
    await ground.send();
    const changes = ground.receiver.received.slice(2);
    expect(changes.map(({ request, status }) => `${request.method} ${status}`)).toEqual([
      "POST 202",
      "PUT 202",
      "PUT 202",
      "PUT 202",
    ]);
    expect(changes[1]).toMatchObject({
      path: expect.stringContaining(`${alert.id}/priority`),
      body: { priority: "P1" },
    });
    expect(await deliveries(id)).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
  });
});

describe("a topic of a Telegram chat", () => {
  const refusal = (description: string) =>
    answering(
      400,
      JSON.stringify({ ok: false, error_code: 400, description: `Bad Request: ${description}` }),
    );
  const inTopic = async () => {
    const id = await ground.channel("telegram");
    const change = { config: { message_thread_id: "77" } };
    expect((await ground.ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: change })).status).toBe(200);
    return id;
  };
  const topics = () => ground.receiver.taken("telegram").map(({ body }) => body.message_thread_id);

  test("gets the message", async () => {
    await inTopic();
    await fire(testAlert());
    await ground.deliver();
    expect(topics()).toEqual([77]);
  });

  test.each(["TOPIC_CLOSED", "TOPIC_DELETED", "message thread not found"])(
    "that is no more (%s) ends no message: it goes to the chat without a topic at once, and the delivery says so",
    async (description) => {
      const id = await inTopic();
      ground.receiver.fail("telegram", refusal(description));
      await fire(testAlert());
      await ground.deliver();
      expect(topics()).toEqual([undefined]);
      const [delivery] = await deliveries(id);
      expect(delivery.status).toBe("delivered");
      expect(delivery.attempts[0].response_excerpt).toMatch(/^topic 77 is closed or gone/);
      // It may be opened again.
      await fire(testAlert());
      ground.clock.at(10_000);
      await ground.deliver();
      expect(topics()).toEqual([undefined, 77]);
    },
  );

  test("that is closed with the chat's General topic is tried again, and the message arrives when either opens", async () => {
    const id = await inTopic();
    ground.receiver.fail("telegram", refusal("TOPIC_CLOSED"), refusal("TOPIC_CLOSED"));
    await fire(testAlert());
    await ground.deliver();
    expect(await deliveries(id)).toMatchObject([{ status: "failed" }]);
    ground.clock.at(60_000);
    await ground.send();
    expect(topics()).toEqual([77]);
  });
});

describe("a provider that is busy", () => {
  test("is left alone for as long as it says, itself alone, and gets everything after that in one message", async () => {
    await ground.channel("slack", { name: "busy" });
    await ground.channel("discord", { name: "free" });
    ground.receiver.fail("slack", answering(429, "", { "retry-after": "30" }));
    await fire(testAlert());
    await ground.deliver();
    expect(ground.receiver.received.map(({ provider }) => provider).sort()).toEqual(["discord", "slack"]);
    for (const ms of [1000, 29_999]) {
      ground.clock.at(ms);
      await fire(testAlert());
      await ground.deliver();
    }
    expect(ground.receiver.taken("slack")).toEqual([]);
    expect(ground.receiver.taken("discord")).toHaveLength(3);
    ground.clock.at(30_000);
    await ground.send();
    expect(ground.receiver.taken("slack").map(({ body }) => body.text)).toEqual([
      expect.stringContaining("3 alerts"),
    ]);
  });

  test("in a storm of 429 loses nothing", async () => {
    await ground.channel("telegram");
    const storm = Array.from({ length: 8 }, () =>
      answering(429, JSON.stringify({ ok: false, parameters: { retry_after: 2 } })),
    );
    ground.receiver.fail("telegram", ...storm);
    await fire(testAlert());
    await ground.deliver();
    for (let minute = 1; minute <= 12 && ground.receiver.taken("telegram").length === 0; minute += 1) {
      ground.clock.at(minute * 60_000);
      await ground.send();
    }
    expect(ground.receiver.taken("telegram")).toHaveLength(1);
    expect(ground.receiver.received).toHaveLength(9);
  });

  test("that says so after a success gets the next message when it wants it", async () => {
    await ground.channel("discord");
    const exhausted = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "4.5" };
    ground.receiver.fail("discord", answering(200, '{"id":"1"}', exhausted));
    await fire(testAlert());
    await ground.deliver();
    await fire(testAlert());
    ground.clock.at(4499);
    await ground.deliver();
    expect(ground.receiver.received).toHaveLength(1);
    ground.clock.at(4500);
    await ground.send();
    expect(ground.receiver.received).toHaveLength(2);
  });
});

describe("a provider that fails", () => {
  test("is tried again after ever longer waits, and each attempt stands in the log", async () => {
    const id = await ground.channel("pagerduty");
    ground.receiver.fail("pagerduty", answering(500), "reset", answering(503));
    await fire(testAlert());
    await ground.deliver();
    for (const ms of [999, 1000, 2999, 3000, 6999]) {
      ground.clock.at(ms);
      await ground.send();
    }
    expect(ground.receiver.received).toHaveLength(3);
    ground.clock.at(7000);
    await ground.send();
    expect(ground.receiver.taken("pagerduty")).toHaveLength(1);
    const [{ status, attempts }] = await deliveries(id);
    expect(status).toBe("delivered");
    expect(attempts).toMatchObject([
      { number: 1, status_code: 500, error: "answered 500" },
      { number: 2, status_code: null, error: expect.stringContaining("could not be reached") },
      { number: 3, status_code: 503, error: "answered 503" },
      { number: 4, status_code: 202, error: null },
    ]);
  });

  test("for half an hour has what it did not take given up, which is told on the spine, and gets what comes later", async () => {
    const id = await ground.channel("slack");
    ground.receiver.fail("slack", ...Array.from({ length: 14 }, () => answering(500)));
    await fire(testAlert());
    await ground.handOut();
    let minutes = 0;
    for (; (await deliveries(id))[0].status !== "dead"; minutes += 1) {
      expect(minutes).toBeLessThan(60);
      ground.clock.at(minutes * 60_000);
      await ground.send();
    }
    expect(minutes).toBeGreaterThan(20);
    const { rows } = await ground.database.db.pool.query(
      "select data from events where type = 'delivery.dead'",
    );
    expect(rows.map(({ data }) => JSON.parse(data))).toEqual([
      { queue: "channel", target_id: id, event_type: "alert.firing", last_error: "answered 500" },
    ]);
    await fire(testAlert());
    await ground.deliver();
    expect(ground.receiver.taken("slack")).toHaveLength(1);
  });

  test("holds up what comes after it in its own channel, in order, and no other channel", async () => {
    await ground.channel("pagerduty", { name: "failing" });
    await ground.channel("opsgenie", { name: "well" });
    ground.receiver.fail("pagerduty", answering(500));
    const alerts = [testAlert(), testAlert(), testAlert()];
    await fire(...alerts);
    await ground.deliver();
    expect(ground.receiver.taken("opsgenie").map(({ body }) => body.alias)).toEqual(
      alerts.map(({ id }) => id),
    );
    expect(ground.receiver.taken("pagerduty")).toEqual([]);
    ground.clock.at(1000);
    await ground.send();
    expect(ground.receiver.taken("pagerduty").map(({ body }) => body.dedup_key)).toEqual(
      alerts.map(({ id }) => id),
    );
  });

  test("to end its answer, a byte at a time or not at all, is cut off and tried again", async () => {
    await ground.channel("slack");
    await ground.channel("teams");
    await ground.channel("pagerduty", { name: "well" });
    ground.receiver.fail("slack", "drip");
    ground.receiver.fail("teams", "hang");
    await fire(testAlert());
    await ground.deliver();
    expect(ground.receiver.taken().map(({ provider }) => provider)).toEqual(["pagerduty"]);
    ground.clock.at(60_000);
    await ground.send();
    expect(
      ground.receiver
        .taken()
        .map(({ provider }) => provider)
        .sort(),
    ).toEqual(["pagerduty", "slack", "teams"]);
  }, 300_000);
});

describe("a provider that refuses", () => {
  test("one message as a whole gets its notices one by one, so that one that it cannot take keeps none back", async () => {
    const id = await ground.channel("slack");
    ground.receiver.fail(
      "slack",
      answering(400, "invalid_blocks"),
      answering(200, "ok"),
      answering(400, "invalid_blocks"),
    );
    await fire(testAlert(), testAlert(), testAlert());
    await ground.deliver();
    const statuses = (await deliveries(id)).map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["delivered", "dead", "delivered"]);
  });

  test("for good (404) has its channel disabled with the reason, and what was pending is canceled", async () => {
    const id = await ground.channel("slack");
    ground.receiver.fail("slack", answering(404, "no_service"));
    await fire(testAlert(), testAlert());
    await ground.deliver();
    await fire(testAlert());
    await ground.deliver();
    expect(ground.receiver.received).toHaveLength(1);
    const { body } = await ground.ask("GET", `${CHANNELS}/${id}`, ANNE);
    expect((await ground.entries()).at(-1)).toMatchObject({
      action_type: "notification_channel_update",
      actor_wallet: zeroAddress,
      details: { channel_id: id, changed: ["is_enabled"], reason: "answered 404" },
    });
    expect(body).toMatchObject({ is_enabled: false, disabled_reason: "answered 404" });
    expect(
      (await deliveries(id)).every(({ status }: { status: string }) => ["dead", "canceled"].includes(status)),
    ).toBe(true);
  });

  test("for good and is enabled again is told of alerts that are updated then", async () => {
    const id = await ground.channel("pagerduty");
    ground.receiver.fail("pagerduty", answering(404));
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    const { body } = await ground.ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: { is_enabled: true } });
    expect(body).toMatchObject({ is_enabled: true, disabled_reason: null });
    await ground.emit(alertEvent("alert.updated", { ...alert, last_notice: "reminder" }));
    await ground.deliver();
    await ground.emit(alertEvent("alert.resolved", alert));
    await ground.deliver();
    expect(ground.receiver.taken("pagerduty").map(({ body }) => body.event_action)).toEqual([
      "trigger",
      "resolve",
    ]);
  });

  test("because the chat has another id now is called under that one, which the channel keeps", async () => {
    const id = await ground.channel("telegram");
    const moved = { ok: false, error_code: 400, parameters: { migrate_to_chat_id: -1009876543210 } };
    ground.receiver.fail("telegram", answering(400, JSON.stringify(moved)));
    await fire(testAlert());
    await ground.deliver();
    ground.clock.at(1000);
    await ground.send();
    expect(ground.receiver.taken("telegram").map(({ body }) => body.chat_id)).toEqual(["-1009876543210"]);
    const { config } = (await ground.ask("GET", `${CHANNELS}/${id}`, ANNE)).body;
    expect(config).toMatchObject({ chat_id: "-1009876543210", bot_token: "••••oken" });
    expect((await ground.entries()).at(-1)).toMatchObject({
      action_type: "notification_channel_update",
      actor_wallet: zeroAddress,
      details: { channel_id: id, changed: ["config.chat_id"], reason: expect.any(String) },
    });
  });
});

test("a channel that is deleted or disabled while notices wait sends none of them", async () => {
  const [deleted, disabled] = [await ground.channel("slack"), await ground.channel("teams")];
  await fire(testAlert());
  await ground.handOut();
  await ground.ask("DELETE", `${CHANNELS}/${deleted}`, ANNE);
  await ground.ask("PATCH", `${CHANNELS}/${disabled}`, ANNE, { body: { is_enabled: false } });
  await ground.send();
  expect(ground.receiver.received).toEqual([]);
  const { rows } = await ground.database.db.pool.query("select distinct status from deliveries");
  expect(rows).toEqual([{ status: "canceled" }]);
});

test("an address that was public when it was saved and is not any more gets nothing, and the channel says why", async () => {
  const closed = await openChannelGround({ allowedNetworks: [] });
  try {
    const id = await closed.channel("slack", { vaults: [] }).catch(() => null);
    expect(id).toBeNull();
    const body = {
      provider: "slack",
      name: "x",
      config: { webhook_url: "http://localhost:9/planted-key-of-hook" },
    };
    const made = await closed.ask("POST", CHANNELS, ANNE, { body });
    expect(made.status).toBe(201);
    const tested = (await closed.ask("POST", `${CHANNELS}/${made.body.id}/test`, ANNE)).body;
    expect(tested).toMatchObject({ status: "failed", status_code: null });
    expect(tested.error).toContain("not a public address");
    expect(tested.error).not.toContain("planted");
    expect(closed.receiver.received).toEqual([]);
  } finally {
    await closed.close();
  }
});
