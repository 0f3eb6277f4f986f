// How many streams of the audit log may be open, over all processes: each says in the database how many it serves for whom.
//
// Guarantee: a stream is opened only while those of all processes, as they have said, are fewer than allowed. What a process that died had
// open counts no more a minute later; what it says is set right every ten seconds by what it really has open.
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
  db: Pick<Database, "transaction" | "pool">,
  limits: StreamLimits,
  log: Logger,
): StreamSeats {
  const process = randomUUID();
  const open = new Map<string, number>();
  let hasSaid = false;
  const count = (account: string, change: 1 | -1) => {
    const now = (open.get(account) ?? 0) + change;
    if (now > 0) open.set(account, now);
    else open.delete(account);
  };

  async function say(tx: Tx): Promise<void> {
    hasSaid = true;
    await sql`delete from open_streams where process = ${process}
      or seen_at < now() - ${GONE_SECONDS} * interval '1 second'`.execute(tx);
    const [accounts, numbers] = [[...open.keys()], [...open.values()]];
    if (accounts.length > 0)
      await sql`insert into open_streams (process, account, streams, seen_at)
        select ${process}, account, streams, now()
        from unnest(${accounts}::text[], ${numbers}::integer[]) as t (account, streams)`.execute(tx);
  }

  return {
    async take(account) {
      hasSaid = true;
      await db.transaction(async (tx) => {
        await lock(tx);
        const { rows } = await sql<{ own: number; total: number }>`
          select coalesce(sum(streams) filter (where account = ${account}), 0)::integer as own,
            coalesce(sum(streams), 0)::integer as total
          from open_streams where seen_at >= now() - ${GONE_SECONDS} * interval '1 second'`.execute(tx);
        const { own, total } = rows[0] as { own: number; total: number };
        if (own >= limits.perWallet) throw tooMany("Your wallet has");
        if (total >= limits.total) throw tooMany("This service has");
        await sql`insert into open_streams as s (process, account, streams, seen_at)
          values (${process}, ${account}, 1, now())
          on conflict (process, account) do update set streams = s.streams + 1, seen_at = now()`.execute(tx);
      });
      count(account, 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        count(account, -1);
        db.pool
          .query(
            "update open_streams set streams = streams - 1 where process = $1 and account = $2 and streams > 0",
            [process, account],
          )
          // What is said every ten seconds sets it right.
          .catch(() => {});
      };
    },
    task: every({ name: "audit streams", role: "api", ms: SAY_MS, log }, () =>
      db.transaction(async (tx) => {
        await lock(tx);
        await say(tx);
      }),
    ),
    async close() {
      if (hasSaid)
        await db.pool.query("delete from open_streams where process = $1", [process]).catch(() => {});
    },
  };
}

function lock(tx: Tx): Promise<unknown> {
  return sql`select pg_advisory_xact_lock(6021884403717342)`.execute(tx);
}

function tooMany(whose: string): Problem {
  return new Problem(
    "rate_limited",
    `${whose} as many streams open as it may. Close one, or try again later.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
