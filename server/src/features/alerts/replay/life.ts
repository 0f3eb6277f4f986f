// The life of one vault's alerts in memory: the same transitions as where they are stored, carried out on nothing but this.
import { evaluate, FLAPPING_MS, type OpenAlert, type Transition } from "../judge/evaluate.ts";
import { contentOf } from "../judge/store.ts";
import { keyOf, type Signal } from "../state/signal.ts";

/** What somebody would have been told. */
export interface Told {
  atMs: number;
  type: "firing" | "updated" | "resolved";
  signal: Signal;
}

interface Kept {
  alert: OpenAlert;
  signal: Signal;
}

export class AlertLife {
  readonly #open = new Map<string, Kept>();
  readonly #over = new Set<string>();
  #ended: { key: string; atMs: number }[] = [];

  /** Whether anything can happen without a finding. */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  step(signals: readonly Signal[], nowMs: number): { told: Told[]; wakeMs: number | null } {
    this.#ended = this.#ended.filter(({ atMs }) => atMs >= nowMs - FLAPPING_MS);
    const { transitions, wakeMs } = evaluate({
      open: [...this.#open.values()].map(({ alert }) => alert),
      signals,
      unknown: NOTHING,
      ended: new Map(
        [...Map.groupBy(this.#ended, ({ key }) => key)].map(([key, ends]) => [key, ends.length]),
      ),
      silences: [],
      over: this.#over,
      contentOf,
      listening: { nowMs, untilMs: nowMs, gaps: [] },
    });
    return { told: transitions.flatMap((transition) => this.#apply(transition, nowMs)), wakeMs };
  }

  #apply(transition: Transition, nowMs: number): Told[] {
    if (transition.type === "open") {
      const { signal, notice } = transition;
      const key = keyOf(signal);
      const alert = openedAlert(key, signal, nowMs, notice !== null);
      this.#open.set(key, { alert, signal });
      return notice === null ? [] : [{ atMs: nowMs, type: "firing", signal }];
    }
    const key = keyOf(transition.alert);
    const { signal } = this.#open.get(key) as Kept;
    if (transition.type === "close") {
      this.#open.delete(key);
      this.#ended.push({ key, atMs: nowMs });
      if (signal.isOnce) this.#over.add(key);
      return transition.isTold ? [{ atMs: nowMs, type: "resolved", signal }] : [];
    }
    const shown = transition.signal ?? signal;
    const { notice, quietSinceMs, isFlapping, alert } = transition;
    this.#open.set(key, {
      signal: shown,
      alert: {
        ...alert,
        severity: shown.severity,
        conditions: shown.conditions,
        content: contentOf(shown),
        quietSinceMs,
        isFlapping,
        lastSeenMs: quietSinceMs === null ? nowMs : alert.lastSeenMs,
        notified: notice === null ? alert.notified : { atMs: nowMs, severity: shown.severity },
      },
    });
    if (notice === null) return [];
    return [{ atMs: nowMs, type: notice === "opened" ? "firing" : "updated", signal: shown }];
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function openedAlert(key: string, signal: Signal, nowMs: number, isTold: boolean): OpenAlert {
  return {
    id: key,
    chainId: signal.chainId,
    vaultAddress: signal.vaultAddress,
    category: signal.category,
    subject: signal.subject,
    severity: signal.severity,
    conditions: signal.conditions,
    content: contentOf(signal),
    isUnconfirmed: false,
    isBlockGone: false,
    isAcknowledged: false,
    isFlapping: false,
    quietSinceMs: null,
    lastSeenMs: nowMs,
    notified: isTold ? { atMs: nowMs, severity: signal.severity } : null,
  };
}
