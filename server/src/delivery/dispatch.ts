// The dispatcher: sends what is due, for as long as it runs (role worker). Any number of processes may run one.
//
// Guarantee: what is in the outbox is sent at least once, whatever dies: a process (its leases end), PostgreSQL (claiming goes on when
// it is back, and outcomes are held until they can be stored), or a send (it counts as failed). No busy polling: it sleeps until it is
// told of new deliveries or until the next one is due, with a look every half minute in case a word was lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../platform/clock.ts";
import { type Database, isDatabaseUnavailable } from "../platform/db/db.ts";
import type { Notifier } from "../platform/db/notifier.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import { Wake } from "../platform/wake.ts";
import { claim, FIRST_TARGET, nextDueInMs } from "./claim.ts";
import { DELIVERIES_CHANNEL } from "./enqueue.ts";
import type { DeliveryMetrics } from "./metrics.ts";
import { type Present, presentOf, sendBatch } from "./send.ts";
import { type Finished, settle } from "./settle.ts";
import type { Delivery, DeliveryQueue } from "./types.ts";

export interface DispatcherParts {
  db: Pick<Database, "kysely" | "transaction">;
  clock: Clock;
  log: Logger;
  notifier: Notifier;
  metrics: DeliveryMetrics;
}

const LOOK_EVERY_MS = 30_000;
const MAX_BACKOFF_MS = 5_000;
/** While sends are under way one of them has mostly ended after so long. */
const SETTLES_WITHIN_MS = 50;
/** With so many sends under way, outcomes wait for others to be stored with: until they are half of them, and no longer than this. */
const MANY_SENDS = 64;
const GATHER_MS = 20;
/** How long sends under way may take when the process is to end. */
const STOP_AFTER_MS = 8_000;

/** Sends one queue. */
export class Dispatcher implements Task {
  readonly name: string;
  readonly role = "worker";
  readonly #queue: DeliveryQueue;
  readonly #parts: DispatcherParts;
  readonly #wake = new Wake();
  readonly #gathered = new Wake();
  readonly #abort = new AbortController();
  #sending = 0;
  #started = 0;
  /** Deliveries whose sends have ended and are not stored, and how many sends that were. */
  #finished: Finished[] = [];
  #finishedSends = 0;
  #settling: Promise<void> | null = null;
  #afterTargetId = FIRST_TARGET;

