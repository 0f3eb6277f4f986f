// Which handler applies the reports of which type.

import { intentFillHandler } from "../features/intents/fill-reports.ts";
import { intentEventHandler } from "../features/intents/reports.ts";
import { redemptionHandler } from "../features/redemptions/reports.ts";
import { actions } from "../features/services/actions.ts";
import { merkleJobs } from "../features/services/merkle-jobs.ts";
import { serviceRuns } from "../features/services/runs.ts";
import { ppsReports, sessionKeys, shardStates } from "../features/services/snapshots.ts";
import { serviceStates } from "../features/services/states.ts";
import type { Handlers } from "../reports/handler.ts";

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
