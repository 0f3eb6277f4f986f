// The monitors of what a chain's contracts answer, over rows as ingestion leaves them: what is told, when, and what a reorganisation undoes.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AlertWorld,
  addPause,
  addState,
  CHAIN,
  endPause,
  moveHead,
  NOW,
  OTHER,
  openAlertWorld,
  txHash,
  VAULT,
} from "../../../test/alerts.ts";
import { addBlocks, GENESIS_SECONDS, testAddress, undoBlocks } from "../../../test/chain-rows.ts";

let world: AlertWorld;
beforeEach(async () => {
  world = await openAlertWorld();
});
afterEach(() => world.drop());

describe("emergency pause", () => {
  it("is told at the head, unconfirmed, with its vault, its transaction and what to do; unpausing resolves it", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    const [event] = await world.events();
    expect(event).toMatchObject({
      type: "alert.firing",
      vault_address: VAULT,
      data: {
        category: "emergency_pause",
        severity: "critical",
        status: "firing",
        vault_name: "A vault",
        title: "Vault paused",
        message: expect.stringContaining("has been paused since 2026-05-05 16:55:20 UTC"),
        next_step: expect.any(String),
        details: { by: testAddress(9), tx_hash: txHash(10) },
        is_unconfirmed: true,
        transaction_url: `https://explorer.example/tx/${txHash(10)}`,
        console_url: expect.stringMatching(/^https:\/\/vaultops\.example\/alerts\/[0-9a-f-]{36}$/),
        started_at: new Date(NOW).toISOString().replace("Z", "000Z"),
        resolved_at: null,
        last_notice: "opened",
      },
    });
    expect(await world.evaluate()).toMatchObject({ transitions: 0 });

    await addBlocks(db, CHAIN, 11, 12);
    await endPause(db, 12);
    await moveHead(db, 12);
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.resolved emergency_pause/vault"]);
    expect(await world.alerts()).toMatchObject([{ status: "resolved", is_withdrawn: false }]);
  });

  it("becomes confirmed with its block, without another notice", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    await world.notices();
    await addBlocks(db, CHAIN, 11, 12);
    await moveHead(db, 12);
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([{ is_unconfirmed: false, status: "firing" }]);
    expect(await world.notices()).toEqual([]);
  });

  it("is withdrawn by a reorganisation, and told anew if it comes back", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    await undoBlocks(db, CHAIN, 9);
    await addBlocks(db, CHAIN, 10, 10, 1);
    await moveHead(db, 10);
    await world.evaluate();
    expect(await world.notices()).toEqual([
      "alert.firing emergency_pause/vault",
      "alert.withdrawn emergency_pause/vault",
    ]);
    expect(await world.alerts()).toMatchObject([{ status: "resolved", is_withdrawn: true }]);
    await addBlocks(db, CHAIN, 11, 11, 1);
    await addPause(db, { block: 11 });
    await moveHead(db, 11);
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.firing emergency_pause/vault"]);
  });

  it("is neither withdrawn nor repeated by a reorganisation that keeps it, in another block", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    await world.notices();
    await undoBlocks(db, CHAIN, 9);
    await addBlocks(db, CHAIN, 10, 11, 1);
    await addPause(db, { block: 11 });
    await moveHead(db, 11);
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
    // It stands on the new block from then on: if that goes, it is withdrawn.
    await undoBlocks(db, CHAIN, 10);
    await moveHead(db, 10);
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.withdrawn emergency_pause/vault"]);
  });

  it("fires again when the block that unpaused is undone", async () => {
    const { db } = world;
    await addPause(db, { block: 7 });
    await addState(db, { block: 9, isPaused: false });
    await db.pool.query("update vault_intervals set to_block = 9 where vault_address = $1", [VAULT]);
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
    await undoBlocks(db, CHAIN, 8);
    await moveHead(db, 8);
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([{ status: "firing", is_unconfirmed: true }]);
  });

  it("of a vault that answers no paused() is known by its announcements", async () => {
    const { db } = world;
    await addPause(db, { block: 7 });
    await addState(db, { block: 9, isPaused: null });
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([{ category: "emergency_pause", is_unconfirmed: false }]);
  });
});

