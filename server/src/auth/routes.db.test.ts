// auth/me, auth/verify and auth/config as a client sees them, while the chain moves beneath.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../test/app.ts";
import { addBlocks, addChain, addVault, testAddress, undoBlocks } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { fetchJsonForTests } from "../../test/fetch-json.ts";
import { NO_CODE_FLOW } from "../../test/identity.ts";
import { startTestIssuer, TEST_AUDIENCE, type TestIssuer } from "../../test/issuer.ts";
import { applyRoles, changed, deployed } from "../../test/role-facts.ts";
import type { FactBody } from "../chain/facts.ts";
import { systemClock } from "../platform/clock.ts";
import { silentLogger } from "../platform/log.ts";
import { createGrants } from "./grants.ts";
import { createGuard } from "./guard.ts";
import { authFeature } from "./routes.ts";
import { remoteKeySet } from "./tokens/jwks.ts";
import { createVerifier } from "./tokens/verify.ts";
import { createVaultAccess } from "./vaults.ts";

const [VAULT, SECOND, THIRD] = [testAddress(0x100), testAddress(0x200), testAddress(0x300)];
const [MANAGER, NEWCOMER, VIEWER, NOBODY] = [testAddress(1), testAddress(2), testAddress(3), testAddress(4)];

let database: TestDatabase;
let issuer: TestIssuer;
let app: FastifyInstance;

beforeAll(async () => {
  [database, issuer] = await Promise.all([createTestDatabase(), startTestIssuer()]);
  const { db } = database;
  for (const chain of [10, 8453]) {
    await addChain(db, chain, 1);
    await addBlocks(db, chain, 1, 3);
    await addVault(db, chain, VAULT);
  }
  await addVault(db, 8453, SECOND);
  await addVault(db, 8453, THIRD);
  await apply(8453, 1, VAULT, deployed(MANAGER));
  await apply(10, 1, VAULT, deployed(NOBODY, MANAGER));
  await apply(8453, 1, SECOND, deployed(NOBODY));
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values (8453, $1, $2, $3), (8453, $1, $4, $3)",
    [SECOND, VIEWER, NOBODY, MANAGER],
  );

  const clock = systemClock;
  const keys = remoteKeySet(issuer.jwksUrl, fetchJsonForTests, { clock, log: silentLogger() });
  const trusted = {
    issuer: issuer.issuer,
    audience: [TEST_AUDIENCE],
    keys,
    algorithms: ["ES256"],
    clockToleranceSeconds: 30,
    profile: "generic",
    walletClaim: null,
    contractWallets: "accept",
  } as const;
  const guard = createGuard({
    verifier: createVerifier({ issuers: [trusted], clock, codeOnChains: async () => [] }),
    grants: createGrants(db),
    vaults: createVaultAccess(db),
    maintainers: [NOBODY],
  });
  const console = { client_id: null, scope: "openid", sign_in_url: null };
  const embedded = { authUrl: "http://127.0.0.1:8080/identity", chainIds: [8453, 10] };
  app = await buildTestApp({
    features: [authFeature({ issuers: [{ ...trusted, console }], embedded, codeFlow: NO_CODE_FLOW })],
    guard,
  });
});
afterAll(async () => {
  await app.close();
  await Promise.all([issuer.stop(), database.drop()]);
});

const apply = (chainId: number, number: number, vaultAddress: Address, body: FactBody) =>
  applyRoles(database.db, { chainId, vaultAddress }, number, [body]);

async function get(path: string, wallet: Address | null, headers: Record<string, string> = {}) {
  const authorization = wallet === null ? {} : { authorization: `Bearer ${await tokenOf(wallet)}` };
  return app.inject({ url: `/api/v1/auth/${path}`, headers: { ...authorization, ...headers } });
}

const tokens = new Map<Address, Promise<string>>();
function tokenOf(wallet: Address): Promise<string> {
  const token = tokens.get(wallet) ?? issuer.token({ wallet });
  tokens.set(wallet, token);
  return token;
}

