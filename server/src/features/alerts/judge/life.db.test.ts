// The life of alerts as it is stored and told: what evaluate.ts decides, carried out on a real database.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, OTHER, openAlertWorld, VAULT } from "../../../../test/alerts.ts";
import { addVault, testAddress } from "../../../../test/chain-rows.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { evaluateArea } from "./evaluation.ts";
import { type AlertRow, alertOf } from "./view.ts";

const HOUR = 3_600_000;

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

/** An exit armed or stopped, critical; or a session key that expires within the day, a warning, or has expired, critical. */
async function exit(isArmed: boolean, vault = VAULT): Promise<void> {
  await world.db.pool.query(
    `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values ($1, $2, 'emergency_exit', $3, now())
     on conflict (chain_id, vault_address, kind) do update set data = excluded.data`,
    [CHAIN, vault, JSON.stringify({ is_armed: isArmed })],
  );
}

async function keyExpiring(inMs: number): Promise<void> {
  await world.db.pool.query(
    `insert into session_keys (chain_id, vault_address, is_ready, key_address, expires_at, pending_rotation, reported_at, report_id)
     values ($1, $2, true, $2, $3, false, now(), 'r')`,
    [CHAIN, VAULT, timestampOfMs(world.clock.ms + inMs)],
  );
}

async function told(): Promise<string[]> {
  await world.evaluate("engine");
  return (await world.events())
    .filter(({ type }) => type.startsWith("alert."))
    .map(({ type, data }) => (type === "alert.updated" ? `${type} ${data.last_notice}` : type));
}

it("reminds hourly of what is critical, until somebody acknowledges it", async () => {
  await exit(true);
  expect(await told()).toEqual(["alert.firing"]);
  for (let hour = 0; hour < 2; hour += 1) {
    world.clock.ms += HOUR - 1;
    expect(await told()).toEqual([]);
    world.clock.ms += 1;
    expect(await told()).toEqual(["alert.updated reminder"]);
  }
  await world.db.pool.query("update alerts set acknowledged_at = now(), acknowledged_by = $1", [VAULT]);
  world.clock.ms += HOUR;
  expect(await told()).toEqual([]);
  expect(await world.alerts()).toMatchObject([{ status: "acknowledged", last_notice: "reminder" }]);
  await exit(false);
  expect(await told()).toEqual(["alert.resolved"]);
});

it("takes an acknowledgement back when what was acknowledged gets worse", async () => {
  await keyExpiring(HOUR);
  expect(await told()).toEqual(["alert.firing"]);
  await world.db.pool.query("update alerts set acknowledged_at = now(), acknowledged_by = $1", [VAULT]);
  world.clock.ms += HOUR;
  expect(await told()).toEqual(["alert.updated severity_raised"]);
  expect(await world.alerts()).toMatchObject([
    { status: "firing", severity: "critical", acknowledged_by: null, acknowledged_at: null },
  ]);
});

it("keeps a silenced vault's alerts to itself, another's not, and tells what still fires at the silence's end", async () => {
  await world.db.pool.query(
    `insert into silences (id, chain_id, vault_address, reason, created_by, created_at, ends_at) values ($1, $2, $3, 'r', $3, now(), $4)`,
    [randomUUID(), CHAIN, VAULT, timestampOfMs(world.clock.ms + 10_000)],
  );
  await exit(true);
  await exit(true, OTHER);
  const { inMs } = await world.evaluate("engine");
  expect(inMs).toBe(10_000);
  expect((await world.events()).map(({ type, vault_address }) => [type, vault_address])).toEqual([
    ["alert.firing", OTHER],
  ]);
  expect(await world.alerts(`vault_address = '${VAULT}'`)).toMatchObject([
    { status: "firing", last_notice: null },
  ]);
  world.clock.ms += inMs;
  expect(await told()).toEqual(["alert.firing"]);
  expect(await told()).toEqual([]);
});

it("holds what flaps open, and resolves it after five quiet minutes", async () => {
  const words: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    await exit(true);
    words.push(...(await told()));
    world.clock.ms += 1000;
    await exit(false);
    words.push(...(await told()));
    world.clock.ms += 1000;
  }
  expect(words).toEqual(["alert.firing", "alert.resolved", "alert.firing", "alert.resolved", "alert.firing"]);
  const [held] = await world.alerts("resolved_at is null");
  expect(held).toMatchObject({ is_flapping: true });
  // What is shown of it does not say that it is so now.
  expect(alertOf(held as unknown as AlertRow, "")).toMatchObject({
    title: "Emergency liquidity exit armed (over, held open)",
    message: expect.stringContaining("This has not been so since "),
  });
  world.clock.ms += 298_999;
  expect(await told()).toEqual([]);
  world.clock.ms += 1;
  expect(await told()).toEqual(["alert.resolved"]);
});

it("says once a minute that an alert is still seen", async () => {
  await exit(true);
  await told();
  world.clock.ms += 59_999;
  expect(await world.evaluate("engine")).toMatchObject({ transitions: 0 });
  world.clock.ms += 1;
  await told();
  expect(await world.alerts()).toMatchObject([{ last_seen_at: timestampOfMs(world.clock.ms) }]);
});

it("carries out an incident of more alerts than go over in one statement", async () => {
  const vaults = Array.from({ length: 1_203 }, (_, index) => testAddress(0x10_000 + index));
  for (const vault of vaults) {
    await addVault(world.db, CHAIN, vault);
    await exit(true, vault);
  }
  expect(await told()).toEqual(vaults.map(() => "alert.firing"));
  await world.db.pool.query(`update vault_reports set data = '{"is_armed": false}'`);
  expect(await told()).toEqual(vaults.map(() => "alert.resolved"));
});

it("writes nothing of an evaluation that fails at its end", async () => {
  await exit(true);
  const { owner } = world.database;
  await owner.pool.query(
    "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
  );
  await owner.pool.query(
    "create trigger refuse before insert on events for each statement execute function refuse()",
  );
  await expect(world.evaluate("engine")).rejects.toThrow("full");
  expect(await world.alerts()).toEqual([]);
  await owner.pool.query("drop trigger refuse on events");
  expect(await told()).toEqual(["alert.firing"]);
});

it("is decided by one of two workers that evaluate at the same moment", async () => {
  await exit(true);
  const other = { ...world.parts, holder: randomUUID() };
  const results = await Promise.all(
    [world.parts, other, world.parts, other].map((parts) => evaluateArea(parts, "engine", world.clock.ms)),
  );
  expect(results.filter((result) => result !== null && result.notices > 0)).toHaveLength(1);
  expect((await world.events()).map(({ type }) => type)).toEqual(["alert.firing"]);
});
