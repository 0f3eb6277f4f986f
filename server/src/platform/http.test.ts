// The rules that hold for every route, asked of a real app: one block per status code, then the headers.
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp, openGuard } from "../../test/app.ts";
import { Problem } from "./errors.ts";
import type { Feature } from "./feature.ts";
import { polled } from "./http/etag.ts";
import { hasMore, limitParam, offsetParam } from "./http/paging.ts";
import {
  AddressParam,
  ListParam,
  Nullable,
  OneOf,
  strictBody,
  strictQuery,
  TimestampParam,
  VaultAddressPath,
  VaultIdPath,
} from "./http/schemas.ts";
import type { Guard } from "./permission.ts";

const VAULT = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const lower = VAULT.toLowerCase();

/** Answers with what the handler was given. */
const echo: Feature = {
  name: "echo",
  routes(app) {
    app.get(
      "/api/v1/vaults/:chain_id/:vault_address/list",
      {
        schema: {
          params: VaultAddressPath,
          querystring: strictQuery(
            {
              limit: limitParam(100, 1000),
              offset: offsetParam,
              vault_address: Type.Optional(AddressParam),
              from_timestamp: Type.Optional(TimestampParam),
              to_timestamp: Type.Optional(TimestampParam),
              action_type: Type.Optional(ListParam(OneOf(["pps_update", "deposit"]))),
              is_enabled: Type.Optional(Type.Boolean()),
              name: Type.Optional(Type.String({ maxLength: 20 })),
            },
            { period: ["from_timestamp", "to_timestamp"] },
          ),
        },
        config: { permission: "vault_member" },
      },
      async (request) => ({ params: request.params, query: request.query }),
    );
    app.get(
      "/api/v1/shards/:vault_id/state",
      { schema: { params: VaultIdPath }, config: { permission: "vault_member" } },
      async (request) => request.params,
    );
    app.post(
      "/api/v1/things",
      {
        schema: {
          body: strictBody({
            address: AddressParam,
            until: Type.Optional(TimestampParam),
            count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
            label: Type.Optional(Nullable(Type.String())),
            inner: Type.Optional(Type.Object({ kind: OneOf(["a", "b"]) }, { additionalProperties: false })),
          }),
          response: { 200: Type.Object({ address: Type.String() }) },
        },
        config: { permission: "authenticated" },
      },
      async (request) => request.body,
    );
    app.get("/api/v1/listing", { config: { permission: "public" } }, (request, reply) =>
      polled(request, reply, '{"a":1}', { publicMaxAgeSeconds: 10 }),
    );
    app.get("/api/v1/own", { config: { permission: "own_vaults" } }, (request, reply) =>
      polled(request, reply, '{"a":2}'),
    );
    app.get(
      "/api/v1/fails/:how",
      { schema: { params: Type.Object({ how: Type.String() }) }, config: { permission: "public" } },
      (request) => {
        const { how } = request.params as { how: string };
        throw FAILURES[how] ?? new Error("no such failure");
      },
    );
  },
};

const withCode = (message: string, code: string, more = {}) =>
  Object.assign(new Error(message), { code, ...more });
const FAILURES: Record<string, unknown> = {
  bug: new TypeError("secret-in-a-message postgres://u:hunter2@db/x"),
  text: "thrown text secret",
  conflict: new Problem("conflict", "It exists.", { existing_id: "7" }),
  refused: withCode("connect ECONNREFUSED", "ECONNREFUSED", { syscall: "connect" }),
  shutdown: withCode("terminating connection due to administrator command", "57P01"),
  starting: withCode("the database system is starting up", "57P03"),
  full: withCode("sorry, too many clients already", "53300"),
  cut: new Error("Connection terminated unexpectedly"),
  exhausted: new Error("timeout exceeded when trying to connect"),
  socket: withCode("connect ENOENT", "ENOENT", { syscall: "connect" }),
  file: withCode("no such file", "ENOENT", { syscall: "open" }),
  constraint: withCode("duplicate key value violates unique constraint secret", "23505"),
  syntax: withCode("syntax error at or near secret", "42601"),
};

