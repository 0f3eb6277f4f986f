// What a wallet may do at this moment: exact with every commit, reading at the head, writing once confirmed.
import type { Address } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { addBlocks, addChain, addVault, confirm, testAddress, undoBlocks } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { added, applyRoles, changed, deployed, removed } from "../../test/role-facts.ts";
import type { FactBody } from "../chain/facts.ts";
import { createGrants } from "./grants.ts";
import { setConfiguredManagers } from "./roles.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const [P, Q, S, T] = [testAddress(1), testAddress(2), testAddress(3), testAddress(4)] as const;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await addChain(database.db, CHAIN, 0);
  await addVault(database.db, CHAIN, VAULT);
});
afterAll(() => database.drop());
beforeEach(() => addBlocks(database.db, CHAIN, 1, 20));
afterEach(async () => {
  await undoBlocks(database.db, CHAIN, -1);
  await database.db.pool.query("delete from vault_roles");
  await confirm(database.db, CHAIN, 0);
});

const apply = (number: number, bodies: FactBody[]) =>
  applyRoles(database.db, { chainId: CHAIN, vaultAddress: VAULT }, number, bodies);

const grantsOf = async (wallet: Address) =>
  (await createGrants(database.db).of(wallet)).map(
    ({ vaultAddress, role, canWrite }) =>
      `${vaultAddress === VAULT ? "vault" : "other"} ${role} ${canWrite ? "writes" : "reads"}`,
  );

test("a role gained reads at the head and writes once its block is confirmed", async () => {
  await apply(10, [deployed(P, S)]);
  await confirm(database.db, CHAIN, null);
  expect(await grantsOf(P)).toEqual(["vault primary_manager reads"]);
  await confirm(database.db, CHAIN, 9);
  expect(await grantsOf(P)).toEqual(["vault primary_manager reads"]);
  await confirm(database.db, CHAIN, 10);
  expect(await grantsOf(P)).toEqual(["vault primary_manager writes"]);
  expect(await grantsOf(S)).toEqual(["vault secondary_manager writes"]);
});

test("a role lost is lost at the head", async () => {
  await apply(1, [deployed(P, S)]);
  await confirm(database.db, CHAIN, 5);
  await apply(10, [changed(P, Q)]);
  expect(await grantsOf(P)).toEqual([]);
  expect(await grantsOf(S)).toEqual([]);
  expect(await grantsOf(Q)).toEqual(["vault primary_manager reads"]);
});

test("a manager that only changes from one manager's role to the other goes on writing", async () => {
  await apply(1, [deployed(P, S)]);
  await confirm(database.db, CHAIN, 5);
  await apply(10, [changed(P, S)]);
  expect(await grantsOf(S)).toEqual(["vault primary_manager writes"]);
});

test("a manager that left and came back waits for confirmation", async () => {
  await apply(1, [deployed(P, S)]);
  await apply(3, [removed(S)]);
  await confirm(database.db, CHAIN, 5);
  await apply(10, [added(S)]);
  expect(await grantsOf(S)).toEqual(["vault secondary_manager reads"]);
});

test("configured managers write at once; a vault not yet known is not listed", async () => {
  await confirm(database.db, CHAIN, null);
  await database.db.transaction((tx) =>
    setConfiguredManagers(tx, CHAIN, [
      { vaultAddress: VAULT, primaryManager: P },
      { vaultAddress: testAddress(0x999), primaryManager: P },
    ]),
  );
  expect(await grantsOf(P)).toEqual(["vault primary_manager writes"]);
});

test("the strongest of several roles on a vault counts", async () => {
  await apply(1, [deployed(P, P)]);
  await database.db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, VAULT, P, Q],
  );
  await confirm(database.db, CHAIN, 5);
  expect(await grantsOf(P)).toEqual(["vault primary_manager writes"]);
  await undoBlocks(database.db, CHAIN, 0);
  expect(await grantsOf(P)).toEqual(["vault view_only reads"]);
  await database.db.pool.query("delete from members");
});

test("many wallets at once share a query, and each gets its own", async () => {
  await apply(1, [deployed(P, S, T)]);
  const grants = createGrants(database.db);
  const wallets = [P, Q, S, T, P, Q];
  const answers = await Promise.all(wallets.map((wallet) => grants.of(wallet)));
  expect(answers.map((own) => own[0]?.role ?? null)).toEqual([
    "primary_manager",
    null,
    "secondary_manager",
    "secondary_manager",
    "primary_manager",
    null,
  ]);
  expect(answers[0]).toBe(answers[4]);
});

test("what is committed when a wallet asks is in the answer, under any load", async () => {
  const grants = createGrants(database.db);
  await apply(1, [deployed(P)]);
  const noise = Array.from({ length: 20 }, (_, index) => testAddress(0x5000 + index));
  for (let round = 2; round <= 20; round += 1) {
    const busy = noise.map((wallet) => grants.of(wallet));
    const manager = round % 2 === 0 ? Q : P;
    await apply(round, [changed(round % 2 === 0 ? P : Q, manager)]);
    const [own, other] = await Promise.all([grants.of(manager), grants.of(manager === P ? Q : P)]);
    expect([own.length, other.length]).toEqual([1, 0]);
    await Promise.all(busy);
  }
});

test("a failing query fails those who asked with it, and no later one", async () => {
  let fails = true;
  const pool = {
    query: (...args: unknown[]) =>
      fails
        ? Promise.reject(new Error("gone"))
        : (database.db.pool.query as (...a: unknown[]) => unknown)(...args),
  };
  const grants = createGrants({ pool } as unknown as TestDatabase["db"]);
  await expect(Promise.all([grants.of(P), grants.of(Q)])).rejects.toThrow("gone");
  fails = false;
  expect(await grants.of(P)).toEqual([]);
});
