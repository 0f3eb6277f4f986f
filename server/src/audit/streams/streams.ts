// The streams of the audit log to SIEMs: each has a task of its own, so that a slow receiver delays no other. What stands in the way is told
// to the operators.
import type { Clock } from "../../platform/clock.ts";
import type { Notifier } from "../../platform/db/notifier.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import { createForwarder, type ForwardParts } from "./forward.ts";
import type { StreamPlace } from "./settings.ts";
import { readStates, type StreamState, type TroubleKind } from "./store.ts";

/** What operators are told. */
export interface StreamTrouble {
  stream: string;
  kind: TroubleKind | "omitted";
  message: string;
  details: Record<string, number | null>;
}

export interface StreamsParts extends ForwardParts {
  places: readonly StreamPlace[];
  notifier: Notifier;
  /** Told each minute of all that stands in the way. */
  onTroubles?: (troubles: readonly StreamTrouble[]) => void;
}

/** Beside the notices of new entries: pauses end without one. */
const ROUND_MS = 5_000;
/** A receiver that is away for shorter, as for a restart, is not told of. */
const PATIENCE_MS = 900_000;
/** How long entries that went without their content are told of after the last one. */
const OMITTED_SHOWN_MS = 86_400_000;

export function streamTasks({ places, notifier, onTroubles, ...parts }: StreamsParts): Task[] {
  const { db, log, clock } = parts;
  const sending = places.map((place) =>
    every(
      {
        name: `audit stream ${place.name}`,
        role: "worker",
        ms: ROUND_MS,
        log,
        wakenBy: (wake, signal) => notifier.listen("vaultops_audit", wake, signal),
      },
      createForwarder(parts, place),
    ),
  );
  const names = places.map(({ name }) => name);
  // Without streams too: what was told of earlier ones ends.
  const telling = every({ name: "audit streams", role: "worker", ms: 60_000, log }, async () => {
    onTroubles?.(troublesOf(await readStates(db.kysely, names), clock));
  });
  return [...sending, telling];
}

export function troublesOf(states: readonly StreamState[], clock: Clock): StreamTrouble[] {
  const nowMs = clock.now();
  return states.flatMap((state) => {
    const { name: stream, trouble, message, since_ms, omitted_count, omitted_seq, omitted_ms } = state;
    const found: StreamTrouble[] = [];
    const isToldOf = trouble !== "failing" || nowMs - (since_ms ?? nowMs) >= PATIENCE_MS;
    if (trouble !== null && isToldOf)
      found.push({
        stream,
        kind: trouble,
        message: `The stream ${stream} of the audit log ${trouble === "failing" ? "gets nothing taken" : "has stopped"} after entry ${state.taken_seq}: ${message}.`,
        details: { taken_seq: state.taken_seq, lag_entries: state.lag_entries },
      });
    if (omitted_ms !== null && nowMs - omitted_ms < OMITTED_SHOWN_MS)
      found.push({
        stream,
        kind: "omitted",
        message: `The receiver of the stream ${stream} takes no entry as large as entry ${omitted_seq}: it was sent without its content.`,
        details: { omitted_seq, omitted_count },
      });
    return found;
  });
}
