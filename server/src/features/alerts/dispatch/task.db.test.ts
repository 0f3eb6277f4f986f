// Alerts whose calls are prepared, on a real database: once each, with calls or the reasons why there are none, and never later than stated.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AlertWorld, CHAIN, openAlertWorld, VAULT } from "../../../../test/alerts.ts";
import { testAddress, testHash } from "../../../../test/chain-rows.ts";
import { testDispatchCalls } from "../../../../test/dispatch-calls.ts";
import { createFamilies } from "../../../chain/families/registry.ts";
import { ChainFault } from "../../../chain/rpc/fault.ts";
import { silentLogger } from "../../../platform/log.ts";
import type { DispatchCalls } from "./calls.ts";
import { type DispatchParts, dispatchRound } from "./task.ts";

const MANAGER = testAddress(1);
const OTHER_MANAGER = testAddress(2);
const families = createFamilies(silentLogger());

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
  await world.db.pool.query(
    `insert into webhooks (id, url, event_types, is_enabled, description, retry_schedule, sealed_secret, created_by, created_at, updated_at)
     values (gen_random_uuid(), 'https://bots.example', '{alert.dispatch}', true, '', 'standard', '', $1, now(), now())`,
    [MANAGER],
  );
  await world.db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'primary_manager', null)`,
    [CHAIN, VAULT, MANAGER],
  );
  await rules([{ category: "emergency_exit", action: "pause", parameters: {}, from: null }]);
  await world.db.pool.query(
    `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values ($1, $2, 'emergency_exit', '{"is_armed": true}', now())`,
    [CHAIN, VAULT],
  );
});
afterEach(() => world.drop());

const rules = (dispatch: unknown[], by = MANAGER) =>
  world.db.pool.query(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at, dispatch, dispatch_updated_by, dispatch_updated_at)
     values ($1, $2, '{}', $3, now(), $4, $3, now())
     on conflict (chain_id, vault_address) do update set dispatch = excluded.dispatch, dispatch_updated_by = excluded.dispatch_updated_by`,
    [CHAIN, VAULT, by, JSON.stringify(dispatch)],
  );

/** A vault that the node says to be as it is told; its calls succeed, or revert with `reverted`. */
const standing = (isPaused = false, reverted: `0x${string}` | null = null) =>
  testDispatchCalls(
    world.db,
    async () =>
      ({
        family: families.supervault,
        vault: { address: VAULT, family: "supervault", source: { address: VAULT }, strategy: VAULT },
        block: { number: 10, hash: testHash(CHAIN, 10), timestamp: 1 },
        reading: {
          isPaused,
          pendingChanges: [],
          contractRoles: [{ role: "primary_manager", account: MANAGER }],
        },
        controllers: [],
        attempt: async () => ({
          method: "eth_simulateV1",
          reverted: reverted === null ? null : { call: 0, data: reverted },
        }),
      }) as never,
  );

const partsOf = (calls: DispatchCalls, more: Partial<DispatchParts> = {}): DispatchParts => ({
  db: world.db,
  clock: world.clock,
  log: silentLogger(),
  calls,
  ...more,
});

async function dispatched(calls: DispatchCalls = standing(), more: Partial<DispatchParts> = {}) {
  await world.evaluate("engine");
  await dispatchRound(partsOf(calls, more));
  return told();
}
async function told() {
  return (await world.events()).filter(({ type }) => type === "alert.dispatch").map(({ data }) => data);
}

it("hands out the calls of what is set, once, and nothing more while the alert fires", async () => {
  const [first, ...more] = await dispatched();
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    alert: { category: "emergency_exit", severity: "critical", vault_address: VAULT },
    as_of: { block_number: 5, confirmed: true },
    calls: [
      {
        action: "pause",
        from: MANAGER,
        to: VAULT,
        value: "0",
        function: "pauseStrategy",
        simulation: { method: "eth_simulateV1", block_number: 10, block_hash: testHash(CHAIN, 10), ok: true },
      },
    ],
    unprepared: [],
  });
  world.clock.ms += 7_200_000;
  expect(await dispatched()).toEqual([]);
});

