// Who is told of an alert, of its updates and of its end.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ANNE,
  alertEvent,
  boundTo,
  CHAIN,
  CHANNELS,
  type ChannelGround,
  OTHER_VAULT,
  openChannelGround,
  testAlert,
  VAULT,
} from "../../../../test/channels.ts";
import type { Alert } from "../../../events/alert.ts";

let ground: ChannelGround;
const systemChannels: string[] = [];

beforeAll(async () => {
  ground = await openChannelGround({ systemChannels });
});
afterAll(() => ground.close());
beforeEach(async () => {
  const { pool } = ground.database.db;
  for (const table of ["channel_alerts", "notification_channels", "deliveries", "delivery_targets", "events"])
    await pool.query(`delete from ${table}`);
  ground.receiver.received.length = 0;
  ground.clock.at(0);
  systemChannels.length = 0;
});

const fire = (alert: Alert) => ground.emit(alertEvent("alert.firing", alert));
const update = (alert: Alert) => ground.emit(alertEvent("alert.updated", alert));
const resolve = (alert: Alert) => ground.emit(alertEvent("alert.resolved", alert));

/** What PagerDuty was told, in order, as `action dedup_key` by channel. */
function paged(): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const { path, body } of ground.receiver.taken("pagerduty")) {
    const name = path.split("/")[1] as string;
    told[name] = [...(told[name] ?? []), `${body.event_action} ${body.dedup_key}`];
  }
  return told;
}

/** The channels that were told, by the name in their path. */
function toldOf(provider: "slack" | "pagerduty" | "webhook"): string[] {
  return ground.receiver.taken(provider).map(({ path }) => path.split("/")[1] as string);
}

describe("a firing", () => {
  test("goes to every channel bound to the vault, and to no other", async () => {
    await ground.channel("slack", { name: "here" });
    await ground.channel("slack", { name: "elsewhere", vaults: [OTHER_VAULT] });
    await ground.channel("slack", { name: "nowhere", vaults: [] });
    await ground.channel("pagerduty", { name: "both", vaults: [VAULT, OTHER_VAULT] });
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    expect(toldOf("slack")).toEqual(["here"]);
    expect(paged()).toEqual({ both: [`trigger ${alert.id}`] });
  });

  test("goes to those whose binding admits its category and its severity", async () => {
    await ground.channel("slack", { name: "all" });
    await ground.channel("slack", { name: "critical", wish: { min_severity: "critical" } });
    await ground.channel("slack", { name: "warning", wish: { min_severity: "warning" } });
    await ground.channel("slack", { name: "upkeep", wish: { categories: ["upkeep"] } });
    await fire(testAlert({ severity: "warning", category: "merkle" }));
    await ground.deliver();
    expect(toldOf("slack").sort()).toEqual(["all", "warning"]);
  });

  test("goes to no channel that is disabled", async () => {
    const id = await ground.channel("slack");
    await ground.ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body: { is_enabled: false } });
    await fire(testAlert());
    await ground.deliver();
    expect(ground.receiver.received).toEqual([]);
  });

  test("told by a channel names the vault, its chain and the alert's page", async () => {
    await ground.channel("slack");
    const alert = testAlert({ vault_name: "USDC Prime" });
    await fire(alert);
    await ground.deliver();
    const text = JSON.stringify(ground.receiver.taken("slack")[0]?.body);
    for (const word of ["USDC Prime", VAULT, "Base", alert.console_url, "Vault paused"])
      expect(text).toContain(word);
  });
});

