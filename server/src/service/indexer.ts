// The indexer's parts put together: chain clients and families in, facts, projections and audit entries out.
// `ingest` knows no feature, so what it writes to is handed to it here.
import { pino } from "pino";
import type { Registry } from "prom-client";
import { record, recordPrepared } from "../audit/append/record.ts";
import { type Prepared, prepare } from "../audit/append/render.ts";
import { recordReverts } from "../audit/append/reverts.ts";
import { missingOf } from "../audit/append/standing.ts";
import type { AuditEntryInput } from "../audit/entries/entries.ts";
import { auditEntriesOf } from "../audit/entries/from-facts.ts";
import { acceptByAction } from "../auth/acceptance.ts";
import { rolesProjection, setConfiguredManagers } from "../auth/roles.ts";
import type { ChainClient } from "../chain/client/client.ts";
import type { ConfirmedFact } from "../chain/facts.ts";
import { createFamilies } from "../chain/families/registry.ts";
import type { Config } from "../config/load.ts";
import { emit } from "../events/emit.ts";
import { eventsOf } from "../events/from-facts.ts";
import type { DomainEvent } from "../events/types.ts";
import { actionsProjection } from "../features/actions/follow/project.ts";
import { noteDeepReorganisation } from "../features/alerts/judge/system-notes.ts";
import { redemptionsProjection } from "../features/redemptions/projection.ts";
import { vaultsProjection } from "../features/vaults/project.ts";
import type { Projection } from "../ingest/block/projection.ts";
import { trackedProjection } from "../ingest/block/tracked.ts";
import { createIngest, type Ingest } from "../ingest/ingest.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Tx } from "../platform/db/db.ts";
import type { Logger } from "../platform/log.ts";

/** What is derived from facts, in the order in which it is. What a fact changes is judged without a word in the log. */
export const PROJECTIONS: readonly Projection[] = [
  trackedProjection(createFamilies(pino({ level: "silent" }))),
  rolesProjection,
  vaultsProjection,
  redemptionsProjection,
  actionsProjection,
];

/** What confirmed facts leave behind, in the transaction of their confirmation: events first, for the audit log holds a lock. */
export const recording = {
  auditEntriesOf: (fact: ConfirmedFact) => [
    { entries: auditEntriesOf(fact).map((entry) => prepare(entry)), events: eventsOf([fact]) },
  ],
  async record(tx: Tx, recorded: readonly { entries: Prepared[]; events: DomainEvent[] }[]): Promise<void> {
    await emit(
      tx,
      recorded.flatMap(({ events }) => events),
    );
    const entries = recorded.flatMap((each) => each.entries);
    await acceptByAction(
      tx,
      entries.map(({ input }) => input),
    );
    await recordPrepared(tx, entries);
  },
  /** As of now, each marked, under an id of its own: the entry that stands in its place, if any, stays. No events come of what is past. */
  async recordLate(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number> {
    const entries = facts.flatMap(auditEntriesOf).map(backfilled);
    await record(tx, entries);
    return entries.length;
  },
  /** The same of what stands in no entry yet. */
  async recordMissing(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number> {
    let count = 0;
    for (let start = 0; start < facts.length; start += FACTS_AT_ONCE) {
      const own = facts.slice(start, start + FACTS_AT_ONCE).flatMap(auditEntriesOf);
      const missing = await missingOf(tx, own);
      await record(tx, missing.map(backfilled));
      count += missing.length;
    }
    return count;
  },
};

const FACTS_AT_ONCE = 2_000;

function backfilled(entry: AuditEntryInput): AuditEntryInput {
  return { ...entry, isBackfilled: true };
}

export interface IndexerParts {
  config: Config;
  db: Database;
  log: Logger;
  clock: Clock;
  clients: ReadonlyMap<number, ChainClient>;
  metrics: Registry;
}

export function createIndexer({ config, ...parts }: IndexerParts): Ingest {
  return createIngest({
    ...parts,
    chains: config.chains,
    families: createFamilies(parts.log),
    projections: PROJECTIONS,
    ...recording,
    async recordReverts(tx, chainId, ancestor) {
      const count = await recordReverts(tx, chainId, ancestor);
      await noteDeepReorganisation(tx, chainId, ancestor, count);
      return count;
    },
    setConfiguredManagers,
  });
}
