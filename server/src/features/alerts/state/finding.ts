// What a monitor says: findings as data. A monitor is a pure function from a state and a vault's thresholds to findings; whether a
// finding is news, and who is told, is decided in evaluate.ts.
import type { Address, Hash } from "viem";
import type { AlertCategory, AlertSeverity } from "../../../events/alert.ts";
import type { DomainEvent } from "../../../events/types.ts";
import type { Listening } from "../../../judgements/listening.ts";
import { vaultIdOf } from "../../../vault.ts";

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

export interface Monitor<State, Rule> {
  category: AlertCategory;
  /** What time brings about is judged by the time in which one could hear. */
  judge(state: State, rule: Rule, listening: Listening): Judged;
  /** The events that webhooks get when `added` are new conditions of an alert. */
  events?(finding: Finding, added: readonly string[], nowMs: number): EventOf[];
}

/** An event without its place and time. */
export type EventOf = DomainEvent extends infer E
  ? E extends DomainEvent
    ? Pick<E, "type" | "data">
    : never
  : never;

/** A finding with the vault that it is about. */
export interface Signal extends Finding {
  chainId: number;
  vaultAddress: Address;
  vaultName: string | null;
  category: AlertCategory;
  /** `{explorer_url}/tx/{hash}` */
  transactionUrl: string | null;
  monitor: Monitor<never, never>;
}

/** Names an alert among those that are open. */
export function keyOf(of: {
  chainId: number;
  vaultAddress: string;
  category: string;
  subject: string;
}): string {
  return `${vaultIdOf(of)}:${of.category}:${of.subject}`;
}

const RANK: Readonly<Record<AlertSeverity, number>> = { info: 0, warning: 1, critical: 2 };

export function isWorse(severity: AlertSeverity, than: AlertSeverity): boolean {
  return RANK[severity] > RANK[than];
}

/** The next of several moments; null when there is none. */
export function earliest(...moments: (number | null | undefined)[]): number | null {
  const known = moments.filter((moment) => moment !== null && moment !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
