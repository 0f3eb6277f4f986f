// Metrics in Prometheus form. Labels have few values by construction: a route is named by its template, never by its path.
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

export interface Metrics {
  registry: Registry;
  /** Counts an answered request. `route` is the path's template. */
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** A registry of its own with the process's metrics and the request histogram. Features add theirs to `registry`. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "vaultops_http_request_duration_seconds",
    help: "Time from a request's headers to its answer's end, by route template.",
    labelNames: ["method", "route", "status"],
    buckets: UPPER_BOUNDS_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
  };
}

const UPPER_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
