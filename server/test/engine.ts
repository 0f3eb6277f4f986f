// The engine's half under test: an app with its routes, two vaults, and engines that report to it.
import type { FastifyInstance } from "fastify";
import type { Address } from "viem";
import { type Clock, systemClock } from "../src/platform/clock.ts";
import type { Database } from "../src/platform/db/db.ts";
import { timestampOfMs } from "../src/platform/http/time.ts";
import { silentLogger } from "../src/platform/log.ts";
import type { EventData, EventType } from "../src/reports/events.ts";
import { createToken } from "../src/reports/tokens.ts";
import { engineFeature } from "../src/service/engine.ts";
import { buildTestApp } from "./app.ts";
import { plainTokenGuard } from "./caller.ts";
import { addChain, addVault, testAddress } from "./chain-rows.ts";

export const CHAIN = 8453;
export const VAULT = testAddress(0x100);
export const OTHER = testAddress(0x200);
export const VAULT_ID = `${CHAIN}:${VAULT}`;
export const OTHER_ID = `${CHAIN}:${OTHER}`;
/** Manages VAULT. */
export const MANAGER = testAddress(1);
/** Manages OTHER. */
export const STRANGER = testAddress(2);
export const SOURCE = "/engine/main";

export interface EngineTest {
  app: FastifyInstance;
  /** Of SOURCE, for everything. */
  token: string;
  /** Sends a batch and returns the results. */
  report(events: readonly unknown[], token?: string): Promise<ReportResult[]>;
  get(
    url: string,
    wallet?: Address,
  ): Promise<{ status: number; body: ReturnType<typeof JSON.parse>; headers: Record<string, unknown> }>;
}

export interface ReportResult {
  source: string | null;
  id: string | null;
  status: "accepted" | "duplicate" | "rejected";
  retry?: boolean;
  problem?: { code: string; detail: string; errors?: { path: string; message: string }[] };
}

/** Two vaults of two managers on a migrated database. */
export async function addTwoVaults(db: Database): Promise<void> {
  await addChain(db, CHAIN, 1);
  await addVault(db, CHAIN, VAULT);
  await addVault(db, CHAIN, OTHER);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role) values
      ($1, $2, $3, 'primary_manager'), ($1, $4, $5, 'primary_manager')`,
    [CHAIN, VAULT, MANAGER, OTHER, STRANGER],
  );
}

export function buildEngineApp(
  db: Database,
  options: { clock?: Clock; requestsPerToken?: number } = {},
): Promise<FastifyInstance> {
  const { clock = systemClock, requestsPerToken = 1e9 } = options;
  const feature = engineFeature({
    db,
    clock,
    log: silentLogger(),
    tokens: [],
    requestsPerToken,
    historyDays: 90,
  });
  return buildTestApp({ features: [feature], guard: plainTokenGuard(db, []), clock });
}

export async function startEngineTest(
  db: Database,
  options: { clock?: Clock; requestsPerToken?: number } = {},
): Promise<EngineTest> {
  await addTwoVaults(db);
  const { token } = await createToken(db, { name: "test", source: SOURCE, chains: [], vaults: [] });
  const app = await buildEngineApp(db, options);
  return {
    app,
    token,
    async report(events, by = token) {
      const response = await post(app, events, { token: by });
      if (response.statusCode !== 200) throw new Error(response.body);
      return response.json().results;
    },
    async get(url, wallet = MANAGER) {
      const response = await app.inject({
        method: "GET",
        url,
        headers: { authorization: `Bearer full:${wallet}` },
      });
      return { status: response.statusCode, body: response.json(), headers: response.headers };
    },
  };
}

/** Posts a batch, or with `type` whatever else. */
export function post(
  app: FastifyInstance,
  payload: unknown,
  options: { token?: string | null; type?: string | null; headers?: Record<string, string> } = {},
) {
  const { token, type = "application/cloudevents-batch+json", headers } = options;
  return app.inject({
    method: "POST",
    url: "/api/v1/ingest/events",
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(type === null ? {} : { "content-type": type }),
      ...headers,
    },
    payload: typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  });
}

let count = 0;

/** An event of SOURCE about VAULT, now; `subject` null: of no vault. */
export function event<T extends EventType>(
  type: T,
  data: EventData<T>,
  more: { id?: string; time?: string; subject?: string | null; source?: string } = {},
) {
  const { subject = VAULT_ID, ...rest } = more;
  return {
    specversion: "1.0",
    id: `event-${String(count++).padStart(8, "0")}`,
    source: SOURCE,
    type,
    time: new Date().toISOString(),
    ...(subject === null ? {} : { subject }),
    data,
    ...rest,
  };
}

/** A clock that stands where it is put. */
export function heldClock(startMs: number): Clock & { ms: number; at(seconds: number): string } {
  const clock = {
    ms: startMs,
    now: () => clock.ms,
    /** The time so many seconds after the start, in the API's form. */
    at: (seconds: number) => timestampOfMs(startMs + seconds * 1000),
  };
  return clock;
}
