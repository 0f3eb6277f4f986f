// Metrics of the outbox, by queue.
import { Counter, Histogram, type Registry } from "prom-client";
import type { Settled } from "./types.ts";

export interface DeliveryMetrics {
  /** Counts settled deliveries; of `finished`, those that are missing had lost their lease. */
  settled(queue: string, settled: readonly Settled[], finished: number): void;
}

export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: "vaultops_delivery_attempts_total",
    help: "Attempts to deliver, by outcome.",
    labelNames: ["queue", "outcome"] as const,
    registers,
  });
  const ended = new Counter({
    name: "vaultops_deliveries_ended_total",
    help: "Deliveries that ended.",
    labelNames: ["queue", "status"] as const,
    registers,
  });
  const late = new Counter({
    name: "vaultops_delivery_leases_lost_total",
    help: "Outcomes that came after another worker had taken the delivery over.",
    labelNames: ["queue"] as const,
    registers,
  });
  const delay = new Histogram({
    name: "vaultops_delivery_seconds",
    help: "From a delivery's creation to its success.",
    labelNames: ["queue"] as const,
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
    registers,
  });
  return {
    settled(queue, settled, finished) {
      late.inc({ queue }, finished - settled.length);
      const now = Date.now();
      for (const { delivery, outcome, status } of settled) {
        attempts.inc({ queue, outcome: outcome.kind });
        if (status !== "pending" && status !== "failed") ended.inc({ queue, status });
        if (outcome.kind === "delivered" && !delivery.isReplay)
          delay.observe({ queue }, Math.max(0, now - Date.parse(delivery.createdAt)) / 1000);
      }
    },
  };
}
