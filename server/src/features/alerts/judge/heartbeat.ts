// The heartbeats that prove when this installation could hear: of reports by whoever serves the API, of each chain by whoever follows it.
//
// Guarantee: every time in which nothing could be heard is in `listening_gaps`, from the last heartbeat before it to the first after it,
// however the processes died; with several processes only the times in which none could.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { BEAT_MS, type Listening, MISSED_MS } from "../../../judgements/listening.ts";
import { areaOfChain } from "../../../monitors/engine/chain-vaults.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";
import type { WatchedChain } from "../system/system-state.ts";

export const REPORTS = "reports";

/** A clock that was wrong by more than this is not followed. */
const MOST_AHEAD_MS = 60_000;

/**
 * Notes that one can hear now, and the gap since the last heartbeat where there is one. `isFirst`: of a process, which may have taken the
 * place of one that died a moment ago.
 */
export async function beat(
  db: Pick<Database, "kysely">,
  subject: string,
  nowMs: number,
  isFirst: boolean,
): Promise<void> {
  const now = timestampOfMs(nowMs);
  const heardSince = timestampOfMs(nowMs - (isFirst ? BEAT_MS : MISSED_MS));
  await sql`
    with before as (select last_at from heartbeats where subject = ${subject} for update),
    gap as (
      insert into listening_gaps (subject, from_at, to_at)
      select ${subject}, b.at, ${now}::timestamptz
      from (select coalesce((select last_at from before), '-infinity') as at) b
      where b.at < ${heardSince}::timestamptz
      on conflict do nothing returning 1
    )
    -- Counting the gap has it noted first, while the row is as it was.
    insert into heartbeats as h (subject, last_at) select ${subject}, ${now}::timestamptz from (select count(*) from gap) noted
    on conflict (subject) do update set last_at = case when h.last_at <= ${timestampOfMs(nowMs + MOST_AHEAD_MS)}::timestamptz
      then greatest(h.last_at, excluded.last_at) else excluded.last_at end`.execute(db.kysely);
}

/** When one could hear, as far as it is known now. */
export async function loadListening(tx: Tx, subject: string, nowMs: number): Promise<Listening> {
  const { rows: beats } = await sql<{ last_ms: number }>`
    select (extract(epoch from last_at) * 1000)::float8 as last_ms from heartbeats where subject = ${subject}`.execute(
    tx,
  );
  const { rows } = await sql<{ from_ms: number; to_ms: number }>`
    select (extract(epoch from from_at) * 1000)::float8 as from_ms, (extract(epoch from to_at) * 1000)::float8 as to_ms
    from listening_gaps where subject = ${subject} order by from_at`.execute(tx);
  return {
    nowMs,
    untilMs: Math.min(nowMs, beats[0]?.last_ms ?? Number.NEGATIVE_INFINITY),
    gaps: rows.map(({ from_ms: fromMs, to_ms: toMs }) => ({ fromMs, toMs })),
  };
}

export interface HeartbeatParts {
  db: Pick<Database, "kysely">;
  clock: Clock;
  log: Logger;
  chains: readonly WatchedChain[];
}

export function heartbeatTasks(parts: HeartbeatParts): Task[] {
  return [
    {
      name: "alerts: heartbeat of reports",
      role: "api",
      // Its listener is open before tasks begin.
      run: (signal) =>
        everyBeat(parts, signal, (isFirst) => beat(parts.db, REPORTS, parts.clock.now(), isFirst)),
    },
    {
      name: "alerts: heartbeat of chains",
      role: "indexer",
      ledBy: "itself",
      run(signal) {
        const watches = parts.chains.map((chain) => new ChainWatch(parts, chain));
        return everyBeat(parts, signal, async () => {
          for (const watch of watches) await watch.look();
        });
      },
    },
  ];
}

/** A database that is away takes no heartbeat; the gap says so afterwards. The last one is that of an orderly end. */
async function everyBeat(
  { log }: HeartbeatParts,
  signal: AbortSignal,
  run: (isFirst: boolean) => Promise<void>,
): Promise<void> {
  let isFirst = true;
  for (;;) {
    const isLast = signal.aborted;
    try {
      await run(isFirst);
      isFirst = false;
    } catch (error) {
      log.debug({ err: error }, "the heartbeat could not be stored");
    }
    if (isLast) return;
    await sleep(BEAT_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** A chain counts as heard while its head is no older than its lag. After a gap it must first come to what is new by then. */
class ChainWatch {
  readonly #parts: HeartbeatParts;
  readonly #chain: WatchedChain;
  readonly #subject: string;
  #isHeard = false;
  #reachMs: number | null = null;

  constructor(parts: HeartbeatParts, chain: WatchedChain) {
    this.#parts = parts;
    this.#chain = chain;
    this.#subject = areaOfChain(chain.chainId);
  }

  async look(): Promise<void> {
    const { db, clock } = this.#parts;
    const nowMs = clock.now();
    const { rows } = await sql<{ head_ms: number | null; last_ms: number | null }>`
      select (extract(epoch from c.head_timestamp) * 1000)::float8 as head_ms,
        (extract(epoch from h.last_at) * 1000)::float8 as last_ms
      from chains c left join heartbeats h on h.subject = ${this.#subject} where c.chain_id = ${this.#chain.chainId}`.execute(
      db.kysely,
    );
    const { head_ms: headMs = null, last_ms: lastMs = null } = rows[0] ?? {};
    const isInTime = headMs !== null && headMs >= nowMs - this.#chain.maxLagSeconds * 1000;
    const wasHeard = lastMs !== null && nowMs - lastMs <= (this.#isHeard ? MISSED_MS : BEAT_MS);
    if (!isInTime) return this.#lost();
    if (!wasHeard) {
      this.#reachMs ??= nowMs;
      if (headMs < this.#reachMs) return;
    }
    await beat(db, this.#subject, nowMs, !this.#isHeard);
    this.#isHeard = true;
    this.#reachMs = null;
  }

  #lost(): void {
    this.#isHeard = false;
    this.#reachMs = null;
  }
}
