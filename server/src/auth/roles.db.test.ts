// Roles follow the chain: every way in which managers come and go, in order within a block, and back again with a reorganisation.
import type { Address } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addBlocks, addChain, addVault, testAddress, undoBlocks } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import {
  added,
  applyRoles,
  blockOf,
  changed,
  deployed,
  factOf,
  readingsOf,
  removed,
  transferred,
} from "../../test/role-facts.ts";
import type { FactBody } from "../chain/facts.ts";
import { rolesProjection, setConfiguredManagers } from "./roles.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const OTHER = testAddress(0x200);
const [P, Q, S, T, F, Z] = [
  testAddress(1),
  testAddress(2),
  testAddress(3),
  testAddress(4),
  testAddress(9),
  testAddress(0),
] as const;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 0);
  await addVault(db, CHAIN, VAULT);
  await addVault(db, CHAIN, OTHER);
});
afterAll(() => database.drop());
beforeEach(() => addBlocks(database.db, CHAIN, 1, 20));
afterEach(async () => {
  await undoBlocks(database.db, CHAIN, -1);
  await database.db.pool.query("delete from vault_roles");
});

/** Applies the facts, in this order, as one block. */
const apply = (...args: Parameters<typeof applyRoles> extends [unknown, unknown, ...infer R] ? R : never) =>
  applyRoles(database.db, { chainId: CHAIN, vaultAddress: VAULT }, ...args);

const block = (number: number) => blockOf(CHAIN, number);
const fact = (number: number, logIndex: number, body: FactBody, vaultAddress = VAULT) =>
  factOf({ chainId: CHAIN, vaultAddress }, number, logIndex, body);

/** The managers of the vault at the head, as `role wallet`. */
async function managers(vault = VAULT): Promise<string[]> {
  const { rows } = await database.db.pool.query<{ role: string; wallet: Address }>(
    "select role, wallet from vault_roles where vault_address = $1 and to_block is null order by role, wallet",
    [vault],
  );
  return rows.map(({ role, wallet }) => `${role === "primary_manager" ? "primary" : "secondary"} ${wallet}`);
}

