// What the dashboards show. Every expression holds for any number of processes: what each of them knows of the same thing is taken once.
// metrics.db.test.ts holds the names to what the service serves.
export interface Panel {
  title: string;
  /** What a reader should know of it. */
  about: string;
  type: "stat" | "timeseries";
  /** One of Grafana's units. */
  unit: string;
  /** For 0, 1, 2 … a word and a colour. */
  words?: readonly { text: string; colour: string }[];
  /** Legend → expression. */
  queries: Readonly<Record<string, string>>;
}

export interface Dashboard {
  /** Of its file. */
  name: string;
  title: string;
  variables?: Readonly<Record<string, { label: string; query: string }>>;
  rows: readonly (readonly Panel[])[];
}

const stat = (
  title: string,
  unit: string,
  about: string,
  queries: Panel["queries"],
  words?: Panel["words"],
): Panel => ({ type: "stat", title, unit, about, queries, ...(words && { words }) });
const series = (title: string, unit: string, about: string, queries: Panel["queries"]): Panel => ({
  type: "timeseries",
  title,
  unit,
  about,
  queries,
});

const GOOD_BAD = [
  { text: "no", colour: "green" },
  { text: "yes", colour: "red" },
];
const STATES = [
  { text: "in order", colour: "green" },
  { text: "degraded", colour: "orange" },
  { text: "failed", colour: "red" },
];
const REQUESTS = "vaultops_http_request_duration_seconds";
const CHAINS = { chain: { label: "Chain", query: "label_values(vaultops_chain_head_block, chain_id)" } };
const OF_CHAIN = '{chain_id=~"$chain"}';
const quantile = (q: number, metric: string, by: string, filter = "") =>
  `histogram_quantile(${q}, sum by (${by ? `le, ${by}` : "le"}) (rate(${metric}_bucket${filter}[$__rate_interval])))`;

