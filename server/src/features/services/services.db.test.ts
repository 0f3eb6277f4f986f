import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  CHAIN,
  type EngineTest,
  event,
  heldClock,
  MANAGER,
  OTHER,
  OTHER_ID,
  STRANGER,
  startEngineTest,
  VAULT,
  VAULT_ID,
} from "../../../test/engine.ts";
import { ALWAYS_LISTED } from "./view.ts";

const START = Date.UTC(2026, 5, 1);
const SERVICES = `/api/v1/vaults/${CHAIN}/${VAULT}/services`;
const STATUS = "/api/v1/services/status";

let database: TestDatabase;
let engine: EngineTest;
const clock = heldClock(START);

beforeAll(async () => {
  database = await createTestDatabase();
  engine = await startEngineTest(database.db, { clock });
});
afterAll(async () => {
  await engine.app.close();
  await database.drop();
});
beforeEach(() => {
  clock.ms = START;
});
afterEach(async () => {
  await database.owner.pool.query("truncate services, service_runs, service_states");
});

type Subject = string | null;
let runs = 0;
const run = (
  endSeconds: number,
  more: {
    status?: "success" | "failed" | "skipped";
    subject?: Subject;
    schedule?: number;
    error?: string;
  } = {},
) =>
  event(
    "vaultops.service.run",
    {
      service: "fulfill_redeems",
      run_id: `run-${runs++}`,
      status: more.status ?? "success",
      started_at: clock.at(endSeconds - 2),
      finished_at: clock.at(endSeconds),
      ...(more.schedule === undefined ? {} : { schedule_seconds: more.schedule }),
      ...(more.error === undefined ? {} : { error: more.error }),
    },
    { time: clock.at(endSeconds), subject: more.subject === undefined ? VAULT_ID : more.subject },
  );
const state = (
  seconds: number,
  data: Partial<Parameters<typeof event<"vaultops.service.state">>[1]> = {},
  subject: Subject = VAULT_ID,
) =>
  event(
    "vaultops.service.state",
    { service: "fulfill_redeems", is_paused: false, ...data },
    { time: clock.at(seconds), subject },
  );
const ofVault = async (name = "fulfill_redeems", url = SERVICES, wallet = MANAGER) => {
  const { body } = await engine.get(url, wallet);
  return body.find((service: { name: string }) => service.name === name);
};
const ofAll = async (name = "fulfill_redeems") => {
  const { body } = await engine.get(STATUS);
  return body.services.find((service: { name: string }) => service.name === name);
};
const pauses = async () => {
  const { rows } = await database.db.pool.query(
    "select body from audit_entries where action_type in ('service_pause', 'service_resume') order by seq",
  );
  return rows.map(({ body }) => JSON.parse(body));
};

