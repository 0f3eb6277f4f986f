// Who may do what: every operation that asks who is asking, held against every role on the vault that it concerns, over the whole app. A
// route that is added fails here until its line is written.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Address } from "viem";
import { afterAll, beforeAll, expect, it, test } from "vitest";
import openapi from "../../openapi.json" with { type: "json" };
import { needsManager } from "../src/features/alerts/api/access.ts";
import { deliveriesOfOthers } from "../src/features/webhooks/store.ts";
import { createNotifier, type Notifier } from "../src/platform/db/notifier.ts";
import { silentLogger } from "../src/platform/log.ts";
import { as } from "./caller.ts";
import { addBlocks, addChain, addVault, confirm, testAddress } from "./chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { buildWholeApp } from "./whole-app.ts";

const CHAIN = 8453;
const VAULT = testAddress(0x100);
const ELSEWHERE = testAddress(0x200);
const ROLES = ["primary", "secondary", "operator", "viewer", "elsewhere", "nobody"] as const;
const WALLETS = Object.fromEntries(ROLES.map((role, index) => [role, testAddress(index + 1)])) as Record<
  (typeof ROLES)[number],
  Address
>;
const NOBODYS_ID = "00000000-0000-7000-8000-000000000000";

/** For each role in the order of ROLES: passed, refused by its role, or (`404`) not told that the thing is there. */
const ANY = "ok ok ok ok ok ok";
const MEMBERS = "ok ok ok ok 403 403";
const OPERATORS = "ok ok ok 403 403 403";
const MANAGERS = "ok ok 403 403 403 403";
/** What is the caller's own and not of a vault: of a thing that nobody has made. */
const MAKERS = "404 404 404 403 404 403";
const SEEN_BY_OPERATORS = "ok ok ok 404 404 404";

