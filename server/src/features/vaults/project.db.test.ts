import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  ACTOR,
  burn,
  fulfil,
  mint,
  of,
  price,
  readingOf,
  request,
  SyntheticChain,
  syntheticAddress,
  withdraw,
} from "../../../test/synthetic-chain.ts";
import type { FactBody } from "../../chain/facts.ts";
import { vaultsProjection } from "./project.ts";

let database: TestDatabase;
let chain: SyntheticChain;
let chainId = 100;

const VAULT = syntheticAddress(10);
const OTHER = syntheticAddress(11);
const [ALICE, BOB] = [syntheticAddress(20), syntheticAddress(21)];
const SOURCE = syntheticAddress(30);
const T0 = 1_700_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  chainId += 1;
  chain = new SyntheticChain(database.db, vaultsProjection, chainId);
  await chain.start();
});

async function points(vault = VAULT) {
  const { rows } = await sql<{
    pps: bigint | null;
    total_assets: bigint | null;
    total_supply: bigint | null;
  }>`
    select block_number, log_index, pps, total_assets, total_supply from pps_points
    where chain_id = ${chainId} and vault_address = ${vault} order by block_number, log_index`.execute(
    database.db.kysely,
  );
  return rows;
}

async function queue(vault = VAULT) {
  const { rows } = await sql<{ count: number; shares: bigint }>`
    select vault_pending_count as count, vault_pending_shares as shares from redeem_flows
    where chain_id = ${chainId} and vault_address = ${vault} order by block_number desc, log_index desc limit 1`.execute(
    database.db.kysely,
  );
  return rows[0];
}

async function openIntervals(vault = VAULT) {
  const { rows } = await sql<Record<string, unknown>>`
    select kind, subject, data, since from vault_intervals
    where chain_id = ${chainId} and vault_address = ${vault} and to_block is null order by kind, subject`.execute(
    database.db.kysely,
  );
  return rows;
}

describe("price points of a vault with a stored price", () => {
  test("come one from each update, valued by the supply that its mints and burns add up to", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, mint(5_000_000n), price(1_000_000n), mint(1n), price(1_100_000n))),
      chain.block(2, T0 + 60, of(VAULT, burn(1n))),
    ]);
    await chain.apply([
      chain.block(3, T0 + 120, [
        ...of(VAULT, {
          kind: "pps_updated_after_skim",
          oldPps: 1_100_000n,
          newPps: 1_050_000n,
          feeAmount: 1n,
          timestamp: 0n,
        }),
      ]),
    ]);
    expect(await points()).toMatchObject([
      { block_number: 1, log_index: 1, pps: 1_000_000n, total_assets: 5_000_000n, total_supply: 5_000_000n },
      { block_number: 1, log_index: 3, pps: 1_100_000n, total_assets: 5_500_001n, total_supply: 5_000_001n },
      { block_number: 3, log_index: 0, pps: 1_050_000n, total_assets: 5_250_000n, total_supply: 5_000_000n },
    ]);
  });

  test("begin and end with the supply, at the price that stood then", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([chain.block(1, T0, of(VAULT, price(1_000_000n)))]);
    await chain.apply([chain.block(2, T0 + 60, of(VAULT, mint(2_000_000n), mint(1n)))]);
    await chain.apply([chain.block(3, T0 + 90, of(VAULT, burn(2_000_001n)))]);
    await chain.apply([chain.block(4, T0 + 120, of(VAULT, price(1_500_000n), mint(4n)))]);
    expect(await points()).toMatchObject([
      { block_number: 1, pps: null, total_assets: 0n },
      { block_number: 2, log_index: 0, pps: 1_000_000n, total_assets: 2_000_000n, total_supply: 2_000_000n },
      { block_number: 3, pps: null, total_supply: 0n },
      { block_number: 4, log_index: 0, pps: null },
      { block_number: 4, log_index: 1, pps: 1_500_000n, total_assets: 6n, total_supply: 4n },
    ]);
  });

  test("have no price while nobody holds a share", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, price(1_000_000n), mint(7n), burn(7n), price(2_000_000n))),
    ]);
    expect((await points()).map(({ pps }) => pps)).toEqual([null, 1_000_000n, null, null]);
    expect((await points()).at(-1)).toMatchObject({ pps: null, total_assets: 0n, total_supply: 0n });
  });

  test("take no sample from a reading, and hold the largest amounts exactly", async () => {
    const huge = 2n ** 255n;
    await chain.addVault({ address: VAULT, shareDecimals: 18 });
    const reading = readingOf({ pps: 1n, totalAssets: huge, totalSupply: huge });
    await chain.apply([chain.block(1, T0, of(VAULT, mint(huge), price(10n ** 18n)), [[VAULT, reading]])]);
    await chain.apply([chain.block(2, T0 + 1, [], [[VAULT, reading]])]);
    expect(await points()).toMatchObject([{ pps: 10n ** 18n, total_assets: huge, total_supply: huge }]);
  });
});

