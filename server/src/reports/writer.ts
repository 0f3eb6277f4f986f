// Writes reports: those of one request in one transaction, and requests that wait meanwhile together in the next one. So many engines
// that report singly cost hardly more commits than one that reports in batches.
//
// Guarantee: `write` resolves when its reports are committed. Nothing that one request holds can make another's fail.
import { sql } from "kysely";
import { record } from "../audit/append/record.ts";
import type { AuditEntryInput } from "../audit/entries/entries.ts";
import { emit } from "../events/emit.ts";
import type { DomainEvent } from "../events/types.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, executeNamed, isDatabaseUnavailable, type Tx } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import type { Logger } from "../platform/log.ts";
import { type EventProblem, problemOf } from "./cloud-event.ts";
import type { EventType } from "./events.ts";
import type { Handlers, Rejection, Report, ReportHandler } from "./handler.ts";
import { vaultLocks } from "./vault-lock.ts";

/** How far an engine's clock may run ahead: a report from the future would stand above all later ones. */
export const TOLERANCE_MS = 300_000;

/** What became of a report. */
export type Outcome = "accepted" | "duplicate" | EventProblem;

export interface WriterParts {
  db: Pick<Database, "transaction">;
  clock: Clock;
  log: Logger;
  handlers: Handlers;
}

type Reports = readonly Report<EventType>[];

interface Request {
  reports: Reports;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
}

/** Reports of one transaction, unless one request alone has more. */
const MAX_TOGETHER = 1000;
/** Transactions at a time: while one waits for its commit, the next is under way. */
const LANES = 2;

export class ReportWriter {
  readonly #parts: WriterParts;
  readonly #waiting: Request[] = [];
  #lanes = 0;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  takes(type: EventType): boolean {
    return this.#parts.handlers[type] !== undefined;
  }

  /** The latest time that a report may bear now. */
  latest(): string {
    return timestampOfMs(this.#parts.clock.now() + TOLERANCE_MS);
  }

  /** The outcomes, in the order of the reports. Rejects with what the database throws; nothing of them is committed then. */
  write(reports: Reports): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ reports, resolve, reject });
      if (this.#lanes < LANES) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#lanes += 1;
    while (this.#waiting.length > 0) await this.#writeTogether(this.#next());
    this.#lanes -= 1;
  }

  #next(): Request[] {
    let [count, total] = [0, 0];
    for (const { reports } of this.#waiting) {
      total += reports.length;
      if (count > 0 && total > MAX_TOGETHER) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #writeTogether(requests: readonly Request[]): Promise<void> {
    try {
      const outcomes = await this.#transact(requests.flatMap(({ reports }) => reports));
      let at = 0;
      for (const { reports, resolve } of requests) {
        resolve(outcomes.slice(at, at + reports.length));
        at += reports.length;
      }
    } catch (error) {
      if (isDatabaseUnavailable(error)) for (const { reject } of requests) reject(error);
      else if (requests.length > 1) for (const request of requests) await this.#writeTogether([request]);
      else if (isOwnFault(error)) await this.#writeEach(requests[0] as Request);
      else requests[0]?.reject(error);
    }
  }

  /**
   * Where a report holds a value that the database or our own code cannot take, each report is written in a transaction of its own, so
   * that it takes no other down and does not keep an engine repeating the batch for ever.
   */
  async #writeEach({ reports, resolve, reject }: Request): Promise<void> {
    try {
      const outcomes: Outcome[] = [];
      for (const report of reports) {
        const [outcome] = await this.#transact([report]).catch((error) => [this.#refuse(report, error)]);
        outcomes.push(outcome as Outcome);
      }
      resolve(outcomes);
    } catch (error) {
      reject(error);
    }
  }

  #refuse({ type, id }: Report<EventType>, error: unknown): EventProblem {
    if (!isOwnFault(error)) throw error;
    this.#parts.log.error({ err: error, type, report_id: id }, "a report cannot be stored");
    return problemOf("invalid_event", "The event contains a value that cannot be stored.");
  }

  #transact(reports: Reports): Promise<Outcome[]> {
    const { db, handlers } = this.#parts;
    const latest = this.latest();
    return db.transaction((tx) => apply(tx, handlers, reports, latest));
  }
}

