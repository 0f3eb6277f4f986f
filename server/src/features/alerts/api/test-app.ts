// The alerts' routes over a real database, with vaults of two managers, a viewer and a maintainer.
import type { FastifyInstance, InjectOptions } from "fastify";
import type { Address } from "viem";
import { buildTestApp } from "../../../../test/app.ts";
import { as, plainTokenGuard } from "../../../../test/caller.ts";
import {
  acceptAll,
  addBlocks,
  addChain,
  addVault,
  confirm,
  testAddress,
} from "../../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/database.ts";
import { testDispatchCalls } from "../../../../test/dispatch-calls.ts";
import { createVaultAccess } from "../../../auth/vaults.ts";
import { loadConfig } from "../../../config/load.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import type { AlertCategory } from "../../../monitors/categories.ts";
import { silentLogger } from "../../../platform/log.ts";
import { alertsFeature } from "../feature.ts";

export const CHAIN = 8453;
export const VAULT = testAddress(0x100);
export const FOREIGN = testAddress(0x200);
export const [PRIMARY, SECONDARY, VIEWER, STRANGER, MAINTAINER, NEWCOMER] = [1, 2, 3, 4, 5, 6].map(
  testAddress,
) as [Address, Address, Address, Address, Address, Address];
export const NOBODY_ID = "00000000-0000-4000-8000-000000000000";
export const NOW = Date.parse("2026-05-09T10:00:00Z");

export interface AlertsApp {
  database: TestDatabase;
  app: FastifyInstance;
  clock: { ms: number; now(): number };
  ask(
    method: "GET" | "PUT" | "POST" | "DELETE",
    url: string,
    by: Address | null,
    options?: { body?: unknown; scope?: "full" | "read"; headers?: Record<string, string> },
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  ): Promise<{ status: number; body: any; headers: Record<string, unknown> }>;
  /** An alert as an evaluation leaves it; returns its id. */
  addAlert(more?: {
    vault?: Address;
    chainId?: number;
    category?: AlertCategory;
    subject?: string;
    severity?: AlertSeverity;
    startedAt?: string;
    resolvedAt?: string;
  }): Promise<string>;
  /** Takes back what a test has made. */
  reset(): Promise<void>;
  /** Audit entries since, oldest first. */
  entries(): Promise<
    { action_type: string; vault_address: string; chain_id: number; actor_wallet: string; details: unknown }[]
  >;
  close(): Promise<void>;
}

export async function openAlertsApp(): Promise<AlertsApp> {
  const database = await createTestDatabase();
  const { db } = database;
  await addChain(db, CHAIN, 5);
  await addBlocks(db, CHAIN, 1, 9);
  for (const vault of [VAULT, FOREIGN]) await addVault(db, CHAIN, vault);
  await db.pool.query(
    `insert into vault_roles (chain_id, vault_address, wallet, role, from_block) values
      ($1, $2, $3, 'primary_manager', null), ($1, $2, $4, 'secondary_manager', 2), ($1, $5, $6, 'primary_manager', 1)`,
    [CHAIN, VAULT, PRIMARY, SECONDARY, FOREIGN, STRANGER],
  );
  await db.pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4)",
    [CHAIN, VAULT, VIEWER, PRIMARY],
  );
  await acceptAll(db);
  await confirm(db, CHAIN, 5);
  const clock = { ms: NOW, now: () => clock.ms };
  const feature = alertsFeature({
    db,
    clock,
    log: silentLogger(),
    notifier: { listen() {}, async close() {} },
    metrics: undefined as never,
    vaults: createVaultAccess(db),
    publicUrl: "https://vaultops.example",
    rules: loadConfig({ env: {} }).alerts.rules,
    chains: [],
    calls: testDispatchCalls(db),
    historyDays: 400,
  });
  const app = await buildTestApp({ features: [feature], guard: plainTokenGuard(db, [MAINTAINER]), clock });
  let alerts = 0;
  let lastSeq = 0;
  return {
    database,
    app,
    clock,
    async ask(method, url, by, { body, scope = "full", headers } = {}) {
      const response = await app.inject({
        method,
        url,
        headers: { ...as(by, scope), ...headers },
        ...(body === undefined ? {} : { payload: body as InjectOptions["payload"] }),
      } as InjectOptions);
      return {
        status: response.statusCode,
        body: response.body === "" ? null : response.json(),
        headers: response.headers,
      };
    },
    async addAlert(more = {}) {
      alerts += 1;
      const { rows } = await db.pool.query<{ id: string }>(
        `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
           conditions, is_unconfirmed, started_at, last_seen_at, resolved_at)
         values (gen_random_uuid(), $1, $2, $3, $4, 'engine', $5, 'Title', 'Message.', 'Do.', '{"a": 1}', '', '{}', false, $6, $6, $7) returning id`,
        [
          more.chainId ?? CHAIN,
          more.vault ?? VAULT,
          more.category ?? "keeper_run",
          more.subject ?? `service ${alerts}`,
          more.severity ?? "warning",
          more.startedAt ?? "2026-05-09T09:00:00Z",
          more.resolvedAt ?? null,
        ],
      );
      return rows[0]!.id;
    },
    async entries() {
      const text = "select body from audit_entries where seq > $1 order by seq";
      const { rows } = await db.pool.query<{ body: string }>(text, [lastSeq]);
      return rows.map(({ body }) => {
        const { action_type, vault_address, chain_id, actor_wallet, details } = JSON.parse(body);
        return { action_type, vault_address, chain_id, actor_wallet, details };
      });
    },
    async reset() {
      clock.ms = NOW;
      alerts = 0;
      await database.owner.pool.query("truncate alerts, silences, alert_rules");
      await confirm(db, CHAIN, 5);
      const { rows } = await db.pool.query("select coalesce(max(seq), 0) as seq from audit_entries");
      lastSeq = rows[0].seq;
    },
    async close() {
      await app.close();
      await database.drop();
    },
  };
}
