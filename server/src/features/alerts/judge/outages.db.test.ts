// Outages of ours, over real rows with a clock that the test holds: nobody else is late, silent or stale for them, and who really falls
// silent is told of once.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AlertWorld,
  addState,
  CHAIN,
  hear,
  moveHead,
  NOW,
  openAlertWorld,
} from "../../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS } from "../../../../test/chain-rows.ts";
import { buildEngineApp, event, post, SOURCE } from "../../../../test/engine.ts";
import fc from "../../../../test/fast-check.ts";
import { areaOfChain } from "../../../monitors/engine/chain-vaults.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { createToken } from "../../../reports/tokens.ts";
import { beat, REPORTS } from "./heartbeat.ts";

let world: AlertWorld;
let app: Awaited<ReturnType<typeof buildEngineApp>>;
let token: string;
/** Runs that the engine could not report yet. */
let spool: number[];
let runs = 0;

beforeEach(async () => {
  world = await openAlertWorld();
  world.isDeaf = true;
  app = await buildEngineApp(world.db, { clock: world.clock });
  ({ token } = await createToken(world.db, { name: "test", source: SOURCE, chains: [], vaults: [] }));
  spool = [];
});
afterEach(async () => {
  await app.close();
  await world.drop();
});

async function report(service: string, atMs: number, scheduleSeconds: number): Promise<void> {
  const at = timestampOfMs(atMs);
  const data = {
    service,
    run_id: `run-${runs++}`,
    status: "success" as const,
    started_at: at,
    finished_at: at,
    schedule_seconds: scheduleSeconds,
  };
  const response = await post(app, [event("vaultops.service.run", data, { time: at })], { token });
  expect(response.json().results).toMatchObject([{ status: "accepted" }]);
}

/** What was told of services since the last time, without hourly reminders. */
async function told(): Promise<string[]> {
  const events = await world.events();
  return events
    .filter(({ type, data }) => type.startsWith("service.") || data.category === "keeper_run")
    .filter(({ type, data }) => type !== "alert.updated" || data.last_notice !== "reminder")
    .map(({ type, data }) => `${type} ${data.subject ?? data.service}`);
}

/** The engine's keeper runs every minute; what it cannot report waits, and goes out a while after we are back. */
async function listen(seconds: number, drainSeconds: number): Promise<void> {
  const endMs = world.clock.ms + seconds * 1000;
  const drainMs = world.clock.ms + drainSeconds * 1000;
  await beat(world.db, REPORTS, world.clock.ms, true);
  for (; world.clock.ms < endMs; world.clock.ms += 20_000) {
    await hear(world.db, world.clock.ms);
    runKeeper();
    if (world.clock.ms >= drainMs) for (const atMs of spool.splice(0)) await report("alive", atMs, 60);
    await world.evaluate("engine");
  }
}

let nextRunMs = 0;
function runKeeper(): void {
  for (; nextRunMs <= world.clock.ms; nextRunMs += 60_000) spool.push(nextRunMs);
}

describe("a service that is killed and started beside a living engine", () => {
  it("tells nothing of services twenty times, and once of the one that really fell silent", async () => {
    nextRunMs = world.clock.ms;
    await beat(world.db, REPORTS, world.clock.ms, true);
    await report("dead", world.clock.ms, 600);
    const seconds = fc.sample(
      fc.tuple(
        fc.integer({ min: 3, max: 600 }),
        fc.integer({ min: 5, max: 600 }),
        fc.integer({ min: 0, max: 55 }),
      ),
      20,
    );
    const words: string[] = [];
    for (const [away, here, drain] of seconds) {
      await listen(here, drain);
      words.push(...(await told()));
      world.clock.ms += away * 1000;
      runKeeper();
    }
    await listen(3600, 55);
    words.push(...(await told()));
    expect(words).toEqual([
      "service.late dead",
      "alert.firing dead",
      "service.down dead",
      "alert.updated dead",
    ]);
  }, 300_000);
});

