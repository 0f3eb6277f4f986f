// The categories of a vault's own risk over rows as ingestion leaves them: fires, and is taken back by a reorganisation.
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AlertWorld, CHAIN, NOW, txHash, VAULT } from "../../../test/alerts.ts";
import { addBlocks, testAddress } from "../../../test/chain-rows.ts";
import { openRiskWorld, riskRows, secondsOf } from "./test-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openRiskWorld();
});
afterEach(() => world.drop());

const { asked, rules, sample, fact, state, told, reorganise } = riskRows(() => world);

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

it("flows: where prices stand all along each flow still counts by its own, and where one lapses too", async () => {
  await asked("insert into tokens (chain_id, address) values ($1, $2)", CHAIN, VAULT);
  const price = (from: number, until: number, dollars: number) =>
    asked(
      `insert into price_points (chain_id, address, priced_at, stands_until, price_usd_e18, source)
       values ($1, $2, to_timestamp($3), to_timestamp($4), $5::numeric * 1e18, 'chainlink')`,
      CHAIN,
      VAULT,
      secondsOf(from),
      secondsOf(until),
      dollars,
    );
  const whole = 10 ** 6 * 1_000_000;
  const flow = (block: number, kind: string, dollars: number) =>
    fact(block, kind, { assets: String(dollars * 10 ** 6), shares: "0", sender: VAULT, owner: VAULT });
  await price(-10_000, 6, 1);
  await price(6, 7, 2);
  await price(7, 1000, 1);
  await sample(4, whole, whole);
  await flow(5, "deposit", 500_000);
  await flow(6, "deposit", 250_001);
  await flow(7, "withdraw", 500_001);
  await flow(8, "withdraw", 250_001);
  await rules({ flows: { single_fraction: 1 } });
  expect(await told()).toEqual([
    `alert.firing flows/${txHash(6)}:deposit`,
    `alert.firing flows/${txHash(7)}:withdrawal`,
  ]);
  // From 6 to 7 there is none now, so that its part alone is asked, which it is not more than.
  await world.database.owner.pool.query(
    "update price_points set stands_until = priced_at where price_usd_e18 = 2e18",
  );
  expect(await told()).toEqual([`alert.resolved flows/${txHash(6)}:deposit`]);
  await rules({ flows: { single_usd: 200_000, single_fraction: 1 } });
  expect((await told()).sort()).toEqual(
    [`alert.firing flows/${txHash(5)}:deposit`, `alert.firing flows/${txHash(8)}:withdrawal`].sort(),
  );
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
