// What an endpoint's answer means for a delivery: pure.
import type { Outcome } from "../../delivery/types.ts";
import type { EgressResponse } from "../../platform/egress/egress.ts";

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
  const retryAfterMs = retryAfterOf(answer.headers["retry-after"], nowMs);
  if (retryAfterMs === null) return { kind: "retry", error, ...common };
  // It speaks for itself as a whole, not for this one delivery.
  const pauses = status === 429 || status === 503;
  return { kind: "retry", error, retryAfterMs, ...(pauses && { pauseTargetMs: retryAfterMs }), ...common };
}

/** `Retry-After` as seconds or a date (RFC 9110, 10.2.3), in milliseconds from now; null: none that can be understood. */
export function retryAfterOf(header: string | string[] | undefined, nowMs: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  const ms = /^\d{1,12}$/.test(text)
    ? Number(text) * 1000
    : /^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
      ? Date.parse(text) - nowMs
      : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
