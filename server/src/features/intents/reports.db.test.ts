// Reported events and fills of intents against a real database: whatever the order, the batches and the repetitions, the rows are
// those of the same reports once and in order.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testAddress } from "../../../test/chain-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import fc from "../../../test/fast-check.ts";
import { applyReports, at, fill, report, txHash } from "../../../test/handled-reports.ts";
import { INTENT_STATES } from "../../reports/events.ts";
import type { Report } from "../../reports/handler.ts";
import type { VaultRef } from "../../vault.ts";
import { intentFillHandler } from "./fill-reports.ts";
import { isTerminal } from "./fold.ts";
import { intentEventHandler } from "./reports.ts";

const OWN: VaultRef = { chainId: 8453, vaultAddress: testAddress(1) };
const OTHER: VaultRef = { chainId: 8453, vaultAddress: testAddress(2) };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.owner.pool.query("truncate intents, intent_events, intent_counts, intent_fills"));

type EventReport = Report<"vaultops.intent.event">;
type EventFields = Partial<EventReport["data"]>;

let ids = 0;
function told(
  intentId: string,
  seq: number,
  state: EventReport["data"]["state"],
  more: EventFields = {},
  vault = OWN,
) {
  ids += 1;
  return report("vaultops.intent.event", vault, `event-${ids}`, seq, {
    intent_id: intentId,
    seq,
    state,
    ...more,
  });
}

const apply = (reports: readonly EventReport[]) => applyReports(database.db, intentEventHandler, reports);
const applyFills = (reports: readonly Report<"vaultops.intent.fill">[]) =>
  applyReports(database.db, intentFillHandler, reports);

/** All that is stored of intents, fills' counts included. */
async function stored() {
  const { pool } = database.db;
  const { rows: intents } = await pool.query("select * from intents order by intent_id");
  const { rows: events } = await pool.query("select * from intent_events order by intent_id, seq");
  const { rows: fills } = await pool.query(
    "select *, null as check_at from intent_fills order by intent_id, fill_id",
  );
  return { intents, events, fills };
}

/** The maintained counts are those of the rows. */
async function expectCounts() {
  const { rows } = await database.db.pool.query(`
    select chain_id, vault_address, strategy_id, action, state, sum(n)::bigint as n from (
      select chain_id, vault_address, coalesce(strategy_id, '') as strategy_id, coalesce(action, '') as action, state, 1 as n from intents
      union all
      select chain_id, vault_address, strategy_id, action, state, -n from intent_counts
    ) d group by 1, 2, 3, 4, 5 having sum(n) <> 0`);
  expect(rows).toEqual([]);
}

