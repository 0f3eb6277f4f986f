// The guard as a client meets it: every permission against every kind of caller, in the order of checks (docs/decisions/0016), with real tokens
// and real roles in a real database.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTestApp } from "../../test/app.ts";
import { addBlocks, addChain, addVault, testAddress } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { fetchJsonForTests } from "../../test/fetch-json.ts";
import { startTestIssuer, TEST_AUDIENCE, type TestIssuer } from "../../test/issuer.ts";
import { systemClock } from "../platform/clock.ts";
import {
  AddressPath,
  strictQuery,
  VaultAddressPath,
  VaultIdPath,
  VaultPath,
} from "../platform/http/schemas.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import { silentLogger } from "../platform/log.ts";
import type { Permission } from "../platform/permission.ts";
import { createGrants } from "./grants.ts";
import { createGuard } from "./guard.ts";
import { trustedIssuers } from "./tokens/issuers.ts";
import { createVerifier } from "./tokens/verify.ts";
import { createVaultAccess } from "./vaults.ts";

const CHAIN = 8453;
const OTHER_CHAIN = 10;
const VAULT = testAddress(0x100);
const FOREIGN = testAddress(0x200);
const wallets = {
  primary: testAddress(1),
  secondary: testAddress(2),
  viewer: testAddress(3),
  unconfirmed: testAddress(4),
  manager_elsewhere: testAddress(5),
  stranger: testAddress(6),
  maintainer: testAddress(7),
  operator: testAddress(8),
  operator_soon_manager: testAddress(9),
} as const;
type CallerKind = keyof typeof wallets;

let database: TestDatabase;
let issuer: TestIssuer;
let app: FastifyInstance;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  [database, issuer] = await Promise.all([createTestDatabase(), startTestIssuer()]);
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addChain(db, OTHER_CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 10);
  await addVault(db, CHAIN, VAULT);
  await addVault(db, CHAIN, FOREIGN);
  await addVault(db, OTHER_CHAIN, VAULT);
  const role = (wallet: Address, vault: Address, name: string, from: number, chain = CHAIN) =>
    db.pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values ($1, $2, $3, $4, $5)",
      [chain, vault, wallet, name, from],
    );
  await role(wallets.primary, VAULT, "primary_manager", 1);
  await role(wallets.secondary, VAULT, "secondary_manager", 1);
  await role(wallets.unconfirmed, VAULT, "secondary_manager", 9);
  await role(wallets.manager_elsewhere, FOREIGN, "primary_manager", 1);
  await role(wallets.operator_soon_manager, VAULT, "primary_manager", 9);
  await db.pool.query(
    `insert into members (chain_id, vault_address, wallet, role, granted_by) values
      ($1, $2, $3, 'view_only', $6), ($1, $2, $4, 'operator', $6), ($1, $2, $5, 'operator', $6)`,
    [CHAIN, VAULT, wallets.viewer, wallets.operator, wallets.operator_soon_manager, wallets.primary],
  );

  const guard = createGuard({
    verifier: createVerifier({
      issuers: trustedIssuers(
        [
          {
            issuer: issuer.issuer,
            audience: [TEST_AUDIENCE],
            jwks_url: issuer.jwksUrl,
            jwks_file: null,
            algorithms: ["ES256"],
            clock_tolerance_seconds: 30,
            profile: "generic",
            wallet_claim: null,
            contract_wallets: "accept",
          },
        ],
        fetchJsonForTests,
        { clock: systemClock, log: silentLogger() },
      ),
      clock: systemClock,
      codeOnChains: async () => [],
    }),
    grants: createGrants(db),
    vaults: createVaultAccess(db),
    maintainers: [wallets.maintainer],
  });
  app = await buildTestApp({ features: [buildProbe()], guard });
  for (const [kind, wallet] of Object.entries(wallets)) {
    tokens[kind] = await issuer.token({ wallet });
    tokens[`${kind} reading`] = await issuer.token({ wallet, claims: { scope: "read" } });
  }
});
afterAll(async () => {
  await app.close();
  await Promise.all([issuer.stop(), database.drop()]);
});

