// PUT /api/v1/me/vaults/{vault_id}: a wallet makes a vault its own that somebody named it on, or says that it is not.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { as, plainTokenGuard } from "../../../test/caller.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { NO_CODE_FLOW } from "../../../test/identity.ts";
import { createGrants } from "../grants.ts";
import { authFeature } from "../routes.ts";
import { membersFeature } from "./routes.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const [NAMED, VIEWER, STRANGER] = [1, 2, 3].map(testAddress) as [Address, Address, Address];

let database: TestDatabase;
let app: FastifyInstance;
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  await addVault(db, CHAIN, VAULT);
  await db.pool.query(
    "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, 'secondary_manager', 1)",
    [CHAIN, VAULT, NAMED],
  );
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, VAULT, VIEWER, NAMED],
  );
  const grants = createGrants(db);
  app = await buildTestApp({
    features: [
      membersFeature({ db, grants }),
      authFeature({ issuers: [], embedded: null, codeFlow: NO_CODE_FLOW }),
    ],
    guard: plainTokenGuard(db),
  });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

async function put(by: Address | null, body: unknown = { accepted: true }, scope?: "read", vault = VAULT) {
  const response = await app.inject({
    method: "PUT",
    url: `/api/v1/me/vaults/${CHAIN}:${vault}`,
    headers: as(by, scope),
    payload: body as object,
  });
  return { status: response.statusCode, body: response.json() };
}

const acceptedBy = async (wallet: Address) => {
  const { vaults } = (await app.inject({ url: "/api/v1/auth/me", headers: as(wallet) })).json();
  return vaults.map(({ accepted }: { accepted: boolean }) => accepted);
};

async function entries() {
  const { rows } = await database.db.pool.query("select body from audit_entries order by seq");
  return rows.map(({ body }) => JSON.parse(body));
}

test("200: accepted and taken back, each change once in the audit log; auth/me says which", async () => {
  expect(await acceptedBy(NAMED)).toEqual([false]);
  const place = {
    vault_address: VAULT,
    chain_id: CHAIN,
    role: "secondary_manager",
    via: null,
    contract_roles: [],
  };
  expect(await put(NAMED)).toEqual({ status: 200, body: { ...place, accepted: true } });
  expect(await put(NAMED)).toEqual({ status: 200, body: { ...place, accepted: true } });
  expect(await acceptedBy(NAMED)).toEqual([true]);
  expect(await put(NAMED, { accepted: false })).toEqual({ status: 200, body: { ...place, accepted: false } });
  expect(await acceptedBy(NAMED)).toEqual([false]);
  expect(await entries()).toMatchObject(
    [true, false].map((is_accepted) => ({
      action_type: "vault_accept",
      chain_id: CHAIN,
      vault_address: VAULT,
      actor_wallet: NAMED,
      details: { is_accepted },
    })),
  );
});

test("200: by who may only see the vault, for anybody may have let him", async () => {
  expect(await acceptedBy(VIEWER)).toEqual([false]);
  expect((await put(VIEWER)).status).toBe(200);
  expect(await acceptedBy(VIEWER)).toEqual([true]);
});

test("400, 401, 403 and 404: another body, no token, no role or a token for reading, no such vault", async () => {
  for (const body of [{}, { accepted: "yes" }, { accepted: true, role: "view_only" }])
    expect((await put(NAMED, body)).status).toBe(400);
  expect((await put(null)).status).toBe(401);
  expect((await put(STRANGER)).body.code).toBe("insufficient_role");
  expect((await put(NAMED, { accepted: true }, "read")).body.code).toBe("insufficient_scope");
  expect((await put(NAMED, { accepted: true }, undefined, testAddress(0x999))).body.code).toBe(
    "vault_not_found",
  );
});
