import { describe, expect, it } from "vitest";
import type { EgressResponse } from "../../platform/egress/egress.ts";
import type { StreamPlace } from "./settings.ts";
import { acknowledgementRequest, batchRequest, isAcknowledged, judge, omitted, probe } from "./wire.ts";

const NOW = Date.parse("2026-11-29T00:00:00Z");
const entry = { seq: 7, id: "0196", body: '{"seq":"7"}', atMs: 1_777_593_600_250 };
const place = (type: StreamPlace["type"], url: string, token: string | null = "t0"): StreamPlace => ({
  name: "siem",
  type,
  url,
  token: () => token,
});
const answer = (
  status: number,
  body: unknown = "",
  headers: EgressResponse["headers"] = {},
): EgressResponse => ({
  status,
  headers,
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  isTruncated: false,
});

describe("what an answer means", () => {
  const again = (message: string, afterMs: number | null = null) => ({ kind: "again", message, afterMs });
  it.each<[StreamPlace["type"], EgressResponse, object]>([
    ["http_ndjson", answer(204), { kind: "taken", ackId: null }],
    ["http_ndjson", answer(200, "<html>"), { kind: "taken", ackId: null }],
    ["http_ndjson", answer(413), { kind: "too_large" }],
    ["http_ndjson", answer(429, "", { "retry-after": "7" }), again("it answered 429", 7_000)],
    [
      "http_ndjson",
      answer(503, "", { "retry-after": "Sun, 29 Nov 2026 00:01:00 GMT" }),
      again("it answered 503", 60_000),
    ],
    ["http_ndjson", answer(500, "", { "retry-after": "soon" }), again("it answered 500")],
    ["http_ndjson", answer(408), again("it answered 408")],
    ["http_ndjson", answer(401), { kind: "refused", message: "it answered 401" }],
    ["http_ndjson", answer(302), { kind: "refused", message: "it answered 302" }],
    ["splunk_hec", answer(200, { text: "Success", code: 0 }), { kind: "taken", ackId: null }],
    ["splunk_hec", answer(200, { text: "Success", code: 0, ackId: 12 }), { kind: "taken", ackId: 12 }],
    [
      "splunk_hec",
      answer(200, { code: 0, ackId: "x" }),
      again("it answered 200 (code 0), and not that it took anything (code 0)"),
    ],
    [
      "splunk_hec",
      answer(200, { code: 9 }),
      again("it answered 200 (code 9), and not that it took anything (code 0)"),
    ],
    ["splunk_hec", answer(200, "OK"), again("it answered 200, and not that it took anything (code 0)")],
    ["splunk_hec", answer(200, "null"), again("it answered 200, and not that it took anything (code 0)")],
    [
      "splunk_hec",
      { ...answer(200, { code: 0 }), isTruncated: true },
      again("it answered 200, and not that it took anything (code 0)"),
    ],
    ["splunk_hec", answer(503, { code: 9 }), again("it answered 503 (code 9)")],
    ["splunk_hec", answer(403, { code: 4 }), { kind: "refused", message: "it answered 403 (code 4)" }],
    ["splunk_hec", answer(413), { kind: "too_large" }],
  ])("%s %#", (type, given, meaning) => expect(judge(type, given, NOW)).toEqual(meaning));

  it("nothing that a receiver writes is repeated", () => {
    const { message } = judge("splunk_hec", answer(400, { code: "4 secret", text: "secret" }), NOW) as {
      message: string;
    };
    expect(message).toBe("it answered 400");
  });

  it("Splunk has acknowledged what it says is true, and nothing else", () => {
    expect(isAcknowledged(answer(200, { acks: { "3": true, "4": false } }), 3)).toBe(true);
    for (const given of [
      answer(200, { acks: { "3": false } }),
      answer(200, { acks: { "3": "true" } }),
      answer(200, { acks: null }),
      answer(200, "true"),
      answer(400, { acks: { "3": true } }),
    ])
      expect(isAcknowledged(given, 3)).toBe(false);
  });
});

describe("what is sent", () => {
  it("is a line of JSON for each entry, under a bearer token where there is one", () => {
    const { url, headers, body } = batchRequest(
      place("http_ndjson", "https://a.example/x"),
      [entry, entry],
      "c",
    );
    expect([url, headers?.authorization, body]).toEqual([
      "https://a.example/x",
      "Bearer t0",
      '{"seq":"7"}\n{"seq":"7"}\n',
    ]);
    expect(batchRequest(place("http_ndjson", "https://a.example/x", null), [], "c").headers).toEqual({
      "content-type": "application/x-ndjson",
    });
  });

  it.each([
    "https://s.example:8088",
    "https://s.example:8088/services/collector",
    "https://s.example:8088/services/collector/event",
  ])("goes to Splunk's endpoints from %s, with the time of the entry and the channel", (url) => {
    const request = batchRequest(place("splunk_hec", url), [entry], "c-1");
    expect(request.url).toBe("https://s.example:8088/services/collector/event");
    expect(request.headers).toMatchObject({ authorization: "Splunk t0", "x-splunk-request-channel": "c-1" });
    expect(JSON.parse(request.body as string)).toEqual({
      time: 1_777_593_600.25,
      source: "vaultops",
      sourcetype: "vaultops:audit",
      event: { seq: "7" },
    });
    const asked = acknowledgementRequest(place("splunk_hec", url), 4, "c-1");
    expect([asked.url, asked.body]).toEqual([
      "https://s.example:8088/services/collector/ack?channel=c-1",
      '{"acks":[4]}',
    ]);
  });

  it("stands for an entry that is too large by its place alone", () => {
    expect(omitted(entry)).toEqual({ ...entry, body: '{"seq":"7","id":"0196","omitted":true}' });
  });
});

describe("a probe", () => {
  it("sends no entry, and tells a refused token from a receiver that works", () => {
    const splunk = probe(place("splunk_hec", "https://s.example"));
    expect(splunk.request.body).toBe("");
    expect(splunk.isRefused(answer(400, { code: 5 }))).toBe(false);
    expect(splunk.isRefused(answer(403, { code: 4 }))).toBe(true);
    expect(splunk.isRefused(answer(503, { code: 9 }))).toBe(false);
    const lines = probe(place("http_ndjson", "https://a.example/x"));
    expect(lines.request).toEqual({
      url: "https://a.example/x",
      method: "GET",
      headers: { authorization: "Bearer t0" },
    });
    expect([405, 200, 401, 404].map((status) => lines.isRefused(answer(status)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
