// Traces over real HTTP: what a collector of OTLP gets of requests, RPC calls and deliveries, and that nothing is made where none is named.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { startTestNode, TEST_CHAIN_ID } from "../../../test/rpc.ts";
import { createChainClient } from "../../chain/client/client.ts";
import { sendBatch } from "../../delivery/send.ts";
import type { Delivery, DeliveryQueue } from "../../delivery/types.ts";
import { systemClock } from "../clock.ts";
import { createEgress } from "../egress/egress.ts";
import type { Feature } from "../lifecycle/feature.ts";
import { silentLogger } from "../log.ts";
import { createOtlpSink, type OtlpSink } from "./otlp.ts";
import { currentSpan, parseTraceparent, startTracing, traced } from "./trace.ts";

/** A span as the collector reads it: ExportTraceServiceRequest in JSON, with what the protocol asks of each member held. */
interface ReadSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  ms: number;
  attributes: Record<string, unknown>;
  error: string | null;
  resource: Record<string, unknown>;
}

const egress = createEgress({ allowedNetworks: [], allowHttp: false });
const cleanups: (() => unknown)[] = [];
let spans: ReadSpan[];
let posts: IncomingHttpHeaders[];
let status: number;
let sink: OtlpSink;
let stop: () => void;

beforeEach(async () => {
  spans = [];
  posts = [];
  status = 200;
  const collector = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    posts.push(request.headers);
    expect([request.method, request.url]).toEqual(["POST", "/v1/traces"]);
    if (status === 200) spans.push(...decode(JSON.parse(body)));
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  sink = createOtlpSink({
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    headers: () => "Authorization=Bearer%20t0ken, x-tenant=one",
    egress,
    log: silentLogger(),
    resource: { "service.name": "vaultops" },
    everyMs: 3_600_000,
  });
  stop = startTracing(sink);
  cleanups.push(() => new Promise((resolve) => collector.close(resolve).closeAllConnections()));
});
afterEach(async () => {
  stop();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: string; boolValue?: boolean; doubleValue?: number };
}

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  status?: { code?: number; message?: string };
}

interface OtlpRequest {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

function decode({ resourceSpans }: OtlpRequest): ReadSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(span, valuesOf(resource.attributes)))),
  );
}

