// The background check of the running log, and what it found, for GET /audit/verification, /readyz and alerts.
import { timestampOfMs } from "../../platform/http/time.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import type { LogCheck } from "./log.ts";

export interface Verification {
  status: "pending" | "ok" | "failed";
  is_running: boolean;
  /** Entries that the last whole check covered. */
  checked_size: number | null;
  checked_at: string | null;
  failure: { seq: string | null; reason: string; found_at: string } | null;
}

export interface WatchParts {
  /** One whole check of the log. */
  check(signal: AbortSignal): Promise<LogCheck>;
  log: Logger;
  /** Pause between two whole checks: 6 hours unless told. */
  intervalMs?: number;
  /** Told of the first outcome and of every change from or to `failed`, with when that check began; the alerts' door. */
  onChange?: (state: Verification, startedAt: string) => void;
}

/** Checks at start, and again and again. A failure stays until a later check finds the log whole. */
export function createWatch({ check, log, intervalMs = 21_600_000, onChange }: WatchParts): {
  state(): Verification;
  task: Task;
} {
  let state: Verification = {
    status: "pending",
    is_running: false,
    checked_size: null,
    checked_at: null,
    failure: null,
  };
  const settle = ({ size, failure }: LogCheck, startedAt: string) => {
    const now = timestampOfMs(Date.now());
    const before = state.status;
    state = {
      status: failure === null ? "ok" : "failed",
      is_running: false,
      checked_size: size,
      checked_at: now,
      failure: failure && {
        seq: failure.seq === null ? null : String(failure.seq),
        reason: failure.reason,
        found_at: state.failure?.found_at ?? now,
      },
    };
    if (failure !== null) log.fatal({ failure, size }, "the audit log does not verify");
    if (before === "pending" || (before === "failed") !== (state.status === "failed"))
      onChange?.(state, startedAt);
  };
  return {
    state: () => state,
    task: every({ name: "audit verification", role: "worker", ms: intervalMs, log }, async (signal) => {
      const startedAt = timestampOfMs(Date.now());
      state = { ...state, is_running: true };
      try {
        settle(await check(signal), startedAt);
      } finally {
        state = { ...state, is_running: false };
      }
    }),
  };
}
