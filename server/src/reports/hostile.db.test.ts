// What a hostile or broken engine can send, and what a hostile caller can ask: every answer is a result or a problem of the one who sent it,
// never a fault of the service, and what stands beside it is stored.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { type EngineTest, event, post, startEngineTest, VAULT_ID } from "../../test/engine.ts";
import { type ReadsTest, startReadsTest } from "../../test/report-reads.ts";
import { systemClock } from "../platform/clock.ts";
import { silentLogger } from "../platform/log.ts";
import { HANDLERS } from "../service/report-handlers.ts";
import { readEvent } from "./cloud-event.ts";
import { EVENT_TYPES, type EventType } from "./events.ts";
import { ReportWriter } from "./writer.ts";

let database: TestDatabase;
let engine: EngineTest;
let reads: ReadsTest;

beforeAll(async () => {
  database = await createTestDatabase();
  engine = await startEngineTest(database.db);
  reads = await startReadsTest();
});
afterAll(async () => {
  await engine?.app.close();
  await database?.drop();
  await reads?.end();
});

const TYPES = Object.keys(EVENT_TYPES) as EventType[];
const exampleOf = (type: EventType) =>
  event(type, structuredClone(EVENT_TYPES[type].example) as never) as ReturnType<typeof event> & {
    data: Record<string, unknown>;
  };

/** JSON that a member of `data` can be replaced with, as text, so that what no JavaScript value stands for can be told too. */
const HOSTILE = [
  "null",
  "true",
  "-1",
  "-0",
  "0.1",
  "1e400",
  "-1e400",
  "9007199254740993",
  "99999999999999999999999",
  '""',
  '" "',
  '"-1"',
  '"1e3"',
  '"0x10"',
  '"00"',
  `"${"9".repeat(78)}"`,
  `"${"9".repeat(79)}"`,
  `"${(2n ** 256n).toString()}"`,
  '"0000-01-01"',
  '"0001-01-01T00:00:00+23:59"',
  '"9999-12-31T23:59:59.999999Z"',
  '"2026-02-30"',
  '"infinity"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\u202e\\u0007"',
  `"${"x".repeat(5000)}"`,
  "[]",
  "[[]]",
  "{}",
  '{"a":1e400}',
  '{"a":{"b":[null,-1e999]}}',
  '{"toJSON":1,"constructor":2,"":3}',
  '{"a":12345678901234567890123}',
];

describe("reports", () => {
  test.each(TYPES)("%s: whatever a member holds, the event is judged alone", async (type) => {
    const given = exampleOf(type);
    const bodies = Object.keys(given.data).flatMap((member) =>
      HOSTILE.map((text, n) => {
        const hostile = structuredClone({ ...given, id: `${type}:${member}:${n}` });
        hostile.data[member] = "HOSTILE";
        return JSON.stringify(hostile).replace('"HOSTILE"', () => text);
      }),
    );
    for (let at = 0; at < bodies.length; at += 100) {
      const good = exampleOf(type);
      const part = [...bodies.slice(at, at + 100), JSON.stringify(good)];
      const response = await post(engine.app, `[${part.join(",")}]`, { token: engine.token });
      expect(response.statusCode, response.body).toBe(200);
      const { results } = response.json() as Awaited<{
        results: { status: string; problem?: { status: number } }[];
      }>;
      expect(results).toHaveLength(part.length);
      for (const [index, { status, problem }] of results.entries())
        if (status === "rejected") expect(problem?.status, part[index]).toBeLessThan(500);
    }
  });

  test("numbers that no JSON reader could give back are refused, not stored as something else", async () => {
    for (const type of ["vaultops.action", "vaultops.shard.state"] as const) {
      const member = type === "vaultops.action" ? "details" : "fields";
      const hostile = exampleOf(type);
      hostile.data[member] = { deep: ["HOSTILE"] };
      const body = `[${JSON.stringify(hostile).replace('"HOSTILE"', "1e400")}]`;
      const [result] = (await post(engine.app, body, { token: engine.token })).json().results;
      expect(result).toMatchObject({ status: "rejected", problem: { code: "invalid_event" } });
    }
  });

  test("what our own code did not expect of a report costs that report alone, not those that are written with it", async () => {
    const broken = {
      type: "vaultops.pps.report" as const,
      apply: async () => {
        throw new TypeError("not expected");
      },
    };
    const handlers = { ...HANDLERS, "vaultops.pps.report": broken };
    const writer = new ReportWriter({ db: database.db, clock: systemClock, log: silentLogger(), handlers });
    const take = (type: EventType, n: number) => {
      const read = readEvent({ ...exampleOf(type), id: `together-${type}-${n}` });
      if (!("report" in read)) throw new Error("not read");
      return read.report;
    };
    const good = (n: number) => writer.write([take("vaultops.session_key.readiness", n)]);
    // The first two are under way while the others wait to be written together.
    const mixed = [take("vaultops.pps.report", 0), take("vaultops.session_key.readiness", 9)];
    const outcomes = await Promise.all([good(0), good(1), good(2), writer.write(mixed), good(3)]);
    expect(outcomes.flat()).toEqual([
      "accepted",
      "accepted",
      "accepted",
      expect.objectContaining({ code: "invalid_event" }),
      "accepted",
      "accepted",
    ]);
  });

  test("attributes: whatever they hold, the event is judged alone", async () => {
    const names = [
      "specversion",
      "id",
      "source",
      "type",
      "time",
      "subject",
      "datacontenttype",
      "dataschema",
      "data",
      "ext",
    ];
    const bodies = names.flatMap((name) =>
      HOSTILE.map((text) => {
        const hostile = { ...exampleOf("vaultops.service.run"), [name]: "HOSTILE" };
        return JSON.stringify(hostile).replace('"HOSTILE"', () => text);
      }),
    );
    const response = await post(engine.app, `[${bodies.join(",")}]`, { token: engine.token });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json().results).toHaveLength(bodies.length);
  });

  test("what was taken from them can be read", async () => {
    for (const path of ["services", "session-key", "merkle", "redeems"]) {
      const { status, body } = await engine.get(`/api/v1/vaults/${VAULT_ID.replace(":", "/")}/${path}`);
      expect([200, 404], JSON.stringify(body)).toContain(status);
      if (status === 404) expect(body.code).toBe("not_found");
    }
    expect((await engine.get("/api/v1/services/status")).status).toBe(200);
    expect((await engine.get(`/api/v1/engine/shards/${VAULT_ID}/state`)).status).toBe(200);
  });
});

