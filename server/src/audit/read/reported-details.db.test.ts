// Entries in which an engine's details stand beside the service's own, as release 0.1 wrote them: whatever names these carry, the log
// that holds them verifies, its exports do, and deep reorganisations find the entries that they undo.

import { OrderCheck } from "@vaultops/proof";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ACTORS, chainEntry, VAULTS } from "../../../test/audit.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { record } from "../append/record.ts";
import { recordReverts } from "../append/reverts.ts";
import type { AuditEntryInput } from "../entries/entries.ts";
import { verifyLog } from "../verify/log.ts";

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase();
  await t.db.pool.query("insert into chains (chain_id, name) values (8453, 'Base')");
});
afterAll(() => t.drop());

const bodies = async (order = "seq") =>
  (await t.db.pool.query(`select body from audit_entries order by ${order}`)).rows.map(({ body }) =>
    JSON.parse(body),
  );

function reportedFlat(details: Record<string, unknown>): AuditEntryInput {
  return {
    action_type: "session_key_rotate",
    ...VAULTS[0]!,
    actor_wallet: ACTORS[0]!,
    details: { ...details, reported_at: "2026-05-09T10:00:00.000000Z", source: "/engine", reported: true },
  } as unknown as AuditEntryInput;
}

describe("a log that holds reported details beside the service's own", () => {
  it("verifies, and deep reorganisations undo exactly the operations of their blocks, page by page", async () => {
    const operations = Array.from({ length: 2500 }, (_, i) => chainEntry(30_000 + i, { vault: 0 }));
    await t.db.transaction((tx) => record(tx, operations));
    const first = (await bodies())[0];
    const hostile = [
      { block_timestamp: "2020-01-01T00:00:00.000000Z" },
      { block_timestamp: "no time" },
      { block_number: 22_123_456 },
      { block_number: "1e400", block_timestamp: null, block_hash: {}, log_index: -1, tx_hash: [] },
      { reverted_id: first.id, block_number: 22_123_456, reverted_action_type: first.action_type },
    ].map(reportedFlat);
    await t.db.transaction((tx) => record(tx, hostile));
    expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);

    expect(await t.db.transaction((tx) => recordReverts(tx, 8453, 30_999))).toBe(1500);
    expect(await t.db.transaction((tx) => recordReverts(tx, 8453, 29_999))).toBe(1000);
    expect(await t.db.transaction((tx) => recordReverts(tx, 8453, 29_999))).toBe(0);
    const reverts = (await bodies()).filter((entry) => entry.action_type === "chain_reorg_revert");
    const seqs = reverts.map((entry) => Number(entry.details.reverted_seq));
    expect(seqs).toEqual([...range(1001, 2500), ...range(1, 1000)]);
    expect((await verifyLog({ pool: t.db.pool, folder: null })).failure).toBe(null);
  });

  it("is undone a page at a time: no answer of the database holds more than 1,000 of its entries", async () => {
    const operations = Array.from({ length: 2500 }, (_, i) => chainEntry(50_000 + i, { vault: 0 }));
    await t.db.transaction((tx) => record(tx, operations));
    let most = 0;
    const undone = await t.db.transaction((tx) =>
      recordReverts(
        tx.withPlugin({
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            most = Math.max(most, result.rows.length);
            return result;
          },
        }),
        8453,
        49_999,
      ),
    );
    expect([undone, most]).toEqual([2500, 1000]);
  });

  it("has them in exports by block time at the time at which they were recorded", async () => {
    const order = new OrderCheck();
    for (const entry of await bodies("occurred_at, seq")) expect(order.take(entry)).toBe(null);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
