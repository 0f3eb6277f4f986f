// The monitors, by hand: which states each is shown, and which rule it goes by. A new one is a file beside this and a line here.
import type { Tx } from "../../../platform/db/db.ts";
import { loadChainVaults } from "../state/chain-state.ts";
import type { Collector } from "../state/collector.ts";
import { emergencyExit } from "./emergency-exit.ts";
import { emergencyPause } from "./emergency-pause.ts";
import { loadExits, loadFailedJobs, loadFailures, loadServices, loadSessionKeys } from "./engine-state.ts";
import { execution } from "./execution.ts";
import { keeperRun } from "./keeper-run.ts";
import { merkleJobs, merkleRoot } from "./merkle.ts";
import { ppsStaleness } from "./pps-staleness.ts";
import { sessionKey } from "./session-key.ts";
import { upkeep } from "./upkeep.ts";

/** Monitors of what a chain's contracts answer. */
export async function judgeChain(tx: Tx, chainId: number, collector: Collector): Promise<void> {
  const vaults = await loadChainVaults(tx, chainId, collector.book, collector.nowMs);
  collector.add(upkeep, "upkeep", vaults);
  collector.add(ppsStaleness, "pps_staleness", vaults);
  collector.add(emergencyPause, "emergency_pause", vaults);
  collector.add(merkleRoot, "merkle", vaults);
}

/** Monitors of what engines report. */
export async function judgeEngine(tx: Tx, collector: Collector): Promise<void> {
  const { book, nowMs, listening } = collector;
  collector.add(keeperRun, "keeper_run", await loadServices(tx, book, nowMs));
  collector.add(sessionKey, "session_key", await loadSessionKeys(tx, book, nowMs));
  collector.add(emergencyExit, "emergency_exit", await loadExits(tx));
  collector.add(merkleJobs, "merkle", await loadFailedJobs(tx));
  collector.add(execution, "execution", await loadFailures(tx, book, listening));
}