const TABLE: Record<string, string> = {
  "GET /api/v1/auth/me": ANY,
  "GET /api/v1/auth/verify": ANY,
  "GET /api/v1/vaults": ANY,
  "GET /api/v1/vaults/{chain_id}/{address}": ANY,
  "GET /api/v1/vaults/{chain_id}/{address}/pps": ANY,
  "GET /api/v1/vaults/{chain_id}/{address}/apy": ANY,
  "GET /api/v1/vaults/{chain_id}/{vault_address}/members": MEMBERS,
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": MANAGERS,
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": "ok ok 403 403 403 403",
  "PUT /api/v1/me/vaults/{vault_id}": MEMBERS,
  "GET /api/v1/me/links": ANY,
  "POST /api/v1/me/links": SEEN_BY_OPERATORS,
  "PUT /api/v1/me/links/{id}": "404 404 404 404 404 404",
  "DELETE /api/v1/me/links/{id}": "404 404 404 404 404 404",
  "GET /api/v1/notification-channels": ANY,
  "POST /api/v1/notification-channels": "ok ok ok 403 ok 403",
  "GET /api/v1/notification-channels/providers": ANY,
  "GET /api/v1/notification-channels/{id}": SEEN_BY_OPERATORS,
  "PATCH /api/v1/notification-channels/{id}": SEEN_BY_OPERATORS,
  "DELETE /api/v1/notification-channels/{id}": SEEN_BY_OPERATORS,
  "POST /api/v1/notification-channels/{id}/test": SEEN_BY_OPERATORS,
  "POST /api/v1/notification-channels/{id}/confirmations": SEEN_BY_OPERATORS,
  "GET /api/v1/notification-channels/{id}/deliveries": SEEN_BY_OPERATORS,
  "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": MEMBERS,
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": OPERATORS,
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": OPERATORS,
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": OPERATORS,
  "GET /api/v1/services/status": ANY,
  "GET /services/status": ANY,
  "GET /api/v1/vaults/{chain_id}/{vault}/services": MEMBERS,
  "GET /api/v1/engine/shards/{vault_id}/state": "404 404 404 404 403 403",
  "GET /api/v1/vaults/{chain_id}/{vault}/session-key": MEMBERS,
  "GET /api/v1/vaults/{chain_id}/{vault}/merkle": MEMBERS,
  "GET /api/v1/intents": MEMBERS,
  "GET /api/v1/intents/facets": MEMBERS,
  "GET /api/v1/intents/{intent_id}": "404 404 404 404 404 404",
  "GET /api/v1/intents/{intent_id}/events": "404 404 404 404 404 404",
  "GET /api/v1/intents/{intent_id}/fills": "404 404 404 404 404 404",
  "GET /api/v1/fulfill-redeems/executions": MEMBERS,
  "GET /fulfill-redeems/executions": MEMBERS,
  "GET /api/v1/vaults/{chain_id}/{vault}/redeems": MEMBERS,
  "GET /api/v1/webhooks": "ok ok ok 403 ok 403",
  "POST /api/v1/webhooks": OPERATORS,
  "GET /api/v1/webhooks/{id}": MAKERS,
  "PATCH /api/v1/webhooks/{id}": MAKERS,
  "DELETE /api/v1/webhooks/{id}": MAKERS,
  "POST /api/v1/webhooks/{id}/rotate-secret": MAKERS,
  "GET /api/v1/webhooks/{id}/deliveries": MAKERS,
  "POST /api/v1/webhooks/{id}/test": MAKERS,
  "POST /api/v1/webhooks/{id}/replay": MAKERS,
  "POST /api/v1/webhook-deliveries/{id}/replay": MAKERS,
  "GET /api/v1/audit/logs": MEMBERS,
  "GET /api/v1/audit/logs/{id}": "ok ok ok ok 404 404",
  "GET /api/v1/audit/bundle/{id}": "ok ok ok ok 404 404",
  "GET /api/v1/audit/export": MEMBERS,
  "GET /api/v1/audit/proof": ANY,
  "GET /api/v1/audit/verification": ANY,
  "GET /api/v1/audit/stream": MEMBERS,
  "GET /api/v1/alerts": MEMBERS,
  "GET /api/v1/alerts/{id}": "ok ok ok ok 404 404",
  "POST /api/v1/alerts/{id}/acknowledge": "ok ok ok 403 404 404",
  "GET /api/v1/silences": MEMBERS,
  "POST /api/v1/silences": OPERATORS,
  "DELETE /api/v1/silences/{id}": "ok ok ok 403 404 404",
  "GET /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": MEMBERS,
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": OPERATORS,
  "POST /api/v1/vaults/{chain_id}/{vault_address}/alert-rules/preview": MEMBERS,
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}/submissions": "404 404 404 404 403 403",
  "GET /api/v1/vaults/{chain_id}/{vault}/actions": MEMBERS,
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions": MEMBERS,
  "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions": MEMBERS,
  "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}": "404 404 404 404 403 403",
};

const MAIL = { provider: "email", name: "Duty", config: { to: "duty@example.org" } };
const silence = {
  chain_id: CHAIN,
  vault_address: VAULT,
  category: "upkeep",
  ends_at: "2099-01-01",
  reason: "works",
};
const BODIES: Record<string, () => object | Promise<object>> = {
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": () => ({ role: "view_only" }),
  "PUT /api/v1/me/vaults/{vault_id}": () => ({ accepted: true }),
  "POST /api/v1/me/links": async () => ({ channel_id: await boundChannel() }),
  "PUT /api/v1/me/links/{id}": () => ({ confirmed: true }),
  "POST /api/v1/notification-channels": () => MAIL,
  "PATCH /api/v1/notification-channels/{id}": () => ({ name: "Night" }),
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": async () => ({
    channel_id: await boundChannel(),
  }),
  "POST /api/v1/webhooks": () => ({ url: "https://93.184.215.14/", vaults: [`${CHAIN}:${VAULT}`] }),
  "PATCH /api/v1/webhooks/{id}": () => ({ description: "x" }),
  "POST /api/v1/webhooks/{id}/replay": () => ({ from: "2026-05-01", to: "2026-06-01" }),
  "POST /api/v1/silences": () => silence,
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": () => ({ rules: {} }),
  "POST /api/v1/vaults/{chain_id}/{vault_address}/alert-rules/preview": () => ({ rules: {} }),
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions": () => ({ action: "pause", parameters: {} }),
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}/submissions": () => ({
    transaction_hash: `0x${"1".repeat(64)}`,
  }),
};

