import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp } from "../../test/app.ts";
import { Readiness } from "../platform/lifecycle/health.ts";
import { silentLogger } from "../platform/log.ts";
import { createMetrics } from "../platform/metrics.ts";
import { buildAdmin } from "./admin.ts";

const metrics = createMetrics();
const clock = { ms: 0, now: () => clock.ms };
const readiness = new Readiness(clock);
let admin: Server;
let url: string;
beforeAll(async () => {
  admin = buildAdmin({ registry: metrics.registry, readiness, log: silentLogger() });
  await once(admin.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => admin.close(resolve).closeAllConnections()));

describe("/metrics", () => {
  it("200: counts requests by route template, method and status, in Prometheus's text form", async () => {
    const app = await buildTestApp({ features: [], metrics });
    await app.inject("/livez");
    await app.inject("/livez?x=1");
    for (let i = 0; i < 100; i++) await app.inject(`/nothing/${i}`);
    await app.close();
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    const ours = text
      .split("\n")
      .filter((line) => line.startsWith("vaultops_http_request_duration_seconds_count"));
    expect(ours.sort()).toEqual([
      'vaultops_http_request_duration_seconds_count{method="GET",route="/livez",status="200"} 1',
      'vaultops_http_request_duration_seconds_count{method="GET",route="/livez",status="400"} 1',
      'vaultops_http_request_duration_seconds_count{method="GET",route="none",status="404"} 100',
    ]);
    expect(text).toContain("# TYPE vaultops_http_request_duration_seconds histogram");
    expect(text).toContain("process_cpu_seconds_total");
  });

  it("sorts durations into cumulative buckets", async () => {
    const { registry, observeRequest } = createMetrics();
    for (const seconds of [0.0005, 0.001, 0.004, 3, 100])
      observeRequest({ method: "GET", route: "/x", status: 200, seconds });
    const text = await registry.metrics();
    const bucket = (le: string) => Number(new RegExp(`_bucket{le="${le}",[^}]*} (\\d+)`).exec(text)?.[1]);
    expect([
      bucket("0.001"),
      bucket("0.0025"),
      bucket("0.005"),
      bucket("2.5"),
      bucket("5"),
      bucket("\\+Inf"),
    ]).toEqual([2, 2, 3, 3, 4, 5]);
    expect(text).toMatch(/_sum{[^}]*} 103\.0055/);
    registry.resetMetrics();
    expect(await registry.metrics()).not.toContain('route="/x"');
  });
});

describe("/livez and /readyz", () => {
  it("200 and 503: tell the state of each part", async () => {
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    readiness.add({ name: "database", check: () => ({ state: "failed", detail: "is away" }) });
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual([{ name: "database", state: "failed", detail: "is away" }]);
  });

  it("ask a part once for all who ask within a second", async () => {
    let asked = 0;
    const shared = new Readiness(clock);
    shared.add({ name: "part", check: () => ({ state: "ok", detail: String(++asked) }) });
    await Promise.all([shared.report(), shared.report(), shared.report()]);
    clock.ms += 999;
    await shared.report();
    expect(asked).toBe(1);
    clock.ms += 1;
    await shared.report();
    expect(asked).toBe(2);
  });

  it("take a part that does not answer for failed", async () => {
    const stuck = new Readiness(clock);
    stuck.add({ name: "part", check: () => new Promise(() => undefined) });
    expect(await stuck.report()).toEqual({
      isReady: false,
      checks: [{ name: "part", state: "failed", detail: "does not answer" }],
    });
  });
});

describe("a token", () => {
  const TOKEN = "0123456789abcdef0123456789abcdef";
  /** This machine's own address, so that a request does not come over the loopback. */
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one !== undefined && !one.internal && one.family === "IPv4")?.address;
  let token: string | null = TOKEN;
  let port: number;
  beforeAll(async () => {
    const server = buildAdmin({
      registry: metrics.registry,
      readiness: new Readiness(clock),
      log: silentLogger(),
      token: () => token,
    });
    await once(server.listen(0, "0.0.0.0"), "listening");
    port = (server.address() as AddressInfo).port;
    return () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  });
  const asked = async (host: string, path: string, headers: Record<string, string> = {}) => {
    const { status, headers: answered } = await fetch(`http://${host}:${port}${path}`, { headers });
    return [status, answered.get("www-authenticate")];
  };
  const handedOn = { "x-forwarded-for": "203.0.113.9" };

  it("is not asked of this machine, and of nobody where none is set", async () => {
    expect(await asked("127.0.0.1", "/metrics")).toEqual([200, null]);
    token = null;
    expect(await asked("127.0.0.1", "/metrics", handedOn)).toEqual([200, null]);
    token = TOKEN;
  });

  it("401: is asked of what a proxy on this machine hands on, but for /livez", async () => {
    for (const wrong of ["", "Bearer", `Bearer ${TOKEN.slice(1)}`, `Bearer ${TOKEN}0`, `Basic ${TOKEN}`])
      for (const path of ["/metrics", "/readyz"])
        expect(await asked("127.0.0.1", path, { ...handedOn, authorization: wrong })).toEqual([
          401,
          "Bearer",
        ]);
    const right = { ...handedOn, authorization: `Bearer ${TOKEN}` };
    expect(await asked("127.0.0.1", "/metrics", right)).toEqual([200, null]);
    expect(await asked("127.0.0.1", "/livez", handedOn)).toEqual([200, null]);
  });

  it.skipIf(outside === undefined)("401: is asked of other addresses", async () => {
    expect(await asked(outside as string, "/metrics")).toEqual([401, "Bearer"]);
    expect(await asked(outside as string, "/metrics", { authorization: `bearer ${TOKEN}` })).toEqual([
      200,
      null,
    ]);
  });
});

describe("anything else", () => {
  it("404 and 405: is not there", async () => {
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
    expect(await (await fetch(`${url}/metrics`, { method: "HEAD" })).text()).toBe("");
  });
});
