// What a wallet may do at this moment: exact with every commit, reading at the head, writing once confirmed.
import type { Address } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addBlocks, addChain, addVault, confirm, testAddress, undoBlocks } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { added, applyRoles, changed, deployed, removed } from "../../test/role-facts.ts";
import type { FactBody } from "../chain/facts.ts";
import { kyselyOver } from "../platform/db/db.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { createGrants, ROLES_CHANNEL, type SignersRole } from "./grants.ts";
import { setConfiguredManagers } from "./roles.ts";
import { keepSignersRole } from "./signers-role.ts";

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

test("signers of a role's holder hold what the configuration says, and operate once their block is confirmed", async () => {
  await database.db.pool.query(
    "insert into vault_signers (chain_id, vault_address, wallet, via, from_block) values ($1, $2, $3, $4, 10)",
    [CHAIN, VAULT, Q, S],
  );
  const held = async (role?: SignersRole) => {
    const grants = await createGrants(database.db, undefined, role).of(Q);
    return grants.map(({ role, canWrite, isOperator = false, via }) => [role, canWrite, isOperator, via]);
  };
  await confirm(database.db, CHAIN, 9);
  expect(await held()).toEqual([["view_only", false, false, S]]);
  expect(await held("none")).toEqual([]);
  expect(await held("operator")).toEqual([["operator", false, false, S]]);
  await confirm(database.db, CHAIN, 10);
  expect(await held("view_only")).toEqual([["view_only", false, false, S]]);
  expect(await held("operator")).toEqual([["operator", false, true, S]]);
  const operators = async () => (await database.db.pool.query("select wallet from vault_operators")).rows;
  for (const [role, found] of [
    ["none", []],
    ["operator", [{ wallet: Q }]],
    ["view_only", []],
  ] as const) {
    await keepSignersRole(database.db, role);
    expect(await operators()).toEqual(found);
  }
  // Whoever is an operator and comes to manage goes on operating, and manages when that is confirmed.
  await apply(12, [deployed(Q)]);
  const grants = await createGrants(database.db, undefined, "operator").of(Q);
  expect(grants).toMatchObject([{ role: "primary_manager", canWrite: false, isOperator: true }]);
  await undoBlocks(database.db, CHAIN, 9);
  expect(await held("operator")).toEqual([]);
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
  const kysely = kyselyOver({
    query: (...args: unknown[]) =>
      fails
        ? Promise.reject(new Error("gone"))
        : (database.db.pool.query as (...a: unknown[]) => unknown)(...args),
  });
  const grants = createGrants({ kysely });
  await expect(Promise.all([grants.of(P), grants.of(Q)])).rejects.toThrow("gone");
  fails = false;
  expect(await grants.of(P)).toEqual([]);
});

describe("from memory", () => {
  const watched = () => {
    const watch = {
      now: 1 as number | null,
      version: () => watch.now,
      changed: () => {
        watch.now = (watch.now ?? 0) + 1;
      },
    };
    return { watch, grants: createGrants(database.db, watch) };
  };

  test("what was read is known for as long as nothing changes, roles or none", async () => {
    await apply(1, [deployed(P)]);
    const { watch, grants } = watched();
    expect(grants.known(P)).toBeNull();
    const read = await grants.of(P);
    expect(grants.known(P)).toBe(read);
    expect(await grants.of(Q)).toEqual([]);
    expect(grants.known(Q)).toEqual([]);
    watch.changed();
    expect([grants.known(P), grants.known(Q)]).toEqual([null, null]);
    expect(await grants.of(P)).toBe(read);
    expect(grants.known(P)).toBe(read);
    grants.changed();
    expect(grants.known(P)).toBeNull();
  });

  test("nothing is known while it is not sure that notices come, nor what was read then later", async () => {
    await apply(1, [deployed(P)]);
    const { watch, grants } = watched();
    await grants.of(P);
    watch.now = null;
    expect(grants.known(P)).toBeNull();
    await grants.of(Q);
    watch.now = 1;
    expect(grants.known(Q)).toBeNull();
  });

  test("what a change overtook while it was read is not known", async () => {
    const { promise: halted, resolve: goOn } = Promise.withResolvers<void>();
    const watch = { now: 1, version: () => watch.now, changed: () => {} };
    const kysely = kyselyOver({
      async query() {
        await halted;
        return { rows: [] };
      },
    });
    const grants = createGrants({ kysely }, watch);
    const read = grants.of(P);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    watch.now = 2;
    goOn();
    await read;
    expect(grants.known(P)).toBeNull();
  });

  test("without a watch nothing is", async () => {
    const grants = createGrants(database.db);
    await grants.of(P);
    expect(grants.known(P)).toBeNull();
  });

  const { NEW, sql, nothing } = {
    NEW: testAddress(0x300),
    sql: (text: string, values: unknown[] = []) => database.db.pool.query(text, values),
    nothing: async () => {},
  };
  const grant = () =>
    sql("insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)", [
      CHAIN,
      VAULT,
      T,
      P,
    ]);
  const configure = () =>
    database.db.transaction((tx) =>
      setConfiguredManagers(tx, CHAIN, [{ vaultAddress: VAULT, primaryManager: P }]),
    );
  const give = () => apply(5, [deployed(P, S)]);
  const take = () => apply(6, [removed(S)]);
  const giveAndTake = async () => {
    await give();
    await take();
  };
  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ["a block that gives a role", nothing, give],
    ["a block that takes one", give, take],
    ["a reorganisation that takes a role", give, () => undoBlocks(database.db, CHAIN, 4)],
    ["a reorganisation that gives one back", giveAndTake, () => undoBlocks(database.db, CHAIN, 5)],
    ["a manager named by the configuration", nothing, configure],
    ["a grant", nothing, grant],
    ["the end of a grant", grant, () => sql("delete from members")],
    ["a vault that appears", nothing, () => addVault(database.db, CHAIN, NEW)],
    [
      "a vault that is no more",
      () => addVault(database.db, CHAIN, NEW),
      () => sql("delete from vaults where address = $1", [NEW]),
    ],
  ])("the database tells of %s", async (_what, prepare, change) => {
    await prepare();
    const notifier = createNotifier(database.db);
    const watch = notifier.watch(ROLES_CHANNEL);
    let before = 0;
    await expect
      .poll(
        () => {
          const version = watch.version();
          before = version ?? before;
          return version;
        },
        { timeout: 120_000 },
      )
      .not.toBeNull();
    await change();
    await expect.poll(() => watch.version() ?? before, { timeout: 120_000 }).toBeGreaterThan(before);
    await notifier.close();
    await sql("delete from members");
    await sql("delete from vaults where address = $1", [NEW]);
  });
});
