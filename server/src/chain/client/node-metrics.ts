// What each RPC URL is worth, for Prometheus: read from the clients when the metrics are asked for.
import { Gauge, type Registry } from "prom-client";
import type { ChainClient, EndpointHealth } from "./client.ts";

/** `node` is the URL's place in the configuration, from 1, for two URLs may have one host. */
const LABELS = ["chain_id", "node", "host"] as const;

export function addNodeMetrics(registry: Registry, clients: ReadonlyMap<number, ChainClient>): void {
  const gauge = (name: string, help: string, read: (health: EndpointHealth) => number | null) =>
    new Gauge({
      name: `vaultops_rpc_${name}`,
      help,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset();
        for (const client of clients.values()) {
          for (const [index, health] of client.health().entries()) {
            const value = read(health);
            const labels = { chain_id: client.chainId, node: index + 1, host: health.host };
            if (value !== null) this.set(labels, value);
          }
        }
      },
    });
  gauge(
    "is_healthy",
    "1 while the RPC URL answers, serves the right chain and keeps up with the others.",
    (health) => (health.isHealthy ? 1 : 0),
  );
  gauge("latency_seconds", "Moving average of the time to an answer of the RPC URL.", ({ latencyMs }) =>
    latencyMs === null ? null : latencyMs / 1000,
  );
  gauge("head_block", "The newest block that the RPC URL has reported.", ({ head }) => head);
}
