// Channels that hear only of what nobody took: to the second, and not of what somebody did take.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ANNE, alertEvent, boundTo, CHAIN, testAlert, VAULT } from "../../../../test/channels.ts";
import { type ChatGround, openChatGround } from "../../../../test/chat-ground.ts";
import { FakeClock } from "../../../../test/delivery.ts";
import type { Alert } from "../../../events/alert.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { acknowledge, findAlert } from "../../alerts/api/alert-store.ts";
import { createSilence, endSilence } from "../../alerts/api/silence-store.ts";

let ground: ChatGround;
beforeAll(async () => {
  ground = await openChatGround();
});
afterAll(() => ground.close());
beforeEach(() => ground.clear());

const MINUTES = 60_000;
const PLACE = { chainId: CHAIN, vaultAddress: VAULT };
const at = (minutes: number) => ground.clock.at(minutes * MINUTES);
const timeOf = (minutes: number) => timestampOfMs(FakeClock.BEGIN_MS + minutes * MINUTES);
const db = () => ground.database.db;

/** The duty is told at once, the boss of what nobody takes for 15 minutes. */
async function bind(wish: object = {}) {
  await ground.channel("pagerduty", { name: "duty" });
  return ground.channel("pagerduty", { name: "boss", wish: { escalate_after_seconds: 900, ...wish } });
}

/** What PagerDuty was told by that name, as `action alert`, with what it says beside. */
const told = (name: string) =>
  ground.receiver
    .taken("pagerduty")
    .filter(({ path }) => path.split("/")[1] === name)
    .map(({ body }) => body.event_action);

/** At that minute nothing was told by then, and at the next millisecond it was. */
async function isDueAt(minutes: number) {
  const before = told("boss").length;
  ground.clock.at(minutes * MINUTES - 1);
  await ground.escalate();
  expect(told("boss").length).toBe(before);
  at(minutes);
  await ground.escalate();
  await ground.escalate();
  expect(told("boss").length).toBe(before + 1);
}

/** An alert that began at minute zero. */
async function fire(changes: Partial<Alert> = {}): Promise<Alert> {
  const alert = await ground.fire(changes);
  return alert;
}

const update = async (alert: Alert, minutes: number, last_notice: Alert["last_notice"]) => {
  at(minutes);
  const changed: Alert = { ...alert, last_notice };
  await ground.emit({ ...alertEvent("alert.updated", changed), at: timeOf(minutes) });
  await ground.deliver();
};
const acknowledged = async ({ id }: Alert, minutes: number) => {
  at(minutes);
  const row = await findAlert(db(), id);
  expect(await acknowledge(db(), row as never, ANNE, ground.clock.now())).toBe(true);
  await ground.handOut();
};
const rise = (alert: Alert) =>
  db().pool.query(
    "update alerts set acknowledged_at = null, acknowledged_by = null, severity = $2 where id = $1",
    [alert.id, "critical"],
  );

