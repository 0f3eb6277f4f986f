// Which handler applies the reports of which type.
import { actions } from "./actions.ts";
import { intentFillHandler } from "./fill-reports.ts";
import type { Handlers } from "./handler.ts";
import { intentEventHandler } from "./intent-reports.ts";
import { merkleJobs } from "./merkle-jobs.ts";
import { redemptionHandler } from "./redemption-reports.ts";
import { serviceRuns } from "./service-runs.ts";
import { serviceStates } from "./service-states.ts";
import { ppsReports, sessionKeys, shardStates } from "./snapshots.ts";

/** One handler for each type that is taken; a type without one is refused as unknown. */
export const HANDLERS: Handlers = {
  "vaultops.service.run": serviceRuns,
  "vaultops.service.state": serviceStates,
  "vaultops.intent.event": intentEventHandler,
  "vaultops.intent.fill": intentFillHandler,
  "vaultops.redemption.execution": redemptionHandler,
  "vaultops.shard.state": shardStates,
  "vaultops.session_key.readiness": sessionKeys,
  "vaultops.merkle.job": merkleJobs,
  "vaultops.pps.report": ppsReports,
  "vaultops.action": actions,
};
