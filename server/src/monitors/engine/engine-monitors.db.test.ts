// The monitors of what engines report, over rows that the engine's own routes made, with a clock that the test holds.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AlertWorld, OTHER, openAlertWorld, VAULT } from "../../../test/alerts.ts";
import { buildEngineApp, event, post, SOURCE, VAULT_ID } from "../../../test/engine.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { EventData, EventType } from "../../reports/events.ts";
import { createToken } from "../../reports/tokens.ts";

let world: AlertWorld;
let app: Awaited<ReturnType<typeof buildEngineApp>>;
let token: string;

beforeEach(async () => {
  world = await openAlertWorld();
  app = await buildEngineApp(world.db, { clock: world.clock });
  ({ token } = await createToken(world.db, { name: "test", source: SOURCE, chains: [], vaults: [] }));
});
afterEach(async () => {
  await app.close();
  await world.drop();
});

/** The world's time, so many seconds later, in the API's form. */
const at = (seconds = 0) => timestampOfMs(world.clock.ms + seconds * 1000);

async function report<T extends EventType>(
  type: T,
  data: EventData<T>,
  subject: string | null = VAULT_ID,
): Promise<void> {
  const response = await post(app, [event(type, data, { time: at(), subject })], { token });
  expect(response.json().results).toMatchObject([{ status: "accepted" }]);
}

let runs = 0;

function run(
  status: "success" | "failed",
  more: { subject?: string | null; service?: string; error?: string } = {},
) {
  const { subject = VAULT_ID, service = "fulfill_redeems", error } = more;
  return report(
    "vaultops.service.run",
    {
      service,
      run_id: `run-${runs++}`,
      status,
      started_at: at(),
      finished_at: at(),
      schedule_seconds: 60,
      ...(error === undefined ? {} : { error }),
    },
    subject,
  );
}

/** That many successful runs, reported together. */
async function runMany(count: number): Promise<void> {
  const events = Array.from({ length: count }, () =>
    event(
      "vaultops.service.run",
      {
        service: "fulfill_redeems",
        run_id: `run-${runs++}`,
        status: "success",
        started_at: at(),
        finished_at: at(),
        schedule_seconds: 60,
      },
      { time: at() },
    ),
  );
  const response = await post(app, events, { token });
  expect(response.statusCode).toBe(200);
}

/** Moves the clock from one moment that an evaluation names to the next; what was told, with the seconds since the start. */
async function toldUntil(seconds: number): Promise<[number, string][]> {
  const startMs = world.clock.ms;
  const told: [number, string][] = [];
  for (;;) {
    const { inMs } = await world.evaluate("engine");
    for (const { type, data } of await world.events())
      told.push([(world.clock.ms - startMs) / 1000, `${type} ${data.severity ?? data.status}`]);
    if (world.clock.ms + inMs > startMs + seconds * 1000) break;
    world.clock.ms += inMs;
  }
  return told;
}

describe("keeper run", () => {
  it("that falls silent is told after two schedules and three, to the millisecond, with nothing reported meanwhile", async () => {
    await run("success");
    expect(await toldUntil(600)).toEqual([
      [120, "service.late warning"],
      [120, "alert.firing warning"],
      [180, "service.down critical"],
      [180, "alert.updated critical"],
    ]);
    await run("success");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual(["alert.resolved keeper_run/fulfill_redeems"]);
  });

  it("that fails three times in a row is told with the engine's error, and resolves with a success", async () => {
    await runMany(97);
    for (let count = 0; count < 3; count += 1) {
      await world.evaluate("engine");
      expect(await world.alerts()).toEqual([]);
      world.clock.ms += 1000;
      await run("failed", { error: "execution reverted" });
    }
    await world.evaluate("engine");
    expect(await world.alerts()).toMatchObject([
      {
        subject: "fulfill_redeems",
        severity: "warning",
        conditions: ["failing"],
        message: expect.stringContaining("The last 3 runs failed: “execution reverted”."),
      },
    ]);
    world.clock.ms += 1000;
    await run("success");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual([
      "alert.firing keeper_run/fulfill_redeems",
      "alert.resolved keeper_run/fulfill_redeems",
    ]);
  });

  it("of no vault in particular is told of every vault", async () => {
    await run("success", { subject: null, service: "tx_manager" });
    world.clock.ms += 180_000;
    await world.evaluate("engine");
    const alerts = await world.alerts();
    expect(alerts.map(({ vault_address, subject }) => [vault_address, subject])).toEqual([
      [VAULT, "tx_manager"],
      [OTHER, "tx_manager"],
    ]);
  });

  it("that is paused or switched off is never late", async () => {
    await run("success");
    await report("vaultops.service.state", { service: "fulfill_redeems", is_paused: true });
    expect(await toldUntil(600)).toEqual([]);
    await report("vaultops.service.state", {
      service: "fulfill_redeems",
      is_paused: false,
      is_enabled: false,
    });
    expect(await toldUntil(600)).toEqual([]);
  });
});

