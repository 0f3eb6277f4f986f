// The outbox under measure, whatever it sends: events are committed, handed out and sent to targets at a receiver in a process of its own.
// Against undici posting the same bytes there, and against itself with one target that hangs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { deliveryTasks } from "../../server/src/delivery/tasks.ts";
import type { DeliveryQueue } from "../../server/src/delivery/types.ts";
import { emit } from "../../server/src/events/emit.ts";
import type { Subscriber } from "../../server/src/events/fan-out.ts";
import type { DomainEvent } from "../../server/src/events/types.ts";
import { type Clock, systemClock } from "../../server/src/platform/clock.ts";
import type { Database } from "../../server/src/platform/db/db.ts";
import { createNotifier } from "../../server/src/platform/db/notifier.ts";
import { createEgress, type Egress, type EgressSettings } from "../../server/src/platform/egress/egress.ts";
import type { Idempotency } from "../../server/src/platform/http/idempotency.ts";
import { type Logger, silentLogger } from "../../server/src/platform/log.ts";
import { createMetrics } from "../../server/src/platform/metrics.ts";
import type { SecretBox } from "../../server/src/platform/secret-box.ts";
import { addChain, addVault, testAddress } from "../../server/test/chain-rows.ts";
import { startDatabases } from "./databases.ts";
import { type Figure, interleave } from "./figure.ts";
import { type Post, postAll } from "./undici-posts.ts";

export const CHAIN = 8453;
export const VAULT = testAddress(0x100);
/** The vault's primary manager. */
export const OWNER = testAddress(1);

const TARGETS = 50;

/** What every feature that sends is built from. */
interface FeatureParts {
  db: Database;
  clock: Clock;
  log: Logger;
  egress: Egress;
  egressSettings: EgressSettings;
  box: SecretBox;
  idempotency: Idempotency;
}

/** What the outbox sends. */
export interface OutboxKind {
  feature(parts: FeatureParts): {
    subscriber: Subscriber;
    queue: DeliveryQueue;
  };
  /** Makes a target for each URL. */
  addTargets(db: Database, urls: readonly string[]): Promise<void>;
  /** An event that every target gets. */
  eventOf(n: number): DomainEvent;
  /** What the outbox sends at a time to so many targets on one host. */
  connections: number;
}

/** Secrets in clear: sealing is no part of what is measured once targets are loaded, and opening one is. */
export const PLAIN: SecretBox = { seal: (text) => text, open: (text) => text, isCurrent: () => true };

/** Deliveries a second through one worker, from the commit of their events to the last outcome stored. */
export function rateFigure(name: string, kind: OutboxKind): Figure {
  return {
    name,
    against: "undici posting the same bytes",
    aim: 0.4,
    async run({ quick }) {
      const world = await startOutbox(kind, TARGETS);
      try {
        const events = quick ? 40 : 200;
        const bodies = Array.from({ length: events }, (_, n) => JSON.stringify(kind.eventOf(n)));
        const writesBefore = await world.writes();
        let sent = 0;
        const result = await interleave({
          rounds: quick ? 3 : 7,
          unit: "deliveries/s",
          ours: () => world.rate(events).finally(() => (sent += events * TARGETS)),
          limit: () => bareRate(world.url, bodies, kind.connections),
        });
        const writesAfter = await world.writes();
        const latency = await world.latencies(quick ? 100 : 400);
        return {
          ...result,
          notes: {
            "rows written per delivery": round((writesAfter.rows - writesBefore.rows) / sent),
            "WAL bytes per delivery": Math.round((writesAfter.wal - writesBefore.wal) / sent),
            "commit to first byte, p50 ms": round(quantile(latency, 0.5)),
            "commit to first byte, p99 ms": round(quantile(latency, 0.99)),
          },
        };
      } finally {
        await world.stop();
      }
    },
  };
}

/** What one target that hangs costs the others. */
export function hangingFigure(name: string, kind: OutboxKind): Figure {
  return {
    name,
    against: "the same without it: p99 from commit to first byte",
    aim: 0.5,
    async run({ quick }) {
      const rounds: { ours: number; limit: number }[] = [];
      for (let n = 0; n < (quick ? 2 : 5); n += 1) {
        const p99: number[] = [];
        for (const hung of [0, 1]) {
          const world = await startOutbox(kind, TARGETS, hung);
          await world.latencies(10);
          p99.push(quantile(await world.latencies(quick ? 40 : 150), 0.99));
          await world.stop();
        }
        rounds.push({ limit: p99[0] as number, ours: p99[1] as number });
      }
      const middle = (values: number[]) => quantile(values, 0.5);
      // More is better: a p99 twice as long is 0.5.
      const ratios = rounds.map(({ ours, limit }) => limit / ours).sort((a, b) => a - b);
      return {
        ratio: middle(ratios),
        ours: middle(rounds.map(({ ours }) => ours)),
        limit: middle(rounds.map(({ limit }) => limit)),
        unit: "ms",
        spread: ((ratios.at(-1) as number) - (ratios[0] as number)) / middle(ratios),
      };
    },
  };
}

