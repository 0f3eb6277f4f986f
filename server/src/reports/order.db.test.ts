// What engines do to a service in bad times: eight of them at once, reports shuffled, doubled, late, bad ones among them, and the
// service killed meanwhile. In the end everything must stand as if the same reports had come in order, once.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { addTwoVaults, event, OTHER_ID, startEngineTest, VAULT_ID } from "../../test/engine.ts";
import { EVENT_TYPES } from "./events.ts";
import { createToken } from "./tokens.ts";

const ENGINES = 8;
const PER_ENGINE = 154;
const SECONDS_APART = 40;
const KILLS = 3;
const START = Date.UTC(2026, 4, 1);
const INTENT_PATH = ["RECEIVED", "ACKED", "PLANNED", "EXECUTING"] as const;
const INTENT_ENDS = ["EXECUTING", "COMPLETED", "ABORTED", "EXPIRED", "FAILED", "CANCELED"] as const;
const TOKEN = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;
const SERVICES = ["fulfill_redeems", "tx_manager", "own_service"];

interface Sent {
  id: string;
  [key: string]: unknown;
}

/** The same numbers for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * What engine number `n` has to tell, in the order of time, over more than an hour. All engines speak of the same services, jobs, shards, keys
 * and fills; an intent and an execution are one engine's.
 */