describe("GET /api/v1/auth/me", () => {
  test("200: the wallet, whether it manages, and its roles by chain and address", async () => {
    const response = await get("me", MANAGER);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      wallet_address: MANAGER,
      is_manager: true,
      vaults: [
        { vault_address: VAULT, chain_id: 10, role: "secondary_manager" },
        { vault_address: VAULT, chain_id: 8453, role: "primary_manager" },
        { vault_address: SECOND, chain_id: 8453, role: "view_only" },
      ],
      is_registry_maintainer: false,
      scope: "full",
    });
    expect(response.json().expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/);
  });

  test("200: by whom a role is held that is another's, as owner of a Safe, proposer of a timelock, or behind one", async () => {
    const [safe, timelock, behind] = [testAddress(0x51), testAddress(0x52), testAddress(0x53)];
    const [ownerOfSafe, proposer, ownerBehind] = [testAddress(0x61), testAddress(0x62), testAddress(0x63)];
    const { db } = database;
    await addBlocks(db, 10, 20, 22);
    const signer = (wallet: Address, via: Address, from: number, to: number | null = null) =>
      db.pool.query(
        `insert into vault_signers (chain_id, vault_address, wallet, via, from_block, to_block)
         values (10, $1, $2, $3, $4, $5)`,
        [VAULT, wallet, via, from, to],
      );
    await signer(ownerOfSafe, safe, 20, 22);
    await signer(proposer, timelock, 20);
    await signer(ownerBehind, behind, 22);
    const seen = async (wallet: Address) =>
      (await get("me", wallet))
        .json()
        .vaults.map((vault: { role: string; via: string }) => [vault.role, vault.via]);

    expect(await seen(ownerOfSafe)).toEqual([]);
    expect(await seen(proposer)).toEqual([["view_only", timelock]]);
    expect(await seen(ownerBehind)).toEqual([["view_only", behind]]);
    expect((await get("verify", proposer)).json()).toMatchObject({ isManager: false, vaults: [] });
    expect(await createGrants(db, undefined, "none").of(proposer)).toEqual([]);
    // The block that took the owner out and brought the other in is undone.
    await undoBlocks(db, 10, 21);
    expect(await seen(ownerOfSafe)).toEqual([["view_only", safe]]);
    expect(await seen(ownerBehind)).toEqual([]);
    await undoBlocks(db, 10, 19);
    expect(await seen(proposer)).toEqual([]);
  });

  test("200: the caller's own roles on the contract, as of the head", async () => {
    const { db } = database;
    await addBlocks(db, 8453, 20, 21);
    const told = (number: number, roles: { role: string; account: Address }[]) =>
      db.pool.query(
        "insert into vault_controllers (chain_id, vault_address, block_number, roles, links) values (8453, $1, $2, $3, '[]')",
        [VAULT, number, JSON.stringify(roles)],
      );
    const own = async (wallet: Address) =>
      (await get("me", wallet))
        .json()
        .vaults.map((vault: { chain_id: number; contract_roles: string[] }) => [
          vault.chain_id,
          vault.contract_roles,
        ]);
    const curator = { role: "curator", account: MANAGER };
    await told(20, [{ role: "owner", account: MANAGER }, curator, { role: "proxy_admin", account: MANAGER }]);
    expect(await own(MANAGER)).toEqual([
      [10, []],
      [8453, ["curator", "owner"]],
      [8453, []],
    ]);
    await told(21, [{ role: "owner", account: VIEWER }, curator]);
    expect((await own(MANAGER))[1]).toEqual([8453, ["curator"]]);
    await undoBlocks(db, 8453, 20);
    expect((await own(MANAGER))[1]).toEqual([8453, ["curator", "owner"]]);
    await undoBlocks(db, 8453, 19);
  });

  test("200: a wallet with view_only alone is no manager, one without a role has no vaults", async () => {
    expect((await get("me", VIEWER)).json()).toMatchObject({
      is_manager: false,
      vaults: [{ vault_address: SECOND, chain_id: 8453, role: "view_only" }],
    });
    expect((await get("me", NEWCOMER)).json()).toMatchObject({
      wallet_address: NEWCOMER,
      is_manager: false,
      vaults: [],
    });
  });

  test("200: a change of the primary manager is in the next answer, and a reorganisation of it takes it back", async () => {
    const vaultsOf = async (wallet: Address) =>
      (await get("me", wallet))
        .json()
        .vaults.filter((vault: { chain_id: number }) => vault.chain_id === 8453 && wallet !== MANAGER).length;
    const managed = async () =>
      (await get("me", MANAGER))
        .json()
        .vaults.some((vault: { role: string }) => vault.role === "primary_manager");
    expect([await managed(), await vaultsOf(NEWCOMER)]).toEqual([true, 0]);
    await apply(8453, 3, VAULT, changed(MANAGER, NEWCOMER));
    expect([await managed(), await vaultsOf(NEWCOMER)]).toEqual([false, 1]);
    await undoBlocks(database.db, 8453, 2);
    expect([await managed(), await vaultsOf(NEWCOMER)]).toEqual([true, 0]);
  });

  test("304: to whoever has the answer already, until a role changes", async () => {
    const first = await get("me", VIEWER);
    const etag = first.headers.etag as string;
    expect(first.headers["cache-control"]).toBe("private, no-cache");
    expect((await get("me", VIEWER, { "if-none-match": etag })).statusCode).toBe(304);
    await database.db.pool.query(
      "insert into members (chain_id, vault_address, wallet, granted_by) values (8453, $1, $2, $3)",
      [THIRD, VIEWER, NOBODY],
    );
    const second = await get("me", VIEWER, { "if-none-match": etag });
    expect([second.statusCode, second.json().vaults.length]).toEqual([200, 2]);
  });

  test("400: an unknown query parameter", async () => {
    expect((await get("me?verbose=1", MANAGER)).statusCode).toBe(400);
  });

  test("401: without a token", async () => {
    const response = await get("me", null);
    expect([response.statusCode, response.headers["www-authenticate"], response.json().code]).toEqual([
      401,
      'Bearer error="invalid_token"',
      "invalid_token",
    ]);
  });
});

