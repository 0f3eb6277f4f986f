// The life of alerts, decided: open alerts × signals × silences × clock → transitions. Pure; store.ts carries them out.
//
// Guarantees: one open alert for each (vault, category, subject). An alert is told of once when it opens (`alert.firing`), again when it
// gets worse and, while it is critical and nobody has acknowledged it, every hour (`alert.updated`), and once when it ends
// (`alert.resolved`, or `alert.withdrawn` when the block that it stood on is gone), but only if its opening was told. All of it follows
// from what is stored, so that an evaluation repeated at once decides nothing more, whoever does it.
//
// Under a silence nothing is opened or repeated aloud; what still fires when the silence ends is told then. Endings are told in any case,
// since whoever holds an open incident must see it end. Getting worse takes an acknowledgement back: it was given for less.
//
// What happened once (`isOnce`) is told once: no reminders, its acknowledgement ends it, and what has ended so opens no other.
//
// Flapping: an alert that would end for the third time within FLAPPING_MS is held open until nothing has been seen of it for as long, by
// the time in which something could have been seen.

import { type Listening, listenedMs, silentAtMs } from "../../../judgements/listening.ts";
import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import { earliest, isWorse } from "../../../monitors/base/finding.ts";
import { vaultIdOf } from "../../../vault.ts";
import { keyOf, type Signal } from "../state/signal.ts";

export const FLAPPING_MS = 300_000;
export const FLAPPING_CYCLES = 3;
export const REMINDER_MS = 3_600_000;
/** An alert that nothing else changes has its `last_seen_at` written this often. */
export const SEEN_MS = 60_000;

export type NoticeKind = "opened" | "severity_raised" | "reminder";

/** An open alert as far as its life goes. */
export interface OpenAlert {
  id: string;
  chainId: number;
  vaultAddress: string;
  category: string;
  subject: string;
  severity: AlertSeverity;
  conditions: readonly string[];
  /** Stands for all that is shown of it, to tell a change. */
  content: string;
  isUnconfirmed: boolean;
  /** The block that it stood on is not on the chain any more. */
  isBlockGone: boolean;
  isAcknowledged: boolean;
  isFlapping: boolean;
  /** While it is held open: since when nothing was seen of it. */
  quietSinceMs: number | null;
  /** Its vault is not followed any more, which ends it. */
  isLeft?: boolean;
  lastSeenMs: number;
  notified: { atMs: number; severity: AlertSeverity } | null;
}

export interface Silence {
  chainId: number;
  vaultAddress: string;
  /** null: all */
  category: string | null;
  endsAtMs: number;
}

export interface Situation {
  open: readonly OpenAlert[];
  signals: readonly Signal[];
  /** Keys of alerts of which nothing can be said now. */
  unknown: ReadonlySet<string>;
  /** For each key, how many of its alerts ended within the last FLAPPING_MS. */
  ended: ReadonlyMap<string, number>;
  silences: readonly Silence[];
  /** Keys of what happened once and is over. */
  over?: ReadonlySet<string>;
  contentOf(signal: Signal): string;
  listening: Listening;
}

export type Transition =
  | { type: "open"; signal: Signal; notice: "opened" | null }
  | {
      type: "update";
      alert: OpenAlert;
      /** null: nothing is shown differently. */
      signal: Signal | null;
      notice: NoticeKind | null;
      /** It got worse than what was acknowledged. */
      isAcknowledgementLost: boolean;
      isFlapping: boolean;
      quietSinceMs: number | null;
      /** Conditions that the alert did not have before. */
      added: readonly string[];
    }
  | { type: "close"; alert: OpenAlert; isWithdrawn: boolean; isTold: boolean };

export interface Evaluation {
  transitions: Transition[];
  /** When time alone brings the next transition about; null: never. */
  wakeMs: number | null;
}

export function evaluate(situation: Situation): Evaluation {
  const { open, signals, unknown } = situation;
  const { nowMs } = situation.listening;
  const transitions: Transition[] = [];
  const wakes: (number | null)[] = [];
  const isSilent = silencer(situation, wakes);
  const bySignal = new Map(signals.map((signal) => [keyOf(signal), signal]));

  for (const alert of open) {
    const key = keyOf(alert);
    const signal = bySignal.get(key);
    bySignal.delete(key);
    if (signal === undefined && unknown.has(key)) continue;
    const transition = signal ? seen(alert, signal, situation, isSilent) : notSeen(alert, situation, wakes);
    if (transition !== null) transitions.push(transition);
    if (signal) wakes.push(reminderMs(alert, signal, transition, nowMs, isSilent));
  }
  for (const signal of bySignal.values()) {
    if (signal.opens === false || unknown.has(keyOf(signal))) continue;
    if (signal.isOnce && situation.over?.has(keyOf(signal))) continue;
    const notice = isSilent(signal) ? null : "opened";
    transitions.push({ type: "open", signal, notice });
    if (notice !== null && signal.severity === "critical" && !signal.isOnce) wakes.push(nowMs + REMINDER_MS);
  }
  return { transitions, wakeMs: earliest(...wakes) };
}

