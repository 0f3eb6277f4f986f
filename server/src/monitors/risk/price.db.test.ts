// Prices over rows as ingestion leaves them: the extreme within the window, what stood when it began, and what ends a comparison.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, moveHead, openAlertWorld, VAULT } from "../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS, undoBlocks } from "../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
});
afterEach(() => world.drop());

async function addPrice(block: number, pps: number | null): Promise<void> {
  await world.db.pool.query(
    `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps)
     values ($1, $2, 0, $3, to_timestamp($4), $5)`,
    [CHAIN, block, VAULT, GENESIS_SECONDS + block * 12, pps],
  );
}

const window = (seconds: number) =>
  world.db.pool.query(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
     values ($1, $2, $3, $2, now()) on conflict (chain_id, vault_address) do update set rules = excluded.rules`,
    [CHAIN, VAULT, JSON.stringify({ price: { window_seconds: seconds } })],
  );

it("a confirmed fall is told, and ends when the window has left it behind, after a restart too", async () => {
  await window(60);
  await addPrice(6, 1_000_000);
  await addPrice(9, 990_000);
  await world.evaluate();
  expect(await world.notices()).toEqual([]);
  await addBlocks(world.db, CHAIN, 11, 11);
  await moveHead(world.db, 11);
  await world.evaluate();
  expect(await world.notices()).toEqual(["alert.firing price/drop"]);
  expect(await world.alerts()).toMatchObject([{ severity: "critical", details: { highest_pps: "1000000" } }]);
  world.clock.ms = (GENESIS_SECONDS + 9 * 12 + 60) * 1000;
  await world.evaluate();
  expect(await world.notices()).toEqual([]);
  world.clock.ms += 1000;
  await world.evaluate();
  expect(await world.notices()).toEqual(["alert.resolved price/drop"]);
});

it("another window, set in between, is judged by from then on; a block that is gone withdraws", async () => {
  await addPrice(6, 1_000_000);
  await addPrice(8, 990_000);
  await world.evaluate();
  expect(await world.notices()).toEqual(["alert.firing price/drop"]);
  await undoBlocks(world.db, CHAIN, 7);
  await moveHead(world.db, 7, 7);
  await world.evaluate();
  expect(await world.notices()).toEqual(["alert.withdrawn price/drop"]);
});

it("a vault that was empty in between is compared with nothing that it was worth before", async () => {
  await addPrice(5, 2_000_000);
  await addPrice(6, null);
  await addPrice(7, 1_000_000);
  await world.evaluate();
  expect(await world.alerts()).toEqual([]);
});
