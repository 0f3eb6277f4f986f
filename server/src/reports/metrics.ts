// Metrics of what engines report.
import { Counter, type Registry } from "prom-client";
import type { EventResult } from "./take-in.ts";

export function reportMetrics(registry: Registry): (results: readonly EventResult[]) => void {
  const reports = new Counter({
    name: "vaultops_reports_total",
    help: "Reports of engines, by what became of them.",
    labelNames: ["status"] as const,
    registers: [registry],
  });
  for (const status of ["accepted", "duplicate", "rejected"] as const) reports.inc({ status }, 0);
  return (results) => {
    for (const { status } of results) reports.inc({ status });
  };
}