describe("GET /api/v1/auth/verify", () => {
  test("200: a contract's signature counts on its chain alone, and makes no registry maintainer", async () => {
    const by = async (wallet: Address, path: string, chain_id: number) => {
      const token = await issuer.token({ wallet, claims: { signature_type: "contract", chain_id } });
      return (
        await app.inject({ url: `/api/v1/auth/${path}`, headers: { authorization: `Bearer ${token}` } })
      ).json();
    };
    expect(await by(MANAGER, "me", 8453)).toMatchObject({
      vaults: [
        { chain_id: 8453, role: "primary_manager" },
        { chain_id: 8453, role: "view_only" },
      ],
      limited_to_chain_id: 8453,
    });
    expect(await by(MANAGER, "me", 1)).toMatchObject({
      is_manager: false,
      vaults: [],
      limited_to_chain_id: 1,
    });
    expect(await by(VIEWER, "verify", 10)).toMatchObject({
      isManager: false,
      vaults: [],
      limitedToChainId: 10,
    });
    expect(await by(NOBODY, "me", 8453)).toMatchObject({ is_registry_maintainer: false });
  });

  test("200: camelCase, with each managed address once", async () => {
    expect((await get("verify", MANAGER)).json()).toEqual({
      verified: true,
      walletAddress: MANAGER,
      isManager: true,
      vaults: [VAULT],
      limitedToChainId: null,
    });
    expect((await get("verify", VIEWER)).json()).toEqual({
      verified: true,
      walletAddress: VIEWER,
      isManager: false,
      vaults: [],
      limitedToChainId: null,
    });
  });

  test("401: with a bad token", async () => {
    const response = await app.inject({
      url: "/api/v1/auth/verify",
      headers: { authorization: "Bearer a.b.c" },
    });
    expect([response.statusCode, response.headers["www-authenticate"]]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
  });
});

describe("GET /api/v1/auth/config", () => {
  test("200: to anyone, what is needed to sign in and nothing else", async () => {
    const response = await get("config", null);
    expect(response.statusCode).toBe(200);
    expect(response.headers["cache-control"]).toBe("public, max-age=60");
    expect(response.json()).toEqual({
      issuers: [{ issuer: issuer.issuer, profile: "generic", console: null }],
      embedded: { auth_url: "http://127.0.0.1:8080/identity", chain_ids: [8453, 10] },
    });
  });
});
