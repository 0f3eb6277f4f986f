// The order in which a request is refused, asked of every route that takes a body, over the whole app: 401, 400 of path and query, 404 of the
// path's chain or vault, 403, and only then anything about the body. So nobody without a right costs the service more than a few checks.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import openapi from "../../openapi.json" with { type: "json" };
import { createNotifier, type Notifier } from "../src/platform/db/notifier.ts";
import { silentLogger } from "../src/platform/log.ts";
import { as } from "./caller.ts";
import { addBlocks, addChain, addVault, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { buildWholeApp } from "./whole-app.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const NO_VAULT = testAddress(0x999);
const STRANGER = testAddress(2);
const MAINTAINER = testAddress(4);
const ID = "00000000-0000-7000-8000-000000000000";

let database: TestDatabase;
let notifier: Notifier;
let dir: string;
let app: FastifyInstance;

beforeAll(async () => {
  database = await createTestDatabase();
  notifier = createNotifier(database.db, silentLogger());
  dir = await mkdtemp(join(tmpdir(), "vaultops-order-"));
  await addChain(database.db, CHAIN, 1);
  await addBlocks(database.db, CHAIN, 1, 2);
  await addVault(database.db, CHAIN, VAULT);
  app = await buildWholeApp({ db: database.db, notifier, dir, chainId: CHAIN, maintainers: [MAINTAINER] });
});
afterAll(async () => {
  await app.close();
  await notifier.close();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

interface Route {
  method: "POST" | "PUT" | "PATCH";
  path: string;
  permission: string;
}

const ROUTES = Object.entries(openapi.paths as Record<string, Record<string, object>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => "requestBody" in operation)
      .map(([method, operation]) => ({
        method: method.toUpperCase() as Route["method"],
        path,
        permission: (operation as Record<string, string>)["x-permission"]!,
      })),
);

/** Bodies that are refused for themselves: too large, of another type, no JSON, and of no known form. */
const BAD_BODIES: [what: string, body: string, type: string, status: number][] = [
  ["too large", `{"a":"${"x".repeat(1_100_000)}"}`, "application/json", 413],
  ["of another type", "a=b", "application/x-www-form-urlencoded", 415],
  ["no JSON", "{", "application/json", 400],
  ["of no known form", '{"surely_unknown":1}', "application/json", 400],
];

interface Wish {
  wallet: Address | null;
  scope?: "read";
  vault?: Address;
  query?: Record<string, string>;
}

function ask(route: Route, [, payload, type]: (typeof BAD_BODIES)[number], wish: Wish) {
  const { wallet, scope, vault = VAULT, query = {} } = wish;
  const filled: Record<string, string> = { chain_id: String(CHAIN), vault_id: `${CHAIN}:${vault}` };
  const url = route.path.replace(/\{(\w+)\}/g, (_, name) => {
    if (name === "vault_address" || name === "address" || name === "vault") return vault;
    if (name === "wallet") return STRANGER;
    return encodeURIComponent(filled[name] ?? ID);
  });
  const headers = { "content-type": type, ...as(wallet, scope) };
  return app.inject({ method: route.method, url, query, payload, headers });
}

const namesVault = ({ path }: Route) =>
  /\{vault_id\}|\{chain_id\}\/\{(?:vault_address|address|vault)\}/.test(path);
const closed = ROUTES.filter(({ permission }) => permission !== "public");
const ofWallets = closed.filter(({ permission }) => permission !== "ingest");

describe.each(BAD_BODIES)("a body that is %s", (...bad) => {
  it.each(closed)("401 without a token: $method $path", async (route) => {
    const answer = await ask(route, bad, { wallet: null, query: { surely_unknown: "1" } });
    expect(answer.json()).toMatchObject({ status: 401, code: "invalid_token" });
  });

  it.each(ofWallets)("400 for the query before: $method $path", async (route) => {
    const answer = await ask(route, bad, {
      wallet: STRANGER,
      vault: NO_VAULT,
      query: { surely_unknown: "1" },
    });
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ path: "surely_unknown" }] });
  });

  it.each(ofWallets.filter(namesVault))("404 for the path's vault before: $method $path", async (route) => {
    const answer = await ask(route, bad, { wallet: STRANGER, vault: NO_VAULT });
    expect(answer.json()).toMatchObject({ status: 404, code: "vault_not_found" });
  });

  it.each(ofWallets.filter(({ permission }) => /member|manager/.test(permission)))(
    "403 for a wallet without the role before: $method $path",
    async (route) => {
      const answer = await ask(route, bad, { wallet: STRANGER });
      expect(answer.json()).toMatchObject({ status: 403, code: "insufficient_role" });
    },
  );

  it.each(ofWallets)("403 for a token that may only read before: $method $path", async (route) => {
    const answer = await ask(route, bad, { wallet: STRANGER, scope: "read" });
    expect(answer.json()).toMatchObject({ status: 403, code: "insufficient_scope" });
  });

  it.each(ROUTES.filter(({ permission }) => /^(public|authenticated|own_vaults)$/.test(permission)))(
    "$3 then, where nothing stands before: $method $path",
    async (route) => {
      expect((await ask(route, bad, { wallet: STRANGER })).statusCode).toBe(bad[3]);
    },
  );
});

/** Lists that can be narrowed to a vault. */
const LISTS = Object.entries(
  openapi.paths as Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>,
).flatMap(([path, { get }]) =>
  get?.parameters?.some((parameter) => parameter.in === "query" && parameter.name === "vault_address")
    ? [path]
    : [],
);

describe("a filter by a vault that does not exist", () => {
  it.each(LISTS)("is 404 for who may see all, with or without its chain: %s", async (path) => {
    for (const chain of [{}, { chain_id: String(CHAIN) }]) {
      const query = { vault_address: NO_VAULT, ...chain };
      const answer = await app.inject({ url: path, query, headers: as(MAINTAINER) });
      expect(answer.json()).toMatchObject({ status: 404, code: "vault_not_found" });
    }
  });
});

describe("a path that does not exist", () => {
  it.each(BAD_BODIES)("is 404, whatever stands in the body: %s", async (...bad) => {
    const nowhere = { method: "POST", path: "/api/v1/nowhere", permission: "public" } as const;
    expect((await ask(nowhere, bad, { wallet: null })).json()).toMatchObject({
      status: 404,
      code: "not_found",
    });
  });
});