describe("an end", () => {
  test("goes exactly to the channels that took the firing, bound meanwhile or not", async () => {
    const left = await ground.channel("pagerduty", { name: "left" });
    await ground.channel("pagerduty", { name: "stays" });
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    await ground.ask("DELETE", `${boundTo(VAULT)}/${left}`, ANNE);
    await ground.channel("pagerduty", { name: "later" });
    await resolve(alert);
    await ground.deliver();
    const both = [`trigger ${alert.id}`, `resolve ${alert.id}`];
    expect(paged()).toEqual({ left: both, stays: both });
  });

  test("stands behind a firing that is still on its way", async () => {
    await ground.channel("pagerduty");
    const alert = testAlert();
    ground.receiver.fail("pagerduty", { status: 500, body: "" });
    await fire(alert);
    await ground.deliver();
    await resolve(alert);
    await ground.deliver();
    expect(paged()).toEqual({});
    ground.clock.at(1000);
    await ground.send();
    expect(paged()).toEqual({ main: [`trigger ${alert.id}`, `resolve ${alert.id}`] });
  });

  test("is not told where the firing was refused", async () => {
    const id = await ground.channel("pagerduty");
    ground.receiver.fail("pagerduty", { status: 400, body: "" });
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    await resolve(alert);
    await ground.deliver();
    expect(paged()).toEqual({});
    const { deliveries } = (await ground.ask("GET", `${CHANNELS}/${id}/deliveries`, ANNE)).body;
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(["dead"]);
  });

  test("that came while the firing waited is told with it in one message", async () => {
    await ground.channel("slack");
    const alert = testAlert();
    await fire(alert);
    await resolve(alert);
    await ground.handOut();
    await ground.send();
    const texts = ground.receiver.taken("slack").map(({ body }) => body.text);
    expect(texts).toEqual([expect.stringContaining("2 alerts: 1 critical, 1 resolved")]);
  });

  test("goes to PagerDuty under the routing key of its firing, whatever the channel has now", async () => {
    const id = await ground.channel("pagerduty");
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    const body = { config: { routing_key: "anotherroutingkey000000000000002" } };
    expect((await ground.ask("PATCH", `${CHANNELS}/${id}`, ANNE, { body })).status).toBe(200);
    await fire(testAlert());
    await resolve(alert);
    await ground.deliver();
    const keys = ground.receiver
      .taken("pagerduty")
      .map(({ body }) => `${body.event_action} ${body.routing_key}`);
    expect(keys).toEqual([
      "trigger plantedroutingkey000000000000001",
      "trigger anotherroutingkey000000000000002",
      "resolve plantedroutingkey000000000000001",
    ]);
    // With that the old key is of no more use.
    const { rows } = await ground.database.db.pool.query("select is_current from channel_configs");
    expect(rows).toEqual([{ is_current: true }]);
  });

  test("by a reorganisation is told as withdrawn", async () => {
    await ground.channel("slack");
    const alert = testAlert({ is_unconfirmed: true });
    await fire(alert);
    await ground.deliver();
    await ground.emit(alertEvent("alert.withdrawn", { ...alert, is_withdrawn: true }));
    ground.clock.at(1000);
    await ground.deliver();
    const [first, second] = ground.receiver.taken("slack").map(({ body }) => JSON.stringify(body));
    expect(first).toContain("not confirmed yet");
    expect(second).toContain("Withdrawn");
    expect(second).toContain("no longer part of the chain");
  });
});

describe("an update", () => {
  test("is told as such where the firing was, and as the firing where it has only now become bad enough", async () => {
    await ground.channel("slack", { name: "all" });
    await ground.channel("slack", { name: "critical", wish: { min_severity: "critical" } });
    const alert = testAlert({ severity: "warning" });
    await fire(alert);
    await ground.deliver();
    expect(toldOf("slack")).toEqual(["all"]);
    const worse = { ...alert, severity: "critical", last_notice: "severity_raised" } as const;
    await update(worse);
    ground.clock.at(2000);
    await ground.deliver();
    const [, ...updates] = ground.receiver.taken("slack");
    const byName = Object.fromEntries(
      updates.map(({ path, body }) => [path.split("/")[1], JSON.stringify(body)]),
    );
    expect(Object.keys(byName).sort()).toEqual(["all", "critical"]);
    expect(byName.all).toContain("it has become worse");
    expect(byName.critical).not.toContain("it has become worse");
    await resolve(worse);
    ground.clock.at(4000);
    await ground.deliver();
    expect(toldOf("slack").slice(3).sort()).toEqual(["all", "critical"]);
  });

  test("reaches a channel that was bound while the alert stood, and so does the end then", async () => {
    const alert = testAlert();
    await fire(alert);
    await ground.deliver();
    await ground.channel("pagerduty");
    await update({ ...alert, last_notice: "reminder" });
    await resolve(alert);
    await ground.deliver();
    expect(paged()).toEqual({ main: [`trigger ${alert.id}`, `resolve ${alert.id}`] });
  });
});

