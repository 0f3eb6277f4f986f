// Takes in the events of one request: each is judged by itself, and all that stand are written together.
//
// Guarantee: when `takeIn` resolves, what it calls accepted is committed, with everything it brings about. A report that was accepted
// before, in this request or another, changes nothing and is called a duplicate. A rejected one leaves no trace and may be sent again.
import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import { type Database, executeNamed } from "../platform/db/db.ts";
import type { ErrorCode } from "../platform/errors.ts";
import type { JsonFault } from "../platform/http/json.ts";
import { vaultIdOf } from "../vault.ts";
import { type EventProblem, problemOf, readEvent } from "./cloud-event.ts";
import type { EventType } from "./events.ts";
import type { Report } from "./handler.ts";
import type { IngestToken } from "./tokens.ts";
import { type ReportWriter, TOLERANCE_MS } from "./writer.ts";

/** How many events are checked at a stretch. */
const TURN_EVENTS = 32;

export interface EventResult {
  /** As sent; null where it was no text. */
  source: string | null;
  id: string | null;
  status: "accepted" | "duplicate" | "rejected";
  /** Of a rejected one: it may be taken later, as it is. */
  retry?: true;
  problem?: EventProblem;
}

/** What is not known here may become known: an engine hears of a new vault before its block is read. */
const RETRIED: readonly ErrorCode[] = ["vault_not_found", "chain_not_found"];

export interface Intake {
  db: Pick<Database, "kysely">;
  writer: ReportWriter;
}

/**
 * The results in the order of `events`. `faults` names, by index, events whose text could not be read safely.
 * Throws what the database throws; nothing is committed then.
 */
export async function takeIn(
  intake: Intake,
  token: IngestToken,
  events: readonly unknown[],
  faults: ReadonlyMap<number, JsonFault>,
): Promise<EventResult[]> {
  const latest = intake.writer.latest();
  const problems = new Map<number, EventProblem>();
  const standing = new Map<number, Report<EventType>>();
  for (const [index, event] of events.entries()) {
    // Others have their turn between: a batch holds the process no longer than a few events do.
    if (index % TURN_EVENTS === TURN_EVENTS - 1) await turn();
    const fault = faults.get(index);
    const read =
      fault === undefined
        ? readEvent(event)
        : { problem: problemOf("invalid_event", `The event ${fault.message}.`) };
    const problem = "problem" in read ? read.problem : refusalOf(read.report, token, latest, intake.writer);
    if (problem !== null) problems.set(index, problem);
    else if ("report" in read) standing.set(index, read.report);
  }
  for (const [index, problem] of await unknownPlaces(intake.db, standing)) {
    problems.set(index, problem);
    standing.delete(index);
  }
  const written = standing.size === 0 ? [] : await intake.writer.write([...standing.values()]);
  const outcomes = new Map([...standing.keys()].map((index, at) => [index, written[at]]));
  return events.map((event, index) => {
    const problem = problems.get(index);
    const outcome = outcomes.get(index);
    const named = nameOf(event);
    if (problem !== undefined)
      return {
        ...named,
        status: "rejected",
        ...(RETRIED.includes(problem.code) ? { retry: true } : {}),
        problem,
      };
    if (typeof outcome === "string") return { ...named, status: outcome };
    return { ...named, status: "rejected", problem: outcome as EventProblem };
  });
}

/** What can be refused without the database. */
function refusalOf(
  report: Report<EventType>,
  token: IngestToken,
  latest: string,
  writer: ReportWriter,
): EventProblem | null {
  if (!writer.takes(report.type))
    return problemOf("invalid_event", `Events of type ${report.type} are not accepted here.`);
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
  db: Pick<Database, "kysely">,
  reports: ReadonlyMap<number, Report<EventType>>,
): Promise<Map<number, EventProblem>> {
  const places = new Map(
    [...reports.values()].flatMap(({ vault }) =>
      vault === null ? [] : [[vaultIdOf(vault), vault] as const],
    ),
  );
  if (places.size === 0) return new Map();
  const chains = [...places.values()].map(({ chainId }) => chainId);
  const vaults = [...places.values()].map(({ vaultAddress }) => vaultAddress);
  const { rows } = await executeNamed(
    db.kysely,
    "engine_places",
    sql<{ chain: boolean; vault: boolean }>`
      select exists (select from chains c where c.chain_id = p.chain_id) as chain,
        exists (select from vaults v where v.chain_id = p.chain_id and v.address = p.address) as vault
      from unnest(${chains}::bigint[], ${vaults}::text[]) with ordinality as p (chain_id, address, n) order by n`,
  );
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

/** What identifies an event in its result, cut so that an answer cannot be made large. */
function nameOf(event: unknown): { source: string | null; id: string | null } {
  const { source, id } = (typeof event === "object" && event !== null ? event : {}) as Record<
    string,
    unknown
  >;
  const text = (value: unknown) => (typeof value === "string" ? value.slice(0, 255).toWellFormed() : null);
  return { source: text(source), id: text(id) };
}