describe("price points of an ERC-4626 vault", () => {
  test("are its readings; deposits are never taken for a price", async () => {
    await chain.addVault({ address: VAULT, family: "erc4626" });
    const deposit: FactBody = { kind: "deposit", sender: ALICE, owner: ALICE, assets: 105n, shares: 100n };
    await chain.apply([
      chain.block(1, T0, of(VAULT, deposit, mint(100n))),
      chain.block(
        2,
        T0 + 1,
        [],
        [[VAULT, readingOf({ pps: 1_040_000n, totalAssets: 104n, totalSupply: 100n })]],
      ),
    ]);
    expect(await points()).toMatchObject([
      { block_number: 2, pps: 1_040_000n, total_assets: 104n, total_supply: 100n },
    ]);
  });

  test("mark the loss of all supply once, and nothing when the contract did not answer", async () => {
    await chain.addVault({ address: VAULT, family: "erc4626" });
    const empty = readingOf({ pps: null, totalAssets: 0n, totalSupply: 0n });
    const full = readingOf({ pps: 1_000_000n, totalAssets: 9n, totalSupply: 9n });
    const mute = readingOf({});
    const readings = [empty, full, mute, empty, empty, full, empty];
    for (const [index, reading] of readings.entries()) {
      await chain.apply([chain.block(index + 1, T0 + index, [], [[VAULT, reading]])]);
    }
    await chain.apply([8, 9].map((number) => chain.block(number, T0 + number, [], [[VAULT, empty]])));
    expect((await points()).map(({ pps }) => pps)).toEqual([1_000_000n, null, 1_000_000n, null]);
  });
});

describe("the redemption queue", () => {
  test("adds up requests, takes off what was fulfilled or cancelled, and counts who still waits", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, request(ALICE, 100n), request(BOB, 50n), request(ALICE, 10n))),
      chain.block(2, T0 + 1, of(VAULT, fulfil(ALICE, 60n))),
    ]);
    expect(await queue()).toEqual({ count: 2, shares: 100n });
    await chain.apply([chain.block(3, T0 + 2, of(VAULT, fulfil(ALICE, 50n), withdraw(ALICE, 110n)))]);
    expect(await queue()).toEqual({ count: 1, shares: 50n });
    await chain.apply([
      chain.block(4, T0 + 3, [
        ...of(
          VAULT,
          { kind: "redeem_cancel_requested", controller: BOB, requestId: 0n, sender: BOB },
          { kind: "redeem_cancel_fulfilled", controller: BOB, shares: 50n },
          {
            kind: "redeem_cancel_claimed",
            receiver: BOB,
            controller: BOB,
            requestId: 0n,
            sender: BOB,
            shares: 50n,
          },
        ),
      ]),
    ]);
    expect(await queue()).toEqual({ count: 0, shares: 0n });
  });

  test("a request cancelled at once takes back all that waits, told how much or not, leaves what may be claimed, and is undone with its block", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, request(ALICE, 100n), request(BOB, 50n), request(ALICE, 10n))),
      chain.block(2, T0 + 1, of(VAULT, fulfil(ALICE, 60n))),
    ]);
    const cancelled = (controller: typeof ALICE | typeof BOB, shares: bigint | null): FactBody => ({
      kind: "redeem_request_cancelled",
      controller,
      sender: controller,
      shares,
    });
    await chain.apply([chain.block(3, T0 + 2, of(VAULT, cancelled(ALICE, null)))]);
    expect(await queue()).toEqual({ count: 1, shares: 50n });
    const { rows } = await sql`
      select kind, shares, claimable_shares, cancelled_shares, pending_shares, pending_since from redeem_flows
       where chain_id = ${chainId} and block_number = 3`.execute(database.db.kysely);
    expect(rows).toEqual([
      {
        kind: "cancel",
        shares: 50n,
        claimable_shares: 60n,
        cancelled_shares: 50n,
        pending_shares: 0n,
        pending_since: null,
      },
    ]);
    await chain.apply([chain.block(4, T0 + 3, of(VAULT, cancelled(BOB, 50n), request(ALICE, 7n)))]);
    expect(await queue()).toEqual({ count: 1, shares: 7n });
    await database.db.pool.query("delete from blocks where chain_id = $1 and number >= 3", [chainId]);
    expect(await queue()).toEqual({ count: 2, shares: 100n });
  });

  test("counts claims where a vault announces no fulfilment, and no withdrawal of a plain vault", async () => {
    await chain.addVault({ address: VAULT, family: "erc4626", hasAsyncRedeem: true });
    await chain.addVault({ address: OTHER, family: "erc4626" });
    await chain.apply([
      chain.block(1, T0, [
        ...of(VAULT, request(ALICE, 100n), withdraw(ALICE, 40n)),
        ...of(OTHER, withdraw(ALICE, 40n)),
      ]),
    ]);
    expect(await queue()).toEqual({ count: 1, shares: 60n });
    expect(await queue(OTHER)).toBeUndefined();
  });

  test("keeps since when a controller waits", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, request(ALICE, 5n))),
      chain.block(2, T0 + 9, of(VAULT, request(ALICE, 5n))),
    ]);
    const since = () =>
      sql<{ pending_since: string | null }>`
        select pending_since from redeem_flows where chain_id = ${chainId} and controller = ${ALICE}
        order by block_number desc, log_index desc limit 1`
        .execute(database.db.kysely)
        .then(({ rows }) => rows[0]?.pending_since);
    expect(await since()).toBe("2023-11-14T22:13:20.000000Z");
    await chain.apply([chain.block(3, T0 + 10, of(VAULT, fulfil(ALICE, 10n)))]);
    expect(await since()).toBeNull();
  });
});