/** What becomes of an open alert that is seen again. */
function seen(
  alert: OpenAlert,
  signal: Signal,
  { contentOf, listening: { nowMs } }: Situation,
  isSilent: IsSilent,
): Transition | null {
  if (signal.isOnce && alert.isAcknowledged)
    return { type: "close", alert, isWithdrawn: false, isTold: alert.notified !== null };
  // What may make nothing worse leaves everything as it is.
  const shown = signal.opens === false || contentOf(signal) === alert.content ? null : signal;
  const severity = shown?.severity ?? alert.severity;
  const gotWorse = alert.notified !== null && isWorse(severity, alert.notified.severity);
  const isAcknowledgementLost = gotWorse && alert.isAcknowledged;
  const isAcknowledged = alert.isAcknowledged && !gotWorse;
  const notice =
    isAcknowledged || isSilent(alert)
      ? null
      : noticeOf(alert, severity, gotWorse, signal.isOnce ? (alert.notified?.atMs ?? nowMs) : nowMs);
  const isQuietBroken = alert.quietSinceMs !== null;
  const isDue = nowMs - alert.lastSeenMs >= SEEN_MS;
  if (shown === null && notice === null && !isAcknowledgementLost && !isQuietBroken && !isDue) return null;
  return {
    type: "update",
    alert,
    signal: shown,
    notice,
    isAcknowledgementLost,
    isFlapping: alert.isFlapping,
    quietSinceMs: null,
    added: (shown?.conditions ?? []).filter((condition) => !alert.conditions.includes(condition)),
  };
}

function noticeOf(
  { notified }: OpenAlert,
  severity: AlertSeverity,
  gotWorse: boolean,
  nowMs: number,
): NoticeKind | null {
  if (notified === null) return "opened";
  if (gotWorse) return "severity_raised";
  return severity === "critical" && nowMs - notified.atMs >= REMINDER_MS ? "reminder" : null;
}

/** What becomes of an open alert that is not seen any more. */
function notSeen(alert: OpenAlert, situation: Situation, wakes: (number | null)[]): Transition | null {
  const { nowMs, untilMs, gaps } = situation.listening;
  const close: Transition = {
    type: "close",
    alert,
    isWithdrawn: alert.isBlockGone,
    isTold: alert.notified !== null,
  };
  const cycles = 1 + (situation.ended.get(keyOf(alert)) ?? 0);
  if (alert.isLeft || (!alert.isFlapping && cycles < FLAPPING_CYCLES)) return close;
  const quietSinceMs = alert.quietSinceMs ?? nowMs;
  if (listenedMs(quietSinceMs, untilMs, gaps) >= FLAPPING_MS) return close;
  wakes.push(silentAtMs(situation.listening, quietSinceMs, FLAPPING_MS, 0));
  if (alert.quietSinceMs !== null) return null;
  return {
    type: "update",
    alert,
    signal: null,
    notice: null,
    isAcknowledgementLost: false,
    isFlapping: true,
    quietSinceMs,
    added: [],
  };
}

type IsSilent = (place: { chainId: number; vaultAddress: string; category: string }) => boolean;

/** Tells whether a place is silenced; the ends of silences that are asked about are moments to wake at. */
function silencer({ silences, listening: { nowMs } }: Situation, wakes: (number | null)[]): IsSilent {
  const active = silences.filter(({ endsAtMs }) => endsAtMs > nowMs);
  const byVault = Map.groupBy(active, vaultIdOf);
  return ({ category, ...vault }) => {
    const matching = (byVault.get(vaultIdOf(vault)) ?? []).filter(
      (silence) => silence.category === null || silence.category === category,
    );
    if (matching.length === 0) return false;
    wakes.push(Math.max(...matching.map(({ endsAtMs }) => endsAtMs)));
    return true;
  };
}

function reminderMs(
  alert: OpenAlert,
  signal: Signal,
  transition: Transition | null,
  nowMs: number,
  isSilent: IsSilent,
): number | null {
  const update = transition?.type === "update" ? transition : null;
  const severity = (signal.opens === false ? null : update?.signal?.severity) ?? alert.severity;
  const isAcknowledged = alert.isAcknowledged && update?.isAcknowledgementLost !== true;
  if (severity !== "critical" || signal.isOnce || isAcknowledged || isSilent(alert)) return null;
  const toldMs = update?.notice ? nowMs : (alert.notified?.atMs ?? nowMs);
  return toldMs + REMINDER_MS;
}
