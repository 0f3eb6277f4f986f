// What the projection makes of blocks as such: many at once, undone, repeated, of vaults that are not there.
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import {
  burn,
  fulfil,
  mint,
  of,
  price,
  readingOf,
  request,
  SyntheticChain,
  syntheticAddress,
} from "../../../test/synthetic-chain.ts";
import { vaultsProjection } from "./project.ts";

let database: TestDatabase;
let chain: SyntheticChain;
let chainId = 100;

const VAULT = syntheticAddress(10);
const OTHER = syntheticAddress(11);
const [ALICE, BOB] = [syntheticAddress(20), syntheticAddress(21)];
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

/** Everything of mine that refers to the chain's blocks, as text. */
async function dump(): Promise<string> {
  const tables = ["vault_states", "pps_points", "share_supplies", "redeem_flows", "vault_intervals"];
  const parts = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ row: string }>`
        select t::text as row from ${sql.table(table)} t where chain_id = ${chainId} order by 1`.execute(
        database.db.kysely,
      );
      return `${table}\n${rows.map(({ row }) => row).join("\n")}`;
    }),
  );
  return parts.join("\n\n");
}

describe("a reorganisation", () => {
  test("leaves no orphan row, reopens what had ended, and the same blocks give the same rows again", async () => {
    await chain.addVault({ address: VAULT });
    await chain.addVault({ address: OTHER, family: "erc4626" });
    const reading = readingOf({ pps: 1_000_000n, totalAssets: 10n, totalSupply: 10n });
    const before = [
      chain.block(1, T0, of(VAULT, mint(10n), price(1_000_000n), { kind: "vault_paused", account: null })),
      chain.block(2, T0 + 1, of(VAULT, request(ALICE, 4n)), [[OTHER, reading]]),
    ];
    await chain.apply(before);
    const kept = await dump();
    await chain.apply([
      chain.block(3, T0 + 2, [
        ...of(
          VAULT,
          mint(5n),
          price(1_200_000n),
          { kind: "vault_unpaused", account: null },
          fulfil(ALICE, 4n),
          request(BOB, 9n),
          { kind: "hooks_root_proposed", proposer: BOB, root: "0x01", effectiveTime: 1n },
        ),
      ]),
      chain.block(4, T0 + 3, of(VAULT, burn(15n)), [
        [VAULT, reading],
        [OTHER, readingOf({ totalSupply: 0n, totalAssets: 0n })],
      ]),
    ]);
    expect(await dump()).not.toBe(kept);
    await chain.undoAbove(2);
    expect(await dump()).toBe(kept);
    await chain.apply([chain.block(3, T0 + 2, of(VAULT, price(1_300_000n)))]);
    expect((await points()).at(-1)).toMatchObject({ pps: 1_300_000n, total_supply: 10n });
  });

  test("does not matter to the result: blocks one by one give what all at once give", async () => {
    const make = (on: SyntheticChain) =>
      Array.from({ length: 30 }, (_, n) =>
        on.block(n + 1, T0 + n * 10, [
          ...of(
            VAULT,
            mint(BigInt(n)),
            price(1_000_000n + BigInt(n)),
            request(n % 2 ? ALICE : BOB, BigInt(n)),
          ),
          ...(n % 3 === 0
            ? of(VAULT, fulfil(ALICE, BigInt(n)), { kind: "vault_paused", account: null })
            : []),
          ...(n % 4 === 0 ? of(VAULT, { kind: "vault_unpaused", account: null }) : []),
        ]),
      );
    await chain.addVault({ address: VAULT });
    await chain.apply(make(chain));
    const atOnce = await dump();
    const first = chainId;
    chainId += 1;
    const second = new SyntheticChain(database.db, vaultsProjection, chainId);
    await second.start();
    await second.addVault({ address: VAULT });
    for (const block of make(second)) await second.apply([block]);
    expect((await dump()).replaceAll(`(${chainId},`, `(${first},`)).toBe(atOnce);
  });
});

describe("what no contract could hold", () => {
  const MAX = 2n ** 256n - 1n;

  test("is unknown where it is a product, and the chain goes on", async () => {
    await chain.addVault({ address: VAULT });
    await chain.apply([chain.block(1, T0, of(VAULT, mint(MAX), price(MAX)))]);
    await chain.apply([chain.block(2, T0 + 1, of(VAULT, price(1_000_000n)))]);
    expect(await points()).toMatchObject([
      { pps: MAX, total_assets: null, total_supply: MAX },
      { pps: 1_000_000n, total_assets: MAX, total_supply: MAX },
    ]);
  });

  test("is unknown where it is a sum, until the sum is a supply again", async () => {
    await chain.addVault({ address: VAULT });
    const mints = Array.from({ length: 12 }, () => mint(MAX));
    const burns = Array.from({ length: 12 }, () => burn(MAX));
    await chain.apply([chain.block(1, T0, of(VAULT, ...mints, price(1_000_000n)))]);
    await chain.apply([chain.block(2, T0 + 1, of(VAULT, ...burns, mint(5n), price(1_000_000n)))]);
    const found = await points();
    expect(found[0]).toMatchObject({ pps: 1_000_000n, total_assets: null, total_supply: null });
    expect(found.at(-1)).toMatchObject({ pps: 1_000_000n, total_assets: 5n, total_supply: 5n });
  });

  test("is kept where it is a queue of requests", async () => {
    await chain.addVault({ address: VAULT });
    const requests = Array.from({ length: 12 }, () => request(ALICE, MAX));
    await chain.apply([chain.block(1, T0, of(VAULT, ...requests))]);
    expect(await queue()).toEqual({ count: 1, shares: 12n * MAX });
  });
});

test("a reading that was made twice at one block counts once", async () => {
  await chain.addVault({ address: VAULT, family: "erc4626" });
  const reading = readingOf({ pps: 1_000_000n, totalAssets: 10n, totalSupply: 10n });
  await chain.apply([chain.block(1, T0, [], [[VAULT, reading]])]);
  await chain.apply([chain.block(1, T0, [], [[VAULT, reading]])]);
  expect(await points()).toHaveLength(1);
});

test("a fact of a vault that has no row stops the transaction", async () => {
  await expect(chain.apply([chain.block(1, T0, of(VAULT, mint(1n)))])).rejects.toThrow(
    "have facts or readings but no row",
  );
});

test("100,000 facts of the past are projected in one go without a statement for each", async () => {
  await chain.addVault({ address: VAULT });
  const rows = process.env.VAULTOPS_FULL ? 100_000 : 5_000;
  const blocks = Array.from({ length: rows / 5 }, (_, n) =>
    chain.block(n + 1, T0 + n, [
      ...of(VAULT, mint(10n), price(1_000_000n + BigInt(n)), request(ALICE, 3n), fulfil(ALICE, 2n), burn(1n)),
    ]),
  );
  const statements = await database.db.transaction(async (tx) => {
    await sql`
      insert into blocks (chain_id, number, hash, block_timestamp)
      select ${chainId}, n, n::text, to_timestamp(${T0}::bigint + n - 1) from generate_series(1, ${blocks.length}::integer) n`.execute(
      tx,
    );
    let count = 0;
    const counted = new Proxy(tx, {
      get: (target, name) => {
        if (name === "executeQuery" || name === "getExecutor") count += 1;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await vaultsProjection.apply(counted, blocks);
    return count;
  });
  expect(statements).toBeGreaterThan(3);
  expect(statements).toBeLessThan(30);
  expect(await points()).toHaveLength(blocks.length);
  expect(await queue()).toEqual({ count: 1, shares: BigInt(blocks.length) });
});
