// Forgetting old reports: the tables stay small, and nothing that is served, or will be, is other than without it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  type EngineTest,
  event,
  heldClock,
  OTHER_ID,
  startEngineTest,
  VAULT_ID,
} from "../../../test/engine.ts";
import { forgetReportIds } from "../../reports/writer.ts";
import { forgetHistory } from "./prune.ts";

const DAYS = 90;
const DAY = 86_400;
const START = Date.UTC(2026, 0, 1);
const clock = heldClock(START);
const signal = new AbortController().signal;

// The same reports go to both; only the first one's database is ever cleaned up.
let cleaned: TestDatabase;
let whole: TestDatabase;
let engine: EngineTest;
let peer: EngineTest;

beforeAll(async () => {
  clock.ms = START + 1000 * DAY * 1000;
  [cleaned, whole] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  [engine, peer] = await Promise.all([
    startEngineTest(cleaned.db, { clock }),
    startEngineTest(whole.db, { clock }),
  ]);
});
afterAll(async () => {
  for (const each of [engine, peer]) await each?.app.close();
  for (const each of [cleaned, whole]) await each?.drop();
});

const SERVICE = "tx_manager";
const timeAt = (seconds: number) => new Date(START + seconds * 1000).toISOString();

function run(id: string, seconds: number, status: "success" | "failed" | "skipped", subject = VAULT_ID) {
  const error = status === "failed" ? { error: `error of ${id}` } : {};
  return event(
    "vaultops.service.run",
    {
      service: SERVICE,
      run_id: id,
      status,
      started_at: timeAt(seconds - 1),
      finished_at: timeAt(seconds),
      ...error,
    },
    { time: timeAt(seconds), subject },
  );
}

function state(seconds: number, is_paused: boolean, service = SERVICE, subject = VAULT_ID) {
  const reason = { reason: `as of ${seconds}` };
  return event(
    "vaultops.service.state",
    { service, is_paused, ...reason },
    { time: timeAt(seconds), subject },
  );
}

async function reportBoth(events: readonly unknown[]): Promise<string[]> {
  const results = await engine.report(events);
  expect(await peer.report(events)).toEqual(results);
  return results.map(({ status }) => status);
}

async function served(of: EngineTest) {
  const [id] = [VAULT_ID];
  return [
    (await of.get("/api/v1/services/status")).body,
    (await of.get(`/api/v1/vaults/${id.replace(":", "/")}/services`)).body,
  ];
}

async function countOf({ db }: TestDatabase, table: string): Promise<number> {
  const { rows } = await db.pool.query(`select count(*) as n from ${table}`);
  return rows[0].n;
}

async function entriesOf({ db }: TestDatabase) {
  const { rows } = await db.pool.query(
    `select action_type, (body::jsonb)->'details' as details from audit_entries
     order by (body::jsonb)->'details'->>'reported_at', (body::jsonb)->'details'->>'service'`,
  );
  return rows;
}

test("old runs go but for those that a service is judged by and its last error; what is served stays, and none can count twice", async () => {
  const early = [
    run("failed-first", 10, "failed"),
    run("failed-last", 20, "failed"),
    ...Array.from({ length: 30 }, (_, n) => run(`old-${n}`, 100 + n, n % 3 === 0 ? "skipped" : "success")),
  ];
  // Another vault's service has never more than these.
  const few = [
    run("a", 5, "failed", OTHER_ID),
    run("b", 10, "success", OTHER_ID),
    run("c", 200 * DAY, "success", OTHER_ID),
  ];
  const late = Array.from({ length: 120 }, (_, n) => run(`new-${n}`, (100 + n) * DAY, "success"));
  await reportBoth([...early, ...few, ...late]);

  const before = await served(engine);
  expect(before[1].find((each: { name: string }) => each.name === SERVICE)).toMatchObject({
    total_executions: 152,
    success_rate: 1,
    last_error: "error of failed-last",
  });
  // 20 successes, 10 skipped, one failure, and what is neither of the last 90 days nor of the last 100.
  expect(await forgetHistory(cleaned.db, DAYS, signal)).toBe(20 + 10 + 1 + 20);
  expect(await countOf(cleaned, "service_runs")).toBe(100 + 1 + 3);
  expect(await served(engine)).toEqual(before);
  expect(await forgetHistory(cleaned.db, DAYS, signal)).toBe(0);

  const again = await engine.report([
    { ...early[5], id: "again" },
    { ...late[0], id: "again, kept" },
    { ...late[119], id: "again, new" },
    { ...few[0], id: "again, few" },
  ]);
  expect(again).toMatchObject([
    {
      status: "rejected",
      problem: { code: "invalid_event", detail: expect.stringContaining("no longer kept") },
    },
    { status: "rejected", problem: { code: "invalid_event" } },
    { status: "accepted" },
    { status: "accepted" },
  ]);
  expect(await served(engine)).toEqual(before);
});

