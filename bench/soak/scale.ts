// How large a soak is: the load of a large platform, times what this machine can carry beside its clients, nodes and database.
import { availableParallelism } from "node:os";

export interface Scale {
  /** Of the whole load: 1 is 5,000 vaults on 50 chains with 3,000 clients. */
  factor: number;
  minutes: number;
  chains: number;
  vaultsPerChain: number;
  tenants: number;
  /** That poll, each with its own entity tags. */
  clients: number;
  /** Of the audit log. */
  streams: number;
  /** In the log before the soak begins. */
  entries: number;
  /** Sent before it begins. */
  deliveries: number;
}

/** Clients, chains, the service's processes and PostgreSQL share the machine: a quarter of the load for two processors. */
const PROCESSORS_OF_THE_WHOLE = 8;

/** @param factor null: as this machine's processors allow */
export function scaleOf(options: { factor: number | null; minutes: number; entries: number }): Scale {
  const factor = options.factor ?? Math.min(1, availableParallelism() / PROCESSORS_OF_THE_WHOLE);
  const times = (whole: number) => Math.max(1, Math.round(whole * factor));
  return {
    factor,
    minutes: options.minutes,
    chains: times(50),
    vaultsPerChain: 100,
    tenants: times(200),
    clients: times(3_000),
    streams: times(2_000),
    entries: options.entries,
    deliveries: options.entries,
  };
}
