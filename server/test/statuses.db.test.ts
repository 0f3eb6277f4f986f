// Every status that openapi.json documents for a route is provoked on that route, over the whole app with all its features. A route
// that is added gets its general refusals from here, and fails until its own successes and refusals stand in OWN.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeVerifier } from "@vaultops/proof";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Address } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addressOf } from "../../demo/src/accounts.ts";
import { createTrio, deployAggregator, deployToken } from "../../demo/src/deploy.ts";
import openapi from "../../openapi.json" with { type: "json" };
import { record } from "../src/audit/append/record.ts";
import type { ChainClient } from "../src/chain/client/client.ts";
import { createNotifier, type Notifier } from "../src/platform/db/notifier.ts";
import { silentLogger } from "../src/platform/log.ts";
import { ACTION_BODIES, actionStatuses } from "./action-statuses.ts";
import { alertBodies, alertStatuses } from "./alert-statuses.ts";
import { as } from "./caller.ts";
import { testClientFor } from "./chain-client.ts";
import { addBlocks, addChain, addVault, confirm, testAddress } from "./chain-rows.ts";
import { CHANNEL_BODIES, channelStatuses } from "./channel-statuses.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { BATCH, engineStatuses, reportSomething } from "./engine-statuses.ts";
import { startTestChain, type TestChain } from "./node.ts";
import { logInAt, type OidcProvider, startOidcProvider } from "./oidc-provider.ts";
import { WEBHOOK_BODIES, webhookStatuses } from "./webhook-statuses.ts";
import { buildWholeApp } from "./whole-app.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const CLIENT = "console";
const REDIRECT = "http://127.0.0.1:8080/sign-in";
const SIGNER = privateKeyToAccount(`0x${"11".repeat(32)}`);
const MANAGER = testAddress(1);
const VIEWER = testAddress(3);
const STRANGER = testAddress(2);
const NOBODY_ID = "00000000-0000-7000-8000-000000000000";
const NO_VAULT = testAddress(0x999);

const FILLED: Record<string, string> = {
  chain_id: String(CHAIN),
  address: VAULT,
  vault_address: VAULT,
  vault: VAULT,
  vault_id: `${CHAIN}:${VAULT}`,
  wallet: testAddress(7),
  intent_id: "intent-1",
  channel_id: NOBODY_ID,
  inbound_id: NOBODY_ID,
  provider: "slack",
};

let database: TestDatabase;
let notifier: Notifier;
let dir: string;
let app: FastifyInstance;
/** The same with no quota left for anybody. */
let exhausted: FastifyInstance;
let entryId: string;
let ingestToken: string;
let provider: OidcProvider;
/** On which the vault's manager may act. */
let chain: TestChain;
let client: ChainClient;
let aggregator: Address;

beforeAll(async () => {
  chain = await startTestChain({ chainId: CHAIN });
  client = testClientFor(chain);
  ({ aggregator } = await deployAggregator(chain));
  const asset = await deployToken(chain, { name: "Dollar", symbol: "USD", decimals: 6 });
  const { strategy } = await createTrio(chain, { aggregator } as never, {
    asset,
    name: "Vault",
    symbol: "V",
  });
  provider = await startOidcProvider();
  provider.wallet = MANAGER;
  database = await createTestDatabase();
  const { db } = database;
  dir = await mkdtemp(join(tmpdir(), "vaultops-statuses-"));
  notifier = createNotifier(db, silentLogger());
  await addChain(db, CHAIN, 1);
  await addBlocks(db, CHAIN, 1, 2);
  await addVault(db, CHAIN, VAULT);
  await confirm(db, CHAIN, 2);
  await database.owner.pool.query("update vaults set source_address = $1, strategy_address = $2", [
    aggregator,
    strategy,
  ]);
  for (const [wallet, role] of [
    [MANAGER, "primary_manager"],
    [testAddress(8), "secondary_manager"],
  ]) {
    await db.pool.query(
      "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, $4)",
      [CHAIN, VAULT, wallet, role],
    );
  }
  await recordOne();
  entryId = (await db.pool.query("select id from audit_entries")).rows[0].id;
  app = await build(1e9);
  exhausted = await build(0);
  await app.inject({ url: "/api/v1/audit/checkpoint" });
  await db.pool.query(
    "insert into audit_cosignatures (size, vkey, line, cosigned_at) select size, $1, 'of a witness', now() from audit_checkpoints",
    [WITNESS.vkey],
  );
  ingestToken = await reportSomething({ app, db, vaultId: `${CHAIN}:${VAULT}` });
});
afterAll(async () => {
  await app.close();
  await exhausted.close();
  await notifier.close();
  await database.drop();
  await client.close();
  await chain.stop();
  await provider.stop();
  await rm(dir, { recursive: true, force: true });
});

