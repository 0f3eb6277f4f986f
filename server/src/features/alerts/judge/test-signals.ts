// Signals and a carried-out life of alerts in memory, for tests of the pure part.

import type { AlertSeverity } from "../../../monitors/base/finding.ts";
import { keyOf, type Signal } from "../state/signal.ts";
import {
  type Evaluation,
  evaluate,
  FLAPPING_MS,
  type OpenAlert,
  type Silence,
  type Situation,
  type Transition,
} from "./evaluate.ts";

export const VAULT = "0x0000000000000000000000000000000000000100";

export function signalOf(subject: string, severity: AlertSeverity, more: Partial<Signal> = {}): Signal {
  return {
    chainId: 1,
    vaultAddress: VAULT,
    vaultName: null,
    category: "keeper_run",
    subject,
    severity,
    title: subject,
    message: severity,
    nextStep: "",
    details: {},
    conditions: [severity],
    transactionUrl: null,
    ...more,
  };
}

export const contentOf = ({ severity, message, conditions, isUnconfirmed }: Signal) =>
  JSON.stringify([severity, message, conditions, isUnconfirmed]);

export interface Told {
  type: "firing" | "updated" | "resolved" | "withdrawn";
  id: string;
  key: string;
  atMs: number;
  severity: AlertSeverity;
  why: string;
}

/** What store.ts does, in memory. */
export class Life {
  nowMs = 1_000_000_000_000;
  open = new Map<string, OpenAlert>();
  closed: { key: string; closedAtMs: number; id: string }[] = [];
  silences: Silence[] = [];
  told: Told[] = [];
  events: string[] = [];
  #count = 0;

  step(signals: readonly Signal[], more: Partial<Situation> = {}): Evaluation {
    const ended = new Map<string, number>();
    for (const { key, closedAtMs } of this.closed) {
      if (closedAtMs >= this.nowMs - FLAPPING_MS) ended.set(key, (ended.get(key) ?? 0) + 1);
    }
    const evaluation = evaluate({
      open: [...this.open.values()],
      signals,
      unknown: new Set(),
      ended,
      silences: this.silences,
      contentOf,
      listening: { nowMs: this.nowMs, untilMs: this.nowMs, gaps: [] },
      ...more,
    });
    for (const transition of evaluation.transitions) this.#carryOut(transition);
    return evaluation;
  }

  /** The kinds of what was told since the last time. */
  words(): string[] {
    return this.told.splice(0).map(({ type, why }) => (why === "" ? type : `${type}: ${why}`));
  }

  acknowledge(key: string): void {
    const alert = this.open.get(key);
    if (alert) this.open.set(key, { ...alert, isAcknowledged: true });
  }

  #carryOut(transition: Transition): void {
    if (transition.type === "open") {
      const { signal, notice } = transition;
      const key = keyOf(signal);
      if (this.open.has(key)) throw new Error(`two open alerts of ${key}`);
      const id = `alert-${this.#count++}`;
      this.open.set(key, {
        id,
        chainId: signal.chainId,
        vaultAddress: signal.vaultAddress,
        category: signal.category,
        subject: signal.subject,
        ...this.#shown(signal),
        isBlockGone: false,
        isAcknowledged: false,
        isFlapping: false,
        quietSinceMs: null,
        lastSeenMs: this.nowMs,
        notified: notice === null ? null : { atMs: this.nowMs, severity: signal.severity },
      });
      if (notice !== null) this.#tell("firing", key, "");
      return;
    }
    const key = keyOf(transition.alert);
    if (transition.type === "close") {
      if (transition.isTold) this.#tell(transition.isWithdrawn ? "withdrawn" : "resolved", key, "");
      this.open.delete(key);
      const { id } = transition.alert;
      this.closed.push({ key, id, closedAtMs: this.nowMs });
      return;
    }
    const { signal, notice, isAcknowledgementLost, isFlapping, quietSinceMs } = transition;
    const before = this.open.get(key)!;
    const after: OpenAlert = {
      ...before,
      ...(signal ? this.#shown(signal) : {}),
      isAcknowledged: before.isAcknowledged && !isAcknowledgementLost,
      isFlapping,
      quietSinceMs,
      lastSeenMs: quietSinceMs === null ? this.nowMs : before.lastSeenMs,
    };
    this.open.set(
      key,
      notice === null ? after : { ...after, notified: { atMs: this.nowMs, severity: after.severity } },
    );
    if (notice !== null)
      this.#tell(notice === "opened" ? "firing" : "updated", key, notice === "opened" ? "" : notice);
  }

  #shown(signal: Signal) {
    const { severity, conditions, isUnconfirmed = false } = signal;
    return { severity, conditions, isUnconfirmed, content: contentOf(signal) };
  }

  #tell(type: Told["type"], key: string, why: string): void {
    const { id, severity } = this.open.get(key)!;
    this.told.push({ type, id, key, atMs: this.nowMs, severity, why });
  }
}
