// Fills followed on a real node: what the tracker says of a transaction is what the chain says, through reorganisations and outages.

import { type Hash, zeroAddress } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addressOf } from "../../../../demo/src/accounts.ts";
import { addChain, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { applyReports, fill, report, txHash } from "../../../test/handled-reports.ts";
import { startTestChain, type TestChain } from "../../../test/node.ts";
import { type ChainClient, createChainClient } from "../../chain/client/client.ts";
import { silentLogger } from "../../platform/log.ts";
import type { VaultRef } from "../../vault.ts";
import { intentFillHandler } from "./fill-reports.ts";
import { fillTrackers, trackOnce } from "./fill-tracker.ts";

let chain: TestChain;
let database: TestDatabase;
let client: ChainClient;
let place: VaultRef;

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase()]);
  client = clientOf(chain.rpcUrl, { timeoutMs: 60_000, deadlineMs: 240_000 });
  place = { chainId: chain.chainId, vaultAddress: testAddress(1) };
  await addChain(database.db, chain.chainId);
});
afterAll(async () => {
  await client?.close();
  await database?.drop();
  await chain?.stop();
});
beforeEach(async () => {
  await database.owner.pool.query("truncate intent_fills");
  await chain.client.setAutomine(true);
  nowMs = Date.now();
});

function clientOf(rpcUrl: string, times: { timeoutMs: number; deadlineMs: number }): ChainClient {
  const log = silentLogger();
  return createChainClient({
    chainId: chain.chainId,
    name: "Test",
    rpcUrls: [rpcUrl],
    log,
    ...times,
  });
}

let nowMs = 0;
const round = () => trackOnce({ db: database.db, clock: { now: () => nowMs } }, chain.chainId, client);
const later = (seconds: number) => {
  nowMs += seconds * 1000;
};

let ids = 0;
async function reportFill(hash: Hash): Promise<void> {
  ids += 1;
  const data = fill("intent-1", `fill-${ids}`, { chain_id: chain.chainId, tx_hash: hash });
  await applyReports(database.db, intentFillHandler, [
    report("vaultops.intent.fill", place, `f${ids}`, ids, data),
  ]);
  // A round made by the test's clock comes after it.
  await database.db.pool.query("update intent_fills set check_at = to_timestamp(0) where was_seen = false");
}

async function state() {
  const { rows } = await database.db.pool.query<{
    onchain: string;
    block_number: number | null;
    is_reverted: boolean | null;
  }>("select onchain, block_number, is_reverted from intent_fills order by fill_id");
  return rows;
}

/** At a fixed price, so that the same one is the same transaction on every branch. */
const pay = () =>
  chain.client.sendTransaction({
    account: addressOf("deployer"),
    to: zeroAddress,
    value: 1n,
    gas: 30_000n,
    gasPrice: 5_000_000_000n,
    chain: null,
  });

/** Says of the store what the indexer would: blocks as the node has them, confirmed up to one. */
async function follow(confirmed: number | null, from = 0): Promise<number> {
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await database.db.pool.query("delete from blocks where chain_id = $1 and number >= $2", [
    chain.chainId,
    from,
  ]);
  for (let number = from; number <= head; number += 1) {
    const block = await chain.client.getBlock({ blockNumber: BigInt(number) });
    await database.db.pool.query(
      "insert into blocks (chain_id, number, hash, parent_hash, block_timestamp) values ($1, $2, $3, $4, to_timestamp($5))",
      [chain.chainId, number, block.hash, block.parentHash, Number(block.timestamp)],
    );
  }
  await database.db.pool.query("update chains set confirmed_number = $2 where chain_id = $1", [
    chain.chainId,
    confirmed,
  ]);
  return head;
}

async function mined(hash: Hash): Promise<number> {
  return Number((await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 })).blockNumber);
}

test("a fill is pending until its block is confirmed, and the node is asked no more than that takes", async () => {
  const hash = await pay();
  const number = await mined(hash);
  await follow(number - 1);
  await reportFill(hash);
  expect(await state()).toMatchObject([{ onchain: "pending", block_number: null }]);
  expect(await round()).toBe(1);
  expect(await state()).toEqual([{ onchain: "pending", block_number: number, is_reverted: false }]);
  later(3600);
  expect(await round()).toBe(0);
  await follow(number);
  expect(await round()).toBe(1);
  expect(await state()).toEqual([{ onchain: "confirmed", block_number: number, is_reverted: false }]);
  later(86_400);
  expect(await round()).toBe(0);
});