function build(quota: number): Promise<FastifyInstance> {
  return buildWholeApp({
    db: database.db,
    notifier,
    dir,
    chainId: CHAIN,
    quota,
    features: [faults],
    issuers: [issuerOf(provider)],
    chains: [
      {
        chain_id: CHAIN,
        name: "test",
        rpc_urls: [chain.rpcUrl],
        sources: [{ family: "supervault", aggregator }],
      },
    ],
    clients: new Map([[CHAIN, client]]),
    witnesses: [WITNESS],
  });
}

const WITNESS = {
  name: "w",
  vkey: writeVerifier("w.test/witness", Buffer.alloc(32, 7), 4),
  url: "http://127.0.0.1:1",
  monitoring_url: null,
};

/** Whom the manager lets in, which is an entry. */
const ARCHIVE_FIRST = "update audit_partitions set archived_at = $1 where from_seq = 1";

/** The entry, while the partition that it is in is told to be in an archive. */
async function archivedEntry(route: Route): Promise<InjectOptions> {
  await database.owner.pool.query(ARCHIVE_FIRST, [new Date()]);
  return request(route, { filled: { id: entryId } });
}
afterEach(() => database.owner.pool.query(ARCHIVE_FIRST, [null]));

const recordOne = (actor = MANAGER) =>
  database.db.transaction((tx) =>
    record(tx, [
      {
        action_type: "view_only_add",
        chain_id: CHAIN,
        vault_address: VAULT,
        actor_wallet: actor,
        details: { wallet: VIEWER },
      },
    ]),
  );

/** As `auth.issuers` trusts the provider, with which the console signs in. */
const issuerOf = ({ issuer, jwksUrl }: OidcProvider) => ({
  issuer,
  audience: [CLIENT],
  jwks_url: jwksUrl,
  jwks_file: null,
  algorithms: ["ES256" as const],
  clock_tolerance_seconds: 30,
  profile: "generic" as const,
  wallet_claim: null,
  contract_wallets: "accept" as const,
  console: { client_id: CLIENT, scope: "openid", sign_in_url: null },
});

/** A request may ask to fail within, as by a mistake of the program or a database that is out. */
const faults = {
  name: "faults",
  routes(instance: FastifyInstance) {
    instance.addHook("preHandler", async (request) => {
      const fault = request.headers["x-test-fault"];
      if (fault === "500") throw new TypeError("a secret stands here");
      if (fault === "503") throw Object.assign(new Error("a secret stands here"), { code: "ECONNREFUSED" });
    });
  },
};

interface Operation {
  responses: Record<string, unknown>;
  parameters?: { in: string; name: string }[];
  requestBody?: unknown;
  "x-permission": string;
  "x-recorded"?: true;
}

interface Route extends Operation {
  key: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
}

const ROUTES: Route[] = Object.entries(
  openapi.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([name, operation]) => {
    const method = name.toUpperCase() as Route["method"];
    return { ...operation, method, path, key: `${method} ${path}` };
  }),
);

type Own = (route: Route) => InjectOptions | Promise<InjectOptions>;

const MEMBER = "/api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}";
const VIEW_ONLY = { role: "view_only" };