describe("intervals", () => {
  const paused: FactBody = { kind: "vault_paused", account: ALICE };
  const unpaused: FactBody = { kind: "vault_unpaused", account: null };

  test("hold a pause from the first announcement to the end", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([
      chain.block(1, T0, of(VAULT, unpaused, paused)),
      chain.block(2, T0 + 5, of(VAULT, paused)),
    ]);
    expect(await openIntervals()).toEqual([
      { kind: "pause", subject: "vault", data: { by: ALICE }, since: "2023-11-14T22:13:20.000000Z" },
    ]);
    await chain.apply([chain.block(3, T0 + 9, of(VAULT, unpaused))]);
    expect(await openIntervals()).toEqual([]);
  });

  test("carry a yield source's age through a change of its oracle", async () => {
    await chain.addVault({ address: VAULT });
    const [oracle, newOracle] = [syntheticAddress(40), syntheticAddress(41)];
    await chain.apply([
      chain.block(1, T0, of(VAULT, { kind: "yield_source_added", source: SOURCE, oracle })),
    ]);
    await chain.apply([
      chain.block(2, T0 + 7, [
        ...of(VAULT, { kind: "yield_source_oracle_updated", source: SOURCE, oldOracle: oracle, newOracle }),
      ]),
    ]);
    expect(await openIntervals()).toMatchObject([
      { subject: SOURCE, data: { oracle: newOracle }, since: "2023-11-14T22:13:20.000000Z" },
    ]);
    await chain.undoAbove(1);
    expect(await openIntervals()).toMatchObject([{ subject: SOURCE, data: { oracle } }]);
    await chain.apply([chain.block(2, T0 + 8, of(VAULT, { kind: "yield_source_removed", source: SOURCE }))]);
    expect(await openIntervals()).toEqual([]);
  });

  test("hold what a timelock holds back until it is settled or replaced", async () => {
    await chain.addVault({ address: VAULT });
    const fees = (bps: bigint): FactBody => ({
      kind: "fee_config_proposed",
      performanceFeeBps: bps,
      managementFeeBps: 0n,
      recipient: BOB,
      effectiveTime: BigInt(T0 + 604_800),
    });
    await chain.apply([
      chain.block(1, T0, of(VAULT, fees(1000n))),
      chain.block(2, T0 + 1, of(VAULT, fees(1500n))),
    ]);
    expect(await openIntervals()).toMatchObject([
      {
        kind: "pending_change",
        subject: "fee_config",
        data: {
          proposed: { performance_fee_bps: 1500, management_fee_bps: 0, recipient: BOB },
          proposer: ACTOR,
          effective_at: "2023-11-21T22:13:20.000000Z",
        },
      },
    ]);
    const settled: FactBody = {
      kind: "fee_config_updated",
      performanceFeeBps: 1500n,
      managementFeeBps: 0n,
      recipient: BOB,
    };
    await chain.apply([chain.block(3, T0 + 2, of(VAULT, settled))]);
    expect(await openIntervals()).toEqual([]);
  });
});

describe("states", () => {
  test("the reading of the head takes the place of a sample of the past at the same block", async () => {
    await chain.addVault({ address: VAULT, family: "lagoon" });
    const sampled = readingOf({ pps: 1n, totalAssets: 5n, totalSupply: 5n });
    const block = chain.block(1, T0, [], [[VAULT, sampled]]);
    await chain.apply([block]);
    const read = new Map([[VAULT, { ...sampled, implementation: OTHER }]]);
    await chain.apply([{ ...block, readings: read }]);
    const { rows } = await sql<{ implementation: string | null }>`
      select implementation from vault_states where chain_id = ${chainId}`.execute(database.db.kysely);
    expect(rows).toEqual([{ implementation: OTHER }]);
  });
});
