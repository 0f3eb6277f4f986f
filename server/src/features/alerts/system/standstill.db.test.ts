// What stands still inside the service, or was gone on without, is told.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, moveHead, NOW, openAlertWorld, VAULT } from "../../../../test/alerts.ts";
import { addBlocks } from "../../../../test/chain-rows.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

const open = async () =>
  (await world.alerts("resolved_at is null")).map(({ subject, severity }) => [subject, severity]);

it("a chain whose confirmed block stays more than 30 minutes behind the head, until it follows", async () => {
  await addBlocks(world.db, CHAIN, 11, 170);
  await moveHead(world.db, 170, 8);
  world.clock.ms = NOW + 160 * 12_000;
  await world.evaluate("system");
  expect(await open()).toEqual([[`unconfirmed:${CHAIN}`, "critical"]]);
  await world.db.pool.query("update chains set confirmed_number = 168");
  await world.evaluate("system");
  expect(await open()).toEqual([]);
});

it("not where blocks are so far apart that the depth itself takes longer", async () => {
  const [chain] = world.parts.chains;
  Object.assign(world.parts, { chains: [{ ...chain!, confirmations: 162 }] });
  await addBlocks(world.db, CHAIN, 11, 170);
  await moveHead(world.db, 170, 8);
  world.clock.ms = NOW + 160 * 12_000;
  await world.evaluate("system");
  expect(await open()).toEqual([]);
});

it("what the nodes never told, for a day", async () => {
  await world.db.pool.query(
    `insert into chain_gaps (chain_id, block_number, subject, lacks, reason, found_at)
     values ($1, 7, '0xab', 'transaction', 'inconsistent', $2), ($1, 9, $3, 'vault_description', 'unread', $2)`,
    [CHAIN, timestampOfMs(NOW), VAULT],
  );
  await world.evaluate("system");
  expect(await open()).toEqual([[`gaps:${CHAIN}`, "warning"]]);
  const [alert] = await world.alerts();
  expect(alert).toMatchObject({ details: { gaps_count: 2, first_block: 7, last_block: 9 } });
  world.clock.ms = NOW + 86_400_001;
  await moveHeadTime();
  await world.evaluate("system");
  expect(await open()).not.toContainEqual([`gaps:${CHAIN}`, "warning"]);
});

it("a queue that nobody empties, but not the messages of a target that fails", async () => {
  const put = (key: string, target: string) =>
    world.db.pool.query(
      `insert into deliveries (id, queue, target_id, key, event_type, chain_id, vault_address, body, due_at, created_at)
       values (gen_random_uuid(), 'channel', $1, $2, 'alert.firing', $3, $4, '{}', $5, $5)`,
      [target, key, CHAIN, VAULT, timestampOfMs(NOW - 700_000)],
    );
  const [well, ill] = [
    "11111111-1111-4111-8111-111111111111",
    "22222222-2222-4222-8222-222222222222",
  ] as const;
  await put("a", ill);
  await world.db.pool.query("insert into delivery_targets (target_id, failing_since) values ($1, $2)", [
    ill,
    timestampOfMs(NOW - 800_000),
  ]);
  await world.evaluate("system");
  expect(await open()).toEqual([]);
  await put("b", well);
  await world.evaluate("system");
  expect(await open()).toEqual([["queue:channel", "critical"]]);
  await world.db.pool.query("update deliveries set status = 'delivered', finished_at = now()");
  await world.evaluate("system");
  expect(await open()).toEqual([]);
});

it("events that nobody hands out", async () => {
  await world.db.pool.query(
    `insert into events (id, type, chain_id, vault_address, at, data, created_at)
     values (gen_random_uuid(), 'vault.paused', $1, $2, $3, '{}', $3)`,
    [CHAIN, VAULT, timestampOfMs(NOW - 700_000)],
  );
  await world.evaluate("system");
  expect(await open()).toEqual([["queue:events", "critical"]]);
});

async function moveHeadTime(): Promise<void> {
  await world.db.pool.query("update chains set head_timestamp = $1", [timestampOfMs(world.clock.ms)]);
}