  constructor(queue: DeliveryQueue, parts: DispatcherParts) {
    this.name = `deliveries ${queue.name}`;
    this.#queue = queue;
    this.#parts = { ...parts, log: parts.log.child({ queue: queue.name }) };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { notifier, log } = this.#parts;
    const onNotify = (payload: string | null) => {
      if (payload === null || payload === this.#queue.name) this.#wake.call();
    };
    notifier.listen(DELIVERIES_CHANNEL, onNotify, signal);
    signal.addEventListener("abort", () => this.#wake.call());
    let failures = 0;
    while (!signal.aborted) {
      try {
        const isLimited = await this.#claim();
        failures = 0;
        // With slots free there is nothing due, save for targets that have their share under way: their settling wakes, mostly
        // before it is worth asking when the next one is due.
        if (this.#sending > 0 && (await this.#wake.wait(SETTLES_WITHIN_MS))) continue;
        await this.#wake.wait(isLimited ? LOOK_EVERY_MS : await this.#idleMs());
      } catch (error) {
        failures += 1;
        const pauseMs = Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures);
        log.warn({ err: error, retry_in_ms: pauseMs }, "deliveries could not be claimed");
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
    await this.#end();
  }

  /** Sends everything that is due now, and what becomes due by it, and resolves when all of that is stored. For tests and commands. */
  async drain(): Promise<number> {
    const before = this.#started;
    for (;;) {
      // What was due but had to wait for sends under way shows only to a look that begins when they are stored.
      const isIdle = this.#sending === 0;
      const started = this.#started;
      await this.#claim();
      if (isIdle && this.#started === started) return started - before;
      if (this.#sending > 0) await this.#wake.wait(LOOK_EVERY_MS);
    }
  }

  /** Starts sends for the slots that are free. Tells whether more may be due than there were slots for. */
  async #claim(): Promise<boolean> {
    const { db, clock } = this.#parts;
    for (;;) {
      const slots = this.#queue.slots - this.#sending;
      if (slots <= 0) return true;
      const claimed = await claim(db, this.#queue, {
        nowMs: clock.now(),
        slots,
        afterTargetId: this.#afterTargetId,
      });
      if (claimed.batches.length > 0) await this.#start(claimed.leaseId, claimed.batches);
      const wasFirst = this.#afterTargetId === FIRST_TARGET;
      this.#afterTargetId = claimed.isLimited ? claimed.lastTargetId : FIRST_TARGET;
      if (!claimed.isLimited && wasFirst) return false;
    }
  }

  async #start(leaseId: string, batches: readonly Delivery[][]): Promise<void> {
    this.#sending += batches.length;
    this.#started += batches.length;
    let present: Present;
    try {
      present = await presentOf(this.#queue, batches.flat());
    } catch (error) {
      // Claimed already: given back without an attempt.
      for (const batch of batches) {
        this.#take(
          batch.map((delivery) => ({
            delivery,
            leaseId,
            outcome: { kind: "unsent" },
            scheduleMs: 0,
            startedAtMs: 0,
            durationMs: 0,
          })),
        );
      }
      throw error;
    }
    for (const batch of batches) {
      void sendBatch(this.#queue, present, batch, leaseId, this.#abort.signal, this.#parts).then((finished) =>
        this.#take(finished),
      );
    }
  }

  #take(finished: Finished[]): void {
    this.#finished.push(...finished);
    this.#finishedSends += 1;
    this.#settling ??= this.#settleAll();
    if (this.#isStorable()) this.#gathered.call();
  }

  /** A transaction costs the same for one outcome and for hundreds. */
  #isStorable(): boolean {
    return this.#sending < MANY_SENDS || this.#finishedSends * 2 >= this.#sending;
  }

  async #settleAll(): Promise<void> {
    const { log } = this.#parts;
    for (let failures = 0; this.#finished.length > 0; ) {
      if (!this.#isStorable()) await this.#gathered.wait(GATHER_MS);
      const [finished, sends] = [this.#finished, this.#finishedSends];
      this.#finished = [];
      this.#finishedSends = 0;
      try {
        await this.#store(finished);
        failures = 0;
        // A slot is free when its send is stored, so that no more is held in memory than there are slots.
        this.#sending -= sends;
        this.#wake.call();
      } catch (error) {
        this.#finished = [...finished, ...this.#finished];
        this.#finishedSends += sends;
        failures += 1;
        const pauseMs = Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures);
        log.warn(
          { err: error, waiting: this.#finished.length, retry_in_ms: pauseMs },
          "outcomes of deliveries could not be stored yet",
        );
        await sleep(pauseMs);
      }
    }
    this.#settling = null;
  }

  /** Stores outcomes together; where one of them makes that fail, each by itself, so that it holds up no other. */
  async #store(finished: readonly Finished[]): Promise<void> {
    const { db, clock, metrics, log } = this.#parts;
    try {
      const settled = await db.transaction((tx) => settle(tx, this.#queue, finished, clock.now()));
      metrics.settled(this.#queue.name, settled, finished.length);
      if (settled.length < finished.length) {
        log.warn({ count: finished.length - settled.length }, "outcomes came after their lease had ended");
      }
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (finished.length > 1) {
        for (const each of finished) await this.#store([each]);
        return;
      }
      const [one] = finished as [Finished];
      log.error(
        { err: error, delivery_id: one.delivery.id },
        "an outcome cannot be stored with what follows from it",
      );
      // The outcome itself is still stored: else the delivery would go out again and again.
      const bare: DeliveryQueue = { ...this.#queue, onSettled: async () => {} };
      await db.transaction((tx) => settle(tx, bare, [one], clock.now()));
    }
  }

  async #idleMs(): Promise<number> {
    const { db, clock } = this.#parts;
    const dueInMs = await nextDueInMs(db, this.#queue, clock.now());
    return dueInMs === null ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, Math.max(1, dueInMs));
  }

  /** Lets sends end, cuts off those that do not, and stores what came of all. */
  async #end(): Promise<void> {
    const cutOff = setTimeout(() => this.#abort.abort(new Error("the service is stopping")), STOP_AFTER_MS);
    while (this.#sending > 0) await this.#wake.wait(LOOK_EVERY_MS);
    clearTimeout(cutOff);
  }
}