let database: TestDatabase;
let notifier: Notifier;
let app: FastifyInstance;
let dir: string;
let entryId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  dir = await mkdtemp(join(tmpdir(), "vaultops-role-operations-"));
  notifier = createNotifier(db, silentLogger());
  await addChain(db, CHAIN, 1);
  await addBlocks(db, CHAIN, 1, 2);
  for (const vault of [VAULT, ELSEWHERE]) await addVault(db, CHAIN, vault);
  await confirm(db, CHAIN, 2);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', 1), ($1, $2, $4, 'secondary_manager', 1), ($1, $5, $6, 'primary_manager', 1)`,
    [CHAIN, VAULT, WALLETS.primary, WALLETS.secondary, ELSEWHERE, WALLETS.elsewhere],
  );
  app = await buildWholeApp({ db, notifier, dir, chainId: CHAIN });
  for (const [wallet, role] of [
    [WALLETS.operator, "operator"],
    [WALLETS.viewer, "view_only"],
  ] as const)
    expect((await send("primary", "PUT", `${members}/${wallet}`, { role })).statusCode).toBe(201);
  entryId = (await db.pool.query("select id from audit_entries")).rows[0].id;
});
afterAll(async () => {
  await app.close();
  await notifier.close();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

const members = `/api/v1/vaults/${CHAIN}/${VAULT}/members`;

function send(role: keyof typeof WALLETS, method: string, url: string, payload?: object) {
  const headers = as(WALLETS[role]);
  return app.inject({ method, url, headers, ...(payload && { payload }) } as InjectOptions);
}

it("every operation that asks who is asking stands in the table", () => {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { "x-permission"?: string }>)
      .filter(([, { "x-permission": permission = "public" }]) => !["public", "ingest"].includes(permission))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(Object.keys(TABLE).sort()).toEqual(operations.sort());
});

test.each(Object.entries(TABLE))("%s: %s", async (operation, expected) => {
  const outcomes: string[] = [];
  for (const role of ROLES) outcomes.push(await outcomeOf(operation, role));
  expect(outcomes.join(" ")).toBe(expected);
});

/** Of an operation as somebody asks for it: on a thing of the vault that is new each time. */
async function outcomeOf(operation: string, role: (typeof ROLES)[number]): Promise<string> {
  const [method, path] = operation.split(" ") as [string, string];
  // The stream of somebody who may read it does not end.
  const isStream = path.endsWith("/stream");
  if (isStream && expectsOk(operation, role)) return "ok";
  const url = await filled(path, method);
  const payload = await BODIES[operation]?.();
  const response = await send(role, method, url, payload);
  const { statusCode } = response;
  expect([operation, role, statusCode < 500 || statusCode === 503]).toEqual([operation, role, true]);
  if (statusCode === 403) expect(response.json().code).toBe("insufficient_role");
  return statusCode === 403 || statusCode === 404 ? String(statusCode) : "ok";
}

const expectsOk = (operation: string, role: (typeof ROLES)[number]) =>
  TABLE[operation]?.split(" ")[ROLES.indexOf(role)] === "ok";

async function filled(path: string, method: string): Promise<string> {
  const id = path.startsWith("/api/v1/notification-channels/")
    ? await boundChannel()
    : path.startsWith("/api/v1/alerts/")
      ? await firingAlert()
      : path.startsWith("/api/v1/silences/")
        ? (await send("primary", "POST", "/api/v1/silences", silence)).json().id
        : path.startsWith("/api/v1/audit/logs/") || path.startsWith("/api/v1/audit/bundle/")
          ? entryId
          : NOBODYS_ID;
  const values: Record<string, string> = {
    id,
    chain_id: String(CHAIN),
    address: VAULT,
    vault_address: VAULT,
    vault: VAULT,
    vault_id: `${CHAIN}:${VAULT}`,
    wallet: path.endsWith("/members/{wallet}") ? await viewer() : VAULT,
    intent_id: "intent-1",
    channel_id: path.endsWith("{channel_id}") ? await boundChannel() : NOBODYS_ID,
  };
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] as string));
  const isList =
    method === "GET" &&
    !path.includes("{") &&
    !/auth|notification|webhooks|services|verification|proof/.test(path);
  return isList && path !== "/api/v1/vaults" ? `${url}?chain_id=${CHAIN}&vault_address=${VAULT}` : url;
}