it("tells of a category of which nothing is set at once, without anybody preparing anything", async () => {
  await rules([{ category: "price", action: "pause", parameters: {}, from: null }]);
  await world.evaluate("engine");
  expect(await told()).toMatchObject([{ calls: [], unprepared: [] }]);
});

describe("says why there are no calls where", () => {
  it.each<[string, () => DispatchCalls, RegExp]>([
    ["it is not possible now", () => standing(true), /The vault is paused already/],
    ["they would revert", () => standing(false, "0x12345678"), /would revert \(0x12345678\)/],
    ["the vault is followed no more", () => testDispatchCalls(world.db), /not configured any more/],
    [
      "the node does not answer",
      () =>
        testDispatchCalls(world.db, async () => {
          throw new ChainFault("unavailable", "http://key@node.example is away");
        }),
      /^The chain's node does not answer \(unavailable\)\.$/,
    ],
    [
      "the node is slow",
      () => testDispatchCalls(world.db, () => new Promise(() => {}), 1),
      /did not answer in time/,
    ],
    [
      "something unforeseen fails, of which nothing is told",
      () =>
        testDispatchCalls(world.db, async () => {
          throw new Error("password=hunter2");
        }),
      /^The service could not prepare the calls\.$/,
    ],
  ])("%s", async (_, calls, reason) => {
    expect(await dispatched(calls())).toMatchObject([
      { calls: [], unprepared: [{ action: "pause", reason: expect.stringMatching(reason) }] },
    ]);
  });

  it("whoever set it is no primary manager any more, and the node is not asked", async () => {
    await world.db.pool.query("update vault_roles set to_block = 6");
    const asked = testDispatchCalls(world.db, () => Promise.reject(new Error("asked")));
    expect(await dispatched(asked)).toMatchObject([
      {
        calls: [],
        unprepared: [
          { action: "pause", reason: expect.stringContaining("no primary manager of the vault now") },
        ],
      },
    ]);
  });

  it("whoever set it never was one", async () => {
    await rules([{ category: "emergency_exit", action: "pause", parameters: {}, from: null }], OTHER_MANAGER);
    expect(await dispatched()).toMatchObject([{ calls: [], unprepared: [{ action: "pause" }] }]);
  });

  it("the account that is to send them may not", async () => {
    await rules([{ category: "emergency_exit", action: "pause", parameters: {}, from: OTHER_MANAGER }]);
    expect(await dispatched()).toMatchObject([
      { calls: [], unprepared: [{ reason: expect.stringContaining(`${OTHER_MANAGER} is not`) }] },
    ]);
  });
});

it("hands out what could be prepared beside what could not", async () => {
  await rules([
    { category: "emergency_exit", action: "cancel_primary_manager", parameters: {}, from: null },
    { category: "emergency_exit", action: "pause", parameters: {}, from: null },
  ]);
  expect(await dispatched()).toMatchObject([
    {
      calls: [{ action: "pause" }],
      unprepared: [{ action: "cancel_primary_manager", reason: "Nothing of the kind is proposed." }],
    },
  ]);
});

it("goes out without calls where preparing takes too long, whatever holds it up", async () => {
  const never: DispatchCalls = { ...standing(), prepare: () => new Promise(() => {}) };
  expect(await dispatched(never, { prepareMs: 1 })).toMatchObject([
    { calls: [], unprepared: [{ action: "pause", reason: "The calls were not prepared in time." }] },
  ]);
});

it("goes out once, and no later than twenty seconds, where a worker died while it prepared", async () => {
  await world.evaluate("engine");
  await world.db.pool.query("update alert_dispatches set claimed_at = now()");
  world.clock.ms += 19_999;
  await dispatchRound(partsOf(standing()));
  expect(await told()).toEqual([]);
  world.clock.ms += 1;
  await Promise.all([dispatchRound(partsOf(standing())), dispatchRound(partsOf(standing()))]);
  expect(await told()).toMatchObject([
    { calls: [], unprepared: [{ action: "pause", reason: "The calls were not prepared in time." }] },
  ]);
});

