// An intent as the sum of its events, taken in the order of `seq`: pure, so that events may arrive in any order, late or twice.
//
// Guarantee: the same events give the same intent however they came. An intent that has ended never changes by what has a greater `seq`
// than its end: neither its state nor its error nor what it carries. Of two terminal events the one
// stored first stands; nothing else depends on the order of arrival (docs/decisions/0016, reports).
import type { INTENT_STATES } from "../../reports/events.ts";
import { isLater } from "../../reports/handler.ts";

export type IntentStateName = (typeof INTENT_STATES)[number];

const TERMINAL: ReadonlySet<string> = new Set(["COMPLETED", "ABORTED", "EXPIRED", "FAILED", "CANCELED"]);

export function isTerminal(state: string): boolean {
  return TERMINAL.has(state);
}

/** What an event may carry beside its state. Quantities are decimal strings; null stands for "not told". */
export interface Carried {
  execution_id: string | null;
  correlation_id: string | null;
  strategy_id: string | null;
  action: string | null;
  error_code: string | null;
  error_message: string | null;
  total_amount_in: string | null;
  total_amount_out: string | null;
  gas_used_total: string | null;
}

/** An event as stored. `event_time` is in the API's form, so that strings compare as moments do. */
export interface IntentEvent extends Carried {
  intent_id: string;
  seq: number;
  state: IntentStateName;
  event_time: string;
  event_id: string;
  tx_hash: string | null;
}

/** What the events so far make of the intent. */
export interface IntentFold extends Carried {
  state: IntentStateName;
  last_event_seq: number;
  created_at: string;
  acked_at: string | null;
  executing_at: string | null;
  completed_at: string | null;
  terminal_at: string | null;
}

/**
 * The intent after an event whose `seq` is greater than that of every event before it (null: there was none).
 * What an event carries replaces what was known; what it does not carry stays. Completing takes an earlier error back. After the end
 * nothing does: what comes then is kept as an event.
 */
export function foldEvent(before: IntentFold | null, event: IntentEvent): IntentFold {
  if (before !== null && before.terminal_at !== null) return { ...before, last_event_seq: event.seq };
  const completes = event.state === "COMPLETED";
  const at = (state: IntentStateName, known: string | null | undefined) =>
    known ?? (event.state === state ? event.event_time : null);
  return {
    execution_id: event.execution_id ?? before?.execution_id ?? null,
    correlation_id: event.correlation_id ?? before?.correlation_id ?? null,
    strategy_id: event.strategy_id ?? before?.strategy_id ?? null,
    action: event.action ?? before?.action ?? null,
    error_code: event.error_code ?? (completes ? null : (before?.error_code ?? null)),
    error_message: event.error_message ?? (completes ? null : (before?.error_message ?? null)),
    total_amount_in: event.total_amount_in ?? before?.total_amount_in ?? null,
    total_amount_out: event.total_amount_out ?? before?.total_amount_out ?? null,
    gas_used_total: event.gas_used_total ?? before?.gas_used_total ?? null,
    state: event.state,
    last_event_seq: event.seq,
    created_at:
      before !== null && before.created_at < event.event_time ? before.created_at : event.event_time,
    acked_at: at("ACKED", before?.acked_at),
    executing_at: at("EXECUTING", before?.executing_at),
    completed_at: at("COMPLETED", before?.completed_at),
    terminal_at: before?.terminal_at ?? (isTerminal(event.state) ? event.event_time : null),
  };
}

/** The intent that events make, given in any order, one for each `seq`. */
export function foldEvents(events: Iterable<IntentEvent>, from: IntentFold | null = null): IntentFold | null {
  return [...events].sort((a, b) => a.seq - b.seq).reduce(foldEvent, from);
}

/** Which of two events for the same `seq` stands: a terminal one, else the one told later. */
export function standing(held: IntentEvent, given: IntentEvent): IntentEvent {
  if (isTerminal(held.state)) return held;
  if (isTerminal(given.state)) return given;
  return isLater(given, held) ? given : held;
}
