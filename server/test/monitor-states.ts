// States with nothing wrong, for the tables of cases of the monitors.

import { loadConfig } from "../src/config/load.ts";
import type { Listening } from "../src/judgements/listening.ts";
import type { AlertRules } from "../src/monitors/alert-rules.ts";
import type { NamedVault } from "../src/monitors/base/monitor.ts";
import type { ChainVault } from "../src/monitors/engine/chain-vaults.ts";
import type { ServiceState } from "../src/monitors/engine/keeper-run.ts";

export const NOW = 1_800_000_000_000;
export const NOW_SECONDS = NOW / 1000;
export const RULES: AlertRules = loadConfig({ env: {} }).alerts.rules;

/** Whoever has listened all the time until now. */
export const heard = (nowMs: number): Listening => ({ nowMs, untilMs: nowMs, gaps: [] });

export const REF: NamedVault = {
  chainId: 8453,
  address: "0x0000000000000000000000000000000000000100",
  name: "Alpha",
  chainName: "Base",
  explorerUrl: null,
};

export function chainVault(more: Partial<ChainVault> = {}): ChainVault {
  return {
    ...REF,
    isKnown: true,
    headSeconds: NOW_SECONDS,
    upkeep: null,
    staleness: null,
    pause: null,
    veto: null,
    isGlobalRootVetoed: false,
    ...more,
  };
}

/** Ran just now, on a schedule of 60 s, ten times without a failure. */
export function service(more: Partial<ServiceState> = {}): ServiceState {
  return {
    name: "fulfill_redeems",
    displayName: "Fulfill redeems",
    isPaused: false,
    isEnabled: true,
    scheduleSeconds: 60,
    lastRunMs: NOW,
    firstStateMs: null,
    recentSuccess: 10,
    recentFailed: 0,
    lastRun: "2027-01-15T08:00:00.000000Z",
    lastError: null,
    consecutiveFailures: 0,
    ...more,
  };
}