it("tells nothing twice where a worker that was slow ends after another told", async () => {
  await world.evaluate("engine");
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: DispatchCalls = {
    ...standing(),
    async prepare(asked) {
      await held;
      return await standing().prepare(asked);
    },
  };
  const round = dispatchRound(partsOf(slow));
  while (
    (await world.db.pool.query("select from alert_dispatches where claimed_at is null")).rows.length > 0
  );
  world.clock.ms += 20_000;
  await dispatchRound(partsOf(standing()));
  release();
  await round;
  expect(await told()).toMatchObject([{ calls: [] }]);
});

it("says nothing at once where the rules could not be read, and names every action when it is late", async () => {
  let reads = 0;
  const kysely = new Proxy(world.db.kysely, {
    get(target, name) {
      // The first statement of a round claims, the one after it reads the rules.
      if (name === "getExecutor" && ++reads > 1) throw new Error("the connection was lost");
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await world.evaluate("engine");
  const failing = { kysely, transaction: world.db.transaction };
  await dispatchRound(partsOf(standing(), { db: failing as never })).catch(() => {});
  expect(await told()).toEqual([]);
  const { rows } = await world.db.pool.query(
    "select claimed_at is not null as is_claimed from alert_dispatches",
  );
  expect(rows).toEqual([{ is_claimed: true }]);
  world.clock.ms += 20_000;
  await dispatchRound(partsOf(standing()));
  expect(await told()).toMatchObject([
    { calls: [], unprepared: [{ action: "pause", reason: "The calls were not prepared in time." }] },
  ]);
});

describe("while calls are prepared", () => {
  const meanwhile = (statement: () => Promise<unknown>): DispatchCalls => ({
    ...standing(),
    async prepare(asked) {
      const result = await standing().prepare(asked);
      await statement();
      return result;
    },
  });
  const silence = () =>
    world.db.pool.query(
      `insert into silences (id, chain_id, vault_address, reason, created_by, created_at, ends_at) values (gen_random_uuid(), $1, $2, '', $3, $4, $5)`,
      [CHAIN, VAULT, MANAGER, new Date(world.clock.ms), new Date(world.clock.ms + 60_000)],
    );

  it("the alert ends: nothing is told", async () => {
    const ends = () => world.db.pool.query("update alerts set resolved_at = now()");
    expect(await dispatched(meanwhile(ends))).toEqual([]);
  });

  it("the alert is silenced: it is told with calls after the silence", async () => {
    expect(await dispatched(meanwhile(silence))).toEqual([]);
    expect(await dispatched()).toEqual([]);
    world.clock.ms += 60_001;
    expect(await dispatched()).toMatchObject([{ calls: [{ action: "pause" }] }]);
  });

  it("what is late is silenced: nothing is told", async () => {
    await world.evaluate("engine");
    await silence();
    world.clock.ms += 20_000;
    await dispatchRound(partsOf(standing()));
    expect(await told()).toEqual([]);
  });

  it("dispatch is taken away: no calls", async () => {
    expect(await dispatched(meanwhile(() => rules([])))).toMatchObject([{ calls: [], unprepared: [] }]);
  });

  it("another sets it: no calls of the first", async () => {
    const [first] = [{ category: "emergency_exit", action: "pause", parameters: {}, from: null }];
    expect(await dispatched(meanwhile(() => rules([first], OTHER_MANAGER)))).toMatchObject([
      { calls: [], unprepared: [{ action: "pause" }] },
    ]);
  });

  it("whoever set it loses the role: no calls", async () => {
    const lost = () => world.db.pool.query("update vault_roles set to_block = 6");
    expect(await dispatched(meanwhile(lost))).toMatchObject([
      { calls: [], unprepared: [{ reason: expect.stringContaining("no primary manager") }] },
    ]);
  });
});