it("what was late before an outage stays late in it and after it, and resolves with a report alone", async () => {
  await beat(world.db, REPORTS, world.clock.ms, true);
  await report("dead", world.clock.ms, 60);
  await listen(200, 0);
  expect((await told()).at(-1)).toBe("alert.updated dead");
  world.clock.ms += 3_600_000;
  await world.evaluate("engine");
  await listen(300, 0);
  expect(await told()).toEqual([]);
  await report("dead", world.clock.ms, 60);
  await world.evaluate("engine");
  expect(await told()).toEqual(["alert.resolved dead"]);
});

it("while no heartbeat comes, nobody falls silent", async () => {
  await beat(world.db, REPORTS, world.clock.ms, true);
  await report("quiet", world.clock.ms, 60);
  for (let count = 0; count < 5; count += 1) {
    world.clock.ms += 600_000;
    await world.evaluate("engine");
  }
  expect(await told()).toEqual([]);
});

describe("the price", () => {
  /** Blocks to a time, the newest of them the head. */
  async function moveTo(ms: number): Promise<void> {
    const number = Math.floor((ms / 1000 - GENESIS_SECONDS) / 12);
    const { rows } = await world.db.pool.query<{ n: number }>("select max(number)::int as n from blocks");
    if (number > rows[0]!.n) await addBlocks(world.db, CHAIN, rows[0]!.n + 1, number);
    await moveHead(world.db, number);
  }
  const levels = async () =>
    (await world.events())
      .filter(({ type }) => type === "pps.stale")
      .map(({ data }) => data.remaining_seconds);

  it("that expired by the old state is not told of before the chain is caught up, then only if it is so", async () => {
    const subject = areaOfChain(CHAIN);
    await addState(world.db, { block: 6, lastUpdate: NOW / 1000, expirationSeconds: 600 });
    await beat(world.db, subject, world.clock.ms, true);
    world.clock.ms += 1_200_000;
    await world.evaluate();
    expect(await levels()).toEqual([]);
    await moveTo(world.clock.ms);
    await addState(world.db, { block: 90, lastUpdate: NOW / 1000 + 1_150, expirationSeconds: 600 });
    await beat(world.db, subject, world.clock.ms, true);
    await world.evaluate();
    expect(await levels()).toEqual([]);
    world.clock.ms += 1_200_000;
    await world.evaluate();
    expect(await levels()).toEqual([]);
    await moveTo(world.clock.ms);
    await beat(world.db, subject, world.clock.ms, true);
    await world.evaluate();
    expect(await levels()).toEqual([0]);
  });
});

describe("the service itself", () => {
  const system = async () => {
    await world.evaluate("system");
    return (await world.alerts("subject like 'outage%'")).map(({ subject, status, severity }) =>
      [subject.split(":")[0], severity, status].join(" "),
    );
  };

  it("tells of its own outage: that it takes nothing in, then when it began and how long it was", async () => {
    const beganMs = world.clock.ms;
    await beat(world.db, REPORTS, beganMs, true);
    world.clock.ms += 59_000;
    expect(await system()).toEqual([]);
    world.clock.ms += 1_000;
    expect(await system()).toEqual(["outage critical firing"]);
    world.clock.ms += 60_000;
    await beat(world.db, REPORTS, world.clock.ms, false);
    expect(await system()).toEqual(["outage critical resolved", "outage warning firing"]);
    expect(await world.alerts("severity = 'warning'")).toMatchObject([
      {
        details: { began_at: timestampOfMs(beganMs), ended_at: timestampOfMs(world.clock.ms), seconds: 120 },
        message: expect.stringContaining("for 2 min"),
      },
    ]);
  });

  it("tells nothing of a restart, nor of a first start", async () => {
    await beat(world.db, REPORTS, world.clock.ms, true);
    world.clock.ms += 30_000;
    await beat(world.db, REPORTS, world.clock.ms, true);
    expect(await system()).toEqual([]);
  });

  it("gives a chain as long to come up after an outage as it may lag", async () => {
    const lags = async () => {
      await world.evaluate("system");
      return world.alerts("subject like 'lagging%' and resolved_at is null");
    };
    await beat(world.db, REPORTS, world.clock.ms, true);
    world.clock.ms += 3_600_000;
    await beat(world.db, REPORTS, world.clock.ms, true);
    expect(await lags()).toEqual([]);
    world.clock.ms += 300_001;
    expect(await lags()).toHaveLength(1);
  });
});
