// What the door lets in, PostgreSQL takes: nothing that a client sends can become a fault of the service further in.

import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTestApp } from "../../../test/app.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import fc from "../../../test/fast-check.ts";
import { parseJsonBody } from "./json.ts";
import { parseTimestamp } from "./time.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe("a body that is accepted", () => {
  it("is stored and read back as it was, whatever characters it holds", async () => {
    const anyJson = fc.jsonValue({ stringUnit: "binary", maxDepth: 3 }).map((value) => JSON.stringify(value));
    const escaped = fc
      .array(
        fc.constantFrom(
          "\\u0000",
          "\\ud800",
          "\\udc00",
          "\\ud83d\\ude00",
          "\\u007f",
          "a",
          "\\\\u0000",
          "\\uffff",
        ),
        { maxLength: 6 },
      )
      .map((parts) => JSON.stringify({ k: 0 }).replace("0", `"${parts.join("")}"`));
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyJson, escaped), async (text) => {
        let value: unknown;
        try {
          value = parseJsonBody(Buffer.from(text));
        } catch {
          return;
        }
        stored++;
        const { rows } = await test.db.pool.query("select $1::jsonb as json, $2::text as text", [
          JSON.stringify(value),
          typeof value === "string" ? value : text,
        ]);
        expect(rows[0].json).toEqual(value);
      }),
      { numRuns: 300 },
    );
    expect(stored).toBeGreaterThan(50);
  });
});

describe("a time that is accepted", () => {
  it("is one that PostgreSQL reads as the same moment, to the microsecond", async () => {
    const two = (value: number) => String(value).padStart(2, "0");
    const moment = fc
      .record({
        year: fc.integer({ min: 0, max: 9999 }),
        month: fc.integer({ min: 1, max: 12 }),
        day: fc.integer({ min: 1, max: 31 }),
        hour: fc.integer({ min: 0, max: 24 }),
        minute: fc.integer({ min: 0, max: 59 }),
        second: fc.integer({ min: 0, max: 60 }),
        fraction: fc.stringMatching(/^(?:\.\d{1,9})?$/),
        zone: fc.constantFrom("", "Z", "+02:00", "-11:30", "+0545", "+23:59"),
      })
      .map(
        (t) =>
          `${String(t.year).padStart(4, "0")}-${two(t.month)}-${two(t.day)}T${two(t.hour)}:${two(t.minute)}:${two(t.second)}${t.fraction}${t.zone}`,
      );
    await fc.assert(
      fc.asyncProperty(moment, async (text) => {
        const read = parseTimestamp(text);
        if (read === null) return;
        const { rows } = await test.db.pool.query("select $1::timestamptz as at", [read]);
        expect(rows[0].at).toBe(read);
      }),
      { numRuns: 500 },
    );
  });
});

describe("503", () => {
  it("is answered when the database ends the connection in mid-query, and when there is none, and 200 when it is back", async () => {
    const away = new pg.Pool({ connectionString: "postgres://app@127.0.0.1:1/nothing" });
    const app = await buildTestApp({
      features: [
        {
          name: "test",
          routes(instance) {
            const config = { permission: "public" } as const;
            instance.get("/terminated", { config }, async () =>
              test.db.pool.query("select pg_terminate_backend(pg_backend_pid())"),
            );
            instance.get("/away", { config }, async () => away.query("select 1"));
            instance.get("/back", { config }, async () => (await test.db.pool.query("select 1 as one")).rows);
          },
        },
      ],
    });
    for (const url of ["/terminated", "/away"]) {
      const answer = await app.inject(url);
      expect(answer.json()).toMatchObject({ status: 503, code: "service_unavailable" });
      expect(answer.headers["retry-after"]).toBe("5");
    }
    expect((await app.inject("/back")).json()).toEqual([{ one: 1 }]);
    await app.close();
    await away.end();
  });
});
