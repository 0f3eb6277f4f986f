// The app as a whole: what it refuses to start with, how it describes itself, and the pages that come with it.
import { Validator } from "@seriousme/openapi-schema-validator";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";
import { buildTestApp } from "../../test/app.ts";
import { capturedLog } from "../../test/captured-log.ts";
import { ERRORS } from "../platform/errors.ts";
import { routeWithOlderForm } from "../platform/http/older-form.ts";
import { limitParam } from "../platform/http/paging.ts";
import {
  AddressText,
  Nullable,
  Quantity,
  strictBody,
  strictQuery,
  Timestamp,
  TimestampParam,
  VaultAddressPath,
  VaultIdPath,
} from "../platform/http/schemas.ts";
import type { Feature } from "../platform/lifecycle/feature.ts";
import { Readiness } from "../platform/lifecycle/health.ts";
import { describeApi } from "./app.ts";

const feature = (routes: Feature["routes"] & {}): Feature => ({ name: "test", routes });

const sample = feature((app) => {
  app.get(
    "/api/v1/vaults/:chain_id/:vault_address/items",
    {
      schema: {
        tags: ["Vaults"],
        summary: "Items",
        params: VaultAddressPath,
        querystring: strictQuery({ limit: limitParam(), from_timestamp: Type.Optional(TimestampParam) }),
        response: { 200: Type.Object({ address: Nullable(AddressText), at: Timestamp, amount: Quantity }) },
      },
      config: { permission: "vault_member" },
    },
    async () => ({}),
  );
  app.post(
    "/api/v1/engine/:vault_id/items",
    {
      schema: {
        tags: ["Engine"],
        summary: "Make",
        params: VaultIdPath,
        body: strictBody({ name: Type.String({ maxLength: 10 }), until: TimestampParam }),
        response: { 201: Type.Object({ id: Type.String() }) },
      },
      config: { permission: "vault_manager", problems: ["conflict"] },
    },
    async () => ({}),
  );
  routeWithOlderForm(
    app,
    "GET",
    "/api/v1/services/status",
    {
      schema: {
        tags: ["Services"],
        summary: "Status",
        response: { 200: Type.Object({ services: Type.Array(Type.String()) }) },
      },
      config: { permission: "authenticated" },
    },
    async () => ({ services: [] }),
    "/services/status",
  );
});

describe("the start", () => {
  it("is stopped by a route without a permission", async () => {
    const built = buildTestApp({ features: [feature((app) => app.get("/api/v1/open", async () => ({})))] });
    await expect(built).rejects.toThrow("GET /api/v1/open declares no permission");
  });

  it("is stopped by a path parameter without a schema", async () => {
    const built = buildTestApp({
      features: [
        feature((app) => app.get("/api/v1/x/:id", { config: { permission: "public" } }, async () => ({}))),
      ],
    });
    await expect(built).rejects.toThrow("has path parameters but no schema");
  });

  it("is stopped by two routes of the same path and method", async () => {
    const route = feature((app) =>
      app.get("/api/v1/x", { config: { permission: "public" } }, async () => ({})),
    );
    await expect(buildTestApp({ features: [route, route] })).rejects.toThrow("already declared");
  });
});

