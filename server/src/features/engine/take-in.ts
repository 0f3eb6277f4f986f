// Takes in the events of one request: each is judged by itself, and all that stand are applied in one transaction.
//
// Guarantee: when `takeIn` resolves, what it calls accepted is committed, with everything it brings about. A report that was accepted
// before, in this request or another, changes nothing and is called a duplicate. A rejected one leaves no trace and may be sent again.
import { sql } from "kysely";
import type { AuditEntryInput } from "../../audit/entries.ts";
import { record } from "../../audit/record.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Tx } from "../../platform/db.ts";
import { vaultIdOf } from "../../platform/http/address.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { Logger } from "../../platform/log.ts";
import { type EventProblem, problemOf, readEvent } from "./cloud-event.ts";
import type { EventType } from "./events.ts";
import type { Handlers, Rejection, Report, ReportHandler } from "./handler.ts";
import type { IngestToken } from "./tokens.ts";

export interface EventResult {
  /** As sent; null where it was no text. */
  source: string | null;
  id: string | null;
  status: "accepted" | "duplicate" | "rejected";
  problem?: EventProblem;
}

export interface Intake {
  db: Database;
  clock: Clock;
  log: Logger;
  handlers: Handlers;
}

/** How far an engine's clock may run ahead: a report from the future would stand above all later ones. */
const TOLERANCE_MS = 300_000;

/**
 * The results in the order of `events`. `faults` names, by index, events whose text could not be read safely.
 * Throws what the database throws; nothing is committed then.
 */
export async function takeIn(
  intake: Intake,
  token: IngestToken,
  events: readonly unknown[],
  faults: ReadonlyMap<number, string>,
): Promise<EventResult[]> {
  const latest = timestampOfMs(intake.clock.now() + TOLERANCE_MS);
  const problems = new Map<number, EventProblem>();
  const standing = new Map<number, Report<EventType>>();
  for (const [index, event] of events.entries()) {
    const fault = faults.get(index);
    const read =
      fault === undefined ? readEvent(event) : { problem: problemOf("invalid_event", ofEvent(fault)) };
    const problem = "problem" in read ? read.problem : refusalOf(read.report, token, latest, intake.handlers);
    if (problem !== null) problems.set(index, problem);
    else if ("report" in read) standing.set(index, read.report);
  }
  for (const [index, problem] of await unknownPlaces(intake.db, standing)) {
    problems.set(index, problem);
    standing.delete(index);
  }
  const outcomes = await applyAll(intake, standing, latest);
  return events.map((event, index) => {
    const problem = problems.get(index);
    const outcome = outcomes.get(index);
    const named = nameOf(event);
    if (problem !== undefined) return { ...named, status: "rejected", problem };
    if (typeof outcome === "string") return { ...named, status: outcome };
    return { ...named, status: "rejected", problem: outcome as EventProblem };
  });
}

/** What can be refused without the database. */
function refusalOf(
  report: Report<EventType>,
  token: IngestToken,
  latest: string,
  handlers: Intake["handlers"],
): EventProblem | null {
  if (handlers[report.type] === undefined)
    return problemOf("invalid_event", `Events of type ${report.type} are not taken here.`);
  if (report.source !== token.source)
    return problemOf("not_permitted", `The token may report as ${token.source} alone.`);
  const isBound = token.chains.size > 0 || token.vaults.size > 0;
  if (report.vault === null && isBound)
    return problemOf(
      "not_permitted",
      "The token is bound to chains or vaults, so subject must name a vault.",
    );
  if (report.vault !== null) {
    const { chainId } = report.vault;
    if (token.chains.size > 0 && !token.chains.has(chainId))
      return problemOf("not_permitted", `The token may not report on chain ${chainId}.`);
    if (token.vaults.size > 0 && !token.vaults.has(vaultIdOf(report.vault)))
      return problemOf("not_permitted", `The token may not report on vault ${vaultIdOf(report.vault)}.`);
  }
  if (report.time > latest) {
    const message = `lies more than ${TOLERANCE_MS / 60_000} minutes in the future`;
    return problemOf("invalid_event", `time ${message}.`, [{ path: "/time", message }]);
  }
  return null;
}

/** Those reports whose chain or vault is not known here. */
async function unknownPlaces(
  db: Pick<Database, "pool">,
  reports: ReadonlyMap<number, Report<EventType>>,
): Promise<Map<number, EventProblem>> {
  const places = new Map(
    [...reports.values()].flatMap(({ vault }) =>
      vault === null ? [] : [[vaultIdOf(vault), vault] as const],
    ),
  );
  if (places.size === 0) return new Map();
  const { rows } = await db.pool.query<{ chain: boolean; vault: boolean }>({
    name: "engine_places",
    text: `
      select exists (select from chains c where c.chain_id = p.chain_id) as chain,
        exists (select from vaults v where v.chain_id = p.chain_id and v.address = p.address) as vault
      from unnest($1::bigint[], $2::text[]) with ordinality as p (chain_id, address, n) order by n`,
    values: [
      [...places.values()].map(({ chainId }) => chainId),
      [...places.values()].map(({ vaultAddress }) => vaultAddress),
    ],
  });
  const unknown = new Map<string, EventProblem>();
  for (const [at, [id, { chainId }]] of [...places].entries()) {
    const found = rows[at];
    if (found?.chain !== true)
      unknown.set(id, problemOf("chain_not_found", `Chain ${chainId} is not one that this service follows.`));
    else if (!found.vault) unknown.set(id, problemOf("vault_not_found", `There is no vault ${id}.`));
  }
  const problems = new Map<number, EventProblem>();
  for (const [index, { vault }] of reports) {
    const problem = vault === null ? undefined : unknown.get(vaultIdOf(vault));
    if (problem !== undefined) problems.set(index, problem);
  }
  return problems;
}