/** What one route alone needs: its query where some is required, its bodies, and refusals of its own. */
const OWN: Record<string, Own> = {
  "GET /api/v1/audit/logs/{id} 200": (route) => request(route, { filled: { id: entryId } }),
  "GET /api/v1/audit/logs/{id} 404": (route) => request(route, { filled: { id: NOBODY_ID } }),
  "GET /api/v1/audit/logs/{id} 410": archivedEntry,
  "GET /api/v1/audit/bundle/{id} 410": archivedEntry,
  "GET /api/v1/audit/bundle/{id} 200": (route) => request(route, { filled: { id: entryId } }),
  "GET /api/v1/audit/bundle/{id} 404": (route) => request(route, { filled: { id: NOBODY_ID } }),
  "GET /api/v1/audit/bundle/{id} 409": async (route) => {
    await recordOne(STRANGER);
    const { rows } = await database.db.pool.query("select id from audit_entries order by seq desc limit 1");
    return request(route, { filled: { id: rows[0].id } });
  },
  "GET /api/v1/audit/export 406": (route) => request(route, { headers: { accept: "image/png" } }),
  "GET /api/v1/audit/checkpoint 404": (route) => request(route, { query: { size: "999999" } }),
  "GET /api/v1/audit/proof 404": (route) => request(route, { query: { seq: "999999" } }),
  "POST /identity/challenge 404": (route) =>
    request(route, { body: { address: SIGNER.address, chain_id: 5 } }),
  "POST /identity/token 401": async (route) => {
    const body = await signedIn();
    return request(route, { body: { ...body, challenge_id: NOBODY_ID } });
  },
  "POST /identity/token 200": async (route) => request(route, { body: await signedIn() }),
  "POST /api/v1/auth/exchange 200": async (route) =>
    request(route, { body: await logInAt(provider, CLIENT, REDIRECT) }),
  "POST /api/v1/auth/exchange 401": async (route) => {
    const body = await logInAt(provider, CLIENT, REDIRECT);
    return request(route, { body: { ...body, code: "unknown" } });
  },
  [`PUT ${MEMBER} 200`]: async (route) => {
    await app.inject(request(route, { filled: { wallet: testAddress(11) } }));
    return request(route, { filled: { wallet: testAddress(11) } });
  },
  [`PUT ${MEMBER} 201`]: (route) => request(route, { filled: { wallet: testAddress(12) } }),
  [`PUT ${MEMBER} 409`]: (route) => request(route, { filled: { wallet: testAddress(8) } }),
  [`DELETE ${MEMBER} 204`]: async (route) => {
    await app.inject(request({ ...route, method: "PUT" }, { filled: { wallet: testAddress(13) } }));
    return request(route, { filled: { wallet: testAddress(13) } });
  },
  [`DELETE ${MEMBER} 409`]: (route) => request(route, { filled: { wallet: testAddress(8) } }),
  ...engineStatuses<Route>(request),
  ...alertStatuses<Route>({
    db: () => database.db,
    request,
    chain: CHAIN,
    vault: VAULT,
    manager: MANAGER,
    nobodysId: NOBODY_ID,
    noVault: NO_VAULT,
  }),
  ...channelStatuses<Route>({
    app: () => app,
    db: () => database.db,
    request,
    manager: MANAGER,
    nobodysId: NOBODY_ID,
    vaultPath: `/api/v1/vaults/${CHAIN}/${VAULT}`,
  }),
  ...actionStatuses<Route>({
    app: () => app,
    request,
    from: addressOf("primaryManager"),
    nobodysId: NOBODY_ID,
  }),
  ...webhookStatuses<Route>({
    app: () => app,
    db: () => database.db,
    request,
    manager: MANAGER,
    noVaultId: `${CHAIN}:${NO_VAULT}`,
    nobodysId: NOBODY_ID,
  }),
};

/** Query parameters that a route cannot do without. */
const REQUIRED: Record<string, Record<string, string>> = {
  "/api/v1/audit/proof": { seq: "1" },
  "/api/v1/audit/proof/consistency": { from: "0", to: "1" },
};

const BODIES: Record<string, () => unknown> = {
  "POST /identity/challenge": () => ({ address: SIGNER.address, chain_id: CHAIN }),
  "POST /identity/token": () => ({
    address: SIGNER.address,
    challenge_id: NOBODY_ID,
    signature: `0x${"11".repeat(65)}`,
  }),
  [`PUT ${MEMBER}`]: () => VIEW_ONLY,
  "PUT /api/v1/me/vaults/{vault_id}": () => ({ accepted: true }),
  "POST /api/v1/auth/exchange": () => ({
    issuer: provider.issuer,
    code: "code",
    code_verifier: "v".repeat(43),
    redirect_uri: REDIRECT,
  }),
  "POST /api/v1/ingest/events": () => [],
  ...ACTION_BODIES,
  ...alertBodies(CHAIN, VAULT),
  ...CHANNEL_BODIES,
  ...WEBHOOK_BODIES,
};