describe("a binding that escalates", () => {
  test("is told of what nobody took for so long, once, and of its end", async () => {
    await bind();
    const alert = await fire();
    expect(told("duty")).toEqual(["trigger"]);
    expect(told("boss")).toEqual([]);
    await isDueAt(15);
    const { body } = ground.receiver.taken("pagerduty").at(-1) as { body: object };
    expect(JSON.stringify(body)).toContain("nobody has acknowledged it for 15 min 0 s");
    await update(alert, 60, "reminder");
    expect(told("boss")).toEqual(["trigger", "trigger"]);
    await ground.emit(alertEvent("alert.resolved", alert));
    await ground.deliver();
    expect(told("boss")).toEqual(["trigger", "trigger", "resolve"]);
    expect((await db().pool.query("select from channel_escalations")).rows).toEqual([]);
  });

  test("is told nothing of what was acknowledged or over in time, not even its end", async () => {
    await bind();
    const [first, second] = [await fire(), await fire()];
    await acknowledged(first, 10);
    await db().pool.query("update alerts set resolved_at = $2 where id = $1", [second.id, timeOf(14)]);
    await ground.emit(alertEvent("alert.resolved", second));
    await ground.deliver();
    at(120);
    await ground.escalate();
    expect(told("boss")).toEqual([]);
    expect((await db().pool.query("select from channel_escalations")).rows).toEqual([]);
  });

  test("waits anew where an acknowledgement was taken back, as what was acknowledged got worse", async () => {
    await bind();
    const alert = await fire({ severity: "warning" });
    await isDueAt(15);
    await acknowledged(alert, 20);
    await rise(alert);
    await update({ ...alert, severity: "critical" }, 30, "severity_raised");
    expect(told("duty").length).toBe(2);
    await isDueAt(45);
  });

  test("waits from when it became bad enough", async () => {
    await bind({ min_severity: "critical" });
    const alert = await fire({ severity: "warning" });
    at(30);
    await ground.escalate();
    expect(told("boss")).toEqual([]);
    await rise(alert);
    await update({ ...alert, severity: "critical" }, 40, "severity_raised");
    await isDueAt(55);
  });

  test("waits from the end of a silence that covered it, also of one that was ended early", async () => {
    await bind();
    const alert = await fire();
    at(5);
    const silence = { category: alert.category, ends_at: timeOf(30), reason: "works" };
    const { id } = await createSilence(db(), PLACE, silence, ANNE, ground.clock.now());
    at(31);
    await ground.escalate();
    expect(told("boss")).toEqual([]);
    // Another category's, and what ended before, change nothing.
    await createSilence(
      db(),
      PLACE,
      { ...silence, category: "upkeep", ends_at: timeOf(300) },
      ANNE,
      ground.clock.now(),
    );
    await isDueAt(45);
    expect(await endSilence(db(), id, ANNE, ground.clock.now())).toBe(false);
    const other = await fire();
    at(50);
    const whole = { ...silence, category: null, ends_at: timeOf(120) };
    const early = await createSilence(db(), PLACE, whole, ANNE, ground.clock.now());
    at(60);
    await endSilence(db(), early.id, ANNE, ground.clock.now());
    expect(other.id).not.toBe(alert.id);
    await isDueAt(75);
  });

  test("is told nothing once it is unbound, disabled or no longer escalates", async () => {
    const id = await bind();
    await fire();
    at(20);
    await ground.ask("POST", `${boundTo(VAULT)}/${id}`, ANNE, { body: { escalate_after_seconds: null } });
    await ground.escalate();
    await ground.ask("DELETE", `${boundTo(VAULT)}/${id}`, ANNE);
    await ground.escalate();
    expect(told("boss")).toEqual([]);
  });

  test("is not told of silences from chat, which concern who is told at once", async () => {
    await ground.channel("slack", { name: "boss", wish: { escalate_after_seconds: 900 } });
    const channel = await ground.makeSlack();
    await ground.link(channel);
    await fire();
    expect(await ground.press(channel, { value: ground.buttons().silence_1h as string })).toBe(200);
    ground.later();
    await ground.deliver();
    expect(ground.receiver.taken("slack").filter(({ path }) => path.split("/")[1] === "boss")).toEqual([]);
  });

  test("several processes that look at once tell it once", async () => {
    await bind();
    await fire();
    at(15);
    await Promise.all([ground.escalate(), ground.escalate(), ground.escalate()]);
    expect(told("boss")).toEqual(["trigger"]);
  });

  test("is shown, kept where it is not named, and taken back by null", async () => {
    const id = await bind();
    const bound = async () =>
      (await ground.ask("GET", boundTo(VAULT), ANNE)).body.find((each: { id: string }) => each.id === id);
    expect(await bound()).toMatchObject({ id, escalate_after_seconds: 900 });
    expect((await ground.entries()).at(-1)).toMatchObject({ details: { escalate_after_seconds: 900 } });
    const change = (body: object) => ground.ask("POST", `${boundTo(VAULT)}/${id}`, ANNE, { body });
    await change({ min_severity: "warning" });
    expect(await bound()).toMatchObject({ escalate_after_seconds: 900, min_severity: "warning" });
    for (const wrong of [59, 604_801, 1.5, "900"])
      expect((await change({ escalate_after_seconds: wrong })).status).toBe(400);
    await change({ escalate_after_seconds: null });
    expect(await bound()).toMatchObject({ escalate_after_seconds: null });
    expect((await ground.entries()).at(-1)?.details).not.toHaveProperty("escalate_after_seconds");
  });
});

test("what nobody took is told by the alert as it is then", async () => {
  await bind();
  const alert = testAlert();
  await ground.fire(alert);
  await db().pool.query("update alerts set title = 'Worse by now' where id = $1", [alert.id]);
  await isDueAt(15);
  expect(JSON.stringify(ground.receiver.taken("pagerduty").at(-1))).toContain("Worse by now");
});