describe("reads", () => {
  const VALUES = [
    "",
    "%00",
    "%",
    "%ff",
    "%F0%9F%98%80",
    "'",
    "\\",
    "null",
    "-1",
    "0",
    "1e3",
    "99999999999999999999",
    "9007199254740993",
  ];
  const LONG = ["x".repeat(3000), `${"a".repeat(199)}%00`];
  const CURSORS = [
    "2026-05-09T10:00:00.000000Z ",
    "2026-05-09T10:00:00.000000Z \0",
    "x",
    `${"9".repeat(27)} i1`,
  ].map((text) => Buffer.from(text).toString("base64url"));
  const NAMES = [
    "vault_id",
    "chain_id",
    "vault_address",
    "strategy_id",
    "action",
    "state",
    "tx_hash",
    "error_code",
    "created_from",
    "created_to",
    "limit",
    "offset",
    "cursor",
    "status",
    "page",
  ];
  const LISTS = [
    "/api/v1/intents",
    "/api/v1/intents/facets",
    "/api/v1/intents/i1/events",
    "/api/v1/intents/i1/fills",
    "/api/v1/fulfill-redeems/executions",
    "/fulfill-redeems/executions",
  ];

  test.each(LISTS)("%s: no value of a parameter is a fault of the service", async (list) => {
    for (const name of NAMES)
      for (const value of [...VALUES, ...LONG, ...CURSORS]) {
        const { status, body } = await reads.ask(`${list}?${name}=${value}`);
        expect(status, `${name}=${value}: ${JSON.stringify(body)}`).toBeLessThan(500);
      }
  });

  test("paths: no value is a fault of the service", async () => {
    for (const value of [
      ...VALUES,
      ...LONG,
      "%3A",
      "8453:%00",
      "0:0x0000000000000000000000000000000000000000",
    ])
      for (const path of [
        `/api/v1/intents/${value}`,
        `/api/v1/intents/${value}/events`,
        `/api/v1/intents/${value}/fills`,
      ]) {
        const { status, body } = await reads.ask(path);
        expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(500);
      }
    for (const value of [...VALUES, ...LONG])
      for (const path of [
        `/api/v1/vaults/${value}/${value}/services`,
        `/api/v1/vaults/8453/${value}/session-key`,
        `/api/v1/vaults/8453/${value}/merkle`,
        `/api/v1/engine/shards/${value}/state`,
        `/api/v1/vaults/${VAULT_ID.replace(":", "/")}/merkle?limit=${value}`,
        `/api/v1/vaults/${VAULT_ID.replace(":", "/")}/merkle?offset=${value}`,
      ]) {
        const { status, body } = await engine.get(path);
        expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(500);
      }
  });

  test("the greatest limit, offset and page that are allowed are answered", async () => {
    for (const query of ["limit=1000&offset=1000000000", "limit=1000&page=1000000000", "limit=1&offset=0"]) {
      for (const list of LISTS) {
        const { status } = await reads.ask(`${list}?${query}`);
        expect(status, `${list}?${query}`).toBeLessThan(500);
      }
    }
  });
});
