import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it("moments keep their microseconds", async () => {
  const { rows } = await test.db.pool.query("select '2026-05-09T12:00:00.123456+02'::timestamptz as at");
  expect(rows[0].at).toBe("2026-05-09T10:00:00.123456Z");
});