/** The outbox at work: so many targets of a kind at one receiver, of which the first `hung` never answer. */
export async function startOutbox(kind: OutboxKind, targets: number, hung = 0) {
  const databases = await startDatabases();
  const db = await databases.create();
  const [receiver, url, lines] = await startReceiver();
  await addChain(db, CHAIN, 1);
  await addVault(db, CHAIN, VAULT);
  await db.pool.query(
    "insert into vault_roles (chain_id, vault_address, wallet, role) values ($1, $2, $3, 'primary_manager')",
    [CHAIN, VAULT, OWNER],
  );
  await kind.addTargets(
    db,
    Array.from({ length: targets }, (_, n) => `${url}/${n < hung ? "hang" : n}`),
  );
  const log = silentLogger();
  const notifier = createNotifier(db, log);
  const egressSettings = { allowedNetworks: ["127.0.0.0/8"], allowHttp: true };
  const egress = createEgress(egressSettings);
  const { subscriber, queue } = kind.feature({
    db,
    clock: systemClock,
    log,
    egress,
    egressSettings,
    box: PLAIN,
    idempotency: { once: (_request, make) => db.transaction(make) },
  });
  const tasks = deliveryTasks({
    db,
    clock: systemClock,
    log,
    notifier,
    metrics: createMetrics().registry,
    subscribers: [subscriber],
    queues: [queue],
  });
  const controller = new AbortController();
  const running = Promise.all(tasks.map((task) => task.run(controller.signal)));
  // Two looks into small indexes: the asking must not be what is measured.
  const isDone = async () =>
    (
      await db.pool.query(
        `select not exists (select from events where fanned_out_at is null and failures < 10)
        and not exists (select from deliveries where queue = $1 and status in ('pending', 'failed')) as done`,
        [queue.name],
      )
    ).rows[0].done as boolean;

  async function report(): Promise<Record<string, number>> {
    receiver.stdin?.write("report\n");
    return JSON.parse((await lines.next()).value as string);
  }

  return {
    url,
    /** Deliveries a second, from the commit of so many events to the last 2xx stored. */
    async rate(events: number): Promise<number> {
      const wanted = events * targets;
      const startedAt = performance.now();
      await db.transaction((tx) =>
        emit(
          tx,
          Array.from({ length: events }, (_, n) => kind.eventOf(n)),
        ),
      );
      while (!(await isDone())) await sleep(5);
      return wanted / ((performance.now() - startedAt) / 1000);
    },
    /** Milliseconds from commit to first byte of events that come one by one. */
    async latencies(events: number): Promise<number[]> {
      await report();
      const committed: number[] = [];
      const { rows } = await db.pool.query("select coalesce(max(seq), 0) as seq from events");
      for (let n = 0; n < events; n += 1) {
        await db.transaction((tx) => emit(tx, [kind.eventOf(n)]));
        committed.push(performance.timeOrigin + performance.now());
        await sleep(25);
      }
      const made = await db.pool.query("select id from events where seq > $1 order by seq", [rows[0].seq]);
      const ids = made.rows.map(({ id }) => `evt_${id}`);
      const arrivals: Record<string, number> = {};
      while (!ids.every((id) => id in arrivals)) {
        await sleep(50);
        for (const [id, at] of Object.entries(await report())) arrivals[id] ??= at;
      }
      return ids.map((id, n) => (arrivals[id] as number) - (committed[n] as number));
    },
    async writes(): Promise<{ rows: number; wal: number }> {
      // What sessions have counted is there a second later.
      await sleep(1500);
      const { rows } = await db.pool.query(
        `select (select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint from pg_stat_user_tables) as rows,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal`,
      );
      return rows[0];
    },
    async stop(): Promise<void> {
      controller.abort();
      receiver.kill("SIGKILL");
      await running;
      await egress.close();
      await notifier.close();
      await databases.drop(db);
      await databases.stop();
    },
  };
}

async function startReceiver(): Promise<[ChildProcess, string, AsyncIterator<string>]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "webhook-receiver-process.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [url] = await once(reader, "line");
  return [child, String(url), reader[Symbol.asyncIterator]()];
}

/** The same number of posts of bodies as long, over as many connections, and nothing else. */
async function bareRate(url: string, bodies: readonly string[], connections: number): Promise<number> {
  const total = bodies.length * TARGETS;
  function* posts(): Generator<Post> {
    for (let n = 0; n < total; n += 1) {
      yield { url: `${url}/${n % TARGETS}`, id: `bare_${n}`, body: bodies[n % bodies.length] as string };
    }
  }
  const startedAt = performance.now();
  await postAll(posts(), connections);
  return total / ((performance.now() - startedAt) / 1000);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
