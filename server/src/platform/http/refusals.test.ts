// 400: what a request may be refused for before its handler runs, and how the answer names it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { echo, echoClient, VAULT } from "./test-echo.ts";

const lower = VAULT.toLowerCase();

let app: Awaited<ReturnType<typeof buildTestApp>>;
beforeAll(async () => {
  app = await buildTestApp({ features: [echo] });
});
afterAll(() => app.close());

const { list, post } = echoClient(() => app);

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

  it("lists at most twenty faults, and of a body with hundreds of members the first", async () => {
    const with_ = (members: number) =>
      JSON.stringify({
        address: lower,
        ...Object.fromEntries(Array.from({ length: members }, (_, i) => [`k${i}`, i])),
      });
    expect((await post(with_(100))).json().errors).toHaveLength(20);
    expect((await post(with_(2000))).json().errors).toEqual([{ path: "/k0", message: "is not known here" }]);
  });

  it("names a parameter without a number where it has one value, and shows no pattern", async () => {
    expect((await list("action_type=nope")).json()).toMatchObject({
      detail: "action_type must be one of pps_update, deposit.",
      errors: [{ path: "action_type" }],
    });
    expect((await list("code=x")).json().detail).toBe("code is not of the right form: Two digits.");
    expect((await list("limt=5")).json().detail).toBe("limt is not known here; did you mean limit?");
  });

  it("refuses what is of another type where a period is asked for", async () => {
    for (const from of [{ toString: 1 }, 5, ["2026-05-09"], null]) {
      const answer = await app.inject({
        method: "POST",
        url: "/api/v1/period",
        payload: { from, to: "2026-05-09" },
      });
      expect(answer.json()).toMatchObject({ status: 400, errors: [{ path: "/from" }] });
    }
  });

  it.each(["urn:uuid:00000000-0000-7000-8000-000000000000", "00000000000070008000000000000000", "x"])(
    "refuses the id %s, which the database would not take",
    async (id) => {
      const answer = await app.inject(`/api/v1/objects/${id}`);
      expect(answer.json()).toMatchObject({
        status: 400,
        errors: [{ path: "id", message: "is not a UUID" }],
      });
    },
  );

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
