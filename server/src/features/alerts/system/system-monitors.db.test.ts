// The monitors of the service itself, over the tables that tell of it and the notes that its parts leave.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AlertWorld, CHAIN, moveHead, NOW, openAlertWorld, VAULT } from "../../../../test/alerts.ts";
import { acceptAll, addBlocks, testAddress } from "../../../../test/chain-rows.ts";
import type { Verification } from "../../../audit/verify/watch.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { noteDeepReorganisation, noteVerification } from "../judge/system-notes.ts";

const TARGET = "11111111-1111-4111-8111-111111111111";
const OWNER = testAddress(1);

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

describe("a chain", () => {
  it("that no blocks come from is told when its bound is passed, with no traffic, and resolves with the next block", async () => {
    const { db, clock } = world;
    const { inMs } = await world.evaluate("system");
    expect(inMs).toBe(30_000);
    while (clock.ms <= NOW + 300_000) clock.ms += (await world.evaluate("system")).inMs;
    expect(clock.ms).toBe(NOW + 300_001);
    await world.evaluate("system");
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: "alert.firing",
      data: { chain_id: 0, severity: "critical", subject: `lagging:${CHAIN}`, details: { chain_id: CHAIN } },
    });
    await addBlocks(db, CHAIN, 11, 40);
    await moveHead(db, 40);
    await world.evaluate("system");
    expect(await world.notices()).toEqual([`alert.resolved system/lagging:${CHAIN}`]);
  });

  it("that is halted is told as halted, and not as late too", async () => {
    world.clock.ms = NOW + 900_000;
    await world.db.pool.query("update chains set is_halted = true");
    await world.evaluate("system");
    expect(await world.notices()).toEqual([`alert.firing system/halted:${CHAIN}`]);
  });

  it("that is not configured here is none of this service's matter", async () => {
    await world.db.pool.query(
      "insert into chains (chain_id, name, head_timestamp, is_halted) values (1, 'old', '2020-01-01', true)",
    );
    await world.evaluate("system");
    expect(await world.alerts()).toEqual([]);
  });

  it("that reorganised deeply is told, for an hour after the last time", async () => {
    const { db, clock } = world;
    clock.ms = Date.now();
    await db.pool.query("update chains set head_timestamp = now()");
    await db.transaction((tx) => noteDeepReorganisation(tx, CHAIN, 5, 3));
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([
      { subject: `deep_reorg:${CHAIN}`, details: { ancestor_block: 5, reverted_entries: 3 } },
    ]);
    clock.ms += 3_601_000;
    await world.evaluate("system");
    expect(await world.alerts("resolved_at is null and subject like 'deep%'")).toEqual([]);
  });
});

describe("the audit log", () => {
  const outcome = (status: Verification["status"], foundAtMs: number): Verification => ({
    status,
    is_running: false,
    checked_size: 10,
    checked_at: timestampOfMs(foundAtMs),
    failure:
      status === "failed" ? { seq: "7", reason: "entry changed", found_at: timestampOfMs(foundAtMs) } : null,
  });

  it("that does not verify is told, until a check that began later finds it whole", async () => {
    const { db } = world;
    await noteVerification(db, outcome("failed", NOW), timestampOfMs(NOW - 1000));
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([
      {
        subject: "audit_verification",
        severity: "critical",
        message: "The audit log does not verify from entry 7 on: entry changed",
      },
    ]);
    // Another worker's check, begun before.
    await noteVerification(db, outcome("ok", NOW + 500), timestampOfMs(NOW - 500));
    await world.evaluate("system");
    expect(await world.notices()).toEqual(["alert.firing system/audit_verification"]);
    await noteVerification(db, outcome("ok", NOW + 2000), timestampOfMs(NOW + 1000));
    await world.evaluate("system");
    expect(await world.notices()).toEqual(["alert.resolved system/audit_verification"]);
  });
});

