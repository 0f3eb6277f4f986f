// The worker: what wakes it, that it does not spin, that one area's fault is not another's, and that another worker takes over.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type AlertWorld,
  addPause,
  addState,
  CHAIN,
  hear,
  openAlertWorld,
  VAULT,
} from "../../../../test/alerts.ts";
import { systemClock } from "../../../platform/clock.ts";
import { createNotifier, type Notifier } from "../../../platform/db/notifier.ts";
import { silentLogger } from "../../../platform/log.ts";
import { nameOfArea } from "./evaluation.ts";
import { evaluationTask } from "./worker.ts";

let world: AlertWorld;
let notifier: Notifier;
const running: Worker[] = [];
let hearing: NodeJS.Timeout;

beforeEach(async () => {
  world = await openAlertWorld();
  notifier = createNotifier(world.db);
  // No chain is late: the worker's clock is the real one, the chain's is not.
  world.parts = { ...world.parts, chains: [{ chainId: CHAIN, maxLagSeconds: 1e9 }] };
  await hear(world.db, Date.now());
  hearing = setInterval(() => void hear(world.db, Date.now()).catch(() => {}), 500);
});
afterEach(async () => {
  clearInterval(hearing);
  await Promise.all(running.splice(0).map((worker) => worker.stop()));
  await notifier.close();
  await world.drop();
});

interface Worker {
  /** How often each area was evaluated. */
  evaluations: Map<string, number>;
  stop(): Promise<void>;
}

function start(leaseMs = 60_000): Worker {
  const controller = new AbortController();
  const evaluations = new Map<string, number>();
  const done = evaluationTask({
    ...world.parts,
    db: world.db,
    clock: systemClock,
    log: silentLogger(),
    notifier,
    holder: randomUUID(),
    leaseMs,
    observe: (area) => {
      const name = nameOfArea(area);
      evaluations.set(name, (evaluations.get(name) ?? 0) + 1);
    },
  }).run(controller.signal);
  const worker = {
    evaluations,
    async stop() {
      controller.abort();
      await done;
    },
  };
  running.push(worker);
  return worker;
}

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 240_000; !(await isSo()); await sleep(10))
    if (Date.now() > deadline) throw new Error(`not ${what}`);
}

const evaluated = (worker: Worker) => until("all evaluated", () => worker.evaluations.size === 3);
const opened = (category: string) =>
  until(`${category} opened`, async () => (await world.alerts(`category = '${category}'`)).length > 0);

it("is woken by a new head, a report, a rule, and what is told of the service itself", async () => {
  const { db } = world;
  const worker = start();
  await evaluated(worker);
  await addPause(db, { block: 10 });
  await db.pool.query("select pg_notify('head', $1)", [JSON.stringify({ chain_id: CHAIN, number: 10 })]);
  await opened("emergency_pause");

  await db.pool.query(
    `insert into vault_reports (chain_id, vault_address, kind, data, reported_at) values ($1, $2, 'emergency_exit', '{"is_armed": true}', now())`,
    [CHAIN, VAULT],
  );
  await db.pool.query("select pg_notify('reports', '')");
  await opened("emergency_exit");

  await db.pool.query(
    `insert into alert_rules (chain_id, vault_address, rules, updated_by, updated_at) values ($1, $2, '{"emergency_pause": {"is_enabled": false}}', $2, now())`,
    [CHAIN, VAULT],
  );
  await db.pool.query("select pg_notify('alerts', '')");
  await until("resolved", async () => (await world.alerts("resolved_at is not null")).length === 1);

  await db.pool.query("insert into system_findings values ('audit_verification', 'broken', '{}', now())");
  await db.pool.query("select pg_notify('alerts', 'system')");
  await opened("system");
});

it("wakes by itself when time alone changes something, and does not look over and over until then", async () => {
  const { db } = world;
  const updatedAt = Math.floor(Date.now() / 1000) - 3598;
  await addState(db, { block: 7, lastUpdate: updatedAt, expirationSeconds: 3600 });
  const worker = start();
  await until("stale", async () => (await world.alerts("'stale' = any(conditions)")).length === 1);
  // Once at the start, once at the moment; a moment that two clocks see differently costs one or two more.
  expect(worker.evaluations.get(`chain:${CHAIN}`)).toBeLessThan(10);
});

it("goes on judging the other areas while one fails, and that one again once it can be judged", async () => {
  const { db } = world;
  await db.pool.query(
    `insert into services (chain_id, vault_address, name, settings, recent_failed) values ($1, $2, 'broken', '{"schedule_seconds": {"value": "often"}}', 1)`,
    [CHAIN, VAULT],
  );
  await addPause(db, { block: 10 });
  const worker = start();
  await opened("emergency_pause");
  await until("the system evaluated", () => worker.evaluations.has("system"));
  expect(worker.evaluations.has("engine")).toBe(false);
  await db.pool.query("update services set settings = '{}'");
  await until("the engine evaluated", () => worker.evaluations.has("engine"));
});

it("leaves the judging to the worker that has it, and takes over when that one stops", async () => {
  const first = start();
  await evaluated(first);
  const second = start(300);
  const { db } = world;
  const rounds = first.evaluations.get("engine") ?? 0;
  await db.pool.query("select pg_notify('reports', '')");
  await until("the first again", () => (first.evaluations.get("engine") ?? 0) > rounds);
  expect(second.evaluations.size).toBe(0);
  await first.stop();
  await evaluated(second);
});

it("takes over from one that is gone without a word, once its lease has run out", async () => {
  await world.db.pool.query(
    "update alert_lease set holder = gen_random_uuid(), expires_at = now() + interval '1 second'",
  );
  await evaluated(start(300));
});

it("never judges by an earlier time than the worker before it", async () => {
  const ahead = world.clock.ms + 50_000;
  world.clock.ms = ahead;
  await world.evaluate();
  world.clock.ms = ahead - 50_000;
  await addPause(world.db, { block: 10 });
  await world.evaluate();
  const [alert] = await world.alerts();
  expect(Date.parse(alert!.started_at)).toBe(ahead);
});
