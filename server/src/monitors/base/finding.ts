// What a monitor says: findings as data. A monitor is a pure function from a state and a vault's thresholds to findings; whether a
// finding is news, and who is told, is decided where alerts are evaluated.
import type { Hash } from "viem";

export const ALERT_SEVERITIES = ["critical", "warning", "info"] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export interface Finding {
  /** What it is about within the category; with vault and category it names the one alert that may be open. */
  subject: string;
  severity: AlertSeverity;
  /** Without the vault's name, which is shown beside it. */
  title: string;
  /** Whole sentences that begin with the vault. Neither here nor in `details` stands anything that changes with the clock alone. */
  message: string;
  /** What to do next, a sentence or two. */
  nextStep: string;
  details: Record<string, unknown>;
  /** What is wrong, a word each. */
  conditions: readonly string[];
  /** The block that it stands on, where a reorganisation could take it back. */
  block?: BlockRef | null;
  isUnconfirmed?: boolean;
  txHash?: Hash | null;
  /**
   * It happened and does not last: told once, never repeated, and over when somebody acknowledges it or the monitor names it no more. Its
   * subject stands for the one thing that happened.
   */
  isOnce?: boolean;
  /** False: keeps an open alert as it is, but opens none and makes none worse. */
  opens?: boolean;
}

export interface BlockRef {
  number: number;
  hash: Hash;
}

/** What a monitor makes of a state. */
export interface Judged {
  findings: readonly Finding[];
  /** Subjects of which nothing can be said now: their open alerts stay as they are. */
  unknown?: readonly string[];
  /** When the passing of time alone may change the answer (Unix milliseconds); null: never. */
  wakeMs?: number | null;
}

export const NOTHING: Judged = { findings: [] };

const RANK: Readonly<Record<AlertSeverity, number>> = { info: 0, warning: 1, critical: 2 };

export function isWorse(severity: AlertSeverity, than: AlertSeverity): boolean {
  return RANK[severity] > RANK[than];
}

/** The next of several moments; null when there is none. */
export function earliest(...moments: (number | null | undefined)[]): number | null {
  const known = moments.filter((moment) => moment !== null && moment !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
