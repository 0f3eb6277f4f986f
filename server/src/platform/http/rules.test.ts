// The rules that hold for every route, asked of a real app: one block per status code. Those of 400 are in http/refusals.test.ts, of 429 in
// http/quotas.test.ts, of faults and of headers beside them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp, openGuard } from "../../../test/app.ts";
import { Problem } from "../errors.ts";
import { hasMore } from "./paging.ts";
import { echo, echoClient, refusing, VAULT } from "./test-echo.ts";

const lower = VAULT.toLowerCase();

let app: Awaited<ReturnType<typeof buildTestApp>>;
beforeAll(async () => {
  app = await buildTestApp({ features: [echo] });
});
afterAll(() => app.close());

const { list, post } = echoClient(() => app);

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
  it("is answered for a body above what the route takes, which it names: 32 KiB where nothing is said", async () => {
    const at = (bytes: number) => JSON.stringify({ address: "x".repeat(bytes - 14) });
    const tooLarge = (await post(at(32_769))).json();
    expect(tooLarge).toMatchObject({ status: 413, code: "body_too_large" });
    expect(tooLarge.detail).toContain("32768");
    expect((await post(at(32_768))).json()).toMatchObject({ status: 400, code: "invalid_address" });
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
  ])("is answered for a body of the type %s", async (type) => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/v1/things",
      payload: Buffer.from("{}"),
      headers: type === undefined ? {} : { "content-type": type },
    });
    expect(answer.json()).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });
});

describe("no body", () => {
  it.each(["application/x-www-form-urlencoded", "text/plain", "nonsense", "application/json"])(
    "has no type, whatever is said (%s): it is taken where it may be left out, else missing",
    async (type) => {
      const nothing = { method: "POST", payload: "", headers: { "content-type": type } } as const;
      const headers = { ...nothing.headers, "content-length": "0" };
      expect((await app.inject({ ...nothing, headers, url: "/api/v1/bodiless" })).statusCode).toBe(200);
      expect((await app.inject({ ...nothing, headers, url: "/api/v1/things" })).json()).toMatchObject({
        status: 400,
        code: "invalid_request",
      });
    },
  );
});

describe("415 of a compressed body", () => {
  it("is answered, since it would be read as something else", async () => {
    expect((await post("{}", { "content-encoding": "gzip" })).json()).toMatchObject({ status: 415 });
    expect((await post(`{"address":"${lower}"}`, { "content-encoding": "identity" })).statusCode).toBe(200);
  });
});
