// Heartbeats: which gaps they leave, however processes die, and what each chain needs to be heard.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, openAlertWorld } from "../../../../test/alerts.ts";
import { silentLogger } from "../../../platform/log.ts";
import { beat, heartbeatTasks, loadListening, REPORTS } from "./heartbeat.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

const listening = (subject = REPORTS) =>
  world.db.transaction((tx) => loadListening(tx, subject, world.clock.ms));
const gaps = async (subject?: string) => (await listening(subject)).gaps;

/** Beats at these milliseconds after now; a minus before it: the first of a process. */
async function beats(...moments: number[]): Promise<void> {
  for (const moment of moments) {
    const isFirst = moment < 0 || Object.is(moment, -0);
    await beat(world.db, REPORTS, world.clock.ms + Math.abs(moment), isFirst);
  }
}

it("before the first heartbeat nothing was heard, since ever", async () => {
  expect(await listening()).toMatchObject({ untilMs: Number.NEGATIVE_INFINITY, gaps: [] });
  await beats(-0);
  expect(await listening()).toMatchObject({
    untilMs: world.clock.ms,
    gaps: [{ fromMs: Number.NEGATIVE_INFINITY, toMs: world.clock.ms }],
  });
});

it("a gap is between heartbeats too far apart, from the last before to the first after", async () => {
  await beats(-0, 2000, 7000, 12_001, 14_000);
  const { ms } = world.clock;
  expect((await gaps()).slice(1)).toEqual([{ fromMs: ms + 7000, toMs: ms + 12_001 }]);
});

it("a process that takes the place of one that died a moment ago leaves even a short gap, beside a living one none", async () => {
  await beats(-0, 2000, -5000, 7000, -8000, 9000);
  const { ms } = world.clock;
  expect((await gaps()).slice(1)).toEqual([{ fromMs: ms + 2000, toMs: ms + 5000 }]);
});

it("two processes that come back at once leave one gap", async () => {
  await beats(-0);
  await Promise.all([1, 2, 3, 4].map((n) => beat(world.db, REPORTS, world.clock.ms + 60_000 + n, true)));
  expect(await gaps()).toHaveLength(2);
});

it("a clock that ran far ahead is not followed", async () => {
  await beats(-0, 3_600_000, 2000);
  expect((await listening()).untilMs).toBe(world.clock.ms);
  world.clock.ms += 2000;
  expect((await listening()).untilMs).toBe(world.clock.ms);
});

it("a chain is heard when its head has come to what was new at the start, and not while it lags", async () => {
  const subject = `chain:${CHAIN}`;
  const headAt = (ms: number) =>
    world.db.pool.query("update chains set head_timestamp = to_timestamp($1::float8 / 1000)", [ms]);
  const stop = new AbortController();
  const tasks = heartbeatTasks({
    db: world.db,
    clock: world.clock,
    log: silentLogger(),
    chains: [{ chainId: CHAIN, maxLagSeconds: 300 }],
  });
  const running = tasks.find(({ role }) => role === "indexer")!.run(stop.signal);
  const startMs = world.clock.ms;
  await headAt(startMs - 60_000);
  await sleep(2500);
  expect((await listening(subject)).untilMs).toBe(Number.NEGATIVE_INFINITY);
  await headAt(startMs);
  await until(async () => (await listening(subject)).untilMs === startMs);
  world.clock.ms += 300_001;
  await sleep(2500);
  expect((await listening(subject)).untilMs).toBe(startMs);
  await headAt(world.clock.ms);
  await until(async () => (await listening(subject)).untilMs === world.clock.ms);
  expect((await gaps(subject)).at(-1)).toEqual({ fromMs: startMs, toMs: world.clock.ms });
  stop.abort();
  await running;
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
