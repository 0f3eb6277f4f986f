import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testAddress } from "../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import {
  buildEngineApp,
  CHAIN,
  type EngineTest,
  event,
  heldClock,
  OTHER_ID,
  post,
  SOURCE,
  startEngineTest,
  VAULT_ID,
} from "../../test/engine.ts";
import { openDatabase } from "../platform/db/db.ts";
import { createToken, revokeToken } from "./tokens.ts";

let database: TestDatabase;
let engine: EngineTest;

beforeAll(async () => {
  database = await createTestDatabase();
  engine = await startEngineTest(database.db);
});
afterAll(async () => {
  await engine.app.close();
  await database.drop();
});

const run = (runId: string, more: Parameters<typeof event>[2] = {}) =>
  event(
    "vaultops.service.run",
    {
      service: "tx_manager",
      run_id: runId,
      status: "success",
      started_at: "2026-05-09T10:00:00Z",
      finished_at: "2026-05-09T10:00:01Z",
    },
    more,
  );
const send = (payload: unknown, options: Parameters<typeof post>[2] = {}) =>
  post(engine.app, payload, { token: engine.token, ...options });
const countOf = async (table: string) =>
  (await database.db.pool.query(`select count(*)::integer as n from ${table}`)).rows[0].n as number;

describe("200: a result for each event, in the order sent", () => {
  test("one event alone is answered as a batch is", async () => {
    const one = run("alone");
    const response = await send(one, { type: "application/cloudevents+json; charset=utf-8" });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ results: [{ source: SOURCE, id: one.id, status: "accepted" }] });
  });

  test("an empty batch has no results", async () => {
    expect((await send([])).json()).toEqual({ results: [] });
  });

  test("what was accepted before is a duplicate and changes nothing, in the same batch and in a later one", async () => {
    const [first, second] = [run("dup-1"), run("dup-2")];
    expect((await engine.report([first, second, first])).map(({ status }) => status)).toEqual([
      "accepted",
      "accepted",
      "duplicate",
    ]);
    const before = await countOf("service_runs");
    expect((await engine.report([second, first])).map(({ status }) => status)).toEqual([
      "duplicate",
      "duplicate",
    ]);
    expect(await countOf("service_runs")).toBe(before);
  });

  test("bad ones among good ones are rejected alone, with the reason, and leave no trace", async () => {
    const good = run("among-1");
    const results = await engine.report([
      good,
      { ...run("x"), time: "soon" },
      7,
      { ...run("x"), source: "/engine/else" },
      { ...run("x"), subject: `999:${testAddress(0x100)}` },
      { ...run("x"), subject: `${CHAIN}:${testAddress(0x999)}` },
      run("among-2"),
    ]);
    expect(results.map(({ status, problem }) => problem?.code ?? status)).toEqual([
      "accepted",
      "invalid_event",
      "invalid_event",
      "not_permitted",
      "chain_not_found",
      "vault_not_found",
      "accepted",
    ]);
    expect(results[1]?.problem?.errors).toEqual([{ path: "/time", message: expect.any(String) }]);
    expect(results[2]).toMatchObject({ source: null, id: null });
    // What is not known yet may be later; nothing else gets better by waiting.
    expect(results.map(({ retry }) => retry ?? false)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test("a rejected one may be sent again under the same id once it is mended", async () => {
    const bad = run("mended", { id: "mended" });
    bad.data.finished_at = "2026-05-09T09:00:00Z";
    const twice = await engine.report([bad, structuredClone(bad)]);
    expect(twice.map(({ problem }) => problem?.code)).toEqual(["invalid_event", "invalid_event"]);
    expect(await engine.report([run("mended", { id: "mended" })])).toMatchObject([{ status: "accepted" }]);
  });

  test("hostile text costs only the event that holds it", async () => {
    const text = (runId: string) => JSON.stringify(run(runId));
    const bodies = [
      text("nul-1").replace("nul-1", "nul\\u0000"),
      text("half").replace('"half"', '"\\ud800"'),
      text("twice").replace("{", '{"id":"other",'),
      text("proto").replace("{", '{"__proto__":{"isAdmin":true},'),
      JSON.stringify({ ...run("x"), constructor: { prototype: 1 } }),
      text("deep").replace('"data":{', `"data":{"x":${"[".repeat(99)}${"]".repeat(99)},`),
      text("big").replace('"big"', JSON.stringify("x".repeat(500_000))),
      text("number").replace('"started_at":"2026-05-09T10:00:00Z"', '"started_at":1e400'),
      JSON.stringify({ ...run("x"), id: { toString: 1 } }),
      text("unharmed"),
    ];
    const response = await send(`[${bodies.join(",")}]`);
    expect(response.statusCode).toBe(200);
    const results = response.json().results as { status: string; problem?: { code: string } }[];
    expect(results.map(({ status }) => status)).toEqual([
      ...Array<string>(bodies.length - 1).fill("rejected"),
      "accepted",
    ]);
    expect(results.slice(0, -1).every(({ problem }) => problem?.code === "invalid_event")).toBe(true);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test("every kind of text that JSON can hold is stored as it is", async () => {
    const runId = "línea\n\t\"'\\ ✓ 𝔘 ‮ '; drop table services; -- %s";
    expect(await engine.report([run(runId)])).toMatchObject([{ status: "accepted" }]);
    const { rows } = await database.db.pool.query("select 1 from service_runs where run_id = $1", [runId]);
    expect(rows).toHaveLength(1);
  });

  test("a time more than five minutes ahead is rejected; one that is years back is taken", async () => {
    const clock = heldClock(Date.UTC(2026, 5, 1));
    const app = await buildEngineApp(database.db, { clock });
    const status = async (time: string) =>
      (await post(app, [run(`time-${time}`, { time })], { token: engine.token })).json().results[0].status;
    expect(await status("2026-06-01T00:05:00Z")).toBe("accepted");
    expect(await status("2026-06-01T00:05:00.000001Z")).toBe("rejected");
    expect(await status("0001-01-01")).toBe("accepted");
    await app.close();
  });

  test("a token bound to chains and vaults reports on nothing else, nor on no vault", async () => {
    const { db } = database;
    const scope = { name: "x", source: SOURCE };
    const onChain = await createToken(db, { ...scope, chains: [1], vaults: [] });
    const onVault = await createToken(db, { ...scope, chains: [], vaults: [VAULT_ID] });
    const codes = async (token: string) =>
      (
        await engine.report(
          [
            run("bound", { subject: VAULT_ID.toLowerCase() }),
            run("bound", { subject: OTHER_ID }),
            run("bound", { subject: null }),
          ],
          token,
        )
      ).map(({ status, problem }) => problem?.code ?? status);
    expect(await codes(onChain.token)).toEqual(["not_permitted", "not_permitted", "not_permitted"]);
    expect(await codes(onVault.token)).toEqual(["accepted", "not_permitted", "not_permitted"]);
  });

  test("a value that only the database refuses takes down no other report", async () => {
    await database.owner.pool.query("alter table service_runs add constraint odd check (run_id <> 'odd')");
    const results = await engine.report([run("even-1"), run("odd"), run("even-2"), run("even-1")]);
    await database.owner.pool.query("alter table service_runs drop constraint odd");
    expect(results.map(({ status }) => status)).toEqual(["accepted", "rejected", "accepted", "accepted"]);
  });

  test("says what is left of the token's quota", async () => {
    const { headers } = await send([]);
    expect(headers["ratelimit-policy"]).toContain('"token"');
    expect(headers.ratelimit).toContain('"token"');
  });
});

describe("400", () => {
  test.each([
    ["text that is no JSON", "{", "application/cloudevents+json"],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/cloudevents+json"],
    ["nothing", "", "application/cloudevents-batch+json"],
    ["a batch that is no list", run("x"), "application/cloudevents-batch+json"],
  ])("invalid_json for %s", async (_name, payload, type) => {
    const response = await send(payload, { type });
    expect(response.statusCode).toBe(400);
    expect(response.json().code).toBe("invalid_json");
  });

  test("invalid_request for query parameters", async () => {
    const response = await engine.app.inject({
      method: "POST",
      url: "/api/v1/ingest/events?dry=1",
      headers: {
        authorization: `Bearer ${engine.token}`,
        "content-type": "application/cloudevents-batch+json",
      },
      payload: "[]",
    });
    expect(response.statusCode).toBe(400);
  });
});

describe("401", () => {
  test("invalid_token without a token, with a foreign one, with a JWT, and before the body is looked at", async () => {
    for (const token of [null, "x", `${engine.token}x`, `${engine.token.slice(0, -1)}_`, "full:0x1"]) {
      const response = await send("{", { token, type: "text/plain" });
      expect(response.statusCode).toBe(401);
      expect(response.json().code).toBe("invalid_token");
      expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
    }
  });

  test("invalid_token from the moment at which the token is revoked", async () => {
    const { id, token } = await createToken(database.db, {
      name: "x",
      source: SOURCE,
      chains: [],
      vaults: [],
    });
    expect((await send([], { token })).statusCode).toBe(200);
    await revokeToken(database.db, id);
    const response = await send([], { token });
    expect(response.statusCode).toBe(401);
    expect(response.json().detail).toContain("revoked");
  });
});

describe("413", () => {
  test("batch_too_large for 1001 events; 1000 are taken", async () => {
    const batch = Array.from({ length: 1001 }, (_, n) => run(`many-${n}`));
    const response = await send(batch);
    expect(response.statusCode).toBe(413);
    expect(response.json().code).toBe("batch_too_large");
    const results = await engine.report(batch.slice(1));
    expect(results.every(({ status }) => status === "accepted")).toBe(true);
  });

  test("body_too_large for more than 1 MiB", async () => {
    const response = await send(`[${" ".repeat(1_048_576)}]`);
    expect(response.statusCode).toBe(413);
    expect(response.json().code).toBe("body_too_large");
  });
});

describe("415", () => {
  test.each(["application/json", "text/plain", "application/cloudevents+xml", null])(
    "unsupported_media_type for %s",
    async (type) => {
      const response = await send("[]", { type });
      expect(response.statusCode).toBe(415);
      expect(response.json().detail).toContain("application/cloudevents-batch+json");
    },
  );

  test("unsupported_media_type for another charset and for compressed bodies", async () => {
    expect(
      (await send("[]", { type: "application/cloudevents-batch+json; charset=latin1" })).statusCode,
    ).toBe(415);
    expect((await send("[]", { headers: { "content-encoding": "gzip" } })).statusCode).toBe(415);
  });
});

describe("429", () => {
  test("rate_limited for the token that used up its quota, not for another", async () => {
    const app = await buildEngineApp(database.db, { requestsPerToken: 1 });
    const other = await createToken(database.db, { name: "x", source: SOURCE, chains: [], vaults: [] });
    const status = async (token: string) => (await post(app, [], { token })).statusCode;
    expect([await status(engine.token), await status(engine.token), await status(other.token)]).toEqual([
      200, 429, 200,
    ]);
    const response = await post(app, [], { token: engine.token });
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    await app.close();
  });
});

describe("503", () => {
  test("service_unavailable when nothing can be stored, and nothing is; the same batch goes through later", async () => {
    const batch = [run("later-1"), run("later-2")];
    await database.owner.pool.query("alter table service_runs rename to service_runs_away");
    const response = await send(batch);
    await database.owner.pool.query("alter table service_runs_away rename to service_runs");
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBeDefined();
    expect((await engine.report(batch)).map(({ status }) => status)).toEqual(["accepted", "accepted"]);
  });

  test("service_unavailable while the database is away", async () => {
    const away = await openDatabase({ url: database.url });
    const app = await buildEngineApp(away);
    await away.close();
    expect((await post(app, [run("away")], { token: engine.token })).statusCode).toBe(503);
    await app.close();
  });
});
