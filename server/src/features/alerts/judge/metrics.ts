// Metrics of alerts, by area: chains together, the engine, the service itself.
import { Counter, Histogram, type Registry } from "prom-client";
import type { WorkerParts } from "./worker.ts";

export function alertMetrics(registry: Registry): NonNullable<WorkerParts["observe"]> {
  const seconds = new Histogram({
    name: "vaultops_alert_evaluation_seconds",
    help: "Time of one evaluation of alerts, by what was evaluated.",
    labelNames: ["area"] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const notices = new Counter({
    name: "vaultops_alert_notices_total",
    help: "Notices of alerts: openings, updates, reminders and endings.",
    labelNames: ["area"] as const,
    registers: [registry],
  });
  return (area, took, told) => {
    const label = typeof area === "string" ? area : "chain";
    seconds.observe({ area: label }, took);
    notices.inc({ area: label }, told);
  };
}