describe("in a block", () => {
  test("a deployment gives its managers their roles", async () => {
    await apply(1, [deployed(P, S, T)]);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${S}`, `secondary ${T}`]);
  });

  test("secondary managers come and go; one added twice is one, one removed twice is none", async () => {
    await apply(1, [deployed(P)]);
    await apply(2, [added(S)]);
    await apply(3, [added(S), added(T)]);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${S}`, `secondary ${T}`]);
    await apply(4, [removed(S)]);
    await apply(5, [removed(S)]);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${T}`]);
  });

  test("facts of one block count in the order of their logs", async () => {
    await apply(1, [deployed(P), added(S), removed(S), added(T), removed(T), added(T)]);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${T}`]);
  });

  test("a change of the primary manager takes the role of the old one and of every secondary one", async () => {
    await apply(1, [deployed(P, S, T)]);
    await apply(2, [changed(P, Q)]);
    expect(await managers()).toEqual([`primary ${Q}`]);
  });

  test("a secondary manager that becomes the primary one is only that", async () => {
    for (const feeRecipient of [F, null]) {
      await apply(1, [deployed(P, S)]);
      await apply(2, [changed(P, S, feeRecipient)]);
      expect(await managers()).toEqual([`primary ${S}`]);
      await database.db.pool.query("delete from vault_roles");
    }
  });

  test("the older event without a fee recipient leaves the secondary managers, and nobody keeps a role by guess", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [changed(P, Q, null)]);
    expect(await managers()).toEqual([`primary ${Q}`, `secondary ${S}`]);
  });

  test("a takeover by governance, with its removals before the change", async () => {
    await apply(1, [deployed(P, S, T)]);
    await apply(2, [removed(S), removed(T), changed(P, Q), added(P)]);
    expect(await managers()).toEqual([`primary ${Q}`, `secondary ${P}`]);
  });

  test("the removal of the old primary manager is a loss of its roles", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [{ kind: "old_primary_manager_removed", oldManager: P }, changed(P, Q, null)]);
    expect(await managers()).toEqual([`primary ${Q}`, `secondary ${S}`]);
  });

  test("an owner manages a vault whose configuration names nobody; renounced ownership leaves nobody", async () => {
    await apply(1, [transferred(Z, P)]);
    expect(await managers()).toEqual([`primary ${P}`]);
    await apply(2, [transferred(P, Q)]);
    expect(await managers()).toEqual([`primary ${Q}`]);
    await apply(3, [transferred(Q, Z)]);
    expect(await managers()).toEqual([]);
  });

  test("other facts, and facts of no vault, change nothing", async () => {
    await apply(1, [deployed(P)]);
    const nowhere = { ...fact(2, 0, added(S)), vaultAddress: null };
    await database.db.transaction((tx) =>
      rolesProjection.apply(tx, [
        { block: block(2), facts: [nowhere, fact(2, 1, { kind: "pps_stale" })], readings: new Map() },
      ]),
    );
    expect(await managers()).toEqual([`primary ${P}`]);
  });

  test("thousands of blocks at once end where they end one by one", async () => {
    const blocks = [
      { block: block(1), facts: [fact(1, 0, deployed(P, S))], readings: new Map() },
      { block: block(2), facts: [fact(2, 0, added(T)), fact(2, 1, deployed(Q), OTHER)], readings: new Map() },
      {
        block: block(3),
        facts: [fact(3, 0, changed(P, Q))],
        readings: readingsOf({ [VAULT]: { primary: Q, secondary: [] } }),
      },
      { block: block(4), facts: [fact(4, 0, added(S))], readings: new Map() },
    ];
    await database.db.transaction((tx) => rolesProjection.apply(tx, blocks));
    expect(await managers()).toEqual([`primary ${Q}`, `secondary ${S}`]);
    expect(await managers(OTHER)).toEqual([`primary ${Q}`]);
    const { rows } = await database.db.pool.query(
      "select wallet, from_block, from_log_index, to_block from vault_roles where vault_address = $1 order by id",
      [VAULT],
    );
    expect(rows).toEqual([
      { wallet: P, from_block: 1, from_log_index: 0, to_block: 3 },
      { wallet: S, from_block: 1, from_log_index: 0, to_block: 3 },
      { wallet: T, from_block: 2, from_log_index: 0, to_block: 3 },
      { wallet: Q, from_block: 3, from_log_index: 0, to_block: null },
      { wallet: S, from_block: 4, from_log_index: 0, to_block: null },
    ]);
  });
});

