// 429: which quota a request is charged to, and what its headers say.
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import type { Feature } from "../lifecycle/feature.ts";
import { strictBody } from "./schemas.ts";
import { echo, refusing } from "./test-echo.ts";

describe("429", () => {
  const limits = { perWallet: 3, perIp: 2, challengesPerIp: 1, recordedPerWallet: 2 };
  const challenge: Feature = {
    name: "challenge",
    routes: (instance) =>
      instance.post(
        "/identity/challenge",
        { config: { permission: "public", rateLimit: "challenge" } },
        async () => ({}),
      ),
  };

  it("is answered past the quota of an address, with Retry-After and both headers of the draft", async () => {
    const limited = await buildTestApp({
      features: [echo],
      http: { rateLimits: limits },
      clock: { now: () => 1_000_000 },
    });
    const first = await limited.inject("/api/v1/listing");
    expect(first.headers["ratelimit-policy"]).toBe('"ip";q=2;w=60');
    expect(first.headers.ratelimit).toBe('"ip";r=1;t=60');
    await limited.inject("/api/v1/listing");
    const third = await limited.inject("/api/v1/listing");
    expect(third.json()).toMatchObject({ status: 429, code: "rate_limited" });
    expect(third.headers["retry-after"]).toBe("60");
    expect(third.headers.ratelimit).toBe('"ip";r=0;t=60');
    const other = await limited.inject({ url: "/api/v1/listing", remoteAddress: "192.0.2.7" });
    expect(other.statusCode).toBe(200);
    await limited.close();
  });

  it("is answered past the quota of a wallet, whatever address it comes from", async () => {
    const limited = await buildTestApp({ features: [echo], http: { rateLimits: limits } });
    for (let i = 0; i < 3; i++)
      expect((await limited.inject({ url: "/api/v1/own", remoteAddress: `192.0.2.${i}` })).statusCode).toBe(
        200,
      );
    const fourth = await limited.inject("/api/v1/own");
    expect(fourth.statusCode).toBe(429);
    expect(fourth.headers["ratelimit-policy"]).toBe('"wallet";q=3;w=60');
    expect((await limited.inject("/api/v1/listing")).statusCode).toBe(200);
    await limited.close();
  });

  it("has a narrow quota of its own for sign-in challenges", async () => {
    const limited = await buildTestApp({ features: [challenge], http: { rateLimits: limits } });
    const ask = () => limited.inject({ method: "POST", url: "/identity/challenge" });
    expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([200, 429]);
    await limited.close();
  });

  it("has a narrow one of its own for what a wallet records, which a request that is invalid does not use up", async () => {
    const recording: Feature = {
      name: "recording",
      routes: (instance) =>
        instance.put(
          "/recorded",
          {
            schema: { body: strictBody({ n: Type.Integer() }) },
            config: { permission: "authenticated", isRecorded: true },
          },
          async () => ({}),
        ),
    };
    const wide = { ...limits, perWallet: 100 };
    const limited = await buildTestApp({
      features: [recording, echo],
      http: { rateLimits: wide },
      clock: { now: () => 1_000_000 },
    });
    const change = (n: unknown) => limited.inject({ method: "PUT", url: "/recorded", payload: { n } });
    for (let i = 0; i < 5; i++) expect((await change("x")).statusCode).toBe(400);
    expect([(await change(1)).statusCode, (await change(2)).statusCode]).toEqual([200, 200]);
    const third = await change(3);
    expect(third.json()).toMatchObject({ status: 429, code: "rate_limited" });
    expect(third.headers["retry-after"]).toBe("60");
    expect(third.headers["ratelimit-policy"]).toBe('"recorded";q=2;w=60');
    expect((await limited.inject("/api/v1/own")).statusCode).toBe(200);
    await limited.close();
  });

  it("meets who tries tokens, and who asks for paths that do not exist", async () => {
    const limited = await buildTestApp({ features: [echo], guard: refusing, http: { rateLimits: limits } });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await limited.inject("/api/v1/own")).statusCode);
    statuses.push((await limited.inject("/nothing")).statusCode);
    expect(statuses).toEqual([401, 401, 429, 429]);
    await limited.close();
  });

  it("never meets health checks", async () => {
    const limited = await buildTestApp({ features: [echo], http: { rateLimits: limits } });
    for (let i = 0; i < 5; i++) {
      const answer = await limited.inject("/livez");
      expect(answer.statusCode).toBe(200);
      expect(answer.headers.ratelimit).toBeUndefined();
    }
    await limited.close();
  });

  it("counts a forwarded address only when a trusted proxy says it", async () => {
    const ask = async (trustedProxies: string[], forwarded: string) => {
      const limited = await buildTestApp({ features: [echo], http: { rateLimits: limits, trustedProxies } });
      const statuses = [];
      for (let i = 0; i < 3; i++) {
        const headers = { "x-forwarded-for": forwarded.replace("N", String(i)) };
        statuses.push(
          (await limited.inject({ url: "/api/v1/listing", remoteAddress: "10.0.0.9", headers })).statusCode,
        );
      }
      await limited.close();
      return statuses;
    };
    expect(await ask([], "198.51.100.N")).toEqual([200, 200, 429]);
    expect(await ask(["10.0.0.0/8"], "198.51.100.N")).toEqual([200, 200, 200]);
    expect(await ask(["10.0.0.9"], "198.51.100.7")).toEqual([200, 200, 429]);
    expect(await ask(["192.168.0.0/16"], "198.51.100.N")).toEqual([200, 200, 429]);
    // What the client itself put in front of the address that the proxy added does not count.
    expect(await ask(["10.0.0.0/8"], "203.0.113.N, 198.51.100.7")).toEqual([200, 200, 429]);
  });
});
