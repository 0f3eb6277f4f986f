// What becomes of alerts whose chain or vault the configuration names no more, and of those that were resolved long ago.
import { afterAll, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addPause,
  CHAIN,
  NOW,
  OTHER,
  openAlertWorld,
  VAULT,
} from "../../../../test/alerts.ts";
import type { WatchedChain } from "../system/system-state.ts";
import { evaluateArea } from "./evaluation.ts";
import { pruneAlerts } from "./prune.ts";

let world: AlertWorld | undefined;

beforeEach(async () => {
  await world?.drop();
  world = await openAlertWorld();
});
afterAll(() => world?.drop());

/** Under the name that the test's own rows have. */
async function sourceOf({ db }: AlertWorld, vault: string) {
  const { rows } = await db.pool.query(
    "select family, source_address as address from vaults where chain_id = $1 and address = $2",
    [CHAIN, vault],
  );
  return rows[0] as { family: string; address: string };
}

async function armed({ db }: AlertWorld, vault: string): Promise<void> {
  await db.pool.query(
    `insert into vault_reports (chain_id, vault_address, kind, data, reported_at)
     values ($1, $2, 'emergency_exit', '{"is_armed": true, "since": null, "by": null}', now())`,
    [CHAIN, vault],
  );
}

it("an alert of a vault that is followed no more is resolved and told, with the reason, once; others stay", async () => {
  const w = world as AlertWorld;
  await w.db.pool.query("update vaults set source_address = address where chain_id = $1", [CHAIN]);
  await addPause(w.db, { block: 9 });
  await addPause(w.db, { block: 9, vault: OTHER }).catch(() => addPause(w.db, { block: 10, vault: OTHER }));
  for (const vault of [VAULT, OTHER]) await armed(w, vault);
  await w.evaluate();
  await w.evaluate("engine");
  await w.notices();
  expect(await w.alerts("resolved_at is null")).toHaveLength(4);

  const chain: WatchedChain = { chainId: CHAIN, maxLagSeconds: 300, sources: [await sourceOf(w, OTHER)] };
  const evaluate = (area: Parameters<typeof evaluateArea>[1]) =>
    evaluateArea({ ...w.parts, chains: [chain] }, area, w.clock.now());
  for (const area of [{ chainId: CHAIN }, "engine", "system"] as const) await evaluate(area);
  const events = await w.events();
  expect(events.map(({ type, vault_address }) => `${type} ${vault_address}`)).toEqual([
    `alert.resolved ${VAULT}`,
    `alert.resolved ${VAULT}`,
  ]);
  for (const { data } of events) {
    expect(data.message).toMatch(/configuration no longer names its chain or its vault/);
    expect(data.details).toMatchObject({ resolved_because: "not_followed" });
    expect(data.is_withdrawn).toBe(false);
  }
  // What is still reported of it opens nothing again; named again, it is judged again.
  for (const area of [{ chainId: CHAIN }, "engine", "system"] as const) await evaluate(area);
  expect(await w.events()).toEqual([]);
  expect((await w.alerts("resolved_at is null")).map(({ vault_address }) => vault_address)).toEqual([
    OTHER,
    OTHER,
  ]);
  await w.evaluate("engine");
  expect(await w.notices()).toEqual(["alert.firing emergency_exit/exit"]);
});

it("the alerts of a chain that is configured no more are resolved with the reason, though nobody judges the chain", async () => {
  const w = world as AlertWorld;
  await addPause(w.db, { block: 9 });
  await w.evaluate();
  await w.notices();
  await evaluateArea({ ...w.parts, chains: [] }, "system", w.clock.now());
  const [event, ...more] = await w.events();
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: "alert.resolved",
    vault_address: VAULT,
    data: { details: { resolved_because: "not_followed" } },
  });
  await evaluateArea({ ...w.parts, chains: [] }, "system", w.clock.now());
  expect(await w.events()).toEqual([]);
});

it("alerts resolved and silences ended longer ago than is kept are forgotten; what is open stays, however old", async () => {
  const w = world as AlertWorld;
  const at = (daysAgo: number) => new Date(NOW - daysAgo * 86_400_000).toISOString();
  const add = (subject: string, started: string, resolved: string | null) =>
    w.db.pool.query(
      `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
         conditions, is_unconfirmed, started_at, last_seen_at, resolved_at)
       values (gen_random_uuid(), $1, $2, 'keeper_run', $3, 'engine', 'warning', 'T', 'M', 'N', '{}', '', '{}', false, $4, $4, $5)`,
      [CHAIN, VAULT, subject, started, resolved],
    );
  await add("old", at(500), at(401));
  await add("kept", at(500), at(399));
  await add("open", at(900), null);
  for (const [reason, days] of [
    ["old", 401],
    ["kept", 399],
  ] as const)
    await w.db.pool.query(
      `insert into silences (id, chain_id, vault_address, reason, created_by, created_at, ends_at)
       values (gen_random_uuid(), $1, $2, $3, $2, $4, $5)`,
      [CHAIN, VAULT, reason, at(500), at(days)],
    );
  expect(await pruneAlerts({ db: w.db, clock: w.clock, historyDays: 400 })).toBe(1);
  expect((await w.alerts()).map(({ subject }) => subject).sort()).toEqual(["kept", "open"]);
  expect((await w.db.pool.query("select reason from silences")).rows).toEqual([{ reason: "kept" }]);
  expect(await pruneAlerts({ db: w.db, clock: w.clock, historyDays: 400 })).toBe(0);
});