const refusing: Guard = {
  authenticate() {
    throw new Problem("invalid_token", "Send a token.");
  },
  authorise() {},
};

let app: Awaited<ReturnType<typeof buildTestApp>>;
beforeAll(async () => {
  app = await buildTestApp({ features: [echo] });
});
afterAll(() => app.close());

const list = (query: string) => app.inject(`/api/v1/vaults/8453/${lower}/list?${query}`);
const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: "POST",
    url: "/api/v1/things",
    payload,
    headers: { "content-type": "application/json", ...headers },
  });

describe("200", () => {
  it("gives handlers canonical values: addresses checksummed, times in UTC, numbers, lists and defaults", async () => {
    const answer = await list(
      `vault_address=${lower}&from_timestamp=2026-05-09T10:00:00+02:00&limit=5&action_type=deposit,pps_update&action_type=deposit&is_enabled=true`,
    );
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      params: { chain_id: 8453, vault_address: VAULT },
      query: {
        vault_address: VAULT,
        from_timestamp: "2026-05-09T08:00:00.000000Z",
        limit: 5,
        offset: 0,
        action_type: ["deposit", "pps_update", "deposit"],
        is_enabled: true,
      },
    });
  });

  it("takes a vault id with its colon plain or URL-encoded", async () => {
    for (const colon of [":", "%3A", "%3a"]) {
      const answer = await app.inject(`/api/v1/shards/8453${colon}${lower}/state`);
      expect(answer.json()).toEqual({ vault_id: `8453:${VAULT}` });
    }
  });

  it("takes a period whose ends are equal", async () => {
    expect((await list("from_timestamp=2026-01-01&to_timestamp=2026-01-01")).statusCode).toBe(200);
  });

  it("normalises addresses in bodies, and serves only what the response schema names", async () => {
    const answer = await post(JSON.stringify({ address: lower, count: 3 }));
    expect(answer.json()).toEqual({ address: VAULT });
  });

  it("takes JSON with a charset of UTF-8", async () => {
    expect(
      (await post(`{"address":"${lower}"}`, { "content-type": 'application/json; charset="UTF-8"' }))
        .statusCode,
    ).toBe(200);
  });

  it("answers HEAD as GET, without the body", async () => {
    const head = await app.inject({ method: "HEAD", url: "/api/v1/listing" });
    const get = await app.inject("/api/v1/listing");
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe("");
    for (const name of ["etag", "content-length", "content-type", "cache-control"]) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it("says whether there is more beyond a page", () => {
    expect(hasMore({ offset: 0, length: 100, total: 101 })).toBe(true);
    expect(hasMore({ offset: 1, length: 100, total: 101 })).toBe(false);
    expect(hasMore({ offset: 500, length: 0, total: 101 })).toBe(false);
  });
});

describe("304", () => {
  it("is answered without a body when If-None-Match names the tag, GET and HEAD alike", async () => {
    const { etag } = (await app.inject("/api/v1/own")).headers;
    for (const method of ["GET", "HEAD"] as const) {
      const answer = await app.inject({
        method,
        url: "/api/v1/own",
        headers: { "if-none-match": `"x", W/${etag}` },
      });
      expect(answer.statusCode).toBe(304);
      expect(answer.body).toBe("");
      expect(answer.headers.etag).toBe(etag);
      expect(answer.headers["cache-control"]).toBe("private, no-cache");
      expect(answer.headers["content-type"]).toBeUndefined();
      expect(answer.headers["x-request-id"]).toBeDefined();
    }
  });
});

