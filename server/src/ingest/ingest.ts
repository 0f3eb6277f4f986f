// Ingestion: chains in, facts out. One task per chain, side by side in one process; a chain that is slow, dead or lying holds
// no other. Of several processes on one database one leads each chain. What is derived from facts is handed in: projections at the head, the audit log at confirmation.
import { setImmediate } from "node:timers/promises";
import type { Registry } from "prom-client";
import type { ChainClient } from "../chain/client/client.ts";
import type { ConfirmedFact } from "../chain/facts.ts";
import type { Families } from "../chain/families/family/family.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Tx } from "../platform/db/db.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";
import type { BatchLimits } from "./block/context.ts";
import { ingestMetrics } from "./block/metrics.ts";
import { Patience } from "./block/patience.ts";
import type { Projection } from "./block/projection.ts";
import type { ChainSettings } from "./block/settings.ts";
import { ChainStore } from "./block/store.ts";
import { UnknownEvents } from "./block/unknown-events.ts";
import { type ChainStatus, ChainTask } from "./chain-task.ts";
import type { SetConfiguredManagers } from "./configure.ts";
import { Leadership } from "./lead/leadership.ts";
import { DEFAULT_BATCH } from "./past/backfill.ts";

/** `Entry` is the audit log's own: ingestion only carries it from one of its functions to the other. */
export interface IngestDependencies<Entry> {
  db: Database;
  chains: readonly ChainSettings[];
  /** A client for each of the chains. */
  clients: ReadonlyMap<number, ChainClient>;
  families: Families;
  projections: readonly Projection[];
  /** The entries of a confirmed fact; pure. */
  auditEntriesOf(fact: ConfirmedFact): Entry[];
  /** Appends entries in the given transaction; called last in it. */
  record(tx: Tx, entries: Entry[]): Promise<void>;
  /** Appends the entries of operations that were missed when it was their turn; returns how many. */
  recordLate(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number>;
  /** The same of those of which no entry stands yet; returns how many. */
  recordMissing(tx: Tx, facts: readonly ConfirmedFact[]): Promise<number>;
  /** Records the undoing of all entries of the chain's blocks above one; the number of entries undone. */
  recordReverts(tx: Tx, chainId: number, aboveBlock: number): Promise<number>;
  setConfiguredManagers: SetConfiguredManagers;
  log: Logger;
  clock: Clock;
  metrics: Registry;
  /** How much of the past is committed at once; a few thousand facts where left out. */
  batchLimits?: BatchLimits;
  /** What pauses and patience are measured by, which only goes forward; the process's own where left out. */
  nowMs?: () => number;
  /** How long one thing that the node does not tell holds up its chain; minutes where left out. */
  patienceMs?: number;
}

/** Entries of so many facts are made at one go: some milliseconds. */
const FACTS_AT_ONCE = 250;

export interface Ingest {
  tasks: Task[];
  status(): ChainStatus[];
  /**
   * A task as this process does it: one of the role `indexer` only while it leads the chain that the task names.
   * @throws Error for one that names none: two processes would do it at once
   */
  led(task: Task): Task;
}

export function createIngest<Entry>(dependencies: IngestDependencies<Entry>): Ingest {
  const { db, chains, clients, families, projections, auditEntriesOf, record, recordReverts, clock } =
    dependencies;
  const metrics = ingestMetrics(dependencies.metrics);
  const nowMs = dependencies.nowMs ?? (() => performance.now());
  const batchLimits = dependencies.batchLimits ?? DEFAULT_BATCH;
  const recorder = {
    async facts(facts: readonly ConfirmedFact[]) {
      const entries: Entry[] = [];
      for (let start = 0; start < facts.length; start += FACTS_AT_ONCE) {
        if (start > 0) await setImmediate();
        for (const fact of facts.slice(start, start + FACTS_AT_ONCE)) entries.push(...auditEntriesOf(fact));
      }
      return (tx: Tx) => record(tx, entries);
    },
    late: dependencies.recordLate,
    missing: dependencies.recordMissing,
    reverts: recordReverts,
  };
  const leadership = new Leadership(db.directUrl, dependencies.log);
  const chainTasks = chains.map((settings) => {
    const client = clients.get(settings.chain_id);
    if (!client) throw new Error(`chain ${settings.chain_id} has no client`);
    const log = dependencies.log.child({ chain_id: settings.chain_id });
    const store = new ChainStore(db, settings.chain_id);
    return new ChainTask(
      {
        settings,
        client,
        families,
        store,
        projections,
        recorder,
        unknownEvents: new UnknownEvents(settings.chain_id, metrics.unknownEvents, log),
        log,
        clock,
        metrics,
        batchLimits,
        patience: new Patience(dependencies.patienceMs, nowMs),
        nowMs,
        seeds: new Map(),
      },
      leadership,
      dependencies.setConfiguredManagers,
    );
  });
  return {
    tasks: [
      { name: "leadership", role: "indexer", ledBy: "itself", run: (signal) => leadership.run(signal) },
      ...chainTasks.map((task, index) => ({
        name: `chain ${chains[index]!.chain_id}`,
        role: "indexer" as const,
        ledBy: "itself" as const,
        run: (signal: AbortSignal) => task.run(signal),
      })),
    ],
    status: () => chainTasks.map((task) => task.status()),
    led(task) {
      if (task.role !== "indexer" || task.ledBy === "itself") return task;
      if (task.ledBy === undefined) throw new Error(`task "${task.name}" does not say who does it`);
      const chainId = task.ledBy === "first chain" ? chains[0]?.chain_id : task.ledBy;
      if (chainId === undefined) return task;
      return { ...task, run: (signal) => leadership.during(chainId, signal, task.run) };
    },
  };
}
