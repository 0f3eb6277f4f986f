// What applies the reports of one type to the database. One handler a type, listed in service/report-handlers.ts.
//
// A request's reports are applied in one transaction, type by type, those of a type together and in the order sent. So what a
// type makes of a report must not depend on reports of other types having come before. Transactions that concern the same vault
// stand in line (an advisory lock for each vault, taken in order), so that a handler may read, decide and write without locks
// of its own. Each report comes once: those whose (source, id) was accepted before never reach a handler.
import type { Address } from "viem";
import type { AuditEntryInput } from "../audit/entries/entries.ts";
import type { DomainEvent } from "../events/types.ts";
import type { Tx } from "../platform/db/db.ts";
import type { ErrorCode } from "../platform/errors.ts";
import type { EventData, EventType } from "./events.ts";

/** A validated report. Strings hold no NUL and no lone surrogate, addresses are checksummed, times in the API's form (microseconds). */
export interface Report<T extends EventType> {
  type: T;
  source: string;
  id: string;
  /** The event's `time`. */
  time: string;
  /** The vault of `subject`, which exists and which the token may report on; null only where the type allows none. */
  vault: { chainId: number; vaultAddress: Address } | null;
  data: EventData<T>;
}

/** Why a report is refused. Nothing of it may have been written, and it may be sent again. */
export interface Rejection {
  code: ErrorCode;
  detail: string;
}

/** What reports bring about beside the rows that a handler writes, and what it must know of the moment. */
export interface Effects {
  /** Times in `data` that lie after this one (the service's clock and some tolerance, in the API's form) are to be refused. */
  latest: string;
  /** Appends to the audit log when all reports are applied; entries stand there in the order of the calls. */
  audit(entry: AuditEntryInput): void;
  /** Puts an event on the spine when all reports are applied, in the order of the calls. */
  event(event: DomainEvent): void;
}

export interface ReportHandler<T extends EventType> {
  type: T;
  /**
   * Applies the reports (at least one, at most 1000) and tells of each, in the same order, null or why it is refused. What it
   * throws fails the whole request, which the engine then repeats.
   */
  apply(tx: Tx, reports: readonly Report<T>[], effects: Effects): Promise<(Rejection | null)[]>;
}

/** One handler for each type that is taken. */
export type Handlers = { [T in EventType]?: ReportHandler<T> };

/** A handler whose reports need to be seen one at a time. */
export function oneByOne<T extends EventType>(
  type: T,
  apply: (tx: Tx, report: Report<T>, effects: Effects) => Promise<Rejection | null>,
): ReportHandler<T> {
  return {
    type,
    async apply(tx, reports, effects) {
      const rejections: (Rejection | null)[] = [];
      for (const report of reports) rejections.push(await apply(tx, report, effects));
      return rejections;
    },
  };
}

/** Whether a report counts over another: by `time`, of two with the same by the greater id, bytes compared, as the database does. */
export function laterReport(
  report: { time: string; id: string },
  than: { time: string; id: string },
): boolean {
  if (report.time !== than.time) return report.time > than.time;
  return Buffer.compare(Buffer.from(report.id), Buffer.from(than.id)) > 0;
}

/** The last word on each matter among reports of one type, `keyOf` naming the matter. */
export function newest<R extends { time: string; id: string }>(
  reports: readonly R[],
  keyOf: (report: R) => string,
): R[] {
  const found = new Map<string, R>();
  for (const report of reports) {
    const key = keyOf(report);
    const before = found.get(key);
    if (before === undefined || laterReport(report, before)) found.set(key, report);
  }
  return [...found.values()];
}

/** Whether a report was made after another, as `laterReport` judges, by the columns that keep its time and id. */
export function isLater(
  a: { event_time: string; event_id: string },
  b: { event_time: string; event_id: string },
): boolean {
  return laterReport({ time: a.event_time, id: a.event_id }, { time: b.event_time, id: b.event_id });
}