describe("400 invalid_request", () => {
  it.each([
    ["an unknown parameter", "limt=5", "limt"],
    ["an unknown parameter with an empty name", "=5", ""],
    ["a parameter given twice", "limit=5&limit=5", "limit"],
    ["an empty parameter", "name=", "name"],
    ["an empty member of a list", "action_type=deposit,", "action_type"],
    ["a member of a list that is not known", "action_type=deposit,nope", "action_type/1"],
    ["a limit of 0", "limit=0", "limit"],
    ["a limit above the maximum", "limit=1001", "limit"],
    ["a negative offset", "offset=-1", "offset"],
    ["a limit that is no whole number", "limit=1.5", "limit"],
    ["a limit in another notation", "limit=1e2", "limit"],
    ["a limit with a sign that became a space", "limit=+5", "limit"],
    ["an offset beyond what a number holds", "offset=99999999999999999999", "offset"],
    ["a boolean in other words", "is_enabled=yes", "is_enabled"],
    ["a NUL character", "name=a%00b", "name"],
    ["text that is too long", `name=${"a".repeat(21)}`, "name"],
    ["a parameter of JavaScript's own objects", "__proto__=1", "__proto__"],
    ["another of those", "constructor=1", "constructor"],
  ])("refuses %s and names it", async (_what, query, path) => {
    const answer = await list(query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: "invalid_request", errors: [{ path }] });
  });

  it("refuses parameters on a route that has none", async () => {
    const answer = await app.inject("/api/v1/listing?chain_id=1");
    expect(answer.json()).toMatchObject({ status: 400, errors: [{ path: "chain_id" }] });
  });

  it("suggests the parameter that was meant", async () => {
    expect((await list("limt=5")).json().detail).toContain("did you mean limit?");
  });

  it("names every fault at once", async () => {
    const { errors } = (await list("limit=0&offset=x&foo=1")).json();
    expect(errors.map(({ path }: { path: string }) => path).sort()).toEqual(["foo", "limit", "offset"]);
  });

  it.each(["0", "-1", "1.5", "abc", "9007199254740992", "0x1", "1e3", "01"])(
    "refuses the chain id %s",
    async (chain) => {
      const answer = await app.inject(`/api/v1/vaults/${chain}/${lower}/list`);
      expect(answer.json()).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: [{ path: "chain_id" }],
      });
    },
  );

  it("names the place in a body by its JSON pointer, and never coerces a type", async () => {
    const answer = await post(
      JSON.stringify({ address: lower, count: "3", inner: { kind: "c", more: 1 }, nme: 1 }),
    );
    expect(answer.json().errors).toEqual(
      expect.arrayContaining([
        { path: "/nme", message: expect.stringContaining("not known") },
        { path: "/count", message: "must be integer" },
        { path: "/inner/more", message: expect.stringContaining("not known") },
        { path: "/inner/kind", message: "must be one of a, b" },
      ]),
    );
  });

  it("reports a missing member, a missing body and one that fits no form once each", async () => {
    expect((await post("{}")).json().errors).toEqual([{ path: "/address", message: "is missing" }]);
    expect((await post("")).json().errors).toEqual([{ path: "", message: "must be object" }]);
    expect((await app.inject({ method: "POST", url: "/api/v1/things" })).statusCode).toBe(400);
    expect((await post(JSON.stringify({ address: lower, label: 5 }))).json().errors).toEqual([
      { path: "/label", message: "has none of the documented forms" },
    ]);
  });

  it("lists at most twenty faults however many there are", async () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
    expect((await post(JSON.stringify({ address: lower, ...body }))).json().errors).toHaveLength(20);
  });

  it("refuses a path that is not valid percent-encoding, with all headers of an error", async () => {
    const answer = await app.inject("/api/v1/vaults/1/%zz/list");
    expect(answer.json()).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.headers["content-type"]).toContain("application/problem+json");
    expect(answer.headers["x-request-id"]).toBe(answer.json().request_id);
  });
});

describe("400 invalid_address", () => {
  it.each([
    "0x1",
    "10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
    "0x10aC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698",
    "vitalik.eth",
  ])("refuses %s in a path", async (address) => {
    const answer = await app.inject(`/api/v1/vaults/8453/${address}/list`);
    expect(answer.json()).toMatchObject({
      status: 400,
      code: "invalid_address",
      errors: [{ path: "vault_address" }],
    });
  });

  it("refuses one in a query and in a body", async () => {
    expect((await list("vault_address=0x1")).json()).toMatchObject({ status: 400, code: "invalid_address" });
    expect((await post('{"address":"0x1"}')).json()).toMatchObject({
      code: "invalid_address",
      errors: [{ path: "/address" }],
    });
  });

  it("is invalid_request when something else is wrong as well", async () => {
    const answer = (await list("vault_address=0x1&limit=0")).json();
    expect(answer).toMatchObject({ code: "invalid_request" });
    expect(answer.errors).toHaveLength(2);
  });
});