describe("200: the services", () => {
  test("those that never reported are listed all the same, unknown", async () => {
    const { body } = await engine.get(STATUS);
    expect(body.services.map(({ name }: { name: string }) => name)).toEqual([...ALWAYS_LISTED]);
    expect(body.services[0]).toEqual({
      name: "fulfill_deposits",
      display_name: "Fulfill deposits",
      status: "unknown",
      last_run: null,
      next_run: null,
      schedule_seconds: null,
      success_rate: null,
      avg_execution_time: null,
      avg_execution_time_seconds: null,
      total_executions: 0,
      is_enabled: true,
    });
    expect((await engine.get(SERVICES)).body[1]).toMatchObject({
      is_paused: false,
      paused_at: null,
      paused_by: null,
      paused_reason: null,
      resumed_at: null,
      last_error: null,
    });
  });

  test("one that falls silent turns warning, then critical, by time alone, and is healthy again after a run", async () => {
    await engine.report([run(0, { schedule: 60 })]);
    const statusAt = async (seconds: number) => {
      clock.ms = START + seconds * 1000;
      return [(await ofVault()).status, (await ofAll()).status];
    };
    expect(await statusAt(119)).toEqual(["healthy", "healthy"]);
    expect(await statusAt(120)).toEqual(["warning", "warning"]);
    expect(await statusAt(179)).toEqual(["warning", "warning"]);
    expect(await statusAt(180)).toEqual(["critical", "critical"]);
    clock.ms = START;
    await engine.report([run(200)]);
    expect(await statusAt(205)).toEqual(["healthy", "healthy"]);
  });

  test("rate, average and total come from the runs: 100 that succeeded or failed, skipped ones counted apart", async () => {
    await engine.report([
      ...Array.from({ length: 30 }, (_, n) => run(-1000 + n, { status: "failed", error: `old ${n}` })),
      ...Array.from({ length: 90 }, (_, n) => run(-900 + n)),
      ...Array.from({ length: 10 }, (_, n) => run(-500 + n, { status: "failed", error: `new ${n}` })),
      run(-1, { status: "skipped" }),
    ]);
    expect(await ofVault()).toMatchObject({
      success_rate: 0.9,
      status: "warning",
      avg_execution_time: 2,
      avg_execution_time_seconds: 2,
      total_executions: 131,
      last_run: clock.at(-1),
      next_run: null,
      last_error: "new 9",
    });
  });

  test("a late run counts in its place: not as the last one, nor among the last 100 when it is older", async () => {
    await engine.report(Array.from({ length: 100 }, (_, n) => run(-100 + n)));
    await engine.report(Array.from({ length: 20 }, () => run(-3600, { status: "failed" })));
    expect(await ofVault()).toMatchObject({ success_rate: 1, total_executions: 120, last_run: clock.at(-1) });
  });

  test("a run that is reported twice, under two ids, counts once", async () => {
    const first = run(0);
    await engine.report([first, { ...first, id: "another" }]);
    await engine.report([{ ...first, id: "a-third" }]);
    expect((await ofVault()).total_executions).toBe(1);
  });

  test("vaults are joined by name: sums, latest run, worst status; a run without a vault belongs to each", async () => {
    await engine.report([
      ...Array.from({ length: 6 }, (_, n) => run(-10 + n)),
      ...Array.from({ length: 6 }, (_, n) => run(-30 + n, { status: "failed", subject: OTHER_ID })),
      ...Array.from({ length: 2 }, (_, n) => run(-2 + n, { subject: null })),
    ]);
    expect(await ofAll()).toMatchObject({
      status: "critical",
      total_executions: 14,
      last_run: clock.at(-1),
      success_rate: 8 / 14,
    });
    expect(await ofVault()).toMatchObject({ status: "healthy", total_executions: 8, last_run: clock.at(-1) });
    const other = await ofVault("fulfill_redeems", SERVICES.replace(VAULT, OTHER), STRANGER);
    expect(other).toMatchObject({ status: "critical", total_executions: 8 });
  });

  test("what is set stays until a newer report names it: name, schedule, switch", async () => {
    await engine.report([
      state(10, { display_name: "Payer", schedule_seconds: 30, is_enabled: true }),
      state(5, { display_name: "Old", schedule_seconds: 5, is_enabled: false }),
      state(20),
      run(12, { schedule: 45 }),
    ]);
    expect(await ofVault()).toMatchObject({
      display_name: "Payer",
      schedule_seconds: 45,
      is_enabled: true,
      next_run: clock.at(57),
    });
    await engine.report([state(30, { is_enabled: false, next_run: clock.at(600) })]);
    expect(await ofVault()).toMatchObject({ is_enabled: false, status: "paused", next_run: null });
    await engine.report([state(40, { is_enabled: true, next_run: clock.at(600) })]);
    expect(await ofVault()).toMatchObject({ is_enabled: true, next_run: clock.at(600) });
  });

  test("other services that report follow in the order of their names", async () => {
    await engine.report([
      event("vaultops.service.state", { service: "zeta", is_paused: false }, { time: clock.at(0) }),
      event("vaultops.service.state", { service: "alpha", is_paused: false }, { time: clock.at(0) }),
    ]);
    const { body } = await engine.get(STATUS);
    expect(body.services.slice(7).map(({ name }: { name: string }) => name)).toEqual(["alpha", "zeta"]);
  });

  test("the older form answers the same, and says where to go", async () => {
    const older = await engine.get("/services/status");
    expect(older.body).toEqual((await engine.get(STATUS)).body);
    expect(older.headers.deprecation).toMatch(/^@\d+$/);
    expect(older.headers.link).toBe(`<${STATUS}>; rel="successor-version"`);
    expect((await engine.get(STATUS)).headers.deprecation).toBeUndefined();
  });
});