/** A route for each permission and method, and for each way in which a path names a vault. */
function buildProbe(): Feature {
  const permissions: Permission[] = [
    "public",
    "authenticated",
    "vault_member",
    "vault_manager",
    "vault_operator",
    "own_vaults",
    "any_operator",
  ];
  const query = strictQuery({ limit: Type.Optional(Type.Integer({ maximum: 10 })) });
  return {
    name: "probe",
    routes(app) {
      for (const permission of permissions) {
        const isOfVault = permission.startsWith("vault_");
        app.route({
          method: ["GET", "POST", "DELETE"],
          url: `/${permission}${isOfVault ? "/:chain_id/:vault_address" : ""}`,
          schema: { querystring: query, ...(isOfVault ? { params: VaultAddressPath } : {}) },
          config: { permission },
          handler: (request) => ({
            wallet: request.caller?.wallet ?? null,
            grants: request.caller?.grants.length ?? null,
          }),
        });
      }
      app.get(
        "/by-address/:chain_id/:address",
        { schema: { params: AddressPath }, config: { permission: "vault_member" } },
        () => ({}),
      );
      app.get(
        "/by-vault/:chain_id/:vault",
        { schema: { params: VaultPath }, config: { permission: "vault_member" } },
        () => ({}),
      );
      app.get(
        "/by-id/:vault_id",
        { schema: { params: VaultIdPath }, config: { permission: "vault_member" } },
        () => ({}),
      );
      app.get(
        "/open/:chain_id/:address",
        { schema: { params: AddressPath }, config: { permission: "authenticated" } },
        () => ({}),
      );
    },
  };
}