function readSpan(span: OtlpSpan, resource: Record<string, unknown>): ReadSpan {
  const { startTimeUnixNano, endTimeUnixNano, attributes, status, ...rest } = span;
  expect(rest.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(rest.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(startTimeUnixNano).toMatch(/^\d{19}$/);
  return {
    ...rest,
    ms: Number((BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1_000_000n),
    attributes: valuesOf(attributes),
    error: status?.code === 2 ? String(status.message) : null,
    resource,
  };
}

const valuesOf = (list: KeyValue[]) =>
  Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );

/** What has been traced so far, as the collector has it. */
async function collected(): Promise<ReadSpan[]> {
  stop();
  await sink.close();
  return spans;
}

async function rpcClient() {
  const node = await startTestNode();
  const client = createChainClient({
    chainId: TEST_CHAIN_ID,
    name: "Test",
    rpcUrls: [node.url],
    log: silentLogger(),
  });
  cleanups.push(
    () => node.close(),
    () => client.close(),
  );
  return { node, client };
}

describe("a collector of OTLP", () => {
  it("gets each request as a span with its route and status, and the RPC calls made for it within", async () => {
    const { client } = await rpcClient();
    const feature: Feature = {
      name: "asking",
      routes(app) {
        app.get("/head", { config: { permission: "public" } }, async () => ({
          n: (await client.head()).number,
        }));
      },
    };
    const app = await buildTestApp({ features: [feature] });
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    expect((await app.inject({ url: "/head", headers: { traceparent } })).json()).toEqual({ n: 0 });
    await app.inject("/nothing?key=pl4nted");
    await app.close();
    const read = await collected();
    const request = read.find(({ name }) => name === "GET /head");
    expect(request).toMatchObject({
      traceId: "ab".repeat(16),
      parentSpanId: "cd".repeat(8),
      kind: 2,
      error: null,
      attributes: {
        "http.request.method": "GET",
        "http.route": "/head",
        "http.response.status_code": 200,
      },
      resource: { "service.name": "vaultops" },
    });
    const call = read.find(({ name }) => name === "rpc eth_getBlockByNumber");
    expect(call).toMatchObject({
      traceId: "ab".repeat(16),
      parentSpanId: request?.spanId,
      kind: 3,
      attributes: { "rpc.method": "eth_getBlockByNumber", "vaultops.chain_id": TEST_CHAIN_ID },
    });
    expect(call?.attributes["server.address"]).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(read.find(({ name }) => name === "GET none")?.attributes["http.response.status_code"]).toBe(404);
    expect(posts[0]).toMatchObject({ authorization: "Bearer t0ken", "x-tenant": "one" });
    expect(JSON.stringify(read)).not.toMatch(/pl4nted|secret-key/);
  });

  it("gets what failed as an error by its name alone", async () => {
    const failing = traced("work", "internal", {}, () => Promise.reject(new RangeError("s3cret")));
    await expect(failing).rejects.toThrow("s3cret");
    expect(await collected()).toMatchObject([{ name: "work", error: "RangeError" }]);
    expect(JSON.stringify(spans)).not.toContain("s3cret");
  });

  it("gets each send of a delivery, whose trace the receiver is told", async () => {
    let told: string | null = null;
    const queue = {
      name: "webhook",
      schedule: () => null,
      async send() {
        told = currentSpan()?.traceparent ?? null;
        return [{ kind: "delivered" }];
      },
    } as unknown as DeliveryQueue;
    const delivery = { id: "d1", targetId: "t", attempt: 2 } as Delivery;
    const present = { targets: new Map([["t", {}]]), forbidden: new Set<string>() };
    await sendBatch(queue, present, [delivery], "l", new AbortController().signal, {
      clock: systemClock,
      log: silentLogger(),
    });
    const [span] = await collected();
    expect(span).toMatchObject({
      name: "deliver",
      kind: 4,
      attributes: {
        "vaultops.queue": "webhook",
        "vaultops.delivery_id": "d1",
        "vaultops.attempt": 2,
        "vaultops.outcome": "delivered",
      },
    });
    expect(told).toBe(`00-${span?.traceId}-${span?.spanId}-01`);
  });

  it("that refuses, or is away, costs nothing but the spans", async () => {
    status = 503;
    expect(await traced("work", "internal", {}, async () => 7)).toBe(7);
    await sink.close();
    status = 200;
    await traced("later", "internal", {}, async () => {});
    expect((await collected()).map(({ name }) => name)).toEqual(["later"]);
  });

  it("gets no more than are held when it is slow", async () => {
    status = 503;
    for (let i = 0; i < 6_000; i++) sink.take({ ...SPAN, name: String(i) });
    await sink.close();
    expect(posts.length).toBeLessThan(10);
  });
});

const SPAN = {
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  parentSpanId: null,
  kind: "internal" as const,
  startUs: 1_700_000_000_000_000,
  endUs: 1_700_000_000_000_001,
  attributes: {},
  error: null,
};

describe("without a collector", () => {
  it("nothing is made: no span, no header, and requests have no hook of it", async () => {
    stop();
    expect(await traced("work", "internal", {}, async (span) => [span, currentSpan()])).toEqual([null, null]);
    const app = await buildTestApp({ features: [] });
    expect((await app.inject("/livez")).statusCode).toBe(200);
    await app.close();
    expect(await collected()).toEqual([]);
  });
});

describe("sampling", () => {
  it("takes or leaves a trace whole, and says so to those who go on with it", async () => {
    stop();
    stop = startTracing(sink, 0);
    let told = "";
    await traced("outer", "internal", {}, (span) =>
      traced("inner", "internal", {}, async () => {
        told = String(span?.traceparent);
      }),
    );
    expect(told).toMatch(/-00$/);
    expect(await collected()).toEqual([]);
  });
});

it("a traceparent of others is gone on with only in its one form", () => {
  const good = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  expect(parseTraceparent(good)).toEqual({ traceId: "ab".repeat(16), spanId: "cd".repeat(8) });
  for (const bad of [
    undefined,
    "",
    `${good}-x`,
    good.toUpperCase(),
    good.replace("00-", "01-"),
    `00-${"0".repeat(32)}-${"cd".repeat(8)}-01`,
  ])
    expect(parseTraceparent(bad)).toBe(null);
});
