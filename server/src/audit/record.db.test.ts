import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainEntry } from "../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { canonicalJson } from "./canonical.ts";
import { record } from "./record.ts";

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
});
afterAll(() => t.drop());

const all = async () => (await t.db.pool.query("select * from audit_entries order by seq")).rows;

describe("record", () => {
  it("numbers entries contiguously and lets time strictly increase, across batches", async () => {
    await t.db.transaction((tx) => record(tx, [chainEntry(1), chainEntry(2)]));
    await t.db.transaction((tx) =>
      record(
        tx,
        Array.from({ length: 700 }, (_, i) => chainEntry(3 + i)),
      ),
    );
    const rows = await all();
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 702 }, (_, i) => i + 1));
    for (const [i, row] of rows.entries()) {
      if (i > 0) expect(row.recorded_at > rows[i - 1].recorded_at).toBe(true);
      const entry = JSON.parse(row.body);
      expect(canonicalJson(entry)).toBe(row.body);
      expect(entry.id).toBe(row.id);
      expect(entry.seq).toBe(String(row.seq));
      expect(entry.timestamp).toBe(row.timestamp);
      expect(entry.details.block_timestamp).toBe(row.occurred_at);
    }
  });
});
