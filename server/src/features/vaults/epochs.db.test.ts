// A vault that settles by epochs: one event, without a name in it, ends the wait of everybody whose request is old enough.
import { sql } from "kysely";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  of,
  readingOf,
  request,
  SyntheticChain,
  syntheticAddress,
  withdraw,
} from "../../../test/synthetic-chain.ts";
import type { FactBody } from "../../chain/facts.ts";
import { vaultsProjection } from "./project.ts";

const VAULT = syntheticAddress(10);
const [ALICE, BOB, CAROL] = [syntheticAddress(20), syntheticAddress(21), syntheticAddress(22)];
const T0 = 1_700_000_000;

let database: TestDatabase;
let chain: SyntheticChain;
let chainId = 100;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  chainId += 1;
  chain = new SyntheticChain(database.db, vaultsProjection, chainId);
  await chain.start();
  await chain.addVault({ address: VAULT, family: "lagoon", hasAsyncRedeem: true });
});

const ask = (controller: Address, shares: bigint, requestId: bigint): FactBody =>
  ({
    ...request(controller, shares),
    kind: "redeem_requested",
    requestId,
  }) as FactBody;

const settle = (through: bigint): FactBody => ({
  kind: "governance",
  contract: "vault",
  event: "SettleRedeem",
  args: {},
  effects: [{ action: "settle", id: through.toString() }],
  settledThrough: through.toString(),
});

async function queue() {
  const { rows } = await sql<{ controller: string; shares: bigint }>`
    select distinct on (controller) controller, pending_shares as shares from redeem_flows
    where chain_id = ${chainId} order by controller, block_number desc, log_index desc`.execute(
    database.db.kysely,
  );
  const { rows: totals } = await sql<{ count: number; shares: bigint }>`
    select vault_pending_count as count, vault_pending_shares as shares from redeem_flows
    where chain_id = ${chainId} order by block_number desc, log_index desc limit 1`.execute(
    database.db.kysely,
  );
  return {
    ...Object.fromEntries(rows.map(({ controller, shares }) => [controller, Number(shares)])),
    total: Number(totals[0]!.shares),
    count: totals[0]!.count,
  };
}

test("whose request is no later than the epoch waits no more; who asked later does", async () => {
  await chain.apply([chain.block(1, T0, of(VAULT, ask(ALICE, 5n, 2n), ask(BOB, 7n, 2n)))]);
  await chain.apply([chain.block(2, T0 + 1, of(VAULT, ask(CAROL, 11n, 4n)))]);
  expect(await queue()).toEqual({ [ALICE]: 5, [BOB]: 7, [CAROL]: 11, total: 23, count: 3 });
  await chain.apply([chain.block(3, T0 + 2, of(VAULT, settle(2n)))]);
  expect(await queue()).toEqual({ [ALICE]: 0, [BOB]: 0, [CAROL]: 11, total: 11, count: 1 });
  // Its claim takes nothing more out of the queue, and neither does who leaves at once.
  await chain.apply([
    chain.block(
      4,
      T0 + 3,
      of(VAULT, withdraw(ALICE, 5n), {
        ...withdraw(CAROL, 3n),
        kind: "withdraw",
        isSynchronous: true,
      } as FactBody),
    ),
  ]);
  expect(await queue()).toEqual({ [ALICE]: 0, [BOB]: 0, [CAROL]: 11, total: 11, count: 1 });
});

test("requests, settlements and readings of one block leave what the block leaves", async () => {
  await chain.apply([chain.block(1, T0, of(VAULT, ask(ALICE, 5n, 2n)))]);
  await chain.apply([
    chain.block(
      2,
      T0 + 1,
      of(
        VAULT,
        ask(BOB, 7n, 2n),
        settle(2n),
        ask(ALICE, 1n, 4n),
        ask(CAROL, 2n, 4n),
        settle(4n),
        ask(BOB, 9n, 6n),
      ),
      [
        [
          VAULT,
          readingOf({
            redeemRequests: [
              { controller: BOB, pendingShares: 9n, claimableShares: 7n, claimableAssets: 7n },
            ],
          }),
        ],
      ],
    ),
  ]);
  expect(await queue()).toEqual({ [ALICE]: 0, [BOB]: 9, [CAROL]: 0, total: 9, count: 1 });
});

test("blocks one by one give what all at once give, and what is undone waits again", async () => {
  const make = () => [
    chain.block(1, T0, of(VAULT, ask(ALICE, 5n, 2n), ask(BOB, 7n, 2n))),
    chain.block(2, T0 + 1, of(VAULT, settle(2n), ask(BOB, 3n, 4n))),
    chain.block(3, T0 + 2, of(VAULT, settle(4n))),
  ];
  await chain.apply(make());
  const atOnce = await queue();
  expect(atOnce).toEqual({ [ALICE]: 0, [BOB]: 0, total: 0, count: 0 });
  await chain.undoAbove(1);
  expect(await queue()).toEqual({ [ALICE]: 5, [BOB]: 7, total: 12, count: 2 });
  for (const block of make().slice(1)) await chain.apply([block]);
  expect(await queue()).toEqual(atOnce);
});
