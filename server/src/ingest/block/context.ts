// What the parts of a chain's ingestion share.
import type { Address } from "viem";
import type { Clock } from "../../platform/clock.ts";
import type { IsHistory, Recorder } from "./confirm.ts";
import type { ExtractContext } from "./discover.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Projection } from "./projection.ts";
import type { ChainSettings } from "./settings.ts";
import type { ChainStore } from "./store.ts";
import type { ManagerSeed, World } from "./world.ts";

/** A batch is committed when it holds so many facts, or has been gathered for so long. */
export interface BatchLimits {
  facts: number;
  ms: number;
}

export interface ChainContext extends ExtractContext {
  settings: ChainSettings;
  store: ChainStore;
  projections: readonly Projection[];
  recorder: Recorder;
  clock: Clock;
  metrics: IngestMetrics;
  batchLimits: BatchLimits;
  /** What pauses are measured by: it only goes forward. */
  nowMs(): number;
  /** Managers known without facts, by vault; replaced at every start. */
  seeds: ReadonlyMap<Address, ManagerSeed>;
}

/**
 * Tells whether a fact is history: older than the moment at which its vault's source was first configured; of no vault, the first
 * of the chain's sources.
 */
export function historyJudge(context: ChainContext, world: World): IsHistory {
  const configuredAt = new Map(context.store.sources.map((each) => [each.source, each.configuredAt]));
  const first = Math.min(...configuredAt.values());
  return (vault, blockTimestamp) => {
    if (vault === null) return Number.isFinite(first) && blockTimestamp < first;
    const source = world.directory.vault(vault)?.source;
    const moment = source && configuredAt.get(source);
    return moment !== undefined && blockTimestamp < moment;
  };
}
