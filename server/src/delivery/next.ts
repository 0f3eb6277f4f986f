// What an outcome makes of a delivery that is sent by its schedule: pure. (A send asked for by hand leaves the schedule alone.)
import type { DeliveryStatus, Outcome } from "./types.ts";

export interface Next {
  status: DeliveryStatus;
  /** When it is to be sent again; null: never, or at once where it is `pending`. */
  dueAtMs: number | null;
  /** It was tried, and stands in the log of attempts. */
  isAttempt: boolean;
}

export function nextOf(
  { outcome, scheduleMs }: { outcome: Outcome; scheduleMs: number | null },
  nowMs: number,
): Next {
  switch (outcome.kind) {
    case "delivered":
      return { status: "delivered", dueAtMs: null, isAttempt: true };
    case "retry":
      if (scheduleMs === null) return { status: "dead", dueAtMs: null, isAttempt: true };
      return {
        status: "failed",
        dueAtMs: nowMs + Math.max(scheduleMs, outcome.retryAfterMs ?? 0),
        isAttempt: true,
      };
    case "dead":
      return { status: "dead", dueAtMs: null, isAttempt: true };
    case "canceled":
      return { status: "canceled", dueAtMs: null, isAttempt: false };
    case "unsent":
      return { status: "pending", dueAtMs: nowMs, isAttempt: false };
  }
}
