// What could not be read is no state: what was read before stands, and says since when.
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { readingOf, SyntheticChain, syntheticAddress } from "../../../test/synthetic-chain.ts";
import { NOT_READ, type ReadingField, type VaultReading } from "../../chain/reading.ts";
import { vaultsProjection } from "./project.ts";
import { apysOf, vaultRecord } from "./record.ts";
import { loadVaults } from "./store.ts";

let database: TestDatabase;
let chain: SyntheticChain;
let chainId = 300;

const VAULT = syntheticAddress(10);
const T0 = 1_700_000_000;
const FULL = readingOf({
  pps: 1_000_000n,
  totalAssets: 10n,
  totalSupply: 10n,
  isPaused: false,
  upkeep: { balance: 5n, requiredBalance: 1n, token: VAULT },
});

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  chainId += 1;
  chain = new SyntheticChain(database.db, vaultsProjection, chainId);
  await chain.start();
  await chain.addVault({ address: VAULT });
});

const at = (number: number, reading: VaultReading) =>
  chain.block(number, T0 + number, [], [[VAULT, reading]]);
const lacking = (field: ReadingField, fields: Partial<VaultReading>) =>
  readingOf({ ...FULL, ...fields, unread: [field] });

async function record() {
  const [row] = await loadVaults(database.db, chainId, [VAULT], "2030-01-01T00:00:00Z");
  return vaultRecord(row!, apysOf(row!));
}

async function states(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from vault_states where chain_id = ${chainId}`.execute(database.db.kysely);
  return rows[0]!.n;
}

test("a field that was not read keeps its value and names the time of that value, until it is read", async () => {
  await chain.apply([at(1, FULL), at(2, lacking("upkeep", { upkeep: null, pps: 1_100_000n }))]);
  const since = { upkeep_info: "not_read_since 2023-11-14T22:13:21.000000Z" };
  expect(await record()).toMatchObject({
    pps: "1100000",
    upkeep_info: { balance: "5" },
    unavailable_reasons: since,
    as_of: { block_number: 2 },
  });
  await chain.apply([at(3, lacking("upkeep", { upkeep: null }))]);
  expect(await record()).toMatchObject({ upkeep_info: { balance: "5" }, unavailable_reasons: since });
  await chain.apply([at(4, readingOf({ ...FULL, upkeep: null }))]);
  const { upkeep_info, unavailable_reasons } = await record();
  expect(upkeep_info).toBeNull();
  expect(unavailable_reasons).not.toHaveProperty("upkeep_info");
});

test("a vault of which nothing was read stands as of its last block, and is told of once", async () => {
  await chain.apply([at(1, FULL)]);
  await chain.apply([at(2, NOT_READ)]);
  await chain.apply([at(3, NOT_READ)]);
  expect(await states()).toBe(2);
  expect(await record()).toMatchObject({
    pps: "1000000",
    is_paused: false,
    as_of: { block_number: 1 },
    unavailable_reasons: {
      current_pps: "not_read_since 2023-11-14T22:13:21.000000Z",
      is_paused: "not_read_since 2023-11-14T22:13:21.000000Z",
    },
  });
  await chain.undoAbove(1);
  expect((await record()).unavailable_reasons).not.toHaveProperty("is_paused");
});

test("a vault told as unread and then read at the same block is as it was read", async () => {
  await chain.apply([at(1, FULL)]);
  await chain.apply([at(2, NOT_READ)]);
  await chain.apply([at(2, readingOf({ ...FULL, pps: 1_200_000n }))]);
  const { pps, as_of, unavailable_reasons } = await record();
  expect([pps, as_of?.block_number]).toEqual(["1200000", 2]);
  expect(unavailable_reasons).not.toHaveProperty("current_pps");
});

test("a vault that was never read has no state to stand, and none is made up", async () => {
  await chain.apply([at(1, NOT_READ)]);
  expect(await states()).toBe(0);
});

test("a value that was there is given up only when its view fails at a second block", async () => {
  const failing = readingOf({ ...FULL, isPaused: null });
  await chain.apply([at(1, FULL), at(2, { ...failing, doubted: ["isPaused"] })]);
  expect(await record()).toMatchObject({
    is_paused: false,
    unavailable_reasons: { is_paused: expect.any(String) },
  });
  await chain.apply([at(3, failing)]);
  expect((await record()).is_paused).toBeNull();
});

test("what was never answered is believed at once", async () => {
  await chain.apply([at(1, readingOf({ ...FULL, isPaused: null }))]);
  await chain.apply([at(2, readingOf({ ...FULL, isPaused: null, doubted: ["isPaused"] }))]);
  expect((await record()).unavailable_reasons).not.toHaveProperty("is_paused");
});
