// The categories of alerts: those of the monitors, and what the service says of itself.
import type { CategoryWords } from "./base/monitor.ts";
import { describe, fieldsOf, type ThresholdField } from "./base/thresholds.ts";
import { MONITORS } from "./registry.ts";

export type AlertCategory = (typeof MONITORS)[number]["category"] | "system";

export interface Category extends CategoryWords {
  category: AlertCategory;
  description: string;
  /** Null where there is no rule to change. */
  fields: readonly ThresholdField[] | null;
}

const SYSTEM: Category = {
  category: "system",
  name: "System",
  description: "The service itself: outages, chains, the audit log, queues and deliveries.",
  fields: null,
  subject: "what is wrong",
  fires:
    "about no vault: the service that takes no reports in for a minute (`outage`, **critical**), and when it is back, from when to when (`outage:{began_at}`, **warning**, shown for an hour); a chain that halts (`halted:{chain_id}`), an indexer that lags (`lagging:…`, by `max_lag_seconds` of the chain; after an outage of the service it has as long to come up), a deep reorganisation (`deep_reorg:…`, shown for an hour), a chain on which nothing is confirmed any more (`unconfirmed:…`, the newest confirmed block more than 30 minutes older than the head), what the nodes never told (`gaps:…`, **warning**, for a day), a queue that nobody empties (`queue:events`, `queue:channel`, `queue:webhook`, after ten minutes), an audit log that does not verify. About a vault: messages that were given up (`dead:{id}`, for a day, or until the target takes one again), a webhook endpoint that the service disabled (`disabled:{id}`), a channel bound by somebody who manages the vault no more (`binding:{id}`)",
};

export const CATEGORIES: readonly Category[] = [
  ...new Map(
    MONITORS.map(({ category, name, subject, fires, rule }): [string, Category] => [
      category,
      { category, name, subject, fires, description: describe(rule), fields: fieldsOf(rule) },
    ]),
  ).values(),
  SYSTEM,
];

export const ALERT_CATEGORIES: readonly AlertCategory[] = CATEGORIES.map(({ category }) => category);

const NAMES = new Map<string, string>(CATEGORIES.map(({ category, name }) => [category, name]));

/** One that only another release knows is told by its own word. */
export function categoryName(category: string): string {
  return NAMES.get(category) ?? category.replaceAll("_", " ");
}