test("late runs of the time that is kept count as if nothing had been forgotten", async () => {
  await reportBoth([
    run("late-failed", 218 * DAY + 50, "failed"),
    run("late-skipped", 150 * DAY, "skipped"),
    run("late-success", 149 * DAY, "success"),
  ]);
  expect(await served(engine)).toEqual(await served(peer));
});

test("old states go but for the last pause among them; its words stay, and late states make the entries they would have made", async () => {
  const names = [
    "flapping",
    "paused_long_ago",
    "never_paused",
    "paused_since_ever",
    "resumed_before_it_was_paused",
  ];
  const states = (at: number) => [
    state(at, at % 4 < 2, names[0]),
    state(at, at >= 40 && at < 60, names[1]),
    state(at, false, names[2]),
    state(at, true, names[3]),
    state(at, at >= 30, names[4]),
  ];
  await reportBoth(Array.from({ length: 100 }, (_, n) => states(n)).flat());
  // 90 days later, again and again.
  const later = (n: number) => 100 * DAY + n * 60;
  for (let n = 0; n < 20; n += 1)
    await reportBoth([state(later(n), false, names[0]), state(later(n), n > 9, names[2])]);
  await reportBoth([1, 3, 4].map((index) => state(later(20), index > 2, names[index])));

  const before = [await served(engine), await entriesOf(cleaned)];
  expect(await forgetHistory(cleaned.db, DAYS, signal)).toBeGreaterThan(400);
  expect(await countOf(cleaned, "service_states")).toBeLessThan(100);
  expect([await served(engine), await entriesOf(cleaned)]).toEqual(before);
  expect(await forgetHistory(cleaned.db, DAYS, signal)).toBe(0);

  expect(await engine.report([state(50, false, names[0])])).toMatchObject([
    { status: "rejected", problem: { code: "invalid_event" } },
  ]);
  // Late ones between what was forgotten and what came since, each of which splits a stretch.
  for (const at of [50 * DAY, 30 * DAY, 99 * DAY, later(15) + 5, later(5) + 5, later(30)]) {
    for (const name of names)
      for (const is_paused of [true, false])
        expect(await reportBoth([state(at + (is_paused ? 0 : 10), is_paused, name)])).toEqual(["accepted"]);
    expect(await served(engine)).toEqual(await served(peer));
    expect(await entriesOf(cleaned)).toEqual(await entriesOf(whole));
  }
});

test("the time that is kept is measured from the service's own newest report: of one that fell silent nothing goes", async () => {
  const silent = Array.from({ length: 200 }, (_, n) => run(`silent-${n}`, n, "success", OTHER_ID));
  await engine.report(silent.map((each) => ({ ...each, data: { ...each.data, service: "silent" } })));
  const runs = await countOf(cleaned, "service_runs");
  await forgetHistory(cleaned.db, DAYS, signal);
  expect(await countOf(cleaned, "service_runs")).toBe(runs);
});

test("a report whose id was forgotten is taken again and changes nothing", async () => {
  const reports = [run("remembered", 230 * DAY, "success"), state(230 * DAY, false)];
  await engine.report(reports);
  const before = [await served(engine), await entriesOf(cleaned)];
  await cleaned.owner.pool.query("update engine_report_ids set received_at = now() - interval '31 days'");
  expect(await forgetReportIds(cleaned.db)).toBeGreaterThan(700);
  expect((await engine.report(reports)).map(({ status }) => status)).toEqual(["accepted", "accepted"]);
  expect([await served(engine), await entriesOf(cleaned)]).toEqual(before);
});
