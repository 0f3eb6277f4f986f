// Reads from a streaming replica, as long as that is not too far behind; else from the primary.
//
// Guarantee: what is read was on the primary `maxLagMs` ago at the earliest, by this process's clock alone: the replica has replayed the log up to a
// place where the primary was seen to be then. A replica that is away, behind, promoted, of another database, or that breaks off a
// statement is not read from: the primary answers instead, and no reader notices.
import { setTimeout as sleep } from "node:timers/promises";
import { type QueryExecutorProvider, sql } from "kysely";
import type pg from "pg";
import type { Logger } from "../log.ts";
import { type Database, isDatabaseUnavailable, kyselyOver } from "./db.ts";
import { IDENTITY } from "./leads-to.ts";

/** For readers: single statements, each of which may be answered by another server than the last. */
export interface SqlReads {
  kysely: QueryExecutorProvider;
}

const CHECK_MS = 500;

export class Replica {
  readonly #primary: Pick<Database, "kysely">;
  readonly #replica: Pick<Database, "kysely">;
  readonly #maxLagMs: number;
  readonly #log: Logger;
  /** Where the primary was when, the oldest first. */
  readonly #seen: { atMs: number; place: bigint }[] = [];
  /** Up to when the replica is known to have all, while it can be read from. */
  #reachedMs = Number.NEGATIVE_INFINITY;
  /** The same whether or not it can; this process's start where it was never known. */
  #lastReachedMs = performance.now();
  /** Whether the last log line said that the replica is read from. */
  #isTold = false;

  constructor(
    primary: Pick<Database, "kysely">,
    replica: Pick<Database, "kysely">,
    options: { maxLagMs: number; log: Logger },
  ) {
    this.#primary = primary;
    this.#replica = replica;
    this.#maxLagMs = options.maxLagMs;
    this.#log = options.log;
  }

  get maxLagMs(): number {
    return this.#maxLagMs;
  }

  /** How long ago the replica was last known to have everything; it grows while the replica is away. */
  lagMs(): number {
    return performance.now() - this.#lastReachedMs;
  }

  isFresh(): boolean {
    return performance.now() - this.#reachedMs <= this.#maxLagMs;
  }

  /** Statements of `replica` where it is fresh, else of `primary`: pools with the same settings. */
  reads(primary: Pick<Database, "pool">, replica: Pick<Database, "pool">): SqlReads {
    const query = async (...args: Parameters<pg.Pool["query"]>) => {
      if (this.isFresh()) {
        try {
          return await replica.pool.query(...args);
        } catch (error) {
          if (!isBrokenOff(error)) throw error;
          this.#reachedMs = Number.NEGATIVE_INFINITY;
        }
      }
      return await primary.pool.query(...args);
    };
    return { kysely: kyselyOver({ query }) };
  }

  /** Looks where both are. */
  async measure(): Promise<void> {
    const atMs = performance.now();
    const { rows: ahead } = await sql<{ place: bigint; identity: string }>`
      select pg_current_wal_lsn() - '0/0'::pg_lsn as place, ${IDENTITY} as identity`.execute(
      this.#primary.kysely,
    );
    this.#seen.push({ atMs, place: ahead[0]!.place });
    // One that is no replica any more has a log of its own.
    const { rows } = await sql<{ place: bigint | null; identity: string }>`
      select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0'::pg_lsn end as place, ${IDENTITY} as identity`.execute(
      this.#replica.kysely,
    );
    // Places of two servers say nothing of each other.
    if (rows[0]!.identity !== ahead[0]!.identity) throw new Error("it is a replica of another database");
    const replayed = rows[0]!.place ?? -1n;
    const reached = this.#seen.findLastIndex(({ place }) => place <= replayed);
    if (reached === -1) return;
    this.#reachedMs = this.#seen[reached]!.atMs;
    this.#lastReachedMs = this.#reachedMs;
    this.#seen.splice(0, reached);
  }

  /** Measures until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reason = await this.measure().then(
        () => `it is more than ${this.#maxLagMs} ms behind`,
        (error: Error) => error.message,
      );
      if (this.isFresh() !== this.#isTold) {
        if (this.#isTold) this.#log.warn({ reason }, "the replica is not read from; the primary is");
        else this.#log.info("the replica is read from");
        this.#isTold = !this.#isTold;
      }
      // Of a replica that never comes no more is remembered than can still be of use.
      while (this.#seen.length > 1 && this.#seen[1]!.atMs < performance.now() - 2 * this.#maxLagMs)
        this.#seen.shift();
      await sleep(CHECK_MS, undefined, { signal }).catch(() => {});
    }
  }
}

/** The replica is away, or PostgreSQL canceled the statement because it held up changes from the primary (40001, 40P01). */
function isBrokenOff(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "40001" || code === "40P01" || isDatabaseUnavailable(error);
}