describe("an alert of the system", () => {
  const system = (changes: Partial<Alert> = {}) =>
    testAlert({ category: "system", title: "A channel takes nothing", ...changes });

  test("that concerns no vault goes to the configured channels", async () => {
    await ground.channel("slack", { name: "bound" });
    systemChannels.push(await ground.channel("slack", { name: "system", vaults: [] }), "no-such-channel");
    const alert = system({ chain_id: 0, vault_address: "0x0000000000000000000000000000000000000000" });
    await fire(alert);
    await resolve(alert);
    await ground.deliver();
    expect(toldOf("slack")).toEqual(["system"]);
  });

  test("about what a channel did not take goes to the vault's other channels", async () => {
    const dead = await ground.channel("slack", { name: "dead" });
    await ground.channel("slack", { name: "other" });
    systemChannels.push(await ground.channel("slack", { name: "system", vaults: [] }));
    await fire(system({ details: { queue: "channel", target_id: dead } }));
    await ground.deliver();
    expect(toldOf("slack")).toEqual(["other"]);
  });

  test("about the vault's only channel goes to the configured ones", async () => {
    const dead = await ground.channel("slack", { name: "dead" });
    systemChannels.push(dead, await ground.channel("slack", { name: "system", vaults: [] }));
    await fire(system({ details: { queue: "channel", target_id: dead } }));
    await ground.deliver();
    expect(toldOf("slack")).toEqual(["system"]);
  });
});

describe("an incident", () => {
  const incident = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      testAlert({ vault_name: `Vault ${index}`, category: index % 2 === 0 ? "emergency_pause" : "upkeep" }),
    );

  test("of 200 alerts is one message where messages are for people, and 200 in order where they are for a machine", async () => {
    await ground.channel("slack");
    await ground.channel("discord");
    await ground.channel("pagerduty");
    const alerts = incident(200);
    await ground.emit(...alerts.map((alert) => alertEvent("alert.firing", alert)));
    await ground.deliver();
    expect(ground.receiver.taken("slack")).toHaveLength(1);
    expect(ground.receiver.taken("discord")).toHaveLength(1);
    expect(ground.receiver.taken("slack")[0]?.body.text).toContain("200 alerts");
    expect(paged().main).toEqual(alerts.map(({ id }) => `trigger ${id}`));
    expect(ground.receiver.received).toHaveLength(202);
  });

  test("of more than fits one message is two, and none is left out", async () => {
    await ground.channel("slack");
    await ground.emit(...incident(250).map((alert) => alertEvent("alert.firing", alert)));
    await ground.deliver();
    ground.clock.at(1000);
    await ground.send();
    const texts = ground.receiver.taken("slack").map(({ body }) => body.text);
    expect(texts).toEqual([expect.stringContaining("200 alerts"), expect.stringContaining("50 alerts")]);
  });

  test("is collected for as long as configured before chat channels send", async () => {
    const collecting = await openChannelGround({ collectSeconds: 2 });
    try {
      await collecting.channel("slack");
      await collecting.channel("pagerduty");
      await collecting.emit(alertEvent("alert.firing", testAlert()));
      await collecting.deliver();
      collecting.clock.at(1999);
      await collecting.emit(alertEvent("alert.firing", testAlert()));
      await collecting.deliver();
      expect(collecting.receiver.taken("slack")).toEqual([]);
      expect(collecting.receiver.taken("pagerduty")).toHaveLength(2);
      collecting.clock.at(2000);
      await collecting.send();
      expect(collecting.receiver.taken("slack").map(({ body }) => body.text)).toEqual([
        expect.stringContaining("2 alerts"),
      ]);
    } finally {
      await collecting.close();
    }
  });
});

test("one's own endpoint gets the alert as webhooks do, under the event's id, signed", async () => {
  await ground.channel("webhook");
  const alert = testAlert();
  await fire(alert);
  await resolve(alert);
  await ground.deliver();
  const [firing, resolved] = ground.receiver.taken("webhook");
  expect(firing?.body).toMatchObject({
    event_id: firing?.request.headers["webhook-id"],
    event_type: "alert.firing",
    chain_id: CHAIN,
    vault_address: VAULT,
    data: { id: alert.id, status: "firing" },
  });
  expect(firing?.body.event_id).toMatch(/^evt_[0-9a-f-]{36}$/);
  expect(resolved?.body).toMatchObject({
    event_type: "alert.resolved",
    data: { id: alert.id, status: "resolved" },
  });
});
