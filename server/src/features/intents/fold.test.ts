// The fold of an intent's events, by example and for any order of arrival.

import { expect, test } from "vitest";
import fc from "../../../test/fast-check.ts";
import { INTENT_STATES } from "../../reports/events.ts";
import { foldEvents, type IntentEvent, isTerminal, standing } from "./fold.ts";

function event(seq: number, state: IntentEvent["state"], more: Partial<IntentEvent> = {}): IntentEvent {
  return {
    intent_id: "intent-1",
    seq,
    state,
    event_time: `2026-05-09T10:00:${String(seq).padStart(2, "0")}.000000Z`,
    event_id: `e${seq}`,
    execution_id: null,
    correlation_id: null,
    strategy_id: null,
    action: null,
    error_code: null,
    error_message: null,
    total_amount_in: null,
    total_amount_out: null,
    gas_used_total: null,
    tx_hash: null,
    ...more,
  };
}

test("an intent takes its state from its last event, its times from the first of each state, and keeps what later events leave out", () => {
  const fold = foldEvents([
    event(1, "RECEIVED", { strategy_id: "stables", action: "rebalance" }),
    event(2, "ACKED"),
    event(3, "ACKED"),
    event(4, "EXECUTING", { total_amount_in: "10" }),
    event(5, "COMPLETED", { total_amount_out: "9" }),
  ]);
  expect(fold).toMatchObject({
    state: "COMPLETED",
    strategy_id: "stables",
    action: "rebalance",
    total_amount_in: "10",
    total_amount_out: "9",
    last_event_seq: 5,
    created_at: "2026-05-09T10:00:01.000000Z",
    acked_at: "2026-05-09T10:00:02.000000Z",
    executing_at: "2026-05-09T10:00:04.000000Z",
    completed_at: "2026-05-09T10:00:05.000000Z",
    terminal_at: "2026-05-09T10:00:05.000000Z",
  });
});

test("an intent that has ended never changes by what has a greater seq, while what had a smaller one is taken in its place", () => {
  const before = [event(2, "EXECUTING", { total_amount_in: "10" }), event(3, "COMPLETED")];
  const after = event(4, "EXECUTING", {
    error_code: "RETRY",
    error_message: "again",
    gas_used_total: "21000",
    action: "another",
    event_time: "2026-05-09T09:00:00.000000Z",
  });
  const ended = foldEvents(before);
  expect(foldEvents([after, ...before])).toEqual({ ...ended, last_event_seq: 4 });
  const late = event(1, "ACKED", { strategy_id: "stables" });
  expect(foldEvents([...before, after, late])).toMatchObject({
    state: "COMPLETED",
    strategy_id: "stables",
    error_code: null,
    acked_at: late.event_time,
  });
});

test("completing takes an earlier error back", () => {
  const events = [
    event(1, "EXECUTING", { error_code: "RETRY", error_message: "again" }),
    event(2, "COMPLETED"),
  ];
  expect(foldEvents(events)).toMatchObject({ error_code: null, error_message: null });
});

test("of two events for one place a terminal one stands, else the later by time and id, whichever comes first", () => {
  const early = event(3, "ACKED", { event_time: "2026-05-09T10:00:00.000000Z" });
  const late = event(3, "STAGED", { event_time: "2026-05-09T10:00:01.000000Z" });
  const greater = { ...early, event_id: "z" };
  // Bytes are compared, as the database does; by UTF-16 units these two stand the other way round.
  const [below, above] = ["\u{ff5e}", "\u{1f600}"].map((event_id) => ({ ...early, event_id }));
  const end = event(3, "EXPIRED", { event_time: "2026-05-09T09:00:00.000000Z" });
  for (const [a, b, winner] of [
    [early, late, late],
    [early, greater, greater],
    [below as typeof early, above as typeof early, above],
    [late, end, end],
  ] as const) {
    expect(standing(a, b)).toBe(winner);
    expect(standing(b, a)).toBe(winner);
  }
});

test("folding on from what was stored is the same as folding everything", () => {
  const carried = fc.option(fc.stringMatching(/^[a-c]$/), { nil: null });
  const events = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 10 }).chain((seqs) =>
    fc.tuple(
      ...seqs.map((seq) =>
        fc
          .record({
            state: fc.constantFrom(
              ...INTENT_STATES.filter((state) => !isTerminal(state)),
              "ABORTED" as const,
              "COMPLETED" as const,
            ),
            event_time: fc.integer({ min: 10, max: 59 }).map((s) => `2026-05-09T10:00:${s}.000000Z`),
            strategy_id: carried,
            error_code: carried,
            total_amount_in: carried,
          })
          .map(({ state, ...more }) => event(seq, state, more)),
      ),
    ),
  );
  fc.assert(
    fc.property(events, fc.nat(10), (all, cut) => {
      const sorted = [...all].sort((a, b) => a.seq - b.seq);
      const whole = foldEvents(all);
      expect(foldEvents(sorted.slice(cut), foldEvents(sorted.slice(0, cut)))).toEqual(whole);
      expect(foldEvents(sorted.reverse())).toEqual(whole);
    }),
  );
});
