// What stands in the database, as Prometheus is told of it: counted from rows, and without a value where the database does not say.
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { kyselyOver } from "../platform/db/db.ts";
import { addReadinessMetric, addStandingMetrics } from "./standing-metrics.ts";

const [FINE, FAILING] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The lines of one metric. */
async function linesOf(name: string, kysely = database.db.kysely): Promise<string[]> {
  const registry = new Registry();
  addStandingMetrics(registry, { kysely });
  return (await registry.metrics())
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

it("an empty database has nothing that waits", async () => {
  expect(await linesOf("vaultops_audit_entries")).toEqual(["vaultops_audit_entries 0"]);
  expect(await linesOf("vaultops_audit_signed_timestamp_seconds")).toEqual([]);
  expect(await linesOf("vaultops_events_waiting_seconds")).toEqual(["vaultops_events_waiting_seconds 0"]);
  expect(await linesOf("vaultops_deliveries_waiting")).toEqual([
    'vaultops_deliveries_waiting{queue="channel"} 0',
    'vaultops_deliveries_waiting{queue="webhook"} 0',
  ]);
  expect(await linesOf("vaultops_alerts_open")).toEqual([]);
});

it("counts what is due, but for targets that fail", async () => {
  const { pool } = database.db;
  await pool.query("insert into delivery_targets (target_id, failing_since) values ($1, null), ($2, now())", [
    FINE,
    FAILING,
  ]);
  await pool.query(
    `insert into deliveries (id, queue, target_id, key, event_type, chain_id, vault_address, body, status, due_at, created_at)
     select gen_random_uuid(), 'webhook', target, key, 'pps.updated', 1, '0x00', '{}', status, now() + due * interval '1 minute', now()
       from (values ($1::uuid, 'late', 'pending', -10), ($1, 'again', 'failed', -1), ($1, 'later', 'failed', 5),
                    ($1, 'sent', 'delivered', -10), ($2, 'failing', 'failed', -60)) d (target, key, status, due)`,
    [FINE, FAILING],
  );
  expect(await linesOf("vaultops_deliveries_waiting")).toContain(
    'vaultops_deliveries_waiting{queue="webhook"} 2',
  );
  const [, oldest = ""] = await linesOf("vaultops_deliveries_waiting_seconds");
  expect(Number(oldest.split(" ")[1])).toBeGreaterThanOrEqual(600);
});

it("says nothing where the database does not answer", async () => {
  const away = kyselyOver({ query: () => Promise.reject(new Error("away")) });
  expect(await linesOf("vaultops_audit_entries", away)).toEqual([]);
  expect(await linesOf("vaultops_deliveries_waiting", away)).toEqual([]);
});

it("gives each part of /readyz a number", async () => {
  const registry = new Registry();
  const checks = (["ok", "degraded", "failed"] as const).map((state) => ({
    name: state,
    state,
    detail: null,
  }));
  addReadinessMetric(registry, { report: async () => ({ isReady: false, checks }) });
  const lines = (await registry.metrics()).split("\n").filter((line) => line.includes("check="));
  expect(lines).toEqual([
    'vaultops_readiness_state{check="ok"} 0',
    'vaultops_readiness_state{check="degraded"} 1',
    'vaultops_readiness_state{check="failed"} 2',
  ]);
});