describe("pauses", () => {
  const REASON = "waiting for liquidity";

  test("a pause is shown while it lasts and after, and each change is one audit entry of the wallet it names", async () => {
    const before = (await pauses()).length;
    await engine.report([
      run(0, { schedule: 60 }),
      state(1),
      state(10, { is_paused: true, paused_by: MANAGER, reason: REASON }),
      state(20, { is_paused: true }),
    ]);
    clock.ms = START + 1e9;
    expect(await ofVault()).toMatchObject({
      status: "paused",
      is_paused: true,
      paused_at: clock.at(10),
      paused_by: MANAGER,
      paused_reason: REASON,
      resumed_at: null,
      next_run: null,
    });
    await engine.report([state(30), state(40)]);
    expect(await ofVault()).toMatchObject({
      status: "critical",
      is_paused: false,
      paused_at: clock.at(10),
      resumed_at: clock.at(30),
    });
    expect((await pauses()).slice(before)).toMatchObject([
      {
        action_type: "service_pause",
        vault_address: VAULT,
        chain_id: CHAIN,
        actor_wallet: MANAGER,
        details: {
          service: "fulfill_redeems",
          reason: REASON,
          source: "/engine/main",
          reported: true,
          reported_at: clock.at(10),
        },
      },
      {
        action_type: "service_resume",
        actor_wallet: "0x0000000000000000000000000000000000000000",
        details: { reported_at: clock.at(30) },
      },
    ]);
  });

  test("a late report that turns out to be a change is recorded, and nothing twice", async () => {
    const before = (await pauses()).length;
    const kinds = async () => (await pauses()).slice(before).map(({ action_type: kind }) => kind.slice(8));
    await engine.report([state(10, { is_paused: true })]);
    expect(await kinds()).toEqual(["pause"]);
    await engine.report([state(5, { is_paused: true })]);
    await engine.report([state(0)]);
    expect(await kinds()).toEqual(["pause"]);
    await engine.report([state(7)]);
    expect((await kinds()).sort()).toEqual(["pause", "pause", "resume"]);
    expect(await ofVault()).toMatchObject({ is_paused: true, paused_at: clock.at(10) });
  });

  test("of two reports of one moment the one with the greater id counts", async () => {
    await engine.report([
      { ...state(10, { is_paused: true }), id: "tie-b" },
      { ...state(10, { is_paused: false }), id: "tie-a" },
    ]);
    expect((await ofVault()).is_paused).toBe(true);
    await engine.report([{ ...state(10, { is_paused: false }), id: "tie-c" }]);
    expect((await ofVault()).is_paused).toBe(false);
  });

  test("the pause of a service of no vault concerns no vault in the log, and every vault in the listing", async () => {
    await engine.report([state(0, { is_paused: true, paused_by: MANAGER }, null)]);
    expect((await pauses()).at(-1)).toMatchObject({
      vault_address: "0x0000000000000000000000000000000000000000",
      chain_id: 0,
    });
    expect((await ofVault()).is_paused).toBe(true);
  });
});

describe("the other answers", () => {
  test("304 while nothing changed, a new entity tag when time alone changed the status", async () => {
    await engine.report([run(0, { schedule: 60 })]);
    const { headers } = await engine.get(SERVICES);
    const again = async () =>
      (
        await engine.app.inject({
          url: SERVICES,
          headers: { authorization: `Bearer full:${MANAGER}`, "if-none-match": String(headers.etag) },
        })
      ).statusCode;
    expect(await again()).toBe(304);
    clock.ms = START + 120_000;
    expect(await again()).toBe(200);
  });

  test("400 for an address with a wrong checksum and for unknown parameters", async () => {
    expect((await engine.get(`${SERVICES}?limit=1`)).body.code).toBe("invalid_request");
    expect((await engine.get(`/api/v1/vaults/${CHAIN}/0x1/services`)).body.code).toBe("invalid_address");
  });

  test("401 without a token", async () => {
    for (const url of [SERVICES, STATUS, "/services/status"])
      expect((await engine.app.inject({ url })).statusCode).toBe(401);
  });

  test("403 insufficient_role for another's vault; the joined status is for anyone signed in", async () => {
    const { status, body } = await engine.get(SERVICES, STRANGER);
    expect([status, body.code]).toEqual([403, "insufficient_role"]);
    expect((await engine.get(STATUS, STRANGER)).status).toBe(200);
  });

  test("404 chain_not_found and vault_not_found", async () => {
    expect((await engine.get(`/api/v1/vaults/999/${VAULT}/services`)).body.code).toBe("chain_not_found");
    expect((await engine.get(`/api/v1/vaults/${CHAIN}/${MANAGER}/services`)).body.code).toBe(
      "vault_not_found",
    );
  });
});