describe("400 invalid_vault_id", () => {
  it.each([lower, `8453-${lower}`, `0:${lower}`, "8453:0x1", "8453%2F0x1"])("refuses %s", async (id) => {
    const answer = await app.inject(`/api/v1/shards/${id}/state`);
    expect(answer.json()).toMatchObject({
      status: 400,
      code: "invalid_vault_id",
      errors: [{ path: "vault_id" }],
    });
  });
});

describe("400 invalid_timestamp", () => {
  it("refuses what is no ISO 8601 time", async () => {
    expect((await list("from_timestamp=yesterday")).json()).toMatchObject({
      status: 400,
      code: "invalid_timestamp",
    });
    expect((await post(JSON.stringify({ address: lower, until: "1" }))).json()).toMatchObject({
      code: "invalid_timestamp",
    });
  });

  it("refuses a period that ends before it begins, told at its start", async () => {
    const answer = await list(
      "from_timestamp=2026-05-09T10:00:00.000001Z&to_timestamp=2026-05-09T12:00:00%2B02:00",
    );
    expect(answer.json()).toMatchObject({
      status: 400,
      code: "invalid_timestamp",
      errors: [{ path: "from_timestamp" }],
    });
  });
});

describe("400 invalid_json", () => {
  it.each(["{", '{"address":"x","address":"y"}', '{"__proto__":{}}', '{"address":"\\u0000"}'])(
    "refuses %s",
    async (body) => {
      expect((await post(body)).json()).toMatchObject({ status: 400, code: "invalid_json" });
    },
  );
});

describe("401", () => {
  it("comes before everything else that may be wrong, with the header that RFC 6750 asks for", async () => {
    const closed = await buildTestApp({ features: [echo], guard: refusing });
    for (const request of [
      { method: "GET", url: "/api/v1/vaults/x/0x1/list?foo=1" },
      {
        method: "POST",
        url: "/api/v1/things",
        payload: "{",
        headers: { "content-type": "application/json" },
      },
      { method: "POST", url: "/api/v1/things", payload: "x", headers: { "content-type": "text/plain" } },
      {
        method: "POST",
        url: "/api/v1/things",
        payload: Buffer.alloc(2_000_000),
        headers: { "content-type": "application/json" },
      },
    ] as const) {
      const answer = await closed.inject(request);
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toMatchObject({ code: "invalid_token" });
      expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
      expect(answer.headers["cache-control"]).toBe("no-store");
    }
    expect((await closed.inject("/api/v1/listing")).statusCode).toBe(200);
    await closed.close();
  });
});

describe("403 and 404 of a vault", () => {
  it("come after 400: the guard sees canonical parameters, or none", async () => {
    const seen: unknown[] = [];
    const strict = await buildTestApp({
      features: [echo],
      guard: {
        ...openGuard(),
        async authorise(request) {
          seen.push(request.params);
          throw new Problem("insufficient_role", "No.");
        },
      },
    });
    expect((await strict.inject("/api/v1/vaults/8453/0x1/list")).statusCode).toBe(400);
    expect(seen).toEqual([]);
    expect((await strict.inject(`/api/v1/vaults/8453/${lower}/list`)).json()).toMatchObject({
      status: 403,
      code: "insufficient_role",
    });
    expect(seen).toEqual([{ chain_id: 8453, vault_address: VAULT }]);
    await strict.close();
  });
});

describe("404", () => {
  it.each(["/", "/api/v1/nothing", "/api/v1/listing/", "/API/V1/LISTING"])(
    "is answered as a problem for %s",
    async (url) => {
      const answer = await app.inject(url);
      expect(answer.json()).toMatchObject({ status: 404, code: "not_found" });
      expect(answer.headers["content-type"]).toContain("application/problem+json");
    },
  );
});