/** What brings each status about on any route. */
const GENERAL: Record<string, Own> = {
  200: (route) => request(route),
  400: (route) => request(route, { query: { surely_unknown: "1" } }),
  401: (route) => request(route, { wallet: null }),
  403: (route) =>
    request(route, {
      wallet: STRANGER,
      query: filters(route, "vault_address") ? { vault_address: VAULT } : {},
    }),
  404: (route) =>
    filters(route, "chain_id")
      ? request(route, { query: { chain_id: "5" } })
      : request(route, {
          filled: {
            address: NO_VAULT,
            vault_address: NO_VAULT,
            vault: NO_VAULT,
            vault_id: `${CHAIN}:${NO_VAULT}`,
          },
        }),
  413: (route) => request(route, { text: "x".repeat(1_100_000) }),
  415: (route) => request(route, { type: "text/plain", text: "x" }),
  500: (route) => request(route, { headers: { "x-test-fault": "500" } }),
  503: (route) => request(route, { headers: { "x-test-fault": "503" } }),
  429: (route) => request(route),
};

describe.each(ROUTES)("$key", (route) => {
  it.each(Object.keys(route.responses))("%s", async (status) => {
    const make = OWN[`${route.key} ${status}`] ?? GENERAL[status];
    expect(make, `say in OWN how ${route.key} comes to answer ${status}`).toBeDefined();
    const asked = await make!(route);
    const before = await entriesByWallets();
    const isStream = route.path.endsWith("/stream") && status === "200";
    const response = await (status === "429" ? exhausted : app)
      .inject(isStream ? { ...asked, signal: AbortSignal.timeout(1) } : asked)
      .catch((error) => {
        if (isStream) return null;
        throw error;
      });
    if (response === null) return;
    expect(response.statusCode, response.body.slice(0, 500)).toBe(Number(status));
    if (Number(status) < 300 && (await entriesByWallets()) > before)
      expect(route["x-recorded"], `say isRecorded in the config of ${route.key}`).toBe(true);
    expect(response.headers["x-request-id"]).toBeTruthy();
    if (Number(status) < 400) return;
    expect(response.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(response.json()).toMatchObject({
      status: Number(status),
      request_id: response.headers["x-request-id"],
    });
    expect(response.body).not.toContain("secret");
    if (status === "401") expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
    if (status === "429" || status === "503") expect(response.headers["retry-after"]).toMatch(/^\d+$/);
  });
});

interface Wish {
  filled?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Default: the manager, where somebody must be. */
  wallet?: Address | null;
  body?: unknown;
  text?: string;
  type?: string;
}

function request(route: Route, wish: Wish = {}): InjectOptions {
  const { wallet = MANAGER } = wish;
  const filled = { ...FILLED, id: entryId, ...wish.filled };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(filled[name as never]));
  const isIngest = route["x-permission"] === "ingest";
  const by =
    isIngest && wallet !== null ? { authorization: `Bearer ${ingestToken}` } : as(isIngest ? null : wallet);
  const body = wish.text ?? JSON.stringify(wish.body ?? BODIES[`${route.method} ${route.path}`]?.());
  const hasBody = ["POST", "PUT", "PATCH"].includes(route.method) || wish.text !== undefined;
  return {
    method: route.method,
    url: path,
    query: { ...REQUIRED[route.path], ...wish.query },
    headers: {
      ...(route["x-permission"] === "public" ? {} : by),
      ...(hasBody ? { "content-type": wish.type ?? (isIngest ? BATCH : "application/json") } : {}),
      ...wish.headers,
    },
    ...(hasBody ? { payload: body } : {}),
  };
}

/** How many entries came of what a wallet asked for, not of an engine's reports. */
async function entriesByWallets(): Promise<number> {
  const { rows } = await database.db.pool.query(
    "select count(*)::int as n from audit_entries where actor_wallet = $1",
    [MANAGER],
  );
  return rows[0].n;
}

function filters(route: Route, name: string): boolean {
  return (route.parameters ?? []).some((parameter) => parameter.in === "query" && parameter.name === name);
}

async function signedIn(): Promise<Record<string, unknown>> {
  const { typed_data, challenge_id } = (
    await app.inject({
      method: "POST",
      url: "/identity/challenge",
      payload: { address: SIGNER.address, chain_id: CHAIN },
    })
  ).json();
  return { address: SIGNER.address, challenge_id, signature: await SIGNER.signTypedData(typed_data) };
}
