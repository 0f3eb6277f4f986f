// Requests that are made to cost more than they should: bodies of 1 MiB, bodies just as large as a route takes, and headers.
import type { InjectOptions } from "fastify";
import { EVENT_TYPES, type EventType } from "../src/reports/events.ts";
import { BATCH } from "./engine-statuses.ts";

export interface HostileRequest {
  what: string;
  request: InjectOptions & { payload?: string };
}

const MIB = 1_048_576;
const VAULT = "8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";

/** As much of `unit`, numbered and separated by commas, as fits into `bytes` with what stands around. */
function filled(bytes: number, open: string, unit: (n: number) => string, close: string): string {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let n = 0; ; n++) {
    const part = unit(n);
    length += Buffer.byteLength(part) + 1;
    if (length > bytes) return open + parts.join(",") + close;
    parts.push(part);
  }
}

const keys = (bytes: number) => filled(bytes, "{", (n) => `"k${n}":1`, "}");

function event(type: EventType, data: unknown, more = {}): string {
  const time = "2026-01-01T00:00:00Z";
  return JSON.stringify({
    specversion: "1.0",
    id: "x",
    source: "/engine",
    type,
    time,
    subject: VAULT,
    data,
    ...more,
  });
}

/** Bodies for the one route that takes a mebibyte. */
const REPORTS: Record<string, string> = {
  "a thousand whole events": `[${Array(1000).fill(event("vaultops.service.run", EVENT_TYPES["vaultops.service.run"].example))}]`,
  "events with members that are not known": filled(
    MIB,
    "[",
    () => event("vaultops.service.run", JSON.parse(keys(1000))),
    "]",
  ),
  "one event with members without end": event("vaultops.service.run", JSON.parse(keys(MIB - 500))),
  "one event with attributes without end": event("vaultops.service.run", {}, JSON.parse(keys(MIB - 500))),
  "a long text": event("vaultops.service.run", { job: "a".repeat(MIB - 500) }),
  "a list of small lists": filled(MIB, "[", () => "[]", "]"),
  "deep nesting": `${"[".repeat(MIB / 2)}${"]".repeat(MIB / 2)}`,
  "numbers without end": `[${filled(MIB - 2, "[", () => "1", "]")}]`,
  "escaped texts": `[${filled(MIB - 2, "[", () => '"\\u0061"', "]")}]`,
  "texts that seem half a pair": `[${filled(MIB - 2, "[", () => '"\\ud83d\\ude00"', "]")}]`,
  "escaped quotes": `["${'\\"'.repeat(MIB / 2 - 4)}"]`,
  "one key again and again": `[${filled(MIB - 2, "{", () => '"a":1', "}")}]`,
};

/** Bodies for routes that take less: a mebibyte of each, and as much as the route takes. */
const SMALLER: Record<
  string,
  { url: string; method: "POST" | "PATCH"; limit: number; body: (bytes: number) => string }
> = {
  "a name that matches to its last character": {
    url: "/api/v1/notification-channels",
    method: "POST",
    limit: 32_768,
    body: (bytes) =>
      JSON.stringify({ provider: "email", name: `${"a".repeat(bytes - 100)}\u0001\u0001`, config: {} }),
  },
  "a URL that matches to its last character": {
    url: "/api/v1/notification-channels",
    method: "POST",
    limit: 32_768,
    body: (bytes) =>
      JSON.stringify({
        provider: "slack",
        name: "a",
        config: { webhook_url: `https://${"a".repeat(bytes - 100)} ` },
      }),
  },
  "members that are not known": {
    url: "/identity/challenge",
    method: "POST",
    limit: 32_768,
    body: keys,
  },
  "members that are not known, beside a signature": {
    url: "/identity/token",
    method: "POST",
    limit: 73_728,
    body: keys,
  },
  "vaults without end": {
    url: "/api/v1/webhooks",
    method: "POST",
    limit: 131_072,
    body: (bytes) => filled(bytes, '{"url":"https://a.example","vaults":[', () => `"${VAULT}"`, "]}"),
  },
  "event types without end": {
    url: "/api/v1/webhooks",
    method: "POST",
    limit: 131_072,
    body: (bytes) => filled(bytes, '{"url":"https://a.example","event_types":[', () => '"pps.stale"', "]}"),
  },
};

/** Headers and queries of what the listener takes. */
const LONG = 60_000;
const HEADS: Record<string, Pick<InjectOptions, "headers" | "url">> = {
  "Accept with ranges without end": {
    url: "/api/v1/audit/export?chain_id=5",
    headers: { accept: "a/b;q=0.5,".repeat(LONG / 10) },
  },
  "If-None-Match with tags without end": {
    url: "/api/v1/notification-channels",
    headers: { "if-none-match": 'W/"'.repeat(LONG / 3) },
  },
  "Accept-Encoding of spaces": {
    url: "/docs/viewer.js",
    headers: { "accept-encoding": `gzip${" ".repeat(LONG)};x`, "if-none-match": "*" },
  },
  "a query of commas": { url: `/api/v1/audit/logs?action_type=${",".repeat(LONG)}`, headers: {} },
  "a query of parameters": { url: `/api/v1/audit/logs?${"a&".repeat(LONG / 2)}`, headers: {} },
  "a long cursor": { url: `/api/v1/audit/logs?cursor=${"A".repeat(LONG)}`, headers: {} },
  "a long time": {
    url: `/api/v1/audit/logs?from_timestamp=2026-11-28T15:00:00.${"1".repeat(LONG)}`,
    headers: {},
  },
  "a long path": { url: `/api/v1/${"a/".repeat(LONG / 2)}`, headers: {} },
};

/** All of them, with the headers of a manager and of an engine. */
export function hostileRequests(by: {
  manager: Record<string, string>;
  engine: Record<string, string>;
}): HostileRequest[] {
  const json = { "content-type": "application/json" };
  return [
    ...Object.entries(REPORTS).map(([what, payload]) => ({
      what: `reports: ${what}`,
      request: {
        method: "POST" as const,
        url: "/api/v1/ingest/events",
        headers: { "content-type": BATCH, ...by.engine },
        payload,
      },
    })),
    ...Object.entries(SMALLER).flatMap(([what, { url, method, limit, body }]) =>
      [MIB, limit].map((bytes) => ({
        what: `${url}: ${what}, ${bytes} bytes`,
        request: { method, url, headers: { ...json, ...by.manager }, payload: body(bytes) },
      })),
    ),
    ...Object.entries(HEADS).map(([what, { url, headers }]) => ({
      what,
      request: {
        method: "GET" as const,
        url: url as string,
        headers: { ...by.manager, ...headers } as Record<string, string>,
      },
    })),
  ];
}
