// The tables of metrics in docs/operations/metrics-and-logs.md, out of the metrics themselves: they are registered as the service does it,
// and written between the page's markers. What the page says beside them is written by hand.
import { addNodeMetrics } from "../server/src/chain/client/node-metrics.ts";
import { deliveryMetrics } from "../server/src/delivery/metrics.ts";
import { alertMetrics } from "../server/src/features/alerts/judge/metrics.ts";
import { ingestMetrics } from "../server/src/ingest/block/metrics.ts";
import { createMetrics } from "../server/src/platform/metrics.ts";
import { reportMetrics } from "../server/src/reports/metrics.ts";
import {
  addReadinessMetric,
  addReplicaMetrics,
  addStandingMetrics,
  addStreamMetrics,
} from "../server/src/service/standing-metrics.ts";
import { replaceBetween } from "./gen-between.ts";

export const METRICS_PAGE = "docs/operations/metrics-and-logs.md";

/** What prom-client's types leave out of a metric. */
interface Described {
  name: string;
  help: string;
  type: string;
  labelNames: string[];
}

/** The page with its tables rebuilt. Throws where it has no place for one. */
export function renderMetricsPage(page: string): string {
  const { registry } = createMetrics();
  addNodeMetrics(registry, new Map());
  ingestMetrics(registry);
  deliveryMetrics(registry);
  alertMetrics(registry);
  reportMetrics(registry);
  // They are described, never asked.
  addReadinessMetric(registry, { report: () => Promise.reject() });
  addReplicaMetrics(registry, null);
  addStandingMetrics(registry, { kysely: null as never });
  addStreamMetrics(registry, { kysely: null as never }, []);
  const metrics = registry.getMetricsAsArray() as unknown as Described[];
  const isOwn = ({ name }: Described) => name.startsWith("vaultops_");
  const withOwn = replaceBetween(page, "own", tableOf(metrics.filter(isOwn)));
  return replaceBetween(withOwn, "process", tableOf(metrics.filter((metric) => !isOwn(metric))));
}

function tableOf(metrics: readonly Described[]): string {
  const rows = metrics
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => `\`${label}\``).join(", ");
      return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
    });
  return ["| Metric | Type | Labels | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
