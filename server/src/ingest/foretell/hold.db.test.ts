// For how long a chain is held while something is foretold on it.
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addChain } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { holdChain } from "./hold.ts";

const CHAIN = 8453;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await addChain(database.db, CHAIN, 5);
  await database.db.pool.query("update chains set head_number = 5");
});
afterAll(async () => {
  await database?.drop();
});

describe("a chain is held", () => {
  test("by one at a time: another gives up waiting", async () => {
    const { db } = database;
    await db.transaction(async (tx) => {
      expect((await holdChain(tx, CHAIN)).head).toBe(5);
      const other = db.transaction((second) => holdChain(second, CHAIN));
      const refused = expect(other).rejects.toMatchObject({ code: "55P03" });
      // Asked now and then: a session that stands still would be ended.
      let isOver = false;
      const over = refused.finally(() => {
        isOver = true;
      });
      while (!isOver) await sql`select pg_sleep(0.1)`.execute(tx);
      await over;
    });
  });

  test("for no statement that goes on and on", async () => {
    const endless = database.db.transaction(async (tx) => {
      await holdChain(tx, CHAIN);
      await sql`select pg_sleep(600)`.execute(tx);
    });
    await expect(endless).rejects.toMatchObject({ code: "57014" });
  });

  test("for no longer than it may be, however short its statements are", async () => {
    const endless = database.db.transaction(async (tx) => {
      const { held } = await holdChain(tx, CHAIN, 50);
      for (;;) await sql`select pg_sleep(0.01)`.execute(held);
    });
    await expect(endless).rejects.toMatchObject({ code: "service_unavailable" });
  });
});
