// What the chain's monitors find of one vault inside a transaction: of what is foretold, and before it. Nothing is opened and nobody is told.
import type { Address } from "viem";
import type { AlertRules } from "../../../monitors/alert-rules.ts";
import { areaOfChain } from "../../../monitors/engine/chain-vaults.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { Collector } from "../state/collector.ts";
import { RuleBook } from "../state/rules.ts";
import { ALL_MONITORS, type Signal } from "../state/signal.ts";
import { loadListening } from "./heartbeat.ts";

export async function findingsIn(
  tx: Tx,
  { chainId, address, defaults }: { chainId: number; address: Address; defaults: AlertRules },
  nowMs: number,
): Promise<Signal[]> {
  const listening = { ...(await loadListening(tx, areaOfChain(chainId), nowMs)), untilMs: nowMs };
  const book = await RuleBook.load(tx, defaults);
  const collector = new Collector(book, listening);
  for (const [source, monitors] of Map.groupBy(ALL_MONITORS, (monitor) => monitor.source)) {
    if (source.area !== "chain") continue;
    const states = await source.load(tx, { book, nowMs, listening, chainId });
    const own = states.filter((state) => state.address === address);
    for (const monitor of monitors) collector.add(monitor, own);
  }
  return collector.signals.filter(({ opens }) => opens !== false);
}
