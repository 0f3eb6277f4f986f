// The headers of every answer, and CORS.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { echo } from "./test-echo.ts";

let app: Awaited<ReturnType<typeof buildTestApp>>;
beforeAll(async () => {
  app = await buildTestApp({ features: [echo] });
});
afterAll(() => app.close());

describe("headers of every answer", () => {
  const urls = [
    "/api/v1/listing",
    "/api/v1/own",
    "/api/v1/nothing",
    "/api/v1/fails/bug",
    "/api/v1/listing?x=1",
    "/livez",
    "/docs",
    "/%zz",
  ];

  it.each(urls)("%s has a request id and nosniff", async (url) => {
    const answer = await app.inject(url);
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f]{18}-[0-9a-z]+$/);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("echo a request id of 1 to 128 printable characters, and make one otherwise", async () => {
    const idFor = async (given: string) =>
      (await app.inject({ url: "/livez", headers: { "x-request-id": given } })).headers["x-request-id"];
    for (const kept of ["a", "trace 7/8 ~", "x".repeat(128)]) expect(await idFor(kept)).toBe(kept);
    for (const replaced of ["", "x".repeat(129), "tab\there", "ü"])
      expect(await idFor(replaced)).toMatch(/^[0-9a-f]{18}-[0-9a-z]+$/);
  });

  it("let shared caches keep only the unauthenticated listings", async () => {
    expect((await app.inject("/api/v1/listing")).headers["cache-control"]).toBe("public, max-age=10");
    expect((await app.inject("/api/v1/own")).headers["cache-control"]).toBe("private, no-cache");
    expect((await app.inject("/api/v1/nothing")).headers["cache-control"]).toBe("no-store");
  });

  it("ask for encrypted transport only where the service is reached that way", async () => {
    expect((await app.inject("/livez")).headers["strict-transport-security"]).toBeUndefined();
    const secure = await buildTestApp({ features: [], http: { publicUrl: "https://vaults.example" } });
    expect((await secure.inject("/livez")).headers["strict-transport-security"]).toContain("max-age=");
    await secure.close();
  });
});

describe("CORS", () => {
  const ORIGIN = "https://console.example";
  let open: Awaited<ReturnType<typeof buildTestApp>>;
  beforeAll(async () => {
    open = await buildTestApp({ features: [echo], http: { corsOrigins: [ORIGIN] } });
  });
  afterAll(() => open.close());
  const allowed = async (url: string, origin: string, method: "GET" | "POST" = "GET") =>
    (await open.inject({ method, url, headers: { origin } })).headers["access-control-allow-origin"];
  const preflight = async (url: string, origin: string, method: string) =>
    (
      await open.inject({
        method: "OPTIONS",
        url,
        headers: { origin, "access-control-request-method": method },
      })
    ).headers["access-control-allow-origin"];

  it("opens unauthenticated reads to every origin", async () => {
    expect(await allowed("/api/v1/listing", "https://anywhere.example")).toBe("*");
    expect(await preflight("/api/v1/listing", "https://anywhere.example", "GET")).toBe("*");
  });

  it("opens everything else to the configured origins alone", async () => {
    expect(await allowed("/api/v1/own", ORIGIN)).toBe(ORIGIN);
    expect(await allowed("/api/v1/own", "https://anywhere.example")).toBeUndefined();
    expect(await allowed("/api/v1/own", "null")).toBeUndefined();
    expect(await preflight("/api/v1/things", ORIGIN, "POST")).toBe(ORIGIN);
    expect(await preflight("/api/v1/things", "https://anywhere.example", "POST")).toBeUndefined();
    expect(await preflight("/api/v1/listing", "https://anywhere.example", "POST")).toBeUndefined();
  });

  it("lets a configured origin read errors, and the headers that clients need", async () => {
    expect(await allowed("/api/v1/things", ORIGIN, "POST")).toBe(ORIGIN);
    const answer = await open.inject({ url: "/api/v1/own", headers: { origin: ORIGIN } });
    expect(answer.headers["access-control-expose-headers"]).toContain("ETag");
    expect(answer.headers.vary).toBe("Origin");
  });
});