describe("events", () => {
  test("an intent is what its events say, each event is kept, and it is counted where it now belongs", async () => {
    expect(
      await apply([
        told("a", 1, "RECEIVED", { strategy_id: "stables", action: "rebalance" }),
        told("a", 2, "EXECUTING", { total_amount_in: "5", tx_hash: txHash(7) }),
      ]),
    ).toEqual([null, null]);
    await apply([told("a", 3, "COMPLETED", { total_amount_out: "6" })]);
    const { intents, events } = await stored();
    expect(intents).toMatchObject([
      {
        intent_id: "a",
        vault_address: OWN.vaultAddress,
        state: "COMPLETED",
        strategy_id: "stables",
        total_amount_in: 5n,
        total_amount_out: 6n,
        created_at: at(1),
        executing_at: at(2),
        terminal_at: at(3),
      },
    ]);
    expect(events.map(({ seq, state }) => [seq, state])).toEqual([
      [1, "RECEIVED"],
      [2, "EXECUTING"],
      [3, "COMPLETED"],
    ]);
    await expectCounts();
  });

  test("of two terminal events the one stored first stands and the other is refused; others that come later are kept", async () => {
    expect(
      (await apply([told("a", 5, "FAILED"), told("a", 6, "COMPLETED")])).map((each) => each?.code),
    ).toEqual([undefined, "intent_terminal"]);
    const results = await apply([told("a", 5, "FAILED"), told("a", 4, "EXECUTING"), told("a", 9, "PLANNED")]);
    expect(results.map((each) => each?.code)).toEqual(["intent_terminal", undefined, undefined]);
    const { intents, events } = await stored();
    expect(intents).toMatchObject([
      { state: "FAILED", last_event_seq: 9, executing_at: at(4), terminal_at: at(5) },
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([4, 5, 9]);
    await expectCounts();
  });

  test("an intent that was reported for another vault is refused, in the same request and in a later one", async () => {
    const results = await apply([
      told("a", 1, "RECEIVED"),
      told("a", 2, "ACKED", {}, OTHER),
      told("b", 1, "RECEIVED", {}, OTHER),
    ]);
    expect(results.map((each) => each?.code)).toEqual([undefined, "intent_conflict", undefined]);
    expect((await apply([told("b", 2, "COMPLETED")])).map((each) => each?.code)).toEqual(["intent_conflict"]);
    expect((await stored()).intents).toMatchObject([
      { intent_id: "a", vault_address: OWN.vaultAddress, state: "RECEIVED" },
      { intent_id: "b", vault_address: OTHER.vaultAddress, state: "RECEIVED" },
    ]);
  });

  test("two vaults that claim one id at the same moment: one has it, the other is refused", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = `raced-${round}`;
      const results = await Promise.all(
        [OWN, OTHER].map((vault) => apply([told(id, 1, "RECEIVED", {}, vault)])),
      );
      expect(
        results
          .flat()
          .map((each) => each?.code)
          .sort(),
      ).toEqual(["intent_conflict", undefined]);
    }
    expect((await stored()).intents).toHaveLength(5);
    await expectCounts();
  });

  test("shuffled, doubled and cut into any batches, they leave what they leave in order once", async () => {
    const states = INTENT_STATES.filter((state) => !isTerminal(state));
    const text = fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined });
    const one = fc.record({
      intent: fc.constantFrom("p", "q", "r"),
      seq: fc.nat(6),
      state: fc.constantFrom(...states),
      seconds: fc.nat(100),
      strategy_id: text,
      action: text,
      error_code: text,
    });
    // One terminal event at most for each intent: of two the order of arrival decides, as it must.
    const ends = fc.record({ p: fc.option(fc.nat(6)), q: fc.option(fc.nat(6)), r: fc.constant(null) });
    const fills = fc.array(
      fc.record({ intent: fc.constantFrom("p", "q", "r"), fill: fc.nat(3), seconds: fc.nat(50) }),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { maxLength: 14 }),
        ends,
        fills,
        fc.infiniteStream(fc.nat(1e6)),
        async (some, over, filled, random) => {
          const events = some.map(({ intent, seq, state, seconds, ...more }, index) =>
            report("vaultops.intent.event", OWN, `e${index}`, seconds, {
              intent_id: intent,
              seq,
              state,
              ...defined(more),
            }),
          );
          for (const [intent, seq] of Object.entries(over)) {
            if (seq !== null)
              events.push(
                report("vaultops.intent.event", OWN, `end-${intent}`, 50, {
                  intent_id: intent,
                  seq,
                  state: "ABORTED",
                }),
              );
          }
          const fillReports = filled.map(({ intent, fill: number, seconds }, index) =>
            report(
              "vaultops.intent.fill",
              OWN,
              `f${index}`,
              seconds,
              fill(intent, `fill-${number}`, { tx_hash: txHash(index) }),
            ),
          );
          await database.owner.pool.query("truncate intents, intent_events, intent_counts, intent_fills");
          for (const each of [...events].sort((a, b) => a.data.seq - b.data.seq)) await apply([each]);
          for (const each of fillReports) await applyFills([each]);
          const expected = await stored();
          await expectCounts();

          await database.owner.pool.query("truncate intents, intent_events, intent_counts, intent_fills");
          const order = () => (random.next().value ?? 0) - 500_000;
          const nonEnds = events.filter(({ data }) => !isTerminal(data.state));
          const mixed = [...events, ...nonEnds].sort(order);
          const fillsMixed = [...fillReports, ...fillReports].sort(order);
          while (mixed.length > 0 || fillsMixed.length > 0) {
            const batch = mixed.splice(0, 1 + ((random.next().value ?? 0) % 5));
            if (batch.length > 0) expect(await apply(batch)).toEqual(batch.map(() => null));
            const fillBatch = fillsMixed.splice(0, 1 + ((random.next().value ?? 0) % 3));
            if (fillBatch.length > 0) expect(await applyFills(fillBatch)).toEqual(fillBatch.map(() => null));
          }
          expect(await stored()).toEqual(expected);
          await expectCounts();
        },
      ),
      { numRuns: 30 },
    );
  }, 300_000);
});

describe("fills", () => {
  test("they are counted once each, whether they come before their intent or after it", async () => {
    const first = report("vaultops.intent.fill", OWN, "f1", 1, fill("a", "fill-1"));
    await applyFills([first]);
    await apply([told("a", 1, "COMPLETED")]);
    await applyFills([
      report("vaultops.intent.fill", OWN, "f2", 2, fill("a", "fill-2")),
      { ...first, id: "f3" },
    ]);
    const { intents, fills } = await stored();
    expect(intents).toMatchObject([{ fills_count: 2, state: "COMPLETED" }]);
    expect(fills.map(({ fill_id: id }) => id)).toEqual(["fill-1", "fill-2"]);
  });

  test("another vault's fill is refused, and one that came before the intent is not counted as its own", async () => {
    await applyFills([report("vaultops.intent.fill", OTHER, "f1", 1, fill("a", "fill-1"))]);
    await apply([told("a", 1, "RECEIVED")]);
    const [rejection] = await applyFills([
      report("vaultops.intent.fill", OTHER, "f2", 1, fill("a", "fill-2")),
    ]);
    expect(rejection?.code).toBe("intent_conflict");
    expect((await stored()).intents).toMatchObject([{ fills_count: 0 }]);
  });

  test("a correction with another transaction is looked for anew, a repetition is not", async () => {
    const confirm = () =>
      database.db.pool.query(
        "update intent_fills set onchain = 'confirmed', block_number = 7, block_hash = 'x', was_seen = true, check_at = null",
      );
    await applyFills([
      report("vaultops.intent.fill", OWN, "f1", 1, fill("a", "fill-1", { tx_hash: txHash(0xab) })),
    ]);
    await confirm();
    await applyFills([
      report(
        "vaultops.intent.fill",
        OWN,
        "f2",
        2,
        fill("a", "fill-1", { tx_hash: txHash(0xab), venue: "curve" }),
      ),
    ]);
    expect((await stored()).fills).toMatchObject([{ onchain: "confirmed", venue: "curve", block_number: 7 }]);
    await applyFills([
      report("vaultops.intent.fill", OWN, "f3", 3, fill("a", "fill-1", { tx_hash: txHash(0xcd) })),
    ]);
    expect((await stored()).fills).toMatchObject([
      { onchain: "pending", block_number: null, was_seen: false },
    ]);
    const { rows } = await database.db.pool.query("select 1 from intent_fills where check_at is not null");
    expect(rows).toHaveLength(1);
  });
});

function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
