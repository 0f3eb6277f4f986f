// One stream of the audit log to its receiver: batch after batch from where it stands, one request at a time.
//
// Guarantee: the receiver is sent every entry at least once and in order, whatever it answers and whatever dies; the place in the log is
// moved on only after it has said that it took what came before. A stream that begins when a part of the log is archived begins after that; one
// that had begun never passes over any. No more than one batch is held in memory.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import { type Egress, EgressError } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/log.ts";
import type { StreamPlace } from "./settings.ts";
import {
  advance,
  claim,
  fail,
  type Hold,
  isBehind,
  readBatch,
  release,
  renew,
  type Standing,
  type TroubleKind,
} from "./store.ts";
import {
  acknowledgementRequest,
  batchRequest,
  ENVELOPE_BYTES,
  isAcknowledged,
  judge,
  omitted,
  type StreamedEntry,
  type Verdict,
} from "./wire.ts";

export interface ForwardParts {
  db: Database;
  request: Egress["request"];
  clock: Clock;
  log: Logger;
  /** How long until Splunk is asked again whether it has stored a batch; 1000 unless told. */
  acknowledgementPollMs?: number;
  /** How long a receiver may take for a batch; 30,000 unless told. */
  timeoutMs?: number;
}

/** `paused`: tried again later; `stopped`: not before the next start, or another token; `busy`: another process sends, or is to wait. */
export type RoundOutcome = "nothing" | "busy" | "up to date" | "paused" | "stopped" | "ended";

/** What Splunk's own guides keep requests within. */
const MAX_BATCH_BYTES = 1_048_576;
/** What the size of batches grows by with each one that is taken. */
const GROWTH_BYTES = 16_384;
const MAX_ANSWER_BYTES = 65_536;
const [FIRST_PAUSE_MS, MAX_PAUSE_MS, MAX_ASKED_PAUSE_MS] = [5_000, 300_000, 3_600_000];
const ACKNOWLEDGEMENT_POLLS = 120;

/** Gives what runs a round: everything that there is to send, until it has been taken or something stands in the way. */
export function createForwarder(
  { db, request, clock, log, acknowledgementPollMs = 1_000, timeoutMs = 30_000 }: ForwardParts,
  place: StreamPlace,
): (signal: AbortSignal) => Promise<RoundOutcome> {
  const hold: Hold = { name: place.name, holder: randomUUID() };
  const channel = randomUUID();
  let budgetBytes = MAX_BATCH_BYTES;
  /** The token with which it was stopped. */
  let stopped: { token: string | null } | null = null;

  const ask = (asked: ReturnType<typeof batchRequest>, signal: AbortSignal) =>
    request({ ...asked, timeoutMs, maxBytes: MAX_ANSWER_BYTES, trusted: true, signal });

  async function send(entries: readonly StreamedEntry[], signal: AbortSignal): Promise<Verdict> {
    try {
      const answer = await ask(batchRequest(place, entries, channel), signal);
      const verdict = judge(place.type, answer, clock.now());
      if (verdict.kind !== "taken" || verdict.ackId === null) return verdict;
      return (await isStored(verdict.ackId, signal))
        ? verdict
        : { kind: "again", message: "it did not acknowledge what it took", afterMs: null };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      // It may be too much for the line.
      if (error.failure === "timeout") budgetBytes = halfOf(entries);
      return { kind: "again", message: error.message, afterMs: null };
    }
  }

  async function isStored(ackId: number, signal: AbortSignal): Promise<boolean> {
    for (let n = 0; n < ACKNOWLEDGEMENT_POLLS; n++) {
      if (isAcknowledged(await ask(acknowledgementRequest(place, ackId, channel), signal), ackId))
        return true;
      await sleep(acknowledgementPollMs, undefined, { signal });
      if (!(await renew(db.kysely, hold))) return false;
    }
    return false;
  }

  async function pause(failures: number, message: string, afterMs: number | null): Promise<RoundOutcome> {
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 16), MAX_PAUSE_MS);
    const pauseMs = Math.max(growing, Math.min(afterMs ?? 0, MAX_ASKED_PAUSE_MS));
    const nowMs = clock.now();
    await fail(db.kysely, hold, { kind: "failing", message, notBeforeMs: nowMs + pauseMs, nowMs });
    log.debug(
      { stream: place.name, reason: message, retry_in_ms: pauseMs },
      "a stream's batch was not taken",
    );
    return "paused";
  }

  async function stop(kind: TroubleKind, message: string, token: string | null): Promise<RoundOutcome> {
    stopped = { token };
    const nowMs = clock.now();
    await fail(db.kysely, hold, { kind, message, notBeforeMs: nowMs, nowMs });
    log.error({ stream: place.name, reason: message }, "a stream of the audit log has stopped");
    return "stopped";
  }

  async function sendAll(from: Standing, signal: AbortSignal): Promise<RoundOutcome> {
    let { taken_seq: taken, failures } = from;
    if (taken === 0) taken = from.below - 1;
    else if (taken + 1 < from.below)
      return stop("missing", `entries ${taken + 1} to ${from.below - 1} are archived`, place.token());
    while (!signal.aborted) {
      let batch = await readBatch(db.kysely, taken, budgetBytes);
      const [first] = batch;
      if (first === undefined) return "up to date";
      const token = place.token();
      if (first.seq !== taken + 1) return stop("missing", `entry ${taken + 1} is not in the database`, token);
      if (!(await renew(db.kysely, hold))) return "busy";
      let verdict = await send(batch, signal);
      const isOmitted = verdict.kind === "too_large" && batch.length === 1;
      if (isOmitted) {
        batch = [omitted(first)];
        verdict = await send(batch, signal);
      }
      if (signal.aborted && verdict.kind !== "taken") return "ended";
      switch (verdict.kind) {
        case "taken":
          taken = (batch.at(-1) as StreamedEntry).seq;
          if (!(await advance(db.kysely, hold, taken, { isOmitted, nowMs: clock.now() }))) return "busy";
          failures = 0;
          budgetBytes = Math.min(budgetBytes + GROWTH_BYTES, MAX_BATCH_BYTES);
          break;
        case "too_large":
          if (isOmitted) return stop("refused", "it answered 413 to an entry without its content", token);
          budgetBytes = halfOf(batch);
          break;
        case "again":
          return pause(failures, verdict.message, verdict.afterMs);
        case "refused":
          return stop("refused", verdict.message, token);
      }
    }
    return "ended";
  }

  return async (signal) => {
    if (stopped !== null && stopped.token === place.token()) return "stopped";
    stopped = null;
    if (!(await isBehind(db.kysely, place.name))) return "nothing";
    const from = await claim(db.kysely, hold, clock.now());
    if (from === null) return "busy";
    try {
      return await sendAll(from, signal);
    } finally {
      await release(db.kysely, hold);
    }
  };
}

function halfOf(entries: readonly StreamedEntry[]): number {
  const bytes = entries.reduce((sum, { body }) => sum + Buffer.byteLength(body) + ENVELOPE_BYTES, 0);
  return Math.floor(bytes / 2);
}