type Outcome = "accepted" | "duplicate" | EventProblem;

/**
 * Applies the reports in one transaction. Where the database finds a value in one of them that it cannot hold, each is applied in a
 * transaction of its own, so that it takes no other down and does not keep an engine repeating the batch for ever.
 */
async function applyAll(
  intake: Intake,
  reports: ReadonlyMap<number, Report<EventType>>,
  latest: string,
): Promise<Map<number, Outcome>> {
  if (reports.size === 0) return new Map();
  try {
    return await intake.db.transaction((tx) => apply(tx, intake, reports, latest));
  } catch (error) {
    if (!isOwnFault(error)) throw error;
    if (reports.size > 1) {
      const outcomes = new Map<number, Outcome>();
      for (const one of reports) {
        for (const [index, outcome] of await applyAll(intake, new Map([one]), latest)) {
          outcomes.set(index, outcome);
        }
      }
      return outcomes;
    }
    const [[index, report]] = [...reports] as [[number, Report<EventType>]];
    intake.log.error({ err: error, type: report.type, report_id: report.id }, "a report cannot be stored");
    return new Map([[index, problemOf("invalid_event", "The event holds a value that cannot be stored.")]]);
  }
}

/** A data exception or a broken constraint (SQLSTATE classes 22 and 23): repeating would not help. */
function isOwnFault(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23]...$/.test(code);
}

async function apply(
  tx: Tx,
  { handlers }: Intake,
  reports: ReadonlyMap<number, Report<EventType>>,
  latest: string,
): Promise<Map<number, Outcome>> {
  const list = [...reports];
  await lock(tx, new Set(list.map(([, { vault }]) => (vault === null ? "" : vaultIdOf(vault)))));
  const isNew = await remember(
    tx,
    list.map(([, report]) => report),
  );
  const outcomes = new Map<number, Outcome>();
  const firsts = new Map<string, number>();
  const byType = new Map<EventType, [number, Report<EventType>][]>();
  for (const [index, report] of list) {
    if (!isNew.has(report.id)) outcomes.set(index, "duplicate");
    if (!isNew.has(report.id) || firsts.has(report.id)) continue;
    firsts.set(report.id, index);
    const same = byType.get(report.type);
    if (same === undefined) byType.set(report.type, [[index, report]]);
    else same.push([index, report]);
  }

  const entries: AuditEntryInput[] = [];
  const effects = { latest, audit: (entry: AuditEntryInput) => void entries.push(entry) };
  for (const [type, group] of byType) {
    const handler = handlers[type] as unknown as ReportHandler<EventType>;
    const rejections = await handler.apply(
      tx,
      group.map(([, report]) => report),
      effects,
    );
    for (const [at, [index]] of group.entries()) outcomes.set(index, outcomeOf(rejections[at]));
  }
  await forget(
    tx,
    list.filter(([index]) => typeof outcomes.get(index) === "object").map(([, report]) => report),
  );
  for (const [index, { id }] of list) {
    const first = firsts.get(id);
    if (first === undefined || first === index) continue;
    const outcome = outcomes.get(first) as Outcome;
    outcomes.set(index, outcome === "accepted" ? "duplicate" : outcome);
  }
  await record(tx, entries);
  return outcomes;
}

function outcomeOf(rejection: Rejection | null | undefined): Outcome {
  if (rejection === undefined) throw new Error("a handler told nothing of a report");
  return rejection === null ? "accepted" : problemOf(rejection.code, rejection.detail);
}

/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_381_322_565;

/**
 * Stands in line for each vault, in one order for all. The locks are taken from a fixed number, so that no batch can use up the
 * server's lock table; two vaults that share one wait for each other in vain, which is rare.
 */
async function lock(tx: Tx, vaults: ReadonlySet<string>): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${LOCK_CLASS}::integer, slot)
    from (select distinct hashtext(v) & 255 as slot from unnest(${[...vaults]}::text[]) v order by 1) slots`.execute(
    tx,
  );
}

/** Puts the ids of the reports (all of one source) on record and returns those that were not yet. */
async function remember(tx: Tx, reports: readonly Report<EventType>[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into engine_report_ids (source, id)
    select distinct ${reports[0]?.source}, r from unnest(${reports.map(({ id }) => id)}::text[]) r order by 2
    on conflict do nothing
    returning id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

async function forget(tx: Tx, reports: readonly Report<EventType>[]): Promise<void> {
  if (reports.length === 0) return;
  await sql`
    delete from engine_report_ids
    where source = ${reports[0]?.source} and id = any(${reports.map(({ id }) => id)}::text[])`.execute(tx);
}

/** What identifies an event in its result, cut so that an answer cannot be made large. */
function nameOf(event: unknown): { source: string | null; id: string | null } {
  const { source, id } = (typeof event === "object" && event !== null ? event : {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 255).toWellFormed() : null);
  return { source: text(source), id: text(id) };
}

function ofEvent(fault: string): string {
  return fault.replace(/^The body/, "The event");
}
