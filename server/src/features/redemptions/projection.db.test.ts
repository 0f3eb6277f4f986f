// What a transaction may hold that no honest vault would send: blocks must still be stored, and their sums be exact.
import type { FastifyInstance } from "fastify";
import { type Hash, maxUint256, numberToHex, pad } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTestApp, openGuard } from "../../../test/app.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createVaultAccess } from "../../auth/vaults.ts";
import type { FactBody, VaultFact } from "../../chain/facts.ts";
import { redemptionsFeature } from "./feature.ts";
import { redemptionsProjection } from "./projection.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const BLOCK = {
  chainId: CHAIN,
  number: 1,
  timestamp: 1_772_000_000,
  hash: numberToHex(1, { size: 32 }),
  parentHash: numberToHex(0, { size: 32 }),
};
const TX: Hash = pad("0xaa", { size: 32 });
const TIMES = 12;

let database: TestDatabase;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 1);
  await addBlocks(db, CHAIN, 1, 2);
  await addVault(db, CHAIN, VAULT);
  app = await buildTestApp({
    features: [redemptionsFeature({ db, findVisible: createVaultAccess(db).visible })],
    guard: openGuard({
      grants: [{ chainId: CHAIN, vaultAddress: VAULT, role: "view_only", canWrite: false, isAccepted: true }],
    }),
  });
});
afterAll(async () => {
  await app?.close();
  await database?.drop();
});

function fact(logIndex: number, body: FactBody): VaultFact {
  return {
    chainId: CHAIN,
    blockNumber: BLOCK.number,
    blockHash: BLOCK.hash,
    blockTimestamp: BLOCK.timestamp,
    txHash: TX,
    txIndex: 0,
    logIndex,
    vaultAddress: VAULT,
    actorWallet: VAULT,
    txFrom: null,
    body,
  };
}

test("the greatest amounts there are, fulfilled many times in one transaction, are summed and served exactly", async () => {
  const facts = Array.from({ length: TIMES }, (_, n) => [
    fact(2 * n, {
      kind: "redeem_requests_fulfilled",
      controllers: [testAddress(n + 1)],
      processedShares: maxUint256,
      currentPps: maxUint256,
    }),
    fact(2 * n + 1, {
      kind: "redeem_claimable",
      controller: testAddress(1),
      requestId: 0n,
      assets: maxUint256,
      shares: maxUint256,
      averageWithdrawPrice: null,
    }),
  ]).flat();
  await database.db.transaction((tx) =>
    redemptionsProjection.apply(tx, [{ block: BLOCK, facts, readings: new Map() }]),
  );

  const sum = `${maxUint256 * BigInt(TIMES)}`;
  const response = await app.inject({ url: "/api/v1/fulfill-redeems/executions" });
  expect(response.json()).toMatchObject({
    total: 1,
    executions: [
      {
        tx_hash: TX,
        source: "onchain",
        status: "success",
        controllers_count: TIMES,
        total_shares_fulfilled: sum,
        total_assets_out: sum,
        pps_at_fulfillment: `${maxUint256}`,
      },
    ],
  });
});

test("the queue's sums, and an estimate at the greatest price, are exact over such amounts, too", async () => {
  const waiting = `${maxUint256 * BigInt(TIMES)}`;
  await database.db.pool.query(
    `insert into redeem_flows (chain_id, block_number, log_index, vault_address, controller, kind, shares, block_timestamp, requested_shares,
       claimable_shares, claimed_shares, cancelled_shares, cancel_claimed_shares, pending_shares, pending_since, vault_pending_shares, vault_pending_count)
     select $1, 2, n, $2, ($3::text[])[n], 'request', 1, now(), 1, 0, 0, 0, 0, $4, '2026-05-05', 1, 1 from generate_series(1, 2) n`,
    [CHAIN, VAULT, [testAddress(1), testAddress(2)], waiting],
  );
  await database.db.pool.query(
    "insert into vault_states (chain_id, block_number, vault_address, pps, pps_decimals) values ($1, 2, $2, $3, 6)",
    [CHAIN, VAULT, `${maxUint256}`],
  );
  const { redeems, ...sums } = (await app.inject({ url: `/api/v1/vaults/${CHAIN}/${VAULT}/redeems` })).json();
  expect(sums).toMatchObject({
    total: 2,
    total_pending_shares: `${2n * BigInt(waiting)}`,
    total_claimable_assets: waiting,
  });
  const first = redeems.find((each: { controller: string }) => each.controller === testAddress(1));
  expect(first).toMatchObject({
    pending_shares: waiting,
    // Shares have 18 decimals here, assets and prices 6.
    pending_assets_estimate: `${(BigInt(waiting) * maxUint256) / 10n ** 18n}`,
    claimable_shares: waiting,
    claimable_assets: waiting,
  });
});
