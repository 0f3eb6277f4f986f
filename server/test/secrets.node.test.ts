// A secret of every kind that the service is given or gives out, in the whole service over real HTTP; then everything that it says or keeps
// is searched for them. Those of channels and mail are looked for in features/channels/send/secrets.db.test.ts.
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addressOf, demoAccount } from "../../demo/src/accounts.ts";
import { type Anvil, startAnvil } from "../../demo/src/anvil.ts";
import { connectChain } from "../../demo/src/chain.ts";
import { createTrio, deployAggregator, deployToken } from "../../demo/src/deploy.ts";
import { writeSigner } from "../src/audit/tree/signer.ts";
import { makeIssuerKey } from "../src/auth/issuer/keys.ts";
import { tokenCommand } from "../src/cli/sign-in.ts";
import { loadConfig } from "../src/config/load.ts";
import { systemClock } from "../src/platform/clock.ts";
import { createLogger } from "../src/platform/log.ts";
import { createToken } from "../src/reports/tokens.ts";
import { type Service, startService } from "../src/service/start.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

const CHAIN_ID = 84_531;
const SOURCE = "/engine/main";

let node: Anvil;
let database: TestDatabase;
let service: Service;
let dir: string;
let collector: Server;
const spans: string[] = [];
const lines: string[] = [];
const answers: string[] = [];
/** By kind. */
const secrets: Record<string, string> = {};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-secrets-"));
  node = await startAnvil({ chainId: CHAIN_ID });
  const chain = await connectChain(node.rpcUrl);
  const system = await deployAggregator(chain);
  const asset = await deployToken(chain, { name: "USD Coin", symbol: "USDC", decimals: 6 });
  await createTrio(chain, system, { asset, name: "One", symbol: "ONE" });
  database = await createTestDatabase();
  secrets["configured ingest token"] = randomBytes(32).toString("base64url");
  secrets["key of an RPC URL"] = `rpc-key-${randomBytes(12).toString("hex")}`;
  secrets["password of the database"] = new URL(database.url).password;
  secrets["key that seals secrets"] = randomBytes(32).toString("base64");
  secrets["admin token"] = randomBytes(24).toString("hex");
  secrets["header of the collector"] = randomBytes(24).toString("hex");
  const issuerKey = (await makeIssuerKey(systemClock)).trim();
  secrets["key of the identity provider"] = JSON.parse(issuerKey).jwk.d;
  const signingKey = writeSigner("vaultops.test/audit", randomBytes(32)).trim();
  secrets["key of the audit log"] = signingKey.split("+").slice(4).join("+");
  const config = loadConfig({
    env: {
      VAULTOPS_HTTP__PORT: "0",
      VAULTOPS_ADMIN__PORT: "0",
      VAULTOPS_DATA_DIR: join(dir, "service"),
      VAULTOPS_DATABASE__URL: database.url,
      VAULTOPS_DATABASE__OWNER_URL: database.ownerUrl,
      VAULTOPS_AUTH__EMBEDDED__ENABLED: "true",
      VAULTOPS_SECRETS__KEYS: secrets["key that seals secrets"],
      VAULTOPS_EGRESS__ALLOW_HTTP: "true",
      VAULTOPS_ADMIN__TOKEN: secrets["admin token"],
      VAULTOPS_AUTH__EMBEDDED__KEYS: issuerKey,
      VAULTOPS_AUDIT__SIGNING_KEYS: signingKey,
      VAULTOPS_TELEMETRY__OTLP_URL: await startCollector(),
      VAULTOPS_TELEMETRY__OTLP_HEADERS: `x-key=${secrets["header of the collector"]}`,
      VAULTOPS_INGEST__TOKENS: JSON.stringify([
        { source: SOURCE, token_sha256: sha256(secrets["configured ingest token"]), chains: [], vaults: [] },
      ]),
      VAULTOPS_CHAINS: JSON.stringify([
        {
          chain_id: CHAIN_ID,
          name: "Test chain",
          rpc_urls: [
            `http://127.0.0.1:9/${secrets["key of an RPC URL"]}`,
            `${node.rpcUrl}/?key=${secrets["key of an RPC URL"]}`,
          ],
          confirmations: 0,
          sources: [{ family: "supervault", aggregator: system.aggregator }],
        },
      ]),
    },
  });
  const destination = { write: (line: string) => void lines.push(line) };
  service = await startService(
    config,
    createLogger({ level: "trace", destination: destination as pino.DestinationStream }),
  );
}, 600_000);

afterAll(async () => {
  await service?.lifecycle.stop("the test ends");
  await database?.drop();
  await node?.stop();
  await new Promise((resolve) => collector.close(resolve).closeAllConnections());
  await rm(dir, { recursive: true, force: true });
});