describe("deliveries", () => {
  beforeEach(async () => {
    await world.db.pool.query(
      `insert into notification_channels (id, provider, name, created_by, created_at, updated_at) values ($1, 'slack', 'On call', $2, now(), now())`,
      [TARGET, OWNER],
    );
  });
  const die = (key: string, target = TARGET, vault: [number, string] = [CHAIN, VAULT]) =>
    world.db.pool.query(
      `with d as (
         insert into deliveries (id, queue, target_id, key, event_type, chain_id, vault_address, body, status, due_at, created_at, finished_at)
         values (gen_random_uuid(), 'channel', $1, $2, 'alert.firing', $3, $4, '{}', 'dead', $5, $5, $5) returning id)
       insert into delivery_attempts (delivery_id, number, at, error) select id, 1, $5, 'the receiver answered 500' from d`,
      [target, key, ...vault, timestampOfMs(world.clock.ms)],
    );

  it("that were given up are one alert of the vault for each target, told once, until the target takes something again", async () => {
    await die("a");
    await die("b");
    await world.evaluate("system");
    world.clock.ms += 1000;
    await die("c");
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([
      {
        vault_address: VAULT,
        category: "system",
        severity: "warning",
        message: expect.stringContaining(
          "the notification channel “On call” were given up after all attempts",
        ),
        details: {
          target_id: TARGET,
          queue: "channel",
          deliveries_count: 3,
          last_error: "the receiver answered 500",
        },
      },
    ]);
    await world.db.pool.query("insert into delivery_targets (target_id, recovered_at) values ($1, $2)", [
      TARGET,
      timestampOfMs(world.clock.ms + 1),
    ]);
    await world.evaluate("system");
    expect(await world.notices()).toEqual([
      `alert.firing system/dead:${TARGET}`,
      `alert.resolved system/dead:${TARGET}`,
    ]);
  });

  it("to a target that is there no more concern nobody; those of no vault concern the operator", async () => {
    await die("a", "22222222-2222-4222-8222-222222222222");
    await die("b", TARGET, [0, testAddress(0)]);
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([{ chain_id: 0, vault_address: testAddress(0) }]);
  });
});

describe("rights that ended", () => {
  const role = (toBlock: number | null) =>
    world.db.pool.query(
      `insert into vault_roles (chain_id, vault_address, wallet, role, from_block, to_block) values ($1, $2, $3, 'primary_manager', 1, $4)`,
      [CHAIN, VAULT, OWNER, toBlock],
    );

  it("leave a binding that needs confirmation, until a manager has bound the channel again", async () => {
    const { db } = world;
    await role(9);
    await db.pool.query(
      `insert into notification_channels (id, provider, name, created_by, created_at, updated_at) values ($1, 'slack', 'On call', $2, now(), now())`,
      [TARGET, OWNER],
    );
    await db.pool.query(
      `insert into channel_bindings (channel_id, chain_id, vault_address, categories, min_severity, bound_by, bound_at)
       values ($1, $2, $3, '{system}', 'info', $4, now())`,
      [TARGET, CHAIN, VAULT, OWNER],
    );
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([
      { vault_address: VAULT, details: { channel_id: TARGET, bound_by: OWNER } },
    ]);
    await role(null);
    await world.evaluate("system");
    expect(await world.notices()).toEqual([
      `alert.firing system/binding:${TARGET}`,
      `alert.resolved system/binding:${TARGET}`,
    ]);
  });

  it("are not needed to tell that a webhook endpoint was disabled: whom it was for is told", async () => {
    const { db } = world;
    await role(null);
    await acceptAll(db);
    await db.pool.query(
      `insert into webhooks (id, url, is_enabled, disabled_reason, disabled_at, description, retry_schedule, sealed_secret, created_by, created_at, updated_at)
       values ($1, 'https://x.example', false, 'gone', $2, 'mine', 'standard', '', $3, now(), now())`,
      [TARGET, timestampOfMs(NOW), OWNER],
    );
    await world.evaluate("system");
    expect(await world.alerts()).toMatchObject([
      { vault_address: VAULT, message: expect.stringContaining("the webhook endpoint “mine” was disabled") },
    ]);
    await db.pool.query("update webhooks set is_enabled = true, disabled_reason = null, disabled_at = null");
    await world.evaluate("system");
    expect(await world.notices()).toEqual([
      `alert.firing system/disabled:${TARGET}`,
      `alert.resolved system/disabled:${TARGET}`,
    ]);
  });
});