test("a transaction that was reverted is confirmed as such", async () => {
  const hash = await chain.client.sendTransaction({
    account: addressOf("deployer"),
    // A creation whose code is INVALID.
    data: "0xfe",
    gas: 100_000n,
    chain: null,
  });
  const number = await mined(hash);
  await follow(number);
  await reportFill(hash);
  await round();
  expect(await state()).toEqual([{ onchain: "confirmed", block_number: number, is_reverted: true }]);
});

test("a transaction that the node does not know is missing after ten minutes of saying so, and found when it comes after all", async () => {
  await follow(0);
  await chain.client.setAutomine(false);
  const hash = await pay();
  await reportFill(hash);
  await reportFill(txHash(0xdead));
  await round();
  expect((await state()).map((each) => each.onchain)).toEqual(["pending", "pending"]);
  expect(await round()).toBe(0);
  later(300);
  expect(await round()).toBe(2);
  expect((await state()).map((each) => each.onchain)).toEqual(["pending", "pending"]);
  later(300);
  await round();
  expect((await state()).map((each) => each.onchain)).toEqual(["missing", "missing"]);
  await chain.client.mine({ blocks: 1 });
  const head = await follow(0);
  await follow(head);
  later(600);
  await round();
  expect((await state()).map((each) => each.onchain)).toEqual(["confirmed", "missing"]);
  later(8 * 86_400);
  await round();
  later(86_400);
  expect(await round()).toBe(0);
});

test("a fill whose block left the chain is reorganised, pending again when its transaction is in another block, and then confirmed", async () => {
  const before = await follow(0);
  const snapshot = await chain.client.snapshot();
  const hash = await pay();
  const number = await mined(hash);
  await follow(before, number);
  await reportFill(hash);
  await round();
  expect(await state()).toMatchObject([{ onchain: "pending", block_number: number }]);

  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 2 });
  await follow(before, number);
  expect(await round()).toBe(1);
  expect(await state()).toEqual([{ onchain: "reorganised", block_number: null, is_reverted: null }]);

  const again = await pay();
  expect(again).toBe(hash);
  const other = await mined(again);
  await follow(before, number);
  later(10);
  await round();
  expect(await state()).toMatchObject([{ onchain: "pending", block_number: other }]);
  await follow(other, number);
  await round();
  expect(await state()).toMatchObject([{ onchain: "confirmed", block_number: other }]);
});

test("a confirmed fill that a deep reorganisation undoes is reorganised", async () => {
  const before = await follow(0);
  const snapshot = await chain.client.snapshot();
  const hash = await pay();
  const number = await mined(hash);
  await follow(number, number);
  await reportFill(hash);
  await round();
  expect(await state()).toMatchObject([{ onchain: "confirmed" }]);
  await chain.client.revert({ id: snapshot });
  await chain.client.mine({ blocks: 2 });
  await follow(before, number);
  await round();
  expect(await state()).toMatchObject([{ onchain: "reorganised", block_number: null }]);
});

test("while node and store disagree about a block nothing is confirmed", async () => {
  const hash = await pay();
  const number = await mined(hash);
  await follow(number);
  await database.db.pool.query("update blocks set hash = 'another' where chain_id = $1 and number = $2", [
    chain.chainId,
    number,
  ]);
  await reportFill(hash);
  await round();
  expect(await state()).toMatchObject([{ onchain: "pending", block_number: number }]);
  await follow(number, number);
  later(2);
  await round();
  expect(await state()).toMatchObject([{ onchain: "confirmed" }]);
});

test("a node that is out changes nothing and ends nothing; the task goes on when it is back", async () => {
  const hash = await pay();
  const number = await mined(hash);
  await follow(number);
  await reportFill(hash);
  const away = clientOf("http://127.0.0.1:1", { timeoutMs: 1_000, deadlineMs: 1_500 });
  const asked: string[] = [];
  const flaky = {
    receipts: async (hashes: readonly Hash[]) => {
      const which = asked.length < 2 ? away : client;
      asked.push(which === away ? "away" : "there");
      return which.receipts(hashes);
    },
  };
  await expect(away.receipts([hash])).rejects.toMatchObject({ name: "ChainFault", code: "unavailable" });
  const ending = new AbortController();
  const [task] = fillTrackers({
    db: database.db,
    clients: new Map([[chain.chainId, flaky]]),
    clock: { now: () => Date.now() },
    log: silentLogger(),
  });
  const running = task?.run(ending.signal);
  await expect.poll(async () => (await state())[0]?.onchain, { timeout: 120_000 }).toBe("confirmed");
  expect(asked.slice(0, 2)).toEqual(["away", "away"]);
  ending.abort();
  await running;
  await away.close();
}, 300_000);
