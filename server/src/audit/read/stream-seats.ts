// How many streams of the audit log may be open, over all processes: each says in the database how many it serves for whom.
//
// Guarantee: a stream is opened only while those of all processes, as they have said, are fewer than allowed. What a process that died had
// open counts no more a minute later; what it says is set right every ten seconds by what it really has open. However many ask at once, a
// process asks the database with one connection: after a restart all listeners come back together, beside every other request.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database, Tx } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";

export interface StreamLimits {
  perWallet: number;
  total: number;
}

export interface StreamSeats {
  /** Resolves with what gives the seat back. @throws Problem `rate_limited` */
  take(account: string): Promise<() => void>;
  /** Says anew what is open. */
  task: Task;
  /** Says that nothing is open any more. */
  close(): Promise<void>;
}

const SAY_MS = 10_000;
const GONE_SECONDS = 60;
const RETRY_SECONDS = 30;

export function createStreamSeats(
  db: Pick<Database, "transaction" | "kysely">,
  limits: StreamLimits,
  log: Logger,
): StreamSeats {
  const process = randomUUID();
  const open = new Map<string, number>();
  let waiting: Taking[] = [];
  /** What is open here is less than was said. */
  let isStale = false;
  let seating: Promise<void> | null = null;
  let hasSaid = false;

  const count = (account: string, change: 1 | -1) => {
    const now = (open.get(account) ?? 0) + change;
    if (now > 0) open.set(account, now);
    else open.delete(account);
  };

  /** Says what is open here and now, and seats those who wait as far as there is room. Resolves with why each of the others is refused. */
  async function seat(tx: Tx, takings: readonly Taking[]): Promise<Map<Taking, Problem>> {
    hasSaid = true;
    await sql`select pg_advisory_xact_lock(6021884403717342)`.execute(tx);
    await sql`delete from open_streams where process = ${process}
      or seen_at < now() - ${GONE_SECONDS} * interval '1 second'`.execute(tx);
    const { rows } = await sql<{ account: string; streams: number }>`
      select account, sum(streams)::integer as streams from open_streams group by account`.execute(tx);
    const here = new Map(open);
    const everywhere = new Map(rows.map(({ account, streams }) => [account, streams]));
    for (const [account, streams] of here) everywhere.set(account, (everywhere.get(account) ?? 0) + streams);
    let total = [...everywhere.values()].reduce((sum, streams) => sum + streams, 0);
    const refused = new Map<Taking, Problem>();
    for (const taking of takings) {
      const own = everywhere.get(taking.account) ?? 0;
      if (own >= limits.perWallet) refused.set(taking, tooMany("Your wallet has"));
      else if (total >= limits.total) refused.set(taking, tooMany("This service has"));
      else {
        here.set(taking.account, (here.get(taking.account) ?? 0) + 1);
        everywhere.set(taking.account, own + 1);
        total += 1;
      }
    }
    if (here.size > 0)
      await sql`insert into open_streams (process, account, streams, seen_at)
        select ${process}, account, streams, now()
        from unnest(${[...here.keys()]}::text[], ${[...here.values()]}::integer[]) as t (account, streams)`.execute(
        tx,
      );
    return refused;
  }

  /** Says what is open and seats who waits, until both are done. @throws what the database threw last, which those who waited were told */
  async function seatWaiting(): Promise<void> {
    let failure: unknown;
    do {
      const takings = waiting;
      waiting = [];
      isStale = false;
      try {
        const refused = await db.transaction((tx) => seat(tx, takings));
        failure = undefined;
        for (const taking of takings) {
          const problem = refused.get(taking);
          if (problem === undefined) count(taking.account, 1);
          taking.settle(problem);
        }
      } catch (error) {
        failure = error;
        for (const taking of takings) taking.settle(error);
      }
    } while (waiting.length > 0 || isStale);
    seating = null;
    if (failure !== undefined) throw failure;
  }

  const begin = () => {
    seating ??= seatWaiting();
    // Said to those who waited; the next round is due in seconds.
    seating.catch(() => {});
    return seating;
  };

  return {
    async take(account) {
      await new Promise<void>((resolve, reject) => {
        const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error));
        waiting.push({ account, settle });
        begin();
      });
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        count(account, -1);
        isStale = true;
        begin();
      };
    },
    task: every({ name: "audit streams", role: "api", ms: SAY_MS, log }, begin),
    async close() {
      await seating?.catch(() => {});
      if (hasSaid)
        await sql`delete from open_streams where process = ${process}`.execute(db.kysely).catch(() => {});
    },
  };
}

/** Somebody who wants a seat. */
interface Taking {
  account: string;
  /** Without an error: it is his. */
  settle(error?: unknown): void;
}

function tooMany(whose: string): Problem {
  return new Problem(
    "rate_limited",
    `${whose} as many streams open as it may. Close one, or try again later.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