describe("405", () => {
  it("names the methods that the path has", async () => {
    const answer = await app.inject({ method: "DELETE", url: "/api/v1/listing" });
    expect(answer.json()).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(answer.headers.allow).toBe("GET, HEAD, OPTIONS");
    expect((await app.inject("/api/v1/things")).headers.allow).toBe("POST, OPTIONS");
    const vault = await app.inject({ method: "PUT", url: `/api/v1/vaults/1/${lower}/list` });
    expect(vault.headers.allow).toBe("GET, HEAD, OPTIONS");
  });

  it("is not how OPTIONS is answered", async () => {
    const answer = await app.inject({ method: "OPTIONS", url: "/api/v1/things" });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers.allow).toBe("POST, OPTIONS");
  });
});

describe("409", () => {
  it("carries the further members that the handler gave", async () => {
    expect((await app.inject("/api/v1/fails/conflict")).json()).toMatchObject({
      status: 409,
      code: "conflict",
      existing_id: "7",
    });
  });
});

describe("413", () => {
  it("is answered for a body above 1 MiB", async () => {
    const at = (bytes: number) => JSON.stringify({ address: "x".repeat(bytes - 14) });
    expect((await post(at(1_048_577))).json()).toMatchObject({ status: 413, code: "body_too_large" });
    expect((await post(at(1_048_576))).json()).toMatchObject({ status: 400, code: "invalid_address" });
  });
});

describe("415", () => {
  it.each([
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json; charset=latin1",
    "nonsense",
  ])("is answered for the type %s", async (type) => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/v1/things",
      payload: Buffer.from("{}"),
      headers: type === undefined ? {} : { "content-type": type },
    });
    expect(answer.json()).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });
});

describe("415 of a compressed body", () => {
  it("is answered, since it would be read as something else", async () => {
    expect((await post("{}", { "content-encoding": "gzip" })).json()).toMatchObject({ status: 415 });
    expect((await post(`{"address":"${lower}"}`, { "content-encoding": "identity" })).statusCode).toBe(200);
  });
});

describe("429", () => {
  const limits = { perWallet: 3, perIp: 2, challengesPerIp: 1 };
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

describe("500", () => {
  it.each(["bug", "text", "file", "constraint", "syntax"])(
    "tells nothing of a fault (%s) but the request id",
    async (how) => {
      const answer = await app.inject({
        url: `/api/v1/fails/${how}`,
        headers: { "x-request-id": "fault-1" },
      });
      expect(answer.json()).toEqual({
        type: "http://127.0.0.1:8080/docs/errors#internal_error",
        title: "Internal error",
        status: 500,
        detail: expect.any(String),
        code: "internal_error",
        request_id: "fault-1",
      });
      expect(answer.body).not.toMatch(/secret|hunter2|TypeError|\.ts/);
    },
  );

  it("logs the fault with its stack under the request id, and not what is secret in it", async () => {
    const { lines, log } = await capturedLog();
    const logged = await buildTestApp({ features: [echo], log });
    await logged.inject({ url: "/api/v1/fails/bug", headers: { "x-request-id": "fault-2" } });
    await logged.close();
    const line = lines().find(({ msg }) => msg === "request failed");
    expect(line).toMatchObject({ level: "error", request_id: "fault-2", route: "/api/v1/fails/:how" });
    expect(line?.err.stack).toContain("http.test.ts");
    expect(JSON.stringify(line)).not.toContain("hunter2");
  });
});

describe("503", () => {
  it.each(["refused", "shutdown", "starting", "full", "cut", "exhausted", "socket"])(
    "is answered with Retry-After when the database is out (%s)",
    async (how) => {
      const answer = await app.inject(`/api/v1/fails/${how}`);
      expect(answer.json()).toMatchObject({ status: 503, code: "service_unavailable" });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    },
  );
});

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

async function capturedLog() {
  const { createLogger } = await import("./log.ts");
  const written: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => void written.push(line) } });
  return { log, lines: () => written.map((line) => JSON.parse(line)) };
}