export const DASHBOARDS: readonly Dashboard[] = [
  {
    name: "service",
    title: "VaultOps: service",
    rows: [
      [
        stat("Processes", "none", "How many answer the scrape.", { "": 'sum(up{job="vaultops"})' }),
        stat("Requests fail", "percentunit", "Share of answers of 500 and above.", {
          "": `sum(rate(${REQUESTS}_count{status=~"5.."}[5m])) / sum(rate(${REQUESTS}_count[5m]))`,
        }),
        stat("Critical alerts", "none", "Open alerts of all vaults and of the service itself.", {
          "": 'sum(max by (category) (vaultops_alerts_open{severity="critical"})) or vector(0)',
        }),
        stat("System alerts", "none", "What the service says of itself.", {
          "": 'sum(max by (severity) (vaultops_alerts_open{category="system"})) or vector(0)',
        }),
      ],
      [
        stat(
          "Parts",
          "none",
          "The parts of /readyz, the worst of all processes. The admin listener gives the reason.",
          { "{{check}}": "max by (check) (vaultops_readiness_state)" },
          STATES,
        ),
      ],
      [
        series("Requests", "reqps", "Answers a second, by status.", {
          "{{status}}": `sum by (status) (rate(${REQUESTS}_count[$__rate_interval]))`,
        }),
        series(
          "Time to answer",
          "s",
          "Streams and exports left out, since they last as long as they are read.",
          {
            median: quantile(0.5, REQUESTS, "", '{route!~".*/(stream|export)"}'),
            "99 %": quantile(0.99, REQUESTS, "", '{route!~".*/(stream|export)"}'),
          },
        ),
      ],
      [
        series("Busiest routes", "reqps", "Ten of them.", {
          "{{method}} {{route}}": `topk(10, sum by (method, route) (rate(${REQUESTS}_count[$__rate_interval])))`,
        }),
        series("Slowest routes", "s", "The 99th percentile, ten of them.", {
          "{{route}}": `topk(10, ${quantile(0.99, REQUESTS, "route", '{route!~".*/(stream|export)"}')})`,
        }),
      ],
      [
        series("Processor", "percentunit", "Of one core.", {
          "{{instance}}": 'rate(process_cpu_seconds_total{job="vaultops"}[$__rate_interval])',
        }),
        series(
          "Replica behind",
          "s",
          "Nothing where there is no replica; above the limit the primary is read from.",
          {
            "{{instance}}": "vaultops_replica_lag_seconds",
            limit: "max(vaultops_replica_max_lag_seconds)",
          },
        ),
        series("Memory", "bytes", "Resident.", {
          "{{instance}}": 'process_resident_memory_bytes{job="vaultops"}',
        }),
        series(
          "Event loop",
          "s",
          "99th percentile of its delay: above 0.1 s requests wait for one another.",
          {
            "{{instance}}": 'nodejs_eventloop_lag_p99_seconds{job="vaultops"}',
          },
        ),
      ],
    ],
  },
  {
    name: "chains",
    title: "VaultOps: chains",
    variables: CHAINS,
    rows: [
      [
        stat("Processes that lead", "none", "One each, neither none nor two.", {
          "{{chain_id}}": `sum by (chain_id) (vaultops_chain_is_leading${OF_CHAIN})`,
        }),
        stat("Behind", "s", "The newest stored block, behind the clock.", {
          "{{chain_id}}": `max by (chain_id) (vaultops_chain_lag_seconds${OF_CHAIN} and on (instance, chain_id) vaultops_chain_is_leading == 1)`,
        }),
        stat(
          "Halted",
          "none",
          "The node answers, but the chain makes no blocks.",
          { "{{chain_id}}": `max by (chain_id) (vaultops_chain_is_halted${OF_CHAIN})` },
          GOOD_BAD,
        ),
        stat("Past yet to fill in", "none", "Blocks, of the source furthest behind.", {
          "{{chain_id}}": `max by (chain_id) (vaultops_chain_backfill_blocks_left${OF_CHAIN})`,
        }),
        stat("Past is filled in after", "s", "At the present speed.", {
          "{{chain_id}}": `max by (chain_id) (vaultops_chain_backfill_seconds_left${OF_CHAIN})`,
        }),
      ],
      [
        series("Head and confirmed", "none", "Block numbers.", {
          "{{chain_id}} head": `max by (chain_id) (vaultops_chain_head_block${OF_CHAIN})`,
          "{{chain_id}} confirmed": `max by (chain_id) (vaultops_chain_confirmed_block${OF_CHAIN})`,
        }),
        series("Behind", "s", "In the process that leads.", {
          "{{chain_id}}": `max by (chain_id) (vaultops_chain_lag_seconds${OF_CHAIN} and on (instance, chain_id) vaultops_chain_is_leading == 1)`,
        }),
      ],
      [
        series("A block", "s", "From seeing it to having it stored: 99th percentile.", {
          "{{chain_id}}": quantile(0.99, "vaultops_chain_block_seconds", "chain_id", OF_CHAIN),
        }),
        series("Facts", "cps", "What happened in followed contracts, stored a second.", {
          "{{chain_id}}": `sum by (chain_id) (rate(vaultops_chain_facts_total${OF_CHAIN}[$__rate_interval]))`,
        }),
        series(
          "Failures",
          "cps",
          "Attempts at following that were repeated, and views that were not answered.",
          {
            "{{chain_id}} following": `sum by (chain_id) (rate(vaultops_chain_failures_total${OF_CHAIN}[$__rate_interval]))`,
            "{{chain_id}} {{reason}}": `sum by (chain_id, reason) (rate(vaultops_chain_unread_total${OF_CHAIN}[$__rate_interval]))`,
          },
        ),
      ],
      [
        series("Nodes: time to answer", "s", "A moving average.", {
          "{{chain_id}} {{host}}": `max by (chain_id, node, host) (vaultops_rpc_latency_seconds${OF_CHAIN})`,
        }),
        series("Nodes: blocks behind the best", "none", "Of the same chain.", {
          "{{chain_id}} {{host}}": `max by (chain_id) (vaultops_rpc_head_block${OF_CHAIN}) - on (chain_id) group_right () max by (chain_id, node, host) (vaultops_rpc_head_block${OF_CHAIN})`,
        }),
        series("Nodes that are well", "none", "1 or 0 each.", {
          "{{chain_id}} {{host}}": `max by (chain_id, node, host) (vaultops_rpc_is_healthy${OF_CHAIN})`,
        }),
      ],
      [
        series("Reorganisations", "none", "In an hour; deep ones reached below confirmed blocks.", {
          "{{chain_id}} deep: {{is_deep}}": `sum by (chain_id, is_deep) (increase(vaultops_chain_reorgs_total${OF_CHAIN}[1h]))`,
        }),
        series("Changes of leader", "none", "In an hour.", {
          "{{chain_id}}": `sum by (chain_id) (increase(vaultops_chain_leads_total${OF_CHAIN}[1h]))`,
        }),
        series("Unknown events", "none", "In an hour: they became neither fact nor entry.", {
          "{{chain_id}} {{family}} {{contract}}": `sum by (chain_id, family, contract) (increase(vaultops_chain_unknown_events_total${OF_CHAIN}[1h]))`,
        }),
      ],
    ],
  },
  {
    name: "deliveries",
    title: "VaultOps: deliveries",
    rows: [
      [
        stat("Events wait", "s", "Age of the oldest that is not handed out.", {
          "": "max(vaultops_events_waiting_seconds)",
        }),
        stat(
          "Deliveries wait",
          "s",
          "How long the oldest has been due; targets that fail or rest are left out.",
          {
            "{{queue}}": "max by (queue) (vaultops_deliveries_waiting_seconds)",
          },
        ),
        stat("Given up today", "none", "Their managers may send them again.", {
          "{{queue}}": 'sum by (queue) (increase(vaultops_deliveries_ended_total{status="dead"}[1d]))',
        }),
        stat("Open alerts", "none", "By severity.", {
          "{{severity}}": "sum by (severity) (max by (category, severity) (vaultops_alerts_open))",
        }),
      ],
      [
        series("Waiting", "none", "Events to hand out, deliveries to send.", {
          events: "max(vaultops_events_waiting)",
          "{{queue}}": "max by (queue) (vaultops_deliveries_waiting)",
        }),
        series("Ended", "cps", "A second, by how they ended.", {
          "{{queue}} {{status}}":
            "sum by (queue, status) (rate(vaultops_deliveries_ended_total[$__rate_interval]))",
        }),
      ],
      [
        series("Attempts", "cps", "A second, by outcome.", {
          "{{queue}} {{outcome}}":
            "sum by (queue, outcome) (rate(vaultops_delivery_attempts_total[$__rate_interval]))",
        }),
        series("From creation to success", "s", "99th percentile.", {
          "{{queue}}": quantile(0.99, "vaultops_delivery_seconds", "queue"),
        }),
        series("Leases lost", "none", "In an hour: outcomes that came after another worker had taken over.", {
          "{{queue}}": "sum by (queue) (increase(vaultops_delivery_leases_lost_total[1h]))",
        }),
      ],
      [
        series("Notices of alerts", "cps", "Openings, updates, reminders and endings a second.", {
          "{{area}}": "sum by (area) (rate(vaultops_alert_notices_total[$__rate_interval]))",
        }),
        series("Evaluation of alerts", "s", "99th percentile.", {
          "{{area}}": quantile(0.99, "vaultops_alert_evaluation_seconds", "area"),
        }),
      ],
    ],
  },
  {
    name: "audit",
    title: "VaultOps: audit log",
    rows: [
      [
        stat(
          "The log",
          "none",
          "Whether it verifies and is signed.",
          {
            "": 'max(vaultops_readiness_state{check="audit log"})',
          },
          STATES,
        ),
        stat(
          "Append-only",
          "none",
          "Whether the database itself holds it.",
          {
            "": 'max(vaultops_readiness_state{check="append-only"})',
          },
          STATES,
        ),
        stat("Entries", "none", "All that were ever written.", { "": "max(vaultops_audit_entries)" }),
        stat(
          "Without a checkpoint",
          "none",
          "Entries since the newest signature; one is made every minute.",
          {
            "": "max(vaultops_audit_entries) - max(vaultops_audit_signed_entries)",
          },
        ),
        stat("Signed", "s", "Age of the newest checkpoint. None is made while there are no entries.", {
          "": "time() - max(vaultops_audit_signed_timestamp_seconds)",
        }),
      ],
      [
        series("New entries", "none", "In five minutes.", {
          entries: "delta(max(vaultops_audit_entries)[5m:1m])",
        }),
        series("Not streamed yet", "none", "Entries that a receiver has not taken.", {
          "{{stream}}": "max by (stream) (vaultops_audit_stream_lag_entries)",
        }),
        series("Entries without a checkpoint", "none", "They fall to 0 with each signature.", {
          entries: "max(vaultops_audit_entries) - max(vaultops_audit_signed_entries)",
        }),
      ],
      [
        series("Requests of the log", "reqps", "By route.", {
          "{{route}} {{status}}": `sum by (route, status) (rate(${REQUESTS}_count{route=~"/api/v1/audit/.*"}[$__rate_interval]))`,
        }),
        series("Time to answer", "s", "99th percentile; streams and exports last as long as they are read.", {
          "{{route}}": quantile(0.99, REQUESTS, "route", '{route=~"/api/v1/audit/.*"}'),
        }),
      ],
    ],
  },
  {
    name: "engine",
    title: "VaultOps: engine",
    rows: [
      [
        stat("Reports", "cps", "Accepted a second.", {
          "": 'sum(rate(vaultops_reports_total{status="accepted"}[5m]))',
        }),
        stat("Rejected within the hour", "none", "The answer names the fault of each.", {
          "": 'sum(increase(vaultops_reports_total{status="rejected"}[1h]))',
        }),
        stat("Services that are late or fail", "none", "Open alerts of keepers' runs.", {
          "": 'sum(max by (severity) (vaultops_alerts_open{category="keeper_run"})) or vector(0)',
        }),
        stat("Session keys and Merkle roots", "none", "Open alerts.", {
          "": 'sum(max by (category, severity) (vaultops_alerts_open{category=~"session_key|merkle|execution"})) or vector(0)',
        }),
      ],
      [
        series("Reports", "cps", "A second, by what became of them.", {
          "{{status}}": "sum by (status) (rate(vaultops_reports_total[$__rate_interval]))",
        }),
        series("Requests of engines", "reqps", "By status.", {
          "{{status}}": `sum by (status) (rate(${REQUESTS}_count{route="/api/v1/ingest/events"}[$__rate_interval]))`,
        }),
      ],
      [
        series("Time to take reports in", "s", "Of a request.", {
          median: quantile(0.5, REQUESTS, "", '{route="/api/v1/ingest/events"}'),
          "99 %": quantile(0.99, REQUESTS, "", '{route="/api/v1/ingest/events"}'),
        }),
        series("Evaluation of the engine's alerts", "s", "99th percentile.", {
          "99 %": quantile(0.99, "vaultops_alert_evaluation_seconds", "", '{area="engine"}'),
        }),
        series("Open alerts", "none", "Of what engines report.", {
          "{{category}} {{severity}}":
            'max by (category, severity) (vaultops_alerts_open{category=~"keeper_run|session_key|merkle|execution"})',
        }),
      ],
    ],
  },
];