async function boundChannel(): Promise<string> {
  await database.db.pool.query("delete from notification_channels");
  const { id } = (await send("primary", "POST", "/api/v1/notification-channels", MAIL)).json();
  const bound = `/api/v1/vaults/${CHAIN}/${VAULT}/notification-channels/${id}`;
  expect((await send("primary", "POST", bound, {})).statusCode).toBe(201);
  return id;
}

/** A wallet that may see the vault, to be let in or taken out. */
async function viewer(): Promise<Address> {
  await send("primary", "PUT", `${members}/${testAddress(20)}`, { role: "view_only" });
  return testAddress(20);
}

async function firingAlert(): Promise<string> {
  const { rows } = await database.db.pool.query(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details,
       content_hash, conditions, is_unconfirmed, started_at, last_seen_at)
     values (gen_random_uuid(), $1, $2, 'keeper_run', gen_random_uuid()::text, 'engine', 'warning', 't', 'm', 'n', '{}',
       '', '{}', false, '2026-05-01', '2026-05-01')
     returning id`,
    [CHAIN, VAULT],
  );
  return rows[0].id;
}

test("an operator's webhooks and bindings count while the wallet operates the vault, and no longer", async () => {
  const { pool } = database.db;
  const operators = async () =>
    (
      await pool.query("select wallet from vault_operators where vault_address = $1 order by wallet", [VAULT])
    ).rows.map(({ wallet }) => wallet);
  expect(await operators()).toEqual([WALLETS.primary, WALLETS.secondary, WALLETS.operator]);
  await pool.query("delete from notification_channels");
  const { id } = (await send("operator", "POST", "/api/v1/notification-channels", MAIL)).json();
  const bindings = `/api/v1/vaults/${CHAIN}/${VAULT}/notification-channels`;
  expect((await send("operator", "POST", `${bindings}/${id}`, {})).statusCode).toBe(201);
  const isUnconfirmed = async () => (await send("primary", "GET", bindings)).json()[0].needs_confirmation;
  expect(await isUnconfirmed()).toBe(false);
  const hook = { url: "https://93.184.215.14/", vaults: [`${CHAIN}:${VAULT}`] };
  const { id: targetId } = (await send("operator", "POST", "/api/v1/webhooks", hook)).json();
  const delivery = { id: NOBODYS_ID, targetId, chainId: CHAIN, vaultAddress: VAULT };
  expect([...(await deliveriesOfOthers(database.db, [delivery]))]).toEqual([]);
  await send("primary", "DELETE", `${members}/${WALLETS.operator}`);
  expect(await operators()).toEqual([WALLETS.primary, WALLETS.secondary]);
  expect(await isUnconfirmed()).toBe(true);
  expect([...(await deliveriesOfOthers(database.db, [delivery]))]).toEqual([NOBODYS_ID]);
});

test("governance is quieted by managers alone, and so is everything at once where it is among it", () => {
  expect(needsManager("governance")).toBe(true);
  expect(needsManager("upkeep")).toBe(false);
  expect(needsManager(null, ["upkeep", "governance"])).toBe(true);
  expect(needsManager(null, ["upkeep"])).toBe(false);
});
