// Emergency exits as events: told once with the report that makes them true, and not by a report that is refused or repeated.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { addTwoVaults, VAULT_ID } from "../../../test/engine.ts";
import { systemClock } from "../../platform/clock.ts";
import { silentLogger } from "../../platform/log.ts";
import type { Report } from "../../reports/handler.ts";
import { ReportWriter } from "../../reports/writer.ts";
import { HANDLERS } from "../../service/report-handlers.ts";
import { parseVaultId, type VaultRef } from "../../vault.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await addTwoVaults(database.db);
});
afterAll(() => database.drop());

const ACTOR = "0x0000000000000000000000000000000000000001";

test("armed and stopped are events, a session key is none, a repeated report tells nothing again", async () => {
  const { db } = database;
  const writer = new ReportWriter({ db, clock: systemClock, log: silentLogger(), handlers: HANDLERS });
  const report = (id: string, action_type: string, second: string): Report<"vaultops.action"> =>
    ({
      type: "vaultops.action",
      source: "/engine",
      id,
      time: `2026-05-01T00:00:${second}.000000Z`,
      vault: parseVaultId(VAULT_ID) as VaultRef,
      data: { action_type, actor_wallet: ACTOR, details: { reason: "drill" } },
    }) as Report<"vaultops.action">;
  const reports = [
    report("1", "emergency_exit_arm", "01"),
    report("2", "session_key_grant", "02"),
    report("3", "emergency_exit_stop", "03"),
  ];
  await writer.write(reports);
  await writer.write([report("1", "emergency_exit_arm", "01")]);
  await db.pool.query("delete from engine_report_ids");
  await writer.write(reports);

  const { rows } = await db.pool.query(
    "select type, chain_id || ':' || vault_address as vault, at, data from events order by seq",
  );
  const data = JSON.stringify({ actor_wallet: ACTOR, source: "/engine", details: { reason: "drill" } });
  expect(rows).toEqual([
    { type: "emergency_exit.armed", vault: VAULT_ID, at: "2026-05-01T00:00:01.000000Z", data },
    { type: "emergency_exit.stopped", vault: VAULT_ID, at: "2026-05-01T00:00:03.000000Z", data },
  ]);
});