/** Takes traces, and keeps what they say. */
async function startCollector(): Promise<string> {
  collector = createServer(async (request, response) => {
    for await (const chunk of request) spans.push(String(chunk));
    response.end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function ask(
  method: string,
  path: string,
  { bearer, body, type = "application/json", isKept = true }: Asked = {},
): Promise<Response> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { "content-type": type }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (isKept) answers.push(`${JSON.stringify([...response.headers])} ${await response.clone().text()}`);
  return response;
}

interface Asked {
  bearer?: string;
  body?: unknown;
  type?: string;
  /** False for the one answer that is to tell a secret. */
  isKept?: boolean;
}

test("a secret of every kind is found in no log line, error, answer, audit entry, metric, span or row", async () => {
  const known = async () => ((await (await ask("GET", "/api/v1/public/vaults")).json()) as unknown[]).length;
  await expect.poll(known, { timeout: 120_000 }).toBe(1);
  await useTokens();
  await useSessions();
  await useWebhooks();
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  const handedOn = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${secrets["admin token"]}x` };
  expect((await fetch(`${service.adminUrl}/metrics`, { headers: handedOn })).status).toBe(401);
  await service.lifecycle.stop("the test has asked everything");

  const places = {
    "the log": lines.join("\n"),
    "an answer": answers.join("\n"),
    "a metric": metrics,
    "a row": await rows(),
    "a span": spans.join(""),
  };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(100);
    for (const [kind, secret] of Object.entries(secrets)) {
      expect(secret.length, kind).toBeGreaterThanOrEqual(8);
      // The part that is secret in any case: of a JWT its signature, of a webhook's secret what follows its prefix.
      for (const part of [secret, secret.slice(-24)]) {
        const at = text.indexOf(part);
        expect(at === -1 ? "" : text.slice(Math.max(0, at - 120), at + 40), `${kind} in ${place}`).toBe("");
      }
    }
  }
  // Keys that were given from outside stand nowhere on the disk either.
  for (const file of await readdir(join(dir, "service"), { recursive: true, withFileTypes: true }))
    if (file.isFile())
      for (const kind of ["key that seals secrets", "key of the identity provider", "key of the audit log"])
        expect(await readFile(join(file.parentPath, file.name), "utf8"), kind).not.toContain(secrets[kind]);
}, 600_000);

/** Ingest tokens where they belong and where they do not. */
async function useTokens(): Promise<void> {
  const made = await createToken(database.db, { name: "test", source: SOURCE, chains: [], vaults: [] });
  secrets["ingest token"] = made.token;
  for (const token of [made.token, secrets["configured ingest token"] as string]) {
    const batch = { type: "application/cloudevents-batch+json", bearer: token };
    expect((await ask("POST", "/api/v1/ingest/events", { ...batch, body: [] })).status).toBe(200);
    await ask("POST", "/api/v1/ingest/events", {
      ...batch,
      body: [{ id: token, source: "x" }, 7],
      isKept: false,
    });
    await ask("POST", `/api/v1/ingest/events?token=${token}`, { ...batch, body: [] });
    await ask("POST", "/api/v1/ingest/events", { ...batch, bearer: `${token}x`, body: [] });
    await ask("GET", "/api/v1/auth/me", { bearer: token });
    // Whoever sends it as a path reads it back, and nobody else.
    await ask("GET", `/api/v1/${token}`, { isKept: false });
  }
}

/** A session's token, sound, altered and astray. */
async function useSessions(): Promise<void> {
  const { privateKey } = demoAccount(0);
  secrets["private key"] = privateKey.slice(2);
  const jwt = await tokenCommand({ baseUrl: service.url as string, privateKey });
  secrets.JWT = jwt;
  expect((await ask("GET", "/api/v1/auth/me", { bearer: jwt })).status).toBe(200);
  for (const bearer of [`${jwt}x`, jwt.slice(0, -3), `${jwt}.${jwt}`])
    await ask("GET", "/api/v1/auth/me", { bearer });
  for (const path of [`/api/v1/auth/me?access_token=${jwt}`, `/api/v1/intents/${jwt.slice(-150)}`])
    await ask("GET", path);
  await ask("POST", "/api/v1/ingest/events", {
    bearer: jwt,
    body: [],
    type: "application/cloudevents-batch+json",
  });
  await ask("POST", "/identity/token", {
    body: { address: addressOf("stranger"), challenge_id: jwt, signature: "0x00" },
  });
}

/** An endpoint whose receiver is away, tried, changed and rotated: its secret is told once, when it is made. */
async function useWebhooks(): Promise<void> {
  const bearer = secrets.JWT as string;
  const made = await ask("POST", "/api/v1/webhooks", {
    bearer,
    body: { url: "https://hooks.example.org/in", description: "test" },
    isKept: false,
  });
  expect(made.status).toBe(201);
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  secrets["webhook secret"] = secret;
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { description: "another" }],
    ["PATCH", "", { description: secret.slice(0, 0), unknown: true }],
    ["GET", "/deliveries", undefined],
  ] as const)
    await ask(method, `/api/v1/webhooks/${id}${path}`, { bearer, ...(body === undefined ? {} : { body }) });
  await ask("GET", "/api/v1/webhooks", { bearer });
  await ask("GET", "/api/v1/audit/logs?limit=1000", { bearer });
  await ask("DELETE", `/api/v1/webhooks/${id}`, { bearer });
}

/** Every row of every table, as text. */
async function rows(): Promise<string> {
  const { pool } = database.owner;
  const { rows: tables } = await pool.query(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows: texts } = await pool.query(`select t::text as text from ${name} t`);
    parts.push(...texts.map(({ text }) => `${name} ${text}`));
  }
  return parts.join("\n");
}
