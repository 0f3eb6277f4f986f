// Which vaults a list may hold, for every filter and caller: one's own and nothing else, with refusals in the order of docs/decisions/0016.
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addChain, addVault, testAddress } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import type { Problem } from "../platform/errors.ts";
import type { Caller, VaultRole } from "../platform/permission.ts";
import { createVaultAccess, type VaultAccess, type VaultFilter } from "./vaults.ts";

const CHAIN = 8453;
const OTHER_CHAIN = 10;
const VAULT = testAddress(0x100);
const FOREIGN = testAddress(0x200);
const NOWHERE = testAddress(0x999);

let database: TestDatabase;
let access: VaultAccess;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN);
  await addChain(db, OTHER_CHAIN);
  await addVault(db, CHAIN, VAULT);
  await addVault(db, CHAIN, FOREIGN);
  await addVault(db, OTHER_CHAIN, VAULT);
  access = createVaultAccess(db);
});
afterAll(() => database.drop());

const caller = (isMaintainer: boolean, ...roles: VaultRole[]): Caller => ({
  wallet: testAddress(1),
  scope: "full",
  isMaintainer,
  expiresAt: 4e9,
  grants: roles.map((role) => ({
    chainId: CHAIN,
    vaultAddress: VAULT,
    role,
    canWrite: false,
    isAccepted: true,
  })),
  limitedToChainId: null,
  hasRolesElsewhere: false,
  isTokenGood: () => true,
});
const manager = caller(false, "primary_manager");
const viewer = caller(false, "view_only");
const stranger = caller(false);
const maintainer = caller(true);

const visible = (by: Caller, filter: VaultFilter) => access.visible(by, filter);
const refusal = (by: Caller, filter: VaultFilter) =>
  access.visible(by, filter).then(
    () => "none",
    (problem: Problem) => problem.code,
  );
const own = { all: false, vaults: [{ chainId: CHAIN, vaultAddress: VAULT }] };
const idOf = (chainId: number, address: Address) => `${chainId}:${address}`;

test("without a filter: the caller's vaults, none for a stranger, all for a maintainer", async () => {
  expect(await visible(manager, {})).toEqual(own);
  expect(await visible(viewer, {})).toEqual(own);
  expect(await visible(stranger, {})).toEqual({ all: false, vaults: [] });
  expect(await visible(maintainer, {})).toEqual({ all: true, chainId: null, vaultAddress: null });
});

test("by vault: one's own; insufficient_role for another's, also where the address is one's own on another chain", async () => {
  expect(await visible(viewer, { chainId: CHAIN, vaultAddress: VAULT })).toEqual(own);
  expect(await visible(viewer, { vaultId: idOf(CHAIN, VAULT) })).toEqual(own);
  for (const by of [manager, viewer, stranger]) {
    expect(await refusal(by, { chainId: CHAIN, vaultAddress: FOREIGN })).toBe("insufficient_role");
    expect(await refusal(by, { vaultId: idOf(OTHER_CHAIN, VAULT) })).toBe("insufficient_role");
  }
  expect(await visible(maintainer, { chainId: CHAIN, vaultAddress: FOREIGN })).toEqual({
    all: true,
    chainId: CHAIN,
    vaultAddress: FOREIGN,
  });
});

test("by vault: chain_not_found and vault_not_found come before insufficient_role, for everyone", async () => {
  for (const by of [manager, stranger, maintainer]) {
    expect(await refusal(by, { chainId: 1, vaultAddress: VAULT })).toBe("chain_not_found");
    expect(await refusal(by, { vaultId: idOf(CHAIN, NOWHERE) })).toBe("vault_not_found");
  }
});

test("by address alone: one's own with that address; insufficient_role where none is, whether it exists or not", async () => {
  expect(await visible(manager, { vaultAddress: VAULT })).toEqual(own);
  for (const vaultAddress of [FOREIGN, NOWHERE])
    expect(await refusal(manager, { vaultAddress })).toBe("insufficient_role");
  expect(await refusal(stranger, { vaultAddress: VAULT })).toBe("insufficient_role");
  expect(await visible(maintainer, { vaultAddress: FOREIGN })).toEqual({
    all: true,
    chainId: null,
    vaultAddress: FOREIGN,
  });
});

test("by address alone, for who may see all: vault_not_found where no chain has it; the zero address is no vault's", async () => {
  expect(await refusal(maintainer, { vaultAddress: NOWHERE })).toBe("vault_not_found");
  expect(await refusal(caller(true, "primary_manager"), { vaultAddress: NOWHERE })).toBe("vault_not_found");
  expect(await refusal(maintainer, { vaultAddress: testAddress(0) })).toBe("none");
});

test("by chain alone: one's own there, none where one has none, chain_not_found for an unknown chain", async () => {
  expect(await visible(manager, { chainId: CHAIN })).toEqual(own);
  expect(await visible(manager, { chainId: OTHER_CHAIN })).toEqual({ all: false, vaults: [] });
  for (const by of [manager, maintainer]) expect(await refusal(by, { chainId: 1 })).toBe("chain_not_found");
});

test("filters that contradict each other are invalid_request, those that agree are one", async () => {
  expect(await refusal(manager, { vaultId: idOf(CHAIN, VAULT), chainId: OTHER_CHAIN })).toBe(
    "invalid_request",
  );
  expect(await refusal(manager, { vaultId: idOf(CHAIN, VAULT), vaultAddress: FOREIGN })).toBe(
    "invalid_request",
  );
  expect(
    await visible(manager, { vaultId: idOf(CHAIN, VAULT), chainId: CHAIN, vaultAddress: VAULT }),
  ).toEqual(own);
});
