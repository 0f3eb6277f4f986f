// Which handler applies the reports of which type.
import { actions } from "./actions.ts";
import type { EventType } from "./events.ts";
import type { ReportHandler } from "./handler.ts";
import { merkleJobs } from "./merkle-jobs.ts";
import { serviceRuns } from "./service-runs.ts";
import { serviceStates } from "./service-states.ts";
import { ppsReports, sessionKeys, shardStates } from "./snapshots.ts";

type Handlers = { [T in EventType]?: ReportHandler<T> };

/** One handler for each type that is taken; a type without one is refused as unknown. */
export const HANDLERS: Handlers = {
  "vaultops.service.run": serviceRuns,
  "vaultops.service.state": serviceStates,
  "vaultops.shard.state": shardStates,
  "vaultops.session_key.readiness": sessionKeys,
  "vaultops.merkle.job": merkleJobs,
  "vaultops.pps.report": ppsReports,
  "vaultops.action": actions,
};
