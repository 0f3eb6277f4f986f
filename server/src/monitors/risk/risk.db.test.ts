// The categories of a vault's own risk over rows as ingestion leaves them: fires, is taken back by a reorganisation, stands through a
// restart, and is judged by a rule that was changed in between.
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addState,
  CHAIN,
  moveHead,
  NOW,
  openAlertWorld,
  txHash,
  VAULT,
} from "../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS, testAddress, undoBlocks } from "../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
  await world.database.owner.pool.query("update alert_watches set since = to_timestamp(0)");
  await world.db.pool.query(
    "update vaults set family = 'morpho_vault_v2', created_block = null where address = $1",
    [VAULT],
  );
});
afterEach(() => world.drop());

const asked = (sql: string, ...values: unknown[]) => world.db.pool.query(sql, values);
const secondsOf = (block: number) => GENESIS_SECONDS + block * 12;

const rules = (of: object) =>
  asked(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at)
     values ($1, $2, $3, $2, now()) on conflict (chain_id, vault_address) do update set rules = excluded.rules`,
    CHAIN,
    VAULT,
    JSON.stringify(of),
  );

const sample = (block: number, assets: number, supply: number) =>
  asked(
    `insert into pps_points (chain_id, block_number, log_index, vault_address, block_timestamp, pps, total_assets, total_supply)
     values ($1, $2, 0, $3, to_timestamp($4), case when $6::numeric > 0 then div($5::numeric * 1000000, $6::numeric) end, $5, $6)`,
    CHAIN,
    block,
    VAULT,
    secondsOf(block),
    assets,
    supply,
  );

const fact = (block: number, kind: string, data: object, { logIndex = 0, tx = block } = {}) =>
  asked(
    `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
     values ($1, $2, $3, $4, $5, $6, $9, $7, $8)`,
    CHAIN,
    block,
    logIndex,
    kind,
    VAULT,
    txHash(tx),
    testAddress(9),
    JSON.stringify(data),
    tx === block ? 0 : 1,
  );

async function state(block: number, more: Record<string, unknown>): Promise<void> {
  await addState(world.db, { block });
  for (const [column, value] of Object.entries(more))
    await world.database.owner.pool.query(
      `update vault_states set ${column} = $3 where block_number = $1 and vault_address = $2`,
      [block, VAULT, typeof value === "object" ? JSON.stringify(value) : value],
    );
}

async function told(): Promise<string[]> {
  await world.evaluate();
  return await world.notices();
}

/** The block and all above it are gone; nothing of what was there was ever confirmed by another. */
async function reorganise(above: number): Promise<void> {
  await undoBlocks(world.db, CHAIN, above);
  await moveHead(world.db, above, above);
}

it("tvl: deposits and withdrawals are taken off, a loss is told, and taken back with its block", async () => {
  await sample(4, 1_000_000, 1_000_000);
  await sample(6, 3_000_000, 3_000_000);
  await sample(7, 2_550_000, 3_000_000);
  expect((await told()).filter((each) => each.includes("tvl"))).toEqual([]);
  await sample(8, 2_549_999, 3_000_000);
  expect((await told()).filter((each) => each.includes("tvl"))).toEqual(["alert.firing tvl/loss"]);
  expect(await told()).toEqual([]);
  await rules({ tvl: { change_fraction: 0.2 } });
  expect(await told()).toEqual(["alert.resolved tvl/loss"]);
  await rules({});
  expect(await told()).toEqual(["alert.firing tvl/loss"]);
  await reorganise(7);
  expect((await told()).filter((each) => each.includes("tvl"))).toEqual(["alert.withdrawn tvl/loss"]);
});

it("flows: judged against the supply before each transaction, at the price of its time, once", async () => {
  await asked("insert into tokens (chain_id, address) values ($1, $2)", CHAIN, VAULT);
  await asked(
    `insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
     values ($1, $2, to_timestamp($3), to_timestamp($4), 1e18, 'chainlink')`,
    CHAIN,
    VAULT,
    secondsOf(6),
    secondsOf(8),
  );
  const whole = 10 ** 6 * 1_000_000;
  await sample(5, whole, whole);
  const shares = (of: number) => ({
    assets: String(of),
    shares: String(of),
    sender: VAULT,
    owner: VAULT,
    to: testAddress(3),
  });
  // Exactly a tenth, then one unit more than a tenth of what there is by then.
  await fact(6, "shares_minted", shares(whole / 10), { logIndex: 0 });
  await fact(6, "deposit", shares(whole / 10), { logIndex: 1 });
  await fact(6, "withdraw", shares((whole * 11) / 100 + 1), { logIndex: 5, tx: 106 });
  await fact(6, "shares_burned", { from: VAULT, shares: "1" }, { logIndex: 4, tx: 106 });
  // Not priced any more: the part alone decides.
  await fact(8, "deposit", shares(whole / 2), { logIndex: 0 });
  await fact(8, "shares_minted", shares(whole / 2), { logIndex: 1 });
  expect(await told()).toEqual([
    `alert.firing flows/${txHash(106)}:withdrawal`,
    `alert.firing flows/${txHash(8)}:deposit`,
  ]);
  expect(await world.alerts("subject like '%:withdrawal'")).toMatchObject([
    { severity: "warning", details: { total_supply: String((whole * 11) / 10) } },
  ]);
  expect(await told()).toEqual([]);
  await asked("update alerts set acknowledged_at = now(), acknowledged_by = $1", VAULT);
  expect((await told()).sort()).toEqual(
    [`alert.resolved flows/${txHash(106)}:withdrawal`, `alert.resolved flows/${txHash(8)}:deposit`].sort(),
  );
  expect(await told()).toEqual([]);
});

it("flows: shares without a deposit are told; those of fees, of the vault itself and of a settlement are not", async () => {
  await sample(5, 1000, 1000);
  await state(5, { fee_recipient: testAddress(7) });
  const minted = (to: string, shares: string) => ({ to, shares });
  await fact(6, "shares_minted", minted(testAddress(7), "900"), { logIndex: 0 });
  await fact(6, "shares_minted", minted(VAULT, "900"), { logIndex: 1 });
  await fact(7, "shares_minted", minted(testAddress(3), "900"), { logIndex: 0 });
  await fact(
    7,
    "governance",
    { contract: "vault", event: "E", args: {}, effects: [{ action: "settle", id: "1" }] },
    { logIndex: 1 },
  );
  expect((await told()).filter((each) => each.includes("flows"))).toEqual([]);
  // The supply before it is 1000 and what was made since.
  await fact(8, "shares_minted", minted(testAddress(3), "185"), { logIndex: 0 });
  expect((await told()).filter((each) => each.includes("flows"))).toEqual([]);
  await fact(8, "shares_minted", minted(testAddress(4), "1"), { logIndex: 1 });
  expect((await told()).filter((each) => each.includes("flows"))).toEqual([
    `alert.firing flows/${txHash(8)}:supply`,
  ]);
  await reorganise(7);
  expect((await told()).filter((each) => each.includes("flows"))).toEqual([
    `alert.withdrawn flows/${txHash(8)}:supply`,
  ]);
});

it("allocation: idle for longer than its time by the reading that stood before, then a cap and a target", async () => {
  const liquidity = (idle: string) => ({
    idle_assets: idle,
    withdrawable_assets: null,
    is_exit_immediate: false,
  });
  await state(5, { total_assets: 1000, liquidity: liquidity("100") });
  await state(6, { total_assets: 1000, liquidity: liquidity("200") });
  await rules({ allocation: { max_idle_fraction: 0.1, idle_seconds: 60 } });
  world.clock.ms = (secondsOf(6) + 60) * 1000;
  expect(await told()).toEqual([]);
  world.clock.ms += 1000;
  expect(await told()).toEqual(["alert.firing allocation/idle"]);
  await state(7, { total_assets: 1000, liquidity: liquidity("100") });
  expect(await told()).toEqual(["alert.resolved allocation/idle"]);
  const position = { id: "0xa", label: "Alpha", assets: "91", absolute_cap: "100", is_absolute_capped: true };
  await state(8, { total_assets: 1000, liquidity: liquidity("0"), allocations: [position] });
  await rules({
    allocation: { cap_fraction: 0.9, drift_fraction: 0.05, targets: { "0xa": 0.1, "0xb": 0.1 } },
  });
  expect(await told()).toEqual(["alert.firing allocation/drift:0xb", "alert.firing allocation/cap:0xa"]);
  await reorganise(7);
  expect((await told()).sort()).toEqual([
    "alert.firing allocation/drift:0xa",
    "alert.resolved allocation/cap:0xa",
  ]);
});

it("liquidity: the oldest of those who wait now, and what a settlement owes", async () => {
  const flow = (
    block: number,
    logIndex: number,
    controller: string,
    pending: number,
    since: number | null,
    all: number,
  ) =>
    asked(
      `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
         claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
       values ($1, $2, $3, $4, $5, 'request', 1, to_timestamp($6), 0, 0, 0, 0, 0, $7, to_timestamp($8), $9, $10)`,
      CHAIN,
      block,
      logIndex,
      VAULT,
      controller,
      secondsOf(block),
      pending,
      since,
      all,
      all > 0 ? 1 : 0,
    );
  await flow(4, 0, testAddress(21), 5, secondsOf(4), 5);
  await flow(5, 0, testAddress(22), 5, secondsOf(5), 10);
  await flow(6, 0, testAddress(21), 0, null, 5);
  await rules({ liquidity: { max_request_age_seconds: 60 } });
  world.clock.ms = (secondsOf(5) + 60) * 1000;
  expect(await told()).toEqual([]);
  world.clock.ms += 1;
  expect(await told()).toEqual(["alert.firing liquidity/request_age"]);
  await flow(7, 0, testAddress(22), 0, null, 0);
  expect(await told()).toEqual(["alert.resolved liquidity/request_age"]);
  await state(8, {
    liquidity: { idle_assets: "9", withdrawable_assets: null, is_exit_immediate: false },
    nav: { owed_assets: "10" },
  });
  expect(await told()).toEqual(["alert.firing liquidity/settlement"]);
  await reorganise(7);
  expect(await told()).toEqual(["alert.resolved liquidity/settlement"]);
});

it("losses: bad debt that a reading first shows, unless an event of the vault tells of it", async () => {
  await state(5, { lost_assets: 100, total_assets: 1_000_000 });
  await state(6, { lost_assets: 111, total_assets: 1_000_000 });
  expect(await told()).toEqual(["alert.firing losses/bad_debt:6"]);
  await state(7, { lost_assets: 200, total_assets: 1_000_000 });
  await fact(7, "governance", {
    contract: "vault",
    event: "E",
    args: {},
    effects: [{ action: "loss", new: "89" }],
  });
  expect(await told()).toEqual([`alert.firing losses/${txHash(7)}:0`]);
  await addBlocks(world.db, CHAIN, 11, 11);
  world.clock.ms = NOW + 86_400_000;
  expect((await told()).sort()).toEqual(
    ["alert.resolved losses/bad_debt:6", `alert.resolved losses/${txHash(7)}:0`].sort(),
  );
});