describe("a vault whose past is being filled in", () => {
  it("is not judged: nothing is opened, and what is open stays", async () => {
    const { db } = world;
    await addPause(db, { block: 10 });
    await world.evaluate();
    await world.notices();
    await endPause(db, 10);
    await db.pool.query("delete from vault_states where vault_address = $1", [VAULT]);
    await addPause(db, { block: 9, vault: OTHER });
    await db.pool.query(
      `insert into sources (chain_id, family, address, start_block, next_block) values ($1, 'supervault', $2, 0, 3), ($1, 'supervault', $3, 0, 3)`,
      [CHAIN, VAULT, OTHER],
    );
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
    await db.pool.query("update sources set next_block = null");
    await addState(db, { block: 10, isPaused: false });
    await world.evaluate();
    expect(await world.notices()).toEqual([
      "alert.resolved emergency_pause/vault",
      "alert.firing emergency_pause/vault",
    ]);
  });
});

describe("upkeep", () => {
  it("is told at the head, unconfirmed until a confirmed reading says so, in the token's units", async () => {
    const { db } = world;
    const token = testAddress(0x700);
    await db.pool.query("insert into tokens (chain_id, address, symbol, decimals) values ($1, $2, 'UP', 2)", [
      CHAIN,
      token,
    ]);
    await addState(db, { block: 9, upkeep: { balance: 250n, required: 1000n, token } });
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([
      {
        category: "upkeep",
        severity: "critical",
        is_unconfirmed: true,
        message: expect.stringContaining("has 2.5 UP of upkeep, 7.5 UP less than"),
        block_number: 9,
      },
    ]);
    await addBlocks(db, CHAIN, 11, 11);
    await moveHead(db, 11);
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([{ is_unconfirmed: false }]);
    await addState(db, { block: 11, upkeep: { balance: 1000n, required: 1000n, token } });
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.firing upkeep/upkeep", "alert.resolved upkeep/upkeep"]);
  });

  it("is withdrawn by a reorganisation", async () => {
    const { db } = world;
    await addState(db, { block: 10, upkeep: { balance: 0n, required: 1n } });
    await world.evaluate();
    await undoBlocks(db, CHAIN, 9);
    await moveHead(db, 9);
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.firing upkeep/upkeep", "alert.withdrawn upkeep/upkeep"]);
  });

  it("stays as it is while the contract does not answer", async () => {
    const { db } = world;
    await addState(db, { block: 7, upkeep: { balance: 0n, required: 1n } });
    await world.evaluate();
    await addState(db, { block: 8, upkeep: { balance: null, required: 1n } });
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.firing upkeep/upkeep"]);
  });

  it("keeps the reserve that a vault's own rules ask for", async () => {
    const { db } = world;
    for (const vault of [VAULT, OTHER])
      await addState(db, { block: 7, vault, upkeep: { balance: 10n ** 30n, required: 1n } });
    await db.pool.query(
      `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at) values ($1, $2, $3, $2, now())`,
      [CHAIN, OTHER, JSON.stringify({ upkeep: { reserve: `${10n ** 31n}` } })],
    );
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([
      { category: "upkeep", severity: "warning", vault_address: OTHER },
    ]);
  });
});