describe("session key", () => {
  const readiness = (
    expiresInSeconds: number,
    more: { is_ready?: boolean; pending_rotation?: boolean } = {},
  ) =>
    report("vaultops.session_key.readiness", {
      is_ready: true,
      key_address: VAULT,
      expires_at: at(expiresInSeconds),
      pending_rotation: false,
      ...more,
    });

  it("that expires is told ahead and at its end, with nothing reported meanwhile", async () => {
    await world.db.pool.query(
      `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
       values (8453, $1, '{"session_key": {"expires_within_seconds": 600}}', $1, now())`,
      [VAULT],
    );
    await readiness(1000);
    expect(await toldUntil(1500)).toEqual([
      [400, "alert.firing warning"],
      [1000, "alert.updated critical"],
    ]);
    await readiness(30 * 86_400);
    await world.evaluate("engine");
    expect(await world.notices()).toEqual(["alert.resolved session_key/session_key"]);
  });

  it("that is not ready is critical, one to be rotated is worth a word", async () => {
    await readiness(30 * 86_400, { pending_rotation: true });
    await world.evaluate("engine");
    expect(await world.alerts()).toMatchObject([{ severity: "info" }]);
    await readiness(30 * 86_400, { is_ready: false, pending_rotation: true });
    await world.evaluate("engine");
    expect(await world.notices()).toEqual([
      "alert.firing session_key/session_key",
      "alert.updated session_key/session_key",
    ]);
  });
});

describe("emergency exit", () => {
  it("armed fires, stopped resolves", async () => {
    const action = (action_type: "emergency_exit_arm" | "emergency_exit_stop") =>
      report("vaultops.action", { action_type, actor_wallet: OTHER, details: {} });
    await action("emergency_exit_arm");
    await world.evaluate("engine");
    expect(await world.alerts()).toMatchObject([
      { category: "emergency_exit", severity: "critical", details: { by: OTHER }, is_unconfirmed: false },
    ]);
    world.clock.ms += 1000;
    await action("emergency_exit_stop");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual([
      "alert.firing emergency_exit/exit",
      "alert.resolved emergency_exit/exit",
    ]);
  });
});

describe("merkle jobs", () => {
  const job = (job_id: string, kind: "generate" | "publish", status: "running" | "success" | "failed") =>
    report("vaultops.merkle.job", {
      job_id,
      kind,
      status,
      ...(status === "failed" ? { error: "no leaves" } : {}),
    });

  it("that fail are told by kind; one that succeeds later resolves its kind, one that runs does not", async () => {
    await job("a", "generate", "failed");
    await job("b", "publish", "failed");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual(["alert.firing merkle/generate", "alert.firing merkle/publish"]);
    world.clock.ms += 1000;
    await job("c", "publish", "running");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual([]);
    world.clock.ms += 1000;
    await job("c", "publish", "success");
    await world.evaluate("engine");
    expect(await world.notices()).toEqual(["alert.resolved merkle/publish"]);
  });

  it("that failed before one that succeeded are past", async () => {
    await job("a", "generate", "failed");
    world.clock.ms += 1000;
    await job("b", "generate", "success");
    await world.evaluate("engine");
    expect(await world.alerts()).toEqual([]);
  });
});

describe("execution", () => {
  let intents = 0;
  const fail = (state: "FAILED" | "ABORTED" | "COMPLETED", strategy: string | undefined) =>
    report("vaultops.intent.event", {
      intent_id: `intent-${intents++}`,
      seq: 1,
      state,
      ...(strategy === undefined ? {} : { strategy_id: strategy }),
      error_code: "SLIPPAGE",
    });

  it("that fails three times in 15 minutes for a strategy is told, and resolves when fewer remain in the window", async () => {
    for (const state of ["FAILED", "ABORTED", "COMPLETED"] as const) await fail(state, "s-1");
    await fail("FAILED", "s-2");
    await fail("FAILED", undefined);
    world.clock.ms += 100_000;
    await world.evaluate("engine");
    expect(await world.alerts()).toEqual([]);
    await fail("FAILED", "s-1");
    expect(await toldUntil(3600)).toEqual([
      [0, "alert.firing warning"],
      [800, "alert.resolved warning"],
    ]);
    expect(await world.alerts()).toMatchObject([
      { subject: "s-1", details: { failures: 3, error_codes: ["SLIPPAGE"] } },
    ]);
  });
});

it("a category that a vault has switched off resolves what is open of it", async () => {
  await run("success");
  world.clock.ms += 180_000;
  await world.evaluate("engine");
  await world.db.pool.query(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at) values (8453, $1, '{"keeper_run": {"is_enabled": false}}', $1, now())`,
    [VAULT],
  );
  await world.evaluate("engine");
  expect(await world.notices()).toEqual([
    "alert.firing keeper_run/fulfill_redeems",
    "alert.resolved keeper_run/fulfill_redeems",
  ]);
});
