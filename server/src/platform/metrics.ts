// Metrics in Prometheus form. Labels have few values by construction: a route is named by its template, never by its path.
import { collectDefaultMetrics, type Metric, Registry } from "prom-client";

export interface Metrics {
  registry: Registry;
  /** Counts an answered request. `route` is the path's template. */
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
}

/** A registry of its own with the process's metrics and the request histogram. Features add theirs to `registry`. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new RequestHistogram();
  // The registry asks a metric for no more than its name and `get`.
  registry.registerMetric(requests as unknown as Metric);
  return { registry, observeRequest: (request) => requests.observe(request) };
}

const UPPER_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  labels: { method: string; route: string; status: string };
  /** Requests within each bound and above the one before; the last entry those above all bounds. */
  counts: number[];
  sumSeconds: number;
}

/**
 * The histogram of answered requests. prom-client's own looks a series up by its labels at every observation, which costs more than all
 * else that is done for a request here; this one counts in place and puts the series together when it is asked for them.
 */
class RequestHistogram {
  readonly name = "vaultops_http_request_duration_seconds";
  readonly help = "Time from a request's headers to its answer's end, by route template.";
  readonly type = "histogram";
  readonly labelNames = ["method", "route", "status"];
  readonly aggregator = "sum";
  /** By route, then method, then status: no key is put together for each request. */
  readonly #series = new Map<string, Map<string, Map<number, Series>>>();

  observe({ method, route, status, seconds }: Parameters<Metrics["observeRequest"]>[0]): void {
    const series = this.#series.get(route)?.get(method)?.get(status) ?? this.#begin(route, method, status);
    let bound = 0;
    while (bound < UPPER_BOUNDS_SECONDS.length && seconds > (UPPER_BOUNDS_SECONDS[bound] ?? 0)) bound++;
    series.counts[bound] = (series.counts[bound] ?? 0) + 1;
    series.sumSeconds += seconds;
  }

  #begin(route: string, method: string, status: number): Series {
    const counts = new Array<number>(UPPER_BOUNDS_SECONDS.length + 1).fill(0);
    const series = { labels: { method, route, status: String(status) }, counts, sumSeconds: 0 };
    const ofRoute = this.#series.get(route) ?? new Map<string, Map<number, Series>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Series>();
    this.#series.set(route, ofRoute.set(method, ofMethod.set(status, series)));
    return series;
  }

  /** What the registry prints; for its `resetMetrics` and JSON form too. */
  async get() {
    const values = [...this.#series.values()]
      .flatMap((ofRoute) => [...ofRoute.values()])
      .flatMap((ofMethod) => [...ofMethod.values()])
      .flatMap((series) => valuesOf(this.name, series));
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }

  reset(): void {
    this.#series.clear();
  }
}

function valuesOf(name: string, { labels, counts, sumSeconds }: Series) {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return {
      metricName: `${name}_bucket`,
      labels: { le: UPPER_BOUNDS_SECONDS[index] ?? "+Inf", ...labels },
      value: total,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumSeconds },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