/**
 * The fault of one report, which repeating would not mend: a data exception or a broken constraint (SQLSTATE classes 22 and 23), or what
 * our own code did not expect.
 */
function isOwnFault(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23]...$/.test(code);
}

async function apply(tx: Tx, handlers: Handlers, reports: Reports, latest: string): Promise<Outcome[]> {
  const isNew = await remember(tx, reports);
  // The first of those with the same source and id stands for all of them.
  const firsts = new Map<string, Report<EventType>>();
  for (const report of reports) {
    const key = keyOf(report);
    if (isNew.has(key) && !firsts.has(key)) firsts.set(key, report);
  }
  const entries: AuditEntryInput[] = [];
  const events: DomainEvent[] = [];
  const effects = {
    latest,
    audit: (entry: AuditEntryInput) => void entries.push(entry),
    event: (event: DomainEvent) => void events.push(event),
  };
  const outcomes = new Map<Report<EventType>, Outcome>();
  for (const [type, group] of Map.groupBy(firsts.values(), (report) => report.type)) {
    const handler = handlers[type] as unknown as ReportHandler<EventType>;
    const rejections = await handler.apply(tx, group, effects);
    for (const [at, report] of group.entries()) outcomes.set(report, outcomeOf(rejections[at]));
  }
  await forget(
    tx,
    [...outcomes].filter(([, outcome]) => outcome !== "accepted").map(([report]) => report),
  );
  await emit(tx, events);
  await record(tx, entries);
  return reports.map((report) => {
    const first = firsts.get(keyOf(report));
    if (first === undefined) return "duplicate";
    const outcome = outcomes.get(first) as Outcome;
    return first !== report && outcome === "accepted" ? "duplicate" : outcome;
  });
}

function keyOf({ source, id }: { source: string; id: string }): string {
  return `${source}\n${id}`;
}

function outcomeOf(rejection: Rejection | null | undefined): Outcome {
  if (rejection === undefined) throw new Error("a handler told nothing of a report");
  return rejection === null ? "accepted" : problemOf(rejection.code, rejection.detail);
}

const REPORTS_CHANNEL = "reports";

/**
 * Stands in line for the reports' vaults, then puts the reports' ids on record, in one order for all, and returns the keys of those that
 * were not yet. Both in one statement: whoever waits here holds nothing yet. Whoever judges what is reported hears of it at the commit.
 */
async function remember(tx: Tx, reports: Reports): Promise<Set<string>> {
  const { rows } = await executeNamed(
    tx,
    "engine_remember",
    sql<{ source: string; id: string }>`
    with locks as materialized (${vaultLocks(reports.map(({ vault }) => vault))}), fresh as (
      insert into engine_report_ids (source, id)
      select distinct s collate "C", i collate "C" from unnest(${reports.map(({ source }) => source)}::text[], ${reports.map(({ id }) => id)}::text[]) r (s, i)
      where (select taken from locks) > 0
      order by 1, 2
      on conflict do nothing
      returning source, id
    )
    select source, id from fresh, (select pg_notify(${REPORTS_CHANNEL}, '')) told`,
  );
  return new Set(rows.map(keyOf));
}

async function forget(tx: Tx, reports: Reports): Promise<void> {
  if (reports.length === 0) return;
  await sql`
    delete from engine_report_ids e
    using unnest(${reports.map(({ source }) => source)}::text[], ${reports.map(({ id }) => id)}::text[]) r (s, i)
    where e.source = r.s collate "C" and e.id = r.i collate "C"`.execute(tx);
}

/** Forgets old ids of reports. What a report makes has a key of its own, so one that is repeated after this time still changes nothing. */
export async function forgetReportIds(db: Pick<Database, "kysely">): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from engine_report_ids where received_at < now() - interval '30 days'`.execute(db.kysely);
  return Number(numAffectedRows);
}