async function ask(url: string, token: string | null, method: "GET" | "POST" | "DELETE" | "HEAD" = "GET") {
  const response = await app.inject({
    method,
    url,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  const body = response.body === "" ? {} : response.json();
  return {
    status: response.statusCode,
    code: body.code as string | undefined,
    body,
    headers: response.headers,
  };
}

const outcome = async (...args: Parameters<typeof ask>) => {
  const { status, code } = await ask(...args);
  return code === undefined ? `${status}` : `${status} ${code}`;
};

describe("who may what", () => {
  const NO_ROLE = "403 insufficient_role";
  const expected: Record<string, Record<CallerKind, [read: string, write: string]>> = {
    [`/vault_member/${CHAIN}/${VAULT}`]: {
      primary: ["200", "200"],
      secondary: ["200", "200"],
      operator: ["200", "200"],
      operator_soon_manager: ["200", "200"],
      viewer: ["200", "200"],
      unconfirmed: ["200", "200"],
      manager_elsewhere: [NO_ROLE, NO_ROLE],
      stranger: [NO_ROLE, NO_ROLE],
      maintainer: ["200", NO_ROLE],
    },
    [`/vault_manager/${CHAIN}/${VAULT}`]: {
      primary: ["200", "200"],
      secondary: ["200", "200"],
      operator: [NO_ROLE, NO_ROLE],
      operator_soon_manager: ["200", NO_ROLE],
      viewer: [NO_ROLE, NO_ROLE],
      unconfirmed: ["200", NO_ROLE],
      manager_elsewhere: [NO_ROLE, NO_ROLE],
      stranger: [NO_ROLE, NO_ROLE],
      maintainer: [NO_ROLE, NO_ROLE],
    },
    [`/vault_operator/${CHAIN}/${VAULT}`]: {
      primary: ["200", "200"],
      secondary: ["200", "200"],
      operator: ["200", "200"],
      operator_soon_manager: ["200", "200"],
      viewer: [NO_ROLE, NO_ROLE],
      unconfirmed: ["200", NO_ROLE],
      manager_elsewhere: [NO_ROLE, NO_ROLE],
      stranger: [NO_ROLE, NO_ROLE],
      maintainer: [NO_ROLE, NO_ROLE],
    },
    "/any_operator": {
      primary: ["200", "200"],
      secondary: ["200", "200"],
      operator: ["200", "200"],
      operator_soon_manager: ["200", "200"],
      viewer: [NO_ROLE, NO_ROLE],
      unconfirmed: ["200", NO_ROLE],
      manager_elsewhere: ["200", "200"],
      stranger: [NO_ROLE, NO_ROLE],
      maintainer: [NO_ROLE, NO_ROLE],
    },
    "/authenticated": everyone("200"),
    "/own_vaults": everyone("200"),
    "/public": everyone("200"),
  };

  for (const [url, callers] of Object.entries(expected)) {
    test.each(Object.entries(callers))(`${url}: %s reads and writes with %j`, async (kind, [read, write]) => {
      expect(await outcome(url, tokens[kind] as string)).toBe(read);
      for (const method of ["POST", "DELETE"] as const)
        expect(await outcome(url, tokens[kind] as string, method)).toBe(write);
    });

    test.each(Object.keys(callers))(
      `${url}: %s with a reading token reads as before and writes nothing`,
      async (kind) => {
        const token = tokens[`${kind} reading`] as string;
        expect(await outcome(url, token)).toBe(callers[kind as CallerKind][0]);
        for (const method of ["POST", "DELETE"] as const) {
          const { status, code, headers } = await ask(url, token, method);
          if (url === "/public") {
            expect(status).toBe(200);
            continue;
          }
          expect([status, code]).toEqual([403, "insufficient_scope"]);
          expect(headers["www-authenticate"]).toBe('Bearer error="insufficient_scope"');
        }
      },
    );
  }

  function everyone(status: string): Record<CallerKind, [string, string]> {
    return Object.fromEntries(Object.keys(wallets).map((kind) => [kind, [status, status]])) as Record<
      CallerKind,
      [string, string]
    >;
  }

  test("another tenant's vault is never shown, whichever way the path names it", async () => {
    const token = tokens.primary as string;
    for (const path of ["by-address", "by-vault", "vault_member"]) {
      expect(await outcome(`/${path}/${CHAIN}/${VAULT}`, token)).toBe("200");
      expect(await outcome(`/${path}/${CHAIN}/${FOREIGN}`, token)).toBe(NO_ROLE);
      // The same address on another chain is another vault.
      expect(await outcome(`/${path}/${OTHER_CHAIN}/${VAULT}`, token)).toBe(NO_ROLE);
    }
    expect(await outcome(`/by-id/${CHAIN}:${VAULT.toLowerCase()}`, token)).toBe("200");
    expect(await outcome(`/by-id/${CHAIN}%3A${VAULT}`, token)).toBe("200");
    expect(await outcome(`/by-id/${CHAIN}:${FOREIGN}`, token)).toBe(NO_ROLE);
    expect(await outcome(`/by-id/${OTHER_CHAIN}:${VAULT}`, token)).toBe(NO_ROLE);
  });

  test("a HEAD is a read", async () => {
    expect(await outcome(`/by-address/${CHAIN}/${VAULT}`, tokens["viewer reading"] as string, "HEAD")).toBe(
      "200",
    );
  });
});

describe("the order of checks", () => {
  test("401 comes before 400, 404 and 403, on every route that is not public", async () => {
    for (const url of [
      "/authenticated",
      "/own_vaults",
      "/any_operator",
      `/vault_member/${CHAIN}/${VAULT}`,
      "/vault_manager/0/x",
      "/authenticated?limit=99&x=1",
    ]) {
      for (const token of [null, "x.y.z"]) expect(await outcome(url, token)).toBe("401 invalid_token");
    }
  });

  test("400 comes before 404 and 403", async () => {
    expect(await outcome(`/vault_member/1/${VAULT}?limit=99`, tokens.stranger as string)).toBe(
      "400 invalid_request",
    );
    expect(await outcome(`/vault_member/${CHAIN}/0x12`, tokens.stranger as string)).toBe(
      "400 invalid_address",
    );
  });

  test("404 comes before 403: first the chain, then the vault", async () => {
    const nowhere = testAddress(0x999);
    for (const kind of ["stranger", "primary", "maintainer", "stranger reading"]) {
      expect(await outcome(`/vault_manager/1/${VAULT}`, tokens[kind] as string)).toBe("404 chain_not_found");
      expect(await outcome(`/vault_manager/${CHAIN}/${nowhere}`, tokens[kind] as string, "POST")).toBe(
        "404 vault_not_found",
      );
      expect(await outcome(`/open/1/${VAULT}`, tokens[kind] as string)).toBe("404 chain_not_found");
      expect(await outcome(`/open/${CHAIN}/${nowhere}`, tokens[kind] as string)).toBe("404 vault_not_found");
    }
    expect(await outcome(`/open/${CHAIN}/${FOREIGN}`, tokens.stranger as string)).toBe("200");
  });
});

describe("401 says why", () => {
  test("without credentials the challenge is the one of every 401", async () => {
    for (const authorization of [undefined, "", "Basic dXNlcjpwYXNz", "bearerx"]) {
      const response = await app.inject({
        url: "/authenticated",
        headers: authorization === undefined ? {} : { authorization },
      });
      expect([response.statusCode, response.headers["www-authenticate"]]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    }
  });

  test("with a bad token the challenge says invalid_token", async () => {
    for (const authorization of [
      "Bearer",
      "Bearer ",
      "Bearer x",
      "bearer a.b.c",
      `Bearer ${tokens.primary} ${tokens.primary}`,
      `Bearer ${tokens.primary}x`,
    ]) {
      const response = await app.inject({ url: "/authenticated", headers: { authorization } });
      expect([response.statusCode, response.headers["www-authenticate"]]).toEqual([
        401,
        'Bearer error="invalid_token"',
      ]);
    }
  });

  test("the scheme is read in any case", async () => {
    for (const scheme of ["bearer", "BEARER", "Bearer"]) {
      expect(
        (
          await app.inject({
            url: "/authenticated",
            headers: { authorization: `${scheme} ${tokens.primary}` },
          })
        ).statusCode,
      ).toBe(200);
    }
  });

  test("a token anywhere but in the header is not seen", async () => {
    const token = tokens.primary as string;
    expect(await outcome(`/authenticated?access_token=${token}`, null)).toBe("401 invalid_token");
    const cookie = await app.inject({
      url: "/authenticated",
      headers: { cookie: `token=${token}; Authorization=${token}` },
    });
    expect(cookie.statusCode).toBe(401);
    const body = await app.inject({
      method: "POST",
      url: "/authenticated",
      headers: { "content-type": "application/json" },
      payload: { access_token: token },
    });
    expect(body.statusCode).toBe(401);
  });

  test("a token of more than 8 KiB is refused", async () => {
    const token = await issuer.token({ wallet: wallets.primary, claims: { filler: "x".repeat(6_500) } });
    expect(await outcome("/authenticated", token)).toBe("401 invalid_token");
  });
});

test("a role that ends refuses with the next request, within the same token", async () => {
  const url = `/vault_member/${CHAIN}/${VAULT}`;
  expect(await outcome(url, tokens.secondary as string)).toBe("200");
  await database.db.pool.query("update vault_roles set to_block = 10 where wallet = $1", [wallets.secondary]);
  expect(await outcome(url, tokens.secondary as string)).toBe("403 insufficient_role");
  await database.db.pool.query("delete from blocks where chain_id = $1 and number = 10", [CHAIN]);
  expect(await outcome(url, tokens.secondary as string)).toBe("200");
});
