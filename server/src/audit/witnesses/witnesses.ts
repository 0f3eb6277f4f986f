// The witnesses of this log: each is offered the newest checkpoint at once and every minute until it has it, by a task of its own, so that a
// slow one delays no other. What they vouch for is told to whoever asks, and what stands in the way to the operators.
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../platform/db/db.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { every } from "../../platform/lifecycle/every.ts";
import type { Task } from "../../platform/lifecycle/feature.ts";
import type { Logger } from "../../platform/log.ts";
import type { Elsewhere } from "../tree/checkpoint.ts";
import { checkpointOf, type Quorum, type StoredCheckpoint, witnessedSize } from "../tree/stored.ts";
import type { TroubleKind } from "./exchange.ts";
import { heldElsewhere } from "./held.ts";
import { offerNewest } from "./offer.ts";
import type { WitnessSettings } from "./settings.ts";
import { readStates, type WitnessState, waitingAfter } from "./store.ts";

/** What operators are told. `isFork`: it may mean that the log went back, or has two stories. */
export interface WitnessTrouble {
  /** The witness's name; null: of the quorum. */
  witness: string | null;
  kind: TroubleKind | "no_quorum";
  isFork: boolean;
  message: string;
  toldSize: number | null;
}

export interface WitnessParts extends WitnessSettings {
  db: Database;
  request: Egress["request"];
  log: Logger;
  /** Told each minute of all that stands in the way. */
  onTroubles?: (troubles: readonly WitnessTrouble[]) => void;
  /** How long until a checkpoint is offered again. 60,000 unless told. */
  intervalMs?: number;
}

export interface Witnesses {
  /** Null where there is none to count. */
  quorum(): Promise<Quorum | null>;
  /** Has the newest checkpoint offered now: by the tasks of this process. */
  wake(): void;
  /**
   * The oldest checkpoint of at least so many entries that a quorum vouches for: all are asked, and waited for no longer than so long. Null
   * where there is none by then.
   */
  vouched(size: number, timeoutMs: number): Promise<StoredCheckpoint | null>;
  elsewhere: Elsewhere;
  tasks: Task[];
}

/** How often it is looked whether a quorum is there. */
const POLL_MS = 50;
/** A witness that is away for shorter, as for a restart, is not told of; nor a quorum. */
const PATIENCE_SECONDS = 900;

export function createWitnesses(parts: WitnessParts): Witnesses {
  const { db, request, log, places, quorum: least, intervalMs = 60_000 } = parts;
  const wakes = new Set<() => void>();
  const counted = places.filter(({ witness }) => witness.isChecked).map(({ witness }) => witness.vkey);
  const states = () =>
    readStates(
      db.kysely,
      places.map(({ witness }) => witness.vkey),
    );

  const quorum = async (): Promise<Quorum | null> => {
    if (counted.length === 0) return null;
    const ahead = (await states()).filter(({ trouble }) => trouble === "ahead").map(({ vkey }) => vkey);
    return { vkeys: counted.filter((vkey) => !ahead.includes(vkey)), least };
  };

  const troubles = async (): Promise<WitnessTrouble[]> => {
    const known = await states();
    const found = places.flatMap(({ name, witness }) => {
      const state = known.find(({ vkey }) => vkey === witness.vkey);
      return state === undefined ? [] : troubleOf(name, state);
    });
    const enough = await quorum();
    if (enough === null) return found;
    const size = (await witnessedSize(db.kysely, enough)) ?? -1;
    const waiting = await waitingAfter(db.kysely, size, PATIENCE_SECONDS);
    if (waiting !== null) found.push(noQuorum(waiting, size, least, places.length));
    return found;
  };

  const offering = places.map((place) =>
    every(
      {
        name: `audit witness ${place.name}`,
        role: "worker",
        ms: intervalMs,
        log,
        wakenBy(wake, signal) {
          wakes.add(wake);
          signal.addEventListener("abort", () => wakes.delete(wake), { once: true });
        },
      },
      (signal) => offerNewest({ db, request, log }, place, signal),
    ),
  );
  const telling = every({ name: "audit witnesses", role: "worker", ms: intervalMs, log }, async () => {
    parts.onTroubles?.(await troubles());
  });

  return {
    quorum,
    wake() {
      for (const wake of wakes) wake();
    },
    async vouched(size, timeoutMs) {
      if (counted.length === 0) return null;
      const endMs = performance.now() + timeoutMs;
      let isOver = false;
      // Where others are asking at the moment, what they get counts.
      const offers = places.map((place) => offerNewest({ db, request, log }, place).catch(() => null));
      Promise.all(offers).then((outcomes) => {
        isOver = !outcomes.includes("busy");
      });
      for (;;) {
        const isLast = isOver || performance.now() >= endMs;
        const enough = await quorum();
        const found = enough === null ? null : await witnessedSize(db.kysely, enough, size);
        if (found !== null) return checkpointOf(db.kysely, found);
        if (isLast) return null;
        await sleep(POLL_MS);
      }
    },
    elsewhere: heldElsewhere({ db, request, places, log }),
    // Without witnesses too: what was told of earlier ones ends.
    tasks: [...offering, telling],
  };
}

function troubleOf(name: string, { trouble, message, told_size, seconds }: WitnessState): WitnessTrouble[] {
  if (trouble === null) return [];
  if (trouble === "unreachable" && (seconds ?? 0) < PATIENCE_SECONDS) return [];
  const isFork = trouble === "ahead" || trouble === "conflict";
  return [{ witness: name, kind: trouble, isFork, message: message ?? "", toldSize: told_size }];
}

function noQuorum(waiting: number, size: number, least: number, total: number): WitnessTrouble {
  const until = size < 0 ? "no checkpoint has ever had one" : `the newest that has one is of ${size} entries`;
  return {
    witness: null,
    kind: "no_quorum",
    isFork: false,
    message: `The checkpoint of ${waiting} entries has waited for more than ${PATIENCE_SECONDS / 60} minutes for ${least} of ${total} witnesses; ${until}.`,
    toldSize: null,
  };
}