describe("staleness of the price, with no traffic at all", () => {
  const EXPIRY = GENESIS_SECONDS + 86_400;

  it("warns, gets worse and expires exactly when it must, each told once, to webhooks as well", async () => {
    const { db, clock } = world;
    await addState(db, { block: 7, lastUpdate: GENESIS_SECONDS, expirationSeconds: 86_400 });
    clock.ms = (EXPIRY - 7200) * 1000;
    await world.evaluate();
    expect(await world.events()).toEqual([]);
    const told: [number, string, unknown][] = [];
    // From one moment that an evaluation names to the next, as the worker does.
    while (clock.ms < (EXPIRY + 60) * 1000) {
      const { inMs } = await world.evaluate();
      for (const { type, data } of await world.events())
        told.push([EXPIRY - clock.ms / 1000, type, data.severity ?? data.remaining_seconds]);
      clock.ms += inMs;
    }
    expect(told).toEqual([
      [3600, "pps.stale", 3600],
      [3600, "alert.firing", "warning"],
      [600, "pps.stale", 600],
      [600, "alert.updated", "critical"],
      [-1, "pps.stale", 0],
    ]);
  });

  it("resolves with a confirmed update, not with one at the head", async () => {
    const { db, clock } = world;
    await addState(db, { block: 7, lastUpdate: GENESIS_SECONDS, expirationSeconds: 86_400 });
    clock.ms = EXPIRY * 1000;
    await world.evaluate();
    await addState(db, { block: 10, lastUpdate: EXPIRY - 1, expirationSeconds: 86_400 });
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.firing pps_staleness/pps"]);
    await addBlocks(db, CHAIN, 11, 12);
    await moveHead(db, 12);
    await world.evaluate();
    expect(await world.notices()).toEqual(["alert.resolved pps_staleness/pps"]);
  });

  it("does not alarm anybody while a fresh price waits for its confirmation", async () => {
    const { db, clock } = world;
    await addState(db, { block: 7, lastUpdate: GENESIS_SECONDS, expirationSeconds: 86_400 });
    await addState(db, { block: 10, lastUpdate: EXPIRY - 1, expirationSeconds: 86_400 });
    clock.ms = EXPIRY * 1000;
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
  });

  it("follows a vault's own thresholds, and none where the vault has switched it off", async () => {
    const { db, clock } = world;
    for (const vault of [VAULT, OTHER])
      await addState(db, { block: 7, vault, lastUpdate: GENESIS_SECONDS, expirationSeconds: 86_400 });
    const own = (vault: string, rules: object) =>
      db.pool.query(
        `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at) values ($1, $2, $3, $2, now())
         on conflict (chain_id, vault_address) do update set rules = excluded.rules`,
        [CHAIN, vault, JSON.stringify(rules)],
      );
    await own(OTHER, { pps_staleness: { warning_seconds: 80_000, warning_fraction: 1 } });
    clock.ms = (EXPIRY - 80_000) * 1000;
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([{ vault_address: OTHER, severity: "warning" }]);
    await own(OTHER, { pps_staleness: { is_enabled: false } });
    clock.ms = EXPIRY * 1000;
    await world.evaluate();
    expect(await world.notices()).toEqual([
      "alert.firing pps_staleness/pps",
      "alert.resolved pps_staleness/pps",
      "alert.firing pps_staleness/pps",
    ]);
  });

  it("takes a life that never ends for what it is", async () => {
    const { db } = world;
    await addState(db, {
      block: 7,
      lastUpdate: GENESIS_SECONDS,
      expirationSeconds: Number.MAX_SAFE_INTEGER,
    });
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
  });
});

describe("merkle root", () => {
  it("vetoed is told once confirmed, with the transaction of the veto", async () => {
    const { db } = world;
    await db.pool.query(
      `insert into facts (chain_id, block_number, log_index, kind, vault_address, tx_hash, tx_index, actor_wallet, data)
       values ($1, 9, 0, 'hooks_root_veto_changed', $2, $3, 0, $2, '{}')`,
      [CHAIN, VAULT, txHash(9)],
    );
    await addState(db, { block: 9, merkle: { root: "0x01", is_vetoed: true } });
    await world.evaluate();
    expect(await world.notices()).toEqual([]);
    await addBlocks(db, CHAIN, 11, 11);
    await moveHead(db, 11);
    await world.evaluate();
    expect(await world.alerts()).toMatchObject([
      {
        category: "merkle",
        subject: "root",
        is_unconfirmed: false,
        transaction_url: `https://explorer.example/tx/${txHash(9)}`,
      },
    ]);
  });
});

it("a name that a contract chose is cleaned before anybody sees it", async () => {
  const { db } = world;
  await db.pool.query("update vaults set name = $2 where address = $1", [
    VAULT,
    `A\r\nBcc: x\u202e@everyone${"x".repeat(200)}`,
  ]);
  await addPause(db, { block: 10 });
  await world.evaluate();
  const [alert] = await world.alerts();
  expect(alert?.vault_name).toMatch(/^ABcc: x@everyonex+$/);
  expect(alert?.vault_name).toHaveLength(64);
  expect(alert?.message).not.toMatch(/[\r\n\u202e]/);
});