describe("the description of the API", () => {
  it("is valid OpenAPI 3.1", async () => {
    const description = JSON.parse(await describeApi([sample]));
    const result = await new Validator().validate(structuredClone(description));
    expect(result).toEqual({ valid: true });
    expect(description.openapi).toBe("3.1.0");
  });

  it("tells for each route who may call it, and every problem that follows from its permission, path and body", async () => {
    const { paths } = JSON.parse(await describeApi([sample]));
    const read = paths["/api/v1/vaults/{chain_id}/{vault_address}/items"].get;
    expect(read.security).toEqual([{ bearer: [] }]);
    expect(read["x-permission"]).toBe("vault_member");
    expect(Object.keys(read.responses)).toEqual(["200", "400", "401", "403", "404", "429", "500", "503"]);
    expect(read.responses[400].description).toBe("`invalid_request`, `invalid_address`, `invalid_timestamp`");
    expect(read.responses[404].description).toBe("`chain_not_found`, `vault_not_found`");
    const write = paths["/api/v1/engine/{vault_id}/items"].post;
    expect(Object.keys(write.responses)).toEqual([
      "201",
      "400",
      "401",
      "403",
      "404",
      "409",
      "413",
      "415",
      "429",
      "500",
      "503",
    ]);
    expect(write.responses[403].description).toBe("`insufficient_role`, `insufficient_scope`");
    expect(paths["/livez"].get.security).toEqual([]);
  });

  it("shows the service's own keywords as patterns, and what has a default as optional", async () => {
    const text = await describeApi([sample]);
    expect(text).not.toMatch(/"x-(address|vault-id|timestamp|period)"/);
    const { paths, components } = JSON.parse(text);
    const { parameters } = paths["/api/v1/vaults/{chain_id}/{vault_address}/items"].get;
    const byName = Object.fromEntries(parameters.map((one: { name: string }) => [one.name, one]));
    expect(byName.vault_address.schema).toEqual({ $ref: "#/components/schemas/AddressInput" });
    expect(components.schemas.AddressInput.pattern).toBe("^0[xX][0-9a-fA-F]{40}$");
    expect(byName.limit).toMatchObject({ required: false, schema: { default: 100 } });
  });

  it("gives every operation an id of its own", async () => {
    const { paths } = JSON.parse(await describeApi([sample]));
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path as object).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("getVaultsByChainIdByVaultAddressItems");
  });

  it("is the same each time, and polled", async () => {
    expect(await describeApi([sample])).toBe(await describeApi([sample]));
    const app = await buildTestApp({ features: [sample] });
    const first = await app.inject("/openapi.json");
    expect(first.body).toBe(await describeApi([sample]));
    const again = await app.inject({
      url: "/openapi.json",
      headers: { "if-none-match": String(first.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
    await app.close();
  });
});

describe("an older form of a path", () => {
  it("answers the same, and says that it is deprecated and where to go", async () => {
    const app = await buildTestApp({ features: [sample] });
    const [older, newer] = [
      await app.inject("/services/status"),
      await app.inject("/api/v1/services/status"),
    ];
    expect(older.body).toBe(newer.body);
    expect(older.headers.deprecation).toMatch(/^@\d{10}$/);
    expect(Number(String(older.headers.deprecation).slice(1)) * 1000).toBe(Date.UTC(2026, 10, 27));
    expect(older.headers.link).toBe('</api/v1/services/status>; rel="successor-version"');
    expect(newer.headers.deprecation).toBeUndefined();
    const { paths } = JSON.parse((await app.inject("/openapi.json")).body);
    expect(paths["/services/status"].get.deprecated).toBe(true);
    await app.close();
  });
});

describe("the reference pages", () => {
  it("load and call nothing but this service, and their policy holds them to it", async () => {
    const app = await buildTestApp({ features: [] });
    for (const url of ["/docs", "/docs/", "/docs/errors"]) {
      const page = await app.inject(url);
      expect(page.headers["content-type"]).toContain("text/html");
      const policy = String(page.headers["content-security-policy"]);
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
      const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
      expect(loaded.every((target) => target?.startsWith("/") || target === "data:,")).toBe(true);
      expect(page.body).not.toMatch(/<script(?! src=)/);
    }
    await app.close();
  });

  it("come with the viewer in one file, packed for who takes that", async () => {
    const app = await buildTestApp({ features: [] });
    const plain = await app.inject("/docs/viewer.js");
    expect(plain.headers["content-type"]).toContain("text/javascript");
    expect(plain.body).toContain("createApiReference");
    const packed = await app.inject({
      url: "/docs/viewer.js",
      headers: { "accept-encoding": "br, gzip;q=0.5" },
    });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const refused = await app.inject({
      url: "/docs/viewer.js",
      headers: { "accept-encoding": "gzip;q=0, identity" },
    });
    expect(refused.headers["content-encoding"]).toBeUndefined();
    expect((await app.inject("/docs/start.js")).body).toContain("withDefaultFonts: false");
    await app.close();
  });

  it("have a place for every code that a problem's type points to", async () => {
    const app = await buildTestApp({ features: [] });
    const page = (await app.inject("/docs/errors")).body;
    for (const code of Object.keys(ERRORS)) expect(page).toContain(`id="${code}"`);
    await app.close();
  });
});

describe("health", () => {
  it("200: alive, and ready when every part is in order or merely degraded", async () => {
    const readiness = new Readiness({ now: () => 0 });
    readiness.add({ name: "database", check: () => ({ state: "ok" }) });
    readiness.add({
      name: "append-only",
      check: async () => ({ state: "degraded", detail: "not held by the database" }),
    });
    const app = await buildTestApp({ features: [], readiness });
    expect((await app.inject("/livez")).json()).toEqual({ status: "ok" });
    const ready = await app.inject("/readyz");
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toEqual({
      status: "ready",
      checks: [
        { name: "database", state: "ok", detail: null },
        { name: "append-only", state: "degraded", detail: "not held by the database" },
      ],
    });
    await app.close();
  });

  it("503: names the failing part in fixed words; what others said goes to the log", async () => {
    const { lines, log } = capturedLog();
    const readiness = new Readiness({ now: () => 0 }, log);
    readiness.add({ name: "database", check: () => Promise.reject(new Error("said by a driver")) });
    readiness.add({
      name: "chain 8453",
      check: () => ({ state: "failed", detail: "is 900 s behind", reason: "said by a node" }),
    });
    const app = await buildTestApp({ features: [], readiness });
    const answer = await app.inject("/readyz");
    expect(answer.json()).toMatchObject({
      status: 503,
      code: "not_ready",
      detail: "Not ready: database could not be checked; chain 8453 is 900 s behind.",
      checks: [{ name: "database", state: "failed" }, { name: "chain 8453" }],
    });
    expect(answer.headers["retry-after"]).toBe("5");
    expect(answer.body).not.toContain("said by");
    expect(lines().map(({ check, reason }) => [check, reason])).toEqual([
      ["database", "said by a driver"],
      ["chain 8453", "said by a node"],
    ]);
    expect((await app.inject("/livez")).statusCode).toBe(200);
    await app.close();
  });
});
