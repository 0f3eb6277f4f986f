// Fan-out: hands every event to those who subscribe to its type (role worker). They turn it into rows of their own, such as
// deliveries, in the transaction that marks the event as handed out.
//
// Guarantee: every event reaches every subscriber exactly once, in the order of the spine; any number of processes may run it, of which
// one works at a time; types that only another release knows wait for a process of it. An event that a subscriber cannot take stops no other: it is tried again, ten times in all, and logged.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { type Database, isDatabaseUnavailable, type Tx } from "../platform/db/db.ts";
import type { Notifier } from "../platform/db/notifier.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import { Wake } from "../platform/wake.ts";
import { EVENTS_CHANNEL } from "./emit.ts";
import { type EventType, KNOWN_TYPES, type PublishedEvent } from "./types.ts";

/** Who wants to know of events of these types. */
export interface Subscriber {
  name: string;
  types: readonly EventType[];
  /** Given events of those types only, at least one, in their order. It writes in `tx` and does nothing outside it. */
  onEvents(tx: Tx, events: readonly PublishedEvent[]): Promise<void>;
}

export interface FanOutParts {
  db: Pick<Database, "kysely" | "transaction">;
  log: Logger;
  notifier: Notifier;
  subscribers: readonly Subscriber[];
}

const BATCH = 500;
const LOOK_EVERY_MS = 30_000;
const MAX_BACKOFF_MS = 5_000;
/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_163_285_074;

export class FanOut implements Task {
  readonly name = "events";
  readonly role = "worker";
  readonly #parts: FanOutParts;
  readonly #wake = new Wake();

  constructor(parts: FanOutParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { notifier, log } = this.#parts;
    notifier.listen(EVENTS_CHANNEL, () => this.#wake.call(), signal);
    signal.addEventListener("abort", () => this.#wake.call());
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.drain();
        failures = 0;
        await this.#wake.wait(LOOK_EVERY_MS);
      } catch (error) {
        failures += 1;
        const pauseMs = Math.min(MAX_BACKOFF_MS, 50 * 2 ** failures);
        log.warn({ err: error, retry_in_ms: pauseMs }, "events could not be given to their subscribers");
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /**
   * Hands out everything that waits. Another process at it is waited for, and what it leaves is done here.
   * @throws what kept an event from being handed out, when all others are
   */
  async drain(): Promise<number> {
    for (let count = 0; ; ) {
      let handed: number;
      try {
        handed = await this.#handOut(BATCH, []);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        await this.#oneByOne();
        throw error;
      }
      count += handed;
      if (handed < BATCH) return count;
    }
  }

  /** Hands out the events that wait longest, but those to be skipped. */
  #handOut(limit: number, skipped: readonly number[]): Promise<number> {
    const { db, subscribers } = this.#parts;
    return db.transaction(async (tx) => {
      await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::integer, 0)`.execute(tx);
      const events = await waiting(tx, limit, skipped);
      if (events.length === 0) return 0;
      for (const subscriber of subscribers) {
        const wanted = events.filter(({ type }) => subscriber.types.includes(type));
        if (wanted.length > 0) await subscriber.onEvents(tx, wanted);
      }
      await sql`
        update events set fanned_out_at = clock_timestamp() where seq = any (${events.map(({ seq }) => seq)}::bigint[])`.execute(
        tx,
      );
      return events.length;
    });
  }

  /** Some event cannot be handed out, and with it none of its batch: each is handed out by itself, and failures are counted. */
  async #oneByOne(): Promise<void> {
    const { db, log } = this.#parts;
    const failed: number[] = [];
    for (;;) {
      try {
        if ((await this.#handOut(1, failed)) === 0) return;
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        const [event] = await db.transaction((tx) => waiting(tx, 1, failed));
        if (event === undefined) return;
        failed.push(event.seq);
        await sql`update events set failures = failures + 1 where seq = ${event.seq}`.execute(db.kysely);
        log.error(
          { err: error, event_id: event.id, type: event.type },
          "an event could not be given to its subscribers",
        );
      }
    }
  }
}

async function waiting(tx: Tx, limit: number, skipped: readonly number[]): Promise<PublishedEvent[]> {
  const { rows } = await sql<{
    seq: number;
    id: string;
    type: EventType;
    chain_id: number;
    vault_address: string;
    at: string;
    data: string;
  }>`
    select seq, id, type, chain_id, vault_address, at, data from events
    where fanned_out_at is null and failures < 10 and type = any (${[...KNOWN_TYPES]}::text[]) and seq <> all (${[...skipped]}::bigint[]) order by seq limit ${limit}`.execute(
    tx,
  );
  return rows.map(
    ({ seq, id, type, chain_id, vault_address, at, data }) =>
      ({
        seq,
        id,
        type,
        chainId: chain_id,
        vaultAddress: vault_address,
        at,
        data: JSON.parse(data),
      }) as PublishedEvent,
  );
}
