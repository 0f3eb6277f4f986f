// What bots are told of, on a real database: critical, confirmed, unsilenced, once for each firing, where an endpoint asks for it.
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addState,
  CHAIN,
  moveHead,
  openAlertWorld,
  VAULT,
} from "../../../../test/alerts.ts";
import { addBlocks } from "../../../../test/chain-rows.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
  await want();
});
afterEach(() => world.drop());

/** An endpoint that names the type. */
const want = () =>
  world.db.pool.query(
    `insert into webhooks (id, url, event_types, is_enabled, description, retry_schedule, sealed_secret, created_by, created_at, updated_at)
     values (gen_random_uuid(), 'https://bots.example', '{alert.dispatch}', true, '', 'standard', '', $1, now(), now())`,
    [VAULT],
  );

async function exit(isArmed: boolean): Promise<void> {
  await world.db.pool.query(
    `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values ($1, $2, 'emergency_exit', $3, now())
     on conflict (chain_id, vault_address, kind) do update set data = excluded.data`,
    [CHAIN, VAULT, JSON.stringify({ is_armed: isArmed })],
  );
}

const silence = (forMs: number, category: string | null) =>
  world.db.pool.query(
    `insert into silences (id, chain_id, vault_address, category, reason, created_by, created_at, ends_at)
     values (gen_random_uuid(), $1, $2, $3, '', $2, now(), $4)`,
    [CHAIN, VAULT, category, timestampOfMs(world.clock.ms + forMs)],
  );

async function dispatched(area: Parameters<AlertWorld["evaluate"]>[0] = "engine") {
  await world.evaluate(area);
  return (await world.events()).filter(({ type }) => type === "alert.dispatch").map(({ data }) => data);
}

it("tells of a critical alert once for each firing, with the alert and the vault's state", async () => {
  await exit(true);
  const [first, ...more] = (await dispatched()) as [Record<string, { id: string }>, ...unknown[]];
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    alert: { category: "emergency_exit", severity: "critical", status: "firing", vault_address: VAULT },
    as_of: { block_number: 5, confirmed: true },
    calls: [],
  });
  world.clock.ms += 7_200_000;
  expect(await dispatched()).toEqual([]);
  await exit(false);
  expect(await dispatched()).toEqual([]);
  await exit(true);
  const [second] = (await dispatched()) as [Record<string, { id: string }>];
  expect(second.alert?.id).not.toBe(first.alert?.id);
});

it.each(["emergency_exit", null])("waits for the end of a silence of %s", async (category) => {
  await silence(60_000, category);
  await exit(true);
  expect(await dispatched()).toEqual([]);
  world.clock.ms += 59_999;
  expect(await dispatched()).toEqual([]);
  world.clock.ms += 1;
  expect(await dispatched()).toHaveLength(1);
});

it("is not held back by another category's silence, nor by an acknowledgement", async () => {
  await silence(60_000, "upkeep");
  await exit(true);
  expect(await dispatched()).toHaveLength(1);
});

it("waits until its block is confirmed, and tells nothing of one that went away before", async () => {
  await addBlocks(world.db, CHAIN, 11, 12);
  await addState(world.db, { block: 11, isPaused: true });
  await moveHead(world.db, 11, 9);
  expect(await dispatched({ chainId: CHAIN })).toEqual([]);
  expect(await world.alerts()).toMatchObject([{ severity: "critical", is_unconfirmed: true }]);
  await moveHead(world.db, 12, 11);
  expect(await dispatched({ chainId: CHAIN })).toMatchObject([
    { alert: { category: "emergency_pause", is_unconfirmed: false }, as_of: { block_number: 11 } },
  ]);
});

it("tells nobody of a warning, and of one that becomes critical then", async () => {
  await world.db.pool.query(
    `insert into session_keys (chain_id, vault_address, is_ready, key_address, expires_at, pending_rotation, reported_at, report_id)
     values ($1, $2, true, $2, $3, false, now(), 'r')`,
    [CHAIN, VAULT, timestampOfMs(world.clock.ms + 3_600_000)],
  );
  expect(await dispatched()).toEqual([]);
  world.clock.ms += 3_600_000;
  expect(await dispatched()).toMatchObject([{ alert: { category: "session_key", severity: "critical" } }]);
});

it("tells what fired before an endpoint asked for it to none", async () => {
  await world.db.pool.query("delete from webhooks");
  await exit(true);
  expect(await dispatched()).toEqual([]);
  await want();
  expect(await dispatched()).toEqual([]);
});
