// Webhook endpoints as a queue of the outbox: how one is sent to, and what follows from what it answers.
//
// Guarantee: an event of a vault goes out, at its first attempt and at each later one, only while the endpoint's owner manages the vault.

import type { KeyObject } from "node:crypto";
import { signedHeaders, signingKey } from "../../delivery/standard-webhooks.ts";
import type { DeliveryQueue, Outcome } from "../../delivery/types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import { type Egress, EgressError } from "../../platform/egress/egress.ts";
import type { Logger } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { currentSpan } from "../../platform/telemetry/trace.ts";
import { disableFailed } from "./disable.ts";
import { judge } from "./judge.ts";
import { type RetrySchedule, retryDelayMs } from "./schedule.ts";
import { readableSecrets } from "./secrets.ts";
import { deliveriesOfOthers, type EndpointRow, endpointsById } from "./store.ts";

/** What is needed of an endpoint to send to it. */
export interface Endpoint {
  id: string;
  url: string;
  schedule: RetrySchedule;
  /** The current one first; null: they cannot be opened, because a key of the service is missing. */
  keys: KeyObject[] | null;
}

export interface QueueParts {
  db: Pick<Database, "kysely">;
  clock: Clock;
  log: Logger;
  egress: Pick<Egress, "request">;
  box: SecretBox;
  /** Of the waits between attempts; 0 to 1. */
  random: () => number;
  /** Success must come within this time: connection, request and answer. */
  timeoutMs: number;
}

/** What every request bears beside what is made for each. */
export const FIXED_HEADERS = { "content-type": "application/json", "user-agent": "VaultOps" };
/** How long after the time-out a send may still be busy with itself. */
const LEASE_MARGIN_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

export function webhookQueue(parts: QueueParts): DeliveryQueue<Endpoint> {
  const { db, clock, log, egress } = parts;
  return {
    name: "webhook",
    leaseMs: parts.timeoutMs + LEASE_MARGIN_MS,
    concurrencyPerTarget: 8,
    slots: 512,
    isOrdered: false,
    maxPerSend: 1,
    async loadTargets(ids) {
      const rows = await endpointsById(db, ids);
      return new Map(rows.filter((row) => row.is_enabled).map((row) => [row.id, endpointOf(row, parts)]));
    },
    findForbidden: (deliveries) => deliveriesOfOthers(db, deliveries),
    schedule: (attempt, endpoint) => retryDelayMs(endpoint.schedule, attempt, parts.random),
    async send(endpoint, [delivery], signal): Promise<Outcome[]> {
      if (delivery === undefined) return [];
      const { keys } = endpoint;
      if (keys === null) return [{ kind: "retry", error: "the endpoint's secret cannot be decrypted" }];
      try {
        const answer = await egress.request({
          url: endpoint.url,
          method: "POST",
          headers: {
            ...FIXED_HEADERS,
            ...traceHeaders(),
            ...signedHeaders({
              id: `evt_${delivery.eventId}`,
              timestampSeconds: Math.floor(clock.now() / 1000),
              body: delivery.body,
              secrets: keys,
            }),
          },
          body: delivery.body,
          timeoutMs: parts.timeoutMs,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
        });
        return [judge(answer, clock.now())];
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        return [{ kind: "retry", error: error.message }];
      }
    },
    onSettled: (tx, settled) => disableFailed(tx, settled, clock.now(), log),
  };
}

/** So that the receiver's trace goes on from here, where deliveries are traced. */
function traceHeaders(): Record<string, string> {
  const span = currentSpan();
  return span === null ? {} : { traceparent: span.traceparent };
}

function endpointOf(row: EndpointRow, { box, clock, log }: QueueParts): Endpoint {
  return { id: row.id, url: row.url, schedule: row.retry_schedule, keys: keysOf(row, box, clock, log) };
}

/** One row that does not open must not keep the others from being sent. */
function keysOf(row: EndpointRow, box: SecretBox, clock: Clock, log: Logger): KeyObject[] | null {
  const { current, old } = readableSecrets(box, row, clock.now());
  if (current === null || old === null)
    log.error(
      { webhook_id: row.id, is_current: current === null },
      "a secret of a webhook endpoint cannot be decrypted",
    );
  return current === null ? null : [current, ...(old ?? []).map(({ secret }) => secret)].map(signingKey);
}
