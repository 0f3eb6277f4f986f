// What the outbox sends and how a kind of target (a queue: alert channels, webhook endpoints) takes part in it.
import type { Tx } from "../platform/db/db.ts";

export type QueueName = "channel" | "webhook";

/** Open are `pending` and `failed`, which will be retried. */
export type DeliveryStatus = "pending" | "delivered" | "failed" | "dead" | "canceled";

/** What is to be sent to one target. */
export interface NewDelivery {
  queue: QueueName;
  targetId: string;
  /** A target is sent one delivery for each key, however often that is enqueued. */
  key: string;
  /** Null: it tells of no event. */
  eventId: string | null;
  eventType: string;
  chainId: number;
  vaultAddress: string;
  body: string;
  /** Not sent before; Unix milliseconds. */
  dueAtMs: number;
}

/** A delivery under way. */
export interface Delivery {
  id: string;
  targetId: string;
  key: string;
  eventId: string | null;
  eventType: string;
  chainId: number;
  vaultAddress: string;
  body: string;
  /** RFC 3339 with six fractional digits. */
  createdAt: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  /** Sent because somebody asked for it: once, outside the schedule. */
  isReplay: boolean;
  /** The last attempt to send something to this target failed. */
  isTargetFailing: boolean;
}

/** What came of sending a delivery. */
export type Outcome = (
  | { kind: "delivered" }
  /** May go well next time. `retryAfterMs`: no sooner than that. */
  | { kind: "retry"; error: string; retryAfterMs?: number }
  /** Will never go well. */
  | { kind: "dead"; error: string }
  /** Nothing was sent, and nothing will be: the target is gone or disabled. */
  | { kind: "canceled" }
  /** Nothing was sent yet (a batch broken off before it): due again at once, no attempt counted. */
  | { kind: "unsent" }
) & {
  statusCode?: number;
  /** What was answered, as far as it is kept: 1 KiB at most. */
  excerpt?: string;
  /** The whole target gets nothing for so long: it asked for it (429), or has a rate of its own. */
  pauseTargetMs?: number;
  /** Names to the queue's `onSettled` what it wants to know again, such as that the target is to be disabled. */
  note?: string;
};

/** A delivery with its outcome as it has been stored. */
export interface Settled {
  delivery: Delivery;
  outcome: Outcome;
  /** `failed`: will be retried. */
  status: DeliveryStatus;
}

/** One kind of target. `Target` is what it needs to know of one in order to send. */
export interface DeliveryQueue<Target = unknown> {
  name: QueueName;
  /** The longest that `send` may take. A worker that died is taken over from after it. */
  leaseMs: number;
  /** Sends under way to one target, which may have a number of its own. */
  concurrencyPerTarget: number;
  /** Sends under way in one process. */
  slots: number;
  /**
   * Strictly in the order in which deliveries were enqueued, one send at a time: what is retried holds up what comes after it, and up
   * to `maxPerSend` deliveries are handed to one send, whether due or not, once the first of them is due. Otherwise each goes out by
   * itself when it is due.
   */
  isOrdered: boolean;
  maxPerSend: number;
  /** The targets with these ids as they are now. One that is missing or null is gone or disabled: its deliveries are canceled. */
  loadTargets(ids: readonly string[]): Promise<Map<string, Target | null>>;
  /** Ids of those that may go out no more, whose deliveries are canceled. Asked before every attempt. */
  findForbidden?(deliveries: readonly Delivery[]): Promise<ReadonlySet<string>>;
  /** How long to wait after the given attempt has failed; null: no more. */
  schedule(attempt: number, target: Target): number | null;
  /** Sends; one outcome for each, in their order. `signal` aborts when the process must end. What it throws counts as a retry. */
  send(target: Target, deliveries: readonly Delivery[], signal: AbortSignal): Promise<Outcome[]>;
  /** Told in the transaction that stores the outcomes; it must be quick and wait for nothing but the database. */
  onSettled?(tx: Tx, settled: readonly Settled[]): Promise<void>;
}
