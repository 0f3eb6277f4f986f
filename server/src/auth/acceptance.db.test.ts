// Which vaults are a wallet's own without its saying so: those on which it acted on the chain, and those that it held at the upgrade.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Address } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addBlocks, addChain, addVault, testAddress } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { record } from "../audit/append/record.ts";
import type { AuditEntryInput } from "../audit/entries/entries.ts";
import { acceptByAction, acceptByPast } from "./acceptance.ts";
import { createGrants } from "./grants.ts";

const CHAIN = 10;
const VAULT = testAddress(0x100);
const OTHER = testAddress(0x200);
const [ACTING, NAMED, CONFIGURED] = [1, 2, 3].map(testAddress) as [Address, Address, Address];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [VAULT, OTHER]) await addVault(db, CHAIN, vault);
  for (const vault of [VAULT, OTHER])
    for (const [wallet, fromBlock] of [
      [ACTING, 1],
      [NAMED, 1],
      [CONFIGURED, null],
    ])
      await db.pool.query(
        "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'primary_manager', $4)",
        [CHAIN, vault, wallet, fromBlock],
      );
});
afterAll(() => database.drop());
beforeEach(() => database.owner.pool.query("delete from vault_acceptances"));

const accepted = async (wallet: Address) =>
  (await createGrants(database.db).of(wallet))
    .filter(({ isAccepted }) => isAccepted)
    .map(({ vaultAddress }) => vaultAddress);

function pause(actor: Address, vault = VAULT, logIndex = 0): AuditEntryInput {
  return {
    action_type: "vault_pause",
    chain_id: CHAIN,
    vault_address: vault,
    actor_wallet: actor,
    details: {},
    block: {
      number: 5,
      timestamp: 1_778_000_060,
      hash: `0x${"5e".repeat(32)}`,
      txHash: `0x${"a7".repeat(32)}`,
      logIndex,
    },
  } as AuditEntryInput;
}

test("a wallet accepts by its own transaction, for that vault alone; who holds no role leaves nothing", async () => {
  const stranger = testAddress(9);
  await database.db.transaction((tx) => acceptByAction(tx, [pause(ACTING), pause(ACTING), pause(stranger)]));
  expect(await accepted(ACTING)).toEqual([VAULT]);
  expect(await accepted(NAMED)).toEqual([]);
  const { rows } = await database.db.pool.query("select wallet from vault_acceptances");
  expect(rows).toEqual([{ wallet: ACTING }]);
});

test("what a wallet said itself stands over what it did", async () => {
  await database.db.pool.query(
    "insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted) values ($1, $2, $3, false)",
    [ACTING, CHAIN, VAULT],
  );
  await database.db.transaction((tx) => acceptByAction(tx, [pause(ACTING)]));
  expect(await accepted(ACTING)).toEqual([]);
});

test("who acted on a vault before it was given the role has accepted it; an engine's report of a wallet counts for nothing", async () => {
  const report = {
    action_type: "service_pause",
    chain_id: CHAIN,
    vault_address: OTHER,
    actor_wallet: NAMED,
    details: { reported_details: { tx_hash: "0x00" } },
  } as unknown as AuditEntryInput;
  await database.db.transaction((tx) => record(tx, [pause(NAMED, VAULT, 7), report]));
  const given = [VAULT, OTHER].flatMap((vault) => [
    { wallet: NAMED, vault },
    { wallet: ACTING, vault },
  ]);
  await database.db.transaction((tx) => acceptByPast(tx, CHAIN, given));
  expect(await accepted(NAMED)).toEqual([VAULT]);
  expect(await accepted(ACTING)).toEqual([]);
});

test("a manager whom the configuration names is the operator's word", async () => {
  expect(await accepted(CONFIGURED)).toEqual([VAULT, OTHER]);
});

test("what a wallet holds at the upgrade is accepted, what it is given later is not", async () => {
  const { pool } = database.owner;
  await pool.query("drop table vault_acceptances");
  await pool.query("update vault_roles set to_block = 6 where wallet = $1 and vault_address = $2", [
    NAMED,
    OTHER,
  ]);
  const migration = join(import.meta.dirname, "../../migrations/000021_vault_acceptances.sql");
  await pool.query(await readFile(migration, "utf8"));
  const { rows } = await pool.query(
    "select wallet, vault_address from vault_acceptances where wallet = any($1) order by 1, 2",
    [[ACTING, NAMED]],
  );
  expect(rows).toEqual([
    { wallet: ACTING, vault_address: VAULT },
    { wallet: ACTING, vault_address: OTHER },
    { wallet: NAMED, vault_address: VAULT },
  ]);
});