function reportsOf(n: number): Sent[] {
  const draw = random(n + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
  return Array.from({ length: PER_ENGINE }, (_, at) => {
    // Engines share seconds, so ties are decided by the id.
    const seconds = at * SECONDS_APART;
    const time = new Date(START + seconds * 1000).toISOString();
    const more = {
      id: `${String(at).padStart(4, "0")}-${n}`,
      source: `/engine/${n}`,
      time,
      subject: pick([VAULT_ID, VAULT_ID, OTHER_ID, null]),
    };
    const vault = { ...more, subject: more.subject ?? VAULT_ID };
    const own = { ...more, subject: n % 2 ? VAULT_ID : OTHER_ID };
    switch (at % 11) {
      case 0:
      case 1: {
        const status = pick(["success", "success", "failed", "skipped"] as const);
        const finished_at = new Date(START + (seconds + draw() * 10) * 1000).toISOString();
        const error = status === "failed" ? { error: `error ${at}` } : {};
        return event(
          "vaultops.service.run",
          {
            service: pick(SERVICES),
            // Two engines tell of the same run now and then.
            run_id: `${n >> 1}-${at}-${status}-${finished_at}`,
            status,
            started_at: time,
            finished_at,
            schedule_seconds: 60 + (at % 5),
            ...error,
          },
          more,
        );
      }
      case 2: {
        const state = { service: pick(SERVICES), is_paused: draw() < 0.5, reason: `because ${at}` };
        return event("vaultops.service.state", state, more);
      }
      case 3: {
        const status = pick(["running", "success", "failed"] as const);
        return event(
          "vaultops.merkle.job",
          { job_id: `job-${n}-${at >> 6}`, kind: "publish", status },
          vault,
        );
      }
      case 4:
        return event(
          "vaultops.shard.state",
          {
            strategy_count: at,
            active_intent_count: n,
            tick_interval: 5,
            fields: {},
            strategies: [],
            allocations: [],
            emergency_locks: [],
          },
          vault,
        );
      case 5:
        return event("vaultops.pps.report", { value: String(at * 10 + n), at: time }, vault);
      case 6: {
        const actor_wallet = `0x${String(n + 1).padStart(40, "0")}` as const;
        const action_type = pick(["emergency_exit_arm", "emergency_exit_stop"] as const);
        return event("vaultops.action", { action_type, actor_wallet, details: { at } }, vault);
      }
      case 7: {
        // Five to an intent, the last of which may end it.
        const round = Math.floor(at / 11);
        const seq = round % 5;
        const state = seq < 4 ? INTENT_PATH[seq] : pick(INTENT_ENDS);
        return event(
          "vaultops.intent.event",
          {
            intent_id: `intent-${n}-${Math.floor(round / 5)}`,
            seq,
            state: state as (typeof INTENT_ENDS)[number],
            ...(draw() < 0.5 ? { strategy_id: pick(["a", "b"]), total_amount_in: `${at}` } : {}),
            ...(draw() < 0.5 ? { action: pick(["rebalance", "harvest"]), tx_hash: hashOf(at) } : {}),
          },
          own,
        );
      }
      case 8: {
        // Also of intents of which nothing was told yet, and of one fill twice.
        const round = Math.floor(at / 11);
        return event(
          "vaultops.intent.fill",
          {
            intent_id: `intent-${n}-${Math.floor(round / 4)}`,
            fill_id: `fill-${round >> 1}`,
            chain_id: 8453,
            tx_hash: hashOf(at),
            token_in: TOKEN,
            token_out: TOKEN,
            amount_in: `${at}`,
            amount_out: `${at * n}`,
            fill_time: time,
          },
          own,
        );
      }
      case 9: {
        // Each pending first, with its transaction in the end.
        const round = Math.floor(at / 11);
        const execution = `${n}-${round >> 1}`;
        const isEnd = round % 2 === 1;
        return event(
          "vaultops.redemption.execution",
          {
            execution_id: execution,
            status: isEnd ? pick(["success", "failed", "skipped"] as const) : "pending",
            ...(isEnd ? { tx_hash: hashOf(n * 1000 + round) } : {}),
            controllers_count: at,
            total_shares_fulfilled: `${at}`,
            total_assets_out: `${at}`,
            pps_at_fulfillment: "1000000",
            created_at: time,
          },
          own,
        );
      }
      default:
        return event(
          "vaultops.session_key.readiness",
          {
            is_ready: draw() < 0.5,
            key_address: TOKEN,
            expires_at: time,
            pending_rotation: draw() < 0.5,
            reason: `as of ${at}`,
          },
          vault,
        );
    }
  });
}

/** Shuffled within an hour and more, every third one doubled, bad ones among them. */
function mangled(reports: readonly Sent[], seed: number): Sent[][] {
  const draw = random(seed + 100);
  const all: Sent[] = [...reports, ...reports.filter((_, index) => index % 3 === 0)];
  for (let n = 0; n < 40; n++) {
    const of = reports[Math.floor(draw() * reports.length)] as Sent;
    all.push({ ...of, id: `bad-${n}`, ...(n % 2 ? { time: "soon" } : { source: "/engine/else" }) });
  }
  const order = all.map((report) => ({ report, key: draw() })).sort((a, b) => a.key - b.key);
  const batches: Sent[][] = [];
  for (let at = 0; at < order.length; ) {
    const size = 1 + Math.floor(draw() * 30);
    batches.push(order.slice(at, at + size).map(({ report }) => report));
    at += size;
  }
  return batches;
}

/** A real service in a process of its own, killed (SIGKILL: no warning) and started again at will. Its address changes with every start. */
class Killable {
  url: Promise<string>;
  #child: ChildProcess;
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
    [this.#child, this.url] = this.#start();
  }

  async killAndStart(): Promise<void> {
    await this.kill();
    [this.#child, this.url] = this.#start();
    await this.url;
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  #start(): [ChildProcess, Promise<string>] {
    const program = join(import.meta.dirname, "../../test/engine-process.ts");
    const child = spawn(process.execPath, [program, this.#databaseUrl], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line").then(
      ([line]) => String(line),
    );
    return [child, url];
  }
}

/** Sends a batch until it is answered, as the client library does. */
async function deliver(
  service: Killable,
  token: string,
  batch: readonly Sent[],
  signal: AbortSignal,
): Promise<{ status: string }[]> {
  while (!signal.aborted) {
    try {
      const response = await fetch(`${await service.url}/api/v1/ingest/events`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/cloudevents-batch+json" },
        body: JSON.stringify(batch),
        signal,
      });
      const { results } = (await response.json()) as { results: { status: string }[] };
      if (response.status === 200) return results;
    } catch {
      // The service is gone for the moment.
    }
    await sleep(20);
  }
  return [];
}

/** Everything that reports bring about, without what depends on the moment at which they came. */
async function stateOf({ db }: TestDatabase): Promise<Record<string, unknown>> {
  const read = async (text: string) => (await db.pool.query(text)).rows;
  const services = "s.chain_id, s.vault_address, s.name";
  return {
    ids: await read("select source, id from engine_report_ids order by 1, 2"),
    services: await read(
      `select ${services}, settings, first_state_at, is_paused, next_run, paused_at, paused_by, paused_reason, resumed_at,
        total_executions, last_run, last_error, recent_success, recent_failed, round(recent_seconds::numeric, 6)::text as seconds
       from services s order by 1, 2, 3`,
    ),
    runs: await read(
      `select ${services}, r.run_id, r.status, r.started_at, r.finished_at, r.error
       from service_runs r join services s on s.id = r.service_id order by 1, 2, 3, 4`,
    ),
    states: await read(
      `select ${services}, t.reported_at, t.report_id, t.source, t.is_paused, t.reason
       from service_states t join services s on s.id = t.service_id order by 1, 2, 3, 4, 5, 6`,
    ),
    shards: await read("select * from shard_states order by 1, 2"),
    jobs: await read("select * from merkle_jobs order by 1, 2, 3, 4"),
    actions: await read("select * from engine_actions order by 1, 2"),
    reports: await read("select * from vault_reports order by 1, 2, 3"),
    keys: await read("select * from session_keys order by 1, 2"),
    intents: await read("select * from intents order by intent_id"),
    events: await read("select * from intent_events order by intent_id, seq"),
    counts: await read("select * from intent_counts where n > 0 order by 1, 2, 3, 4, 5"),
    fills: await read(
      `select vault_chain_id, vault_address, intent_id, fill_id, tx_hash, amount_in, amount_out, fill_time, event_time, event_id, onchain
       from intent_fills order by 1, 2, 3, 4`,
    ),
    executions: await read(
      `select chain_id, vault_address, execution_id, tx_hash, status, controllers_count, total_shares_fulfilled, total_assets_out,
         event_time, event_id, tx_event_time, tx_event_id, created_at
       from redemption_executions order by 1, 2, 3`,
    ),
    // Which report of a stretch told of its change first depends on the order; that there is one entry for it does not.
    entries: await read(
      `select vault_address, action_type, (body::jsonb)->'details'->>'service' as service, count(*)::integer as n
       from audit_entries group by 1, 2, 3 order by 1, 2, 3`,
    ),
  };
}

test("reports shuffled, doubled, late, bad ones among them, from eight engines at once, the service killed: as in order, once", async ({
  signal,
}) => {
  const [stormy, calm] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const reports = Array.from({ length: ENGINES }, (_, n) => reportsOf(n));
  const tokenOf = async ({ db }: TestDatabase, n: number) =>
    (await createToken(db, { name: "e", source: `/engine/${n}`, chains: [], vaults: [] })).token;

  const calmEngine = await startEngineTest(calm.db);
  for (const [n, own] of reports.entries()) {
    const token = await tokenOf(calm, n);
    for (let at = 0; at < own.length; at += 100) {
      const results = await calmEngine.report(own.slice(at, at + 100), token);
      expect(results.every(({ status }) => status === "accepted")).toBe(true);
    }
  }

  await addTwoVaults(stormy.db);
  const service = new Killable(stormy.url);
  const plans = reports.map(mangled);
  const batches = plans.reduce((total, plan) => total + plan.length, 0);
  const tally: Record<string, number> = {};
  let answered = 0;
  let kills = 0;
  try {
    await Promise.all(
      plans.map(async (plan, n) => {
        const token = await tokenOf(stormy, n);
        for (const batch of plan) {
          for (const { status } of await deliver(service, token, batch, signal)) {
            tally[status] = (tally[status] ?? 0) + 1;
          }
          // The other engines are in the middle of a request.
          if (++answered % Math.ceil(batches / (KILLS + 1)) === 0) {
            kills += 1;
            await service.killAndStart();
          }
        }
      }),
    );
  } finally {
    await service.kill();
  }

  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(tally.rejected).toBe(ENGINES * 40);
  expect(tally.duplicate).toBeGreaterThanOrEqual((ENGINES * PER_ENGINE) / 3);
  const told = new Set(reports.flat().map(({ type }) => type));
  expect([...told].sort()).toEqual(Object.keys(EVENT_TYPES).sort());
  const [inStorm, inOrder] = [await stateOf(stormy), await stateOf(calm)];
  for (const part of Object.keys(inOrder)) {
    expect((inOrder[part] as unknown[]).length, part).toBeGreaterThan(0);
    expect(inStorm[part], part).toEqual(inOrder[part]);
  }
  await calmEngine.app.close();
  await Promise.all([stormy.drop(), calm.drop()]);
}, 600_000);