describe("a reading of the contract", () => {
  test("adds what no event said: the old primary manager kept as a secondary one", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [changed(P, Q, null)], { [VAULT]: { primary: Q, secondary: [S, P] } });
    expect(await managers()).toEqual([`primary ${Q}`, `secondary ${P}`, `secondary ${S}`]);
  });

  test("takes what no event took: the secondary managers cleared with a change", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [changed(P, Q, null)], { [VAULT]: { primary: Q, secondary: [] } });
    expect(await managers()).toEqual([`primary ${Q}`]);
  });

  test("gives the first owner of a vault that is followed from after its deployment", async () => {
    await apply(5, [], { [VAULT]: { primary: P, secondary: [] } });
    expect(await managers()).toEqual([`primary ${P}`]);
  });

  test("that says what is known changes nothing", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [], { [VAULT]: { primary: P, secondary: [S] } });
    const { rows } = await database.db.pool.query("select count(*) as n from vault_roles");
    expect(rows[0]).toEqual({ n: 2 });
  });

  test("without an answer says nothing", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(2, [], { [VAULT]: { primary: null, secondary: [] } });
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${S}`]);
  });
});

describe("a reorganisation (DELETE FROM blocks)", () => {
  test("takes back a role gained and gives back a role lost", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(5, [changed(P, Q)]);
    await undoBlocks(database.db, CHAIN, 4);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${S}`]);
    await addBlocks(database.db, CHAIN, 5, 6, 1);
    await apply(6, [changed(P, T)]);
    expect(await managers()).toEqual([`primary ${T}`]);
  });

  test("of several changes goes back to the role of the common ancestor", async () => {
    await apply(1, [deployed(P)]);
    await apply(3, [added(S)]);
    await apply(4, [removed(S)]);
    await apply(6, [added(S)]);
    await apply(7, [changed(P, S)]);
    await apply(8, [changed(S, Q), added(P), removed(P)]);
    const states = [
      [`primary ${S}`],
      [`primary ${P}`, `secondary ${S}`],
      [`primary ${P}`],
      [`primary ${P}`, `secondary ${S}`],
      [`primary ${P}`],
      [],
    ];
    for (const [index, ancestor] of [7, 6, 5, 3, 2, 0].entries()) {
      await undoBlocks(database.db, CHAIN, ancestor);
      expect(await managers()).toEqual(states[index]);
    }
    const { rows } = await database.db.pool.query("select count(*) as n from vault_roles");
    expect(rows[0]).toEqual({ n: 0 });
  });

  test("takes back what a reading gave and took", async () => {
    await apply(1, [deployed(P, S)]);
    await apply(5, [], { [VAULT]: { primary: Q, secondary: [] } });
    await undoBlocks(database.db, CHAIN, 4);
    expect(await managers()).toEqual([`primary ${P}`, `secondary ${S}`]);
  });

  test("finds the roles of a block by index", async () => {
    for (const column of ["from_block", "to_block"]) {
      const { rows } = await database.db.pool.query(
        "select from pg_indexes where tablename = 'vault_roles' and indexdef like $1",
        [`%(chain_id, ${column})%`],
      );
      expect(rows.length).toBe(1);
    }
  });
});

describe("managers named by the configuration", () => {
  const configure = (...managers: { vaultAddress: Address; primaryManager: Address }[]) =>
    database.db.transaction((tx) => setConfiguredManagers(tx, CHAIN, managers));

  test("manage from the beginning, and stand before what the chain says", async () => {
    await configure({ vaultAddress: VAULT, primaryManager: P });
    await apply(1, [transferred(Z, Q)], { [VAULT]: { primary: Q, secondary: [] } });
    expect(await managers()).toEqual([`primary ${P}`]);
  });

  test("take the place of the owner when the configuration names them later, and lose it when it no longer does", async () => {
    await apply(1, [transferred(Z, Q)]);
    await configure({ vaultAddress: VAULT, primaryManager: P });
    expect(await managers()).toEqual([`primary ${P}`]);
    await configure({ vaultAddress: VAULT, primaryManager: T });
    expect(await managers()).toEqual([`primary ${T}`]);
    await configure();
    expect(await managers()).toEqual([]);
    await apply(9, [], { [VAULT]: { primary: Q, secondary: [] } });
    expect(await managers()).toEqual([`primary ${Q}`]);
  });

  test("are told once more at every start without a change", async () => {
    await configure({ vaultAddress: VAULT, primaryManager: P }, { vaultAddress: OTHER, primaryManager: P });
    await configure({ vaultAddress: VAULT, primaryManager: P }, { vaultAddress: OTHER, primaryManager: P });
    const { rows } = await database.db.pool.query("select count(*) as n from vault_roles");
    expect(rows[0]).toEqual({ n: 2 });
  });

  test("outlive every reorganisation", async () => {
    await configure({ vaultAddress: VAULT, primaryManager: P });
    await undoBlocks(database.db, CHAIN, -1);
    expect(await managers()).toEqual([`primary ${P}`]);
  });
});
