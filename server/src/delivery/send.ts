// One send: the queue's own work, with whatever goes wrong in it made an outcome. Never throws.
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { traced } from "../platform/telemetry/trace.ts";
import type { Finished } from "./settle.ts";
import type { Delivery, DeliveryQueue, Outcome } from "./types.ts";

/** What one needs to know in order to send deliveries, asked for again at each attempt. */
export interface Present {
  targets: ReadonlyMap<string, unknown>;
  /** Ids of deliveries that may go out no more. */
  forbidden: ReadonlySet<string>;
}

export async function presentOf(queue: DeliveryQueue, deliveries: readonly Delivery[]): Promise<Present> {
  const [targets, forbidden] = await Promise.all([
    queue.loadTargets([...new Set(deliveries.map(({ targetId }) => targetId))]),
    queue.findForbidden?.(deliveries) ?? new Set<string>(),
  ]);
  return { targets, forbidden };
}

export async function sendBatch(
  queue: DeliveryQueue,
  { targets, forbidden }: Present,
  batch: readonly Delivery[],
  leaseId: string,
  signal: AbortSignal,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<Finished[]> {
  const startedAtMs = clock.now();
  const began = performance.now();
  const target = targets.get((batch[0] as Delivery).targetId) ?? null;
  const sent = batch.filter(({ id }) => !forbidden.has(id));
  const outcomes = await outcomesOf(queue, target, sent, signal, log);
  const durationMs = performance.now() - began;
  return batch.map((delivery) => ({
    delivery,
    leaseId,
    outcome: forbidden.has(delivery.id)
      ? { kind: "canceled" }
      : (outcomes[sent.indexOf(delivery)] ?? { kind: "unsent" }),
    scheduleMs: target === null ? null : scheduleOf(queue, target, delivery, log),
    startedAtMs,
    durationMs,
  }));
}

async function outcomesOf(
  queue: DeliveryQueue,
  target: unknown,
  batch: readonly Delivery[],
  signal: AbortSignal,
  log: Logger,
): Promise<Outcome[]> {
  if (target === null || batch.length === 0) return batch.map(() => ({ kind: "canceled" }));
  try {
    const [first] = batch as [Delivery];
    const at = {
      "vaultops.queue": queue.name,
      "vaultops.delivery_id": first.id,
      "vaultops.attempt": first.attempt,
      "vaultops.deliveries": batch.length,
    };
    return await traced("deliver", "producer", at, async (span) => {
      const outcomes = await queue.send(target, batch, signal);
      span?.set({ "vaultops.outcome": outcomes[0]?.kind ?? "unsent" });
      return outcomes;
    });
  } catch (error) {
    log.error({ err: error, delivery_id: batch[0]?.id }, "a send failed by an internal error");
    return batch.map(() => ({ kind: "retry", error: "a fault of the service, which has been logged" }));
  }
}

function scheduleOf(queue: DeliveryQueue, target: unknown, delivery: Delivery, log: Logger): number | null {
  try {
    return queue.schedule(delivery.attempt, target);
  } catch (error) {
    log.error(
      { err: error, delivery_id: delivery.id },
      "the next attempt of a delivery could not be scheduled",
    );
    return 60_000;
  }
}
