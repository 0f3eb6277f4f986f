// What goes over the wire to each kind of receiver, and what its answer means. Nothing that it writes is repeated to anybody: of an
// answer the status counts, and of Splunk its code.
import { randomUUID } from "node:crypto";
import type { EgressRequest, EgressResponse } from "../../platform/egress/egress.ts";
import { retryAfterMs } from "../../platform/egress/retry-after.ts";
import type { StreamPlace } from "./settings.ts";

/** An entry as it is sent. */
export interface StreamedEntry {
  seq: number;
  id: string;
  /** JSON. */
  body: string;
  /** When it happened. */
  atMs: number;
}

export type Verdict =
  | { kind: "taken"; ackId: number | null }
  | { kind: "too_large" }
  | { kind: "again"; message: string; afterMs: number | null }
  | { kind: "refused"; message: string };

/** What an entry takes beside its text, at most. */
export const ENVELOPE_BYTES = 128;

/** `channel`: a GUID, under which Splunk acknowledges. */
export function batchRequest(
  { type, url, token }: StreamPlace,
  entries: readonly StreamedEntry[],
  channel: string,
): Pick<EgressRequest, "url" | "method" | "headers" | "body"> {
  const secret = token();
  if (type === "http_ndjson")
    return {
      url,
      method: "POST",
      headers: {
        "content-type": "application/x-ndjson",
        ...(secret !== null && { authorization: `Bearer ${secret}` }),
      },
      body: entries.map(({ body }) => `${body}\n`).join(""),
    };
  return {
    url: `${collectorOf(url)}/event`,
    method: "POST",
    headers: splunkHeaders(secret, channel),
    body: entries.map(splunkEvent).join("\n"),
  };
}

/** Asks Splunk whether what it took is on its disks. */
export function acknowledgementRequest(
  { url, token }: StreamPlace,
  ackId: number,
  channel: string,
): Pick<EgressRequest, "url" | "method" | "headers" | "body"> {
  return {
    url: `${collectorOf(url)}/ack?channel=${channel}`,
    method: "POST",
    headers: splunkHeaders(token(), channel),
    body: JSON.stringify({ acks: [ackId] }),
  };
}

/**
 * A request that sends no entry, to see whether the receiver answers; and whether it then refuses. Splunk says of a request without
 * events that it holds none (code 5), once it has found the token good. What other receivers say to a GET tells nothing, but for the token.
 */
export function probe(place: StreamPlace): {
  request: Pick<EgressRequest, "url" | "method" | "headers" | "body">;
  isRefused(answer: EgressResponse): boolean;
} {
  if (place.type === "splunk_hec")
    return {
      request: { ...batchRequest(place, [], randomUUID()) },
      isRefused: (answer) => answer.status < 500 && splunkAnswer(answer)?.code !== 5,
    };
  const { url, headers = {} } = batchRequest(place, [], "");
  return {
    request: {
      url,
      method: "GET",
      headers: { ...(headers.authorization && { authorization: headers.authorization }) },
    },
    isRefused: ({ status }) => status === 401 || status === 403 || status === 404,
  };
}

/** Operators give the server's address or, as Splunk's own pages show it, that of the endpoint. */
function collectorOf(url: string): string {
  const base = url.replace(/\/+$/, "").replace(/\/services\/collector(\/event(\/1\.0)?)?$/, "");
  return `${base}/services/collector`;
}

function splunkHeaders(secret: string | null, channel: string): Record<string, string> {
  return {
    "content-type": "application/json",
    authorization: `Splunk ${secret ?? ""}`,
    "x-splunk-request-channel": channel,
  };
}

function splunkEvent({ body, atMs }: StreamedEntry): string {
  const time = (atMs / 1000).toFixed(3);
  return `{"time":${time},"source":"vaultops","sourcetype":"vaultops:audit","event":${body}}`;
}

/** What stands for an entry that its receiver does not take for its size. */
export function omitted({ seq, id, atMs }: StreamedEntry): StreamedEntry {
  return { seq, id, atMs, body: JSON.stringify({ seq: String(seq), id, omitted: true }) };
}

export function judge(type: StreamPlace["type"], answer: EgressResponse, nowMs: number): Verdict {
  const { status, headers } = answer;
  const splunk = type === "splunk_hec" ? splunkAnswer(answer) : null;
  const says = `it answered ${status}${typeof splunk?.code === "number" ? ` (code ${splunk.code})` : ""}`;
  if (status === 413) return { kind: "too_large" };
  if (status >= 500 || status === 429 || status === 408 || status === 425)
    return { kind: "again", message: says, afterMs: retryAfterMs(headers["retry-after"], nowMs) };
  if (status < 200 || status >= 300) return { kind: "refused", message: says };
  if (type === "http_ndjson") return { kind: "taken", ackId: null };
  const ackId = splunk?.ackId ?? null;
  const isWhole =
    splunk?.code === 0 && (ackId === null || (Number.isSafeInteger(ackId) && Number(ackId) >= 0));
  return isWhole
    ? { kind: "taken", ackId: ackId as number | null }
    : { kind: "again", message: `${says}, and not that it took anything (code 0)`, afterMs: null };
}

/** Whether Splunk says that it has on its disks what it took. */
export function isAcknowledged(answer: EgressResponse, ackId: number): boolean {
  const acks = answer.status === 200 ? (splunkAnswer(answer)?.acks as Record<string, unknown> | null) : null;
  return acks?.[String(ackId)] === true;
}

function splunkAnswer({ body, isTruncated }: EgressResponse): Record<string, unknown> | null {
  if (isTruncated) return null;
  try {
    const answer: unknown = JSON.parse(body.toString("utf8"));
    return typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
