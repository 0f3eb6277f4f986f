// Metrics of ingestion, by chain.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface IngestMetrics {
  head: Gauge<"chain_id">;
  confirmed: Gauge<"chain_id">;
  lagSeconds: Gauge<"chain_id">;
  isHalted: Gauge<"chain_id">;
  isLeading: Gauge<"chain_id">;
  leads: Counter<"chain_id">;
  backfillBlocksLeft: Gauge<"chain_id">;
  backfillSecondsLeft: Gauge<"chain_id">;
  facts: Counter<"chain_id">;
  unknownEvents: Counter<"chain_id" | "family" | "contract">;
  reorgs: Counter<"chain_id" | "is_deep">;
  failures: Counter<"chain_id">;
  unread: Counter<"chain_id" | "reason">;
  blockSeconds: Histogram<"chain_id">;
}

export function ingestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry];
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `vaultops_chain_${name}`, help, labelNames: ["chain_id"] as const, registers });
  return {
    head: gauge("head_block", "Newest block that is stored."),
    confirmed: gauge("confirmed_block", "Newest block whose audit entries are written."),
    lagSeconds: gauge("lag_seconds", "How far the newest stored block lies behind the clock."),
    isHalted: gauge("is_halted", "1 while the node answers but the chain makes no new blocks."),
    isLeading: gauge(
      "is_leading",
      "1 while this process leads the chain: it alone writes what the chain says.",
    ),
    leads: new Counter({
      name: "vaultops_chain_leads_total",
      help: "Times that this process took the lead of the chain.",
      labelNames: ["chain_id"] as const,
      registers,
    }),
    backfillBlocksLeft: gauge(
      "backfill_blocks_left",
      "Blocks yet to be filled in for the source furthest behind.",
    ),
    backfillSecondsLeft: gauge(
      "backfill_seconds_left",
      "How long filling in will take at its present speed; 0 while nothing is filled in or nothing can be said yet.",
    ),
    facts: new Counter({
      name: "vaultops_chain_facts_total",
      help: "Facts stored.",
      labelNames: ["chain_id"] as const,
      registers,
    }),
    unknownEvents: new Counter({
      name: "vaultops_chain_unknown_events_total",
      help: "Events of followed contracts that are not known: they became no fact and no audit entry.",
      labelNames: ["chain_id", "family", "contract"] as const,
      registers,
    }),
    reorgs: new Counter({
      name: "vaultops_chain_reorgs_total",
      help: "Reorganisations undone; deep ones reached below confirmed blocks.",
      labelNames: ["chain_id", "is_deep"] as const,
      registers,
    }),
    failures: new Counter({
      name: "vaultops_chain_failures_total",
      help: "Attempts at following the chain that failed and were repeated.",
      labelNames: ["chain_id"] as const,
      registers,
    }),
    unread: new Counter({
      name: "vaultops_chain_unread_total",
      help: "Readings of vaults that the node did not answer, by reason; their last state is kept, and they are read again after a pause.",
      labelNames: ["chain_id", "reason"] as const,
      registers,
    }),
    blockSeconds: new Histogram({
      name: "vaultops_chain_block_seconds",
      help: "From seeing a new block to having it stored.",
      labelNames: ["chain_id"] as const,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
}
