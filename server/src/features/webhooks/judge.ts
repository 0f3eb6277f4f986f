// What an endpoint's answer means for a delivery: pure.
import type { Outcome } from "../../delivery/types.ts";
import type { EgressResponse } from "../../platform/egress/egress.ts";
import { retryAfterMs } from "../../platform/egress/retry-after.ts";

/** Marks the outcome after which an endpoint is disabled. */
export const GONE = "gone";
/** An endpoint that asks for more patience than this gets this. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** 2xx is success; 410 ends it for good; all else, redirects included, is tried again. */
export function judge(answer: EgressResponse, nowMs: number): Outcome {
  const { status } = answer;
  const common = { statusCode: status, excerpt: answer.body.subarray(0, 2048).toString("utf8") };
  if (status >= 200 && status <= 299) return { kind: "delivered", ...common };
  const error = `answered ${status}${status >= 300 && status <= 399 ? " (redirects are not followed)" : ""}`;
  if (status === 410) return { kind: "dead", error, note: GONE, ...common };
  const askedMs = retryAfterMs(answer.headers["retry-after"], nowMs);
  if (askedMs === null) return { kind: "retry", error, ...common };
  const afterMs = Math.min(MAX_RETRY_AFTER_MS, askedMs);
  // It speaks for itself as a whole, not for this one delivery.
  const pauses = status === 429 || status === 503;
  return {
    kind: "retry",
    error,
    retryAfterMs: afterMs,
    ...(pauses && { pauseTargetMs: afterMs }),
    ...common,
  };
}
