// One evaluation of one area: state in, transitions and events out, in one transaction over one snapshot.
//
// Guarantee: what is judged, what becomes of it and who is told commit together or not at all, and no two evaluations run at once. So a
// worker that dies, and one that takes over, neither lose a notice nor repeat one.
import { BEAT_MS } from "../../../judgements/listening.ts";
import type { AlertRules } from "../../../monitors/alert-rules.ts";
import { earliest } from "../../../monitors/base/finding.ts";
import { type Asked, HORIZON_MS, type NamedVault } from "../../../monitors/base/monitor.ts";
import { areaOfChain } from "../../../monitors/engine/chain-vaults.ts";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { vaultIdOf } from "../../../vault.ts";
import { Collector } from "../state/collector.ts";
import { RuleBook } from "../state/rules.ts";
import { ALL_MONITORS, type AnyMonitor, keyOf } from "../state/signal.ts";
import { judgeSystem, type WatchedChain } from "../system/system-state.ts";
import { dispatch } from "./dispatch.ts";
import { evaluate, type Transition } from "./evaluate.ts";
import { loadListening, REPORTS } from "./heartbeat.ts";
import { takeLease } from "./lease.ts";
import { apply, contentOf, loadEnded, loadOpen, loadOver, loadSilences } from "./store.ts";
import { areasLeft, asLeft, loadUnfollowed } from "./unfollowed.ts";

/** Evaluated apart, since each has its own occasions: a chain's new blocks, reports, and what the service is told of itself. */
export type Area = "engine" | "system" | { chainId: number };

export function nameOfArea(area: Area): string {
  return typeof area === "string" ? area : areaOfChain(area.chainId);
}

export interface EvaluationParts {
  db: Pick<Database, "transaction">;
  defaults: AlertRules;
  chains: readonly WatchedChain[];
  publicUrl: string;
  /** Names this worker. */
  holder: string;
  leaseMs: number;
}

export interface EvaluationResult {
  transitions: number;
  /** Of those, how many were told of. */
  notices: number;
  /** How long from the evaluation's own time until it must be made again, though nothing is told of. */
  inMs: number;
}

/** Null: another worker judges. */
export async function evaluateArea(
  parts: EvaluationParts,
  area: Area,
  clockMs: number,
): Promise<EvaluationResult | null> {
  return parts.db.transaction(
    async (tx) => {
      const lease = await takeLease(tx, parts.holder, parts.leaseMs, clockMs);
      if (lease === null) return null;
      const { nowMs } = lease;
      const name = nameOfArea(area);
      const listening = await loadListening(tx, typeof area === "string" ? REPORTS : name, nowMs);
      const collector = new Collector(await RuleBook.load(tx, parts.defaults), listening);
      await judge(tx, area, parts, collector);
      const { open, signals, unknown } = await withoutLeft(tx, area, parts, collector);
      const { transitions, wakeMs } = evaluate({
        open,
        signals,
        unknown,
        ended: await loadEnded(tx, name, nowMs),
        silences: await loadSilences(tx, nowMs),
        over: await loadOver(tx, signals),
        contentOf,
        listening,
      });
      const applied = { area: name, nowMs, publicUrl: parts.publicUrl };
      await apply(tx, transitions, applied);
      await dispatch(tx, applied);
      return {
        transitions: transitions.length,
        notices: transitions.filter(isTold).length,
        inMs: untilNext(earliest(wakeMs, collector.wakeMs, nowMs + HORIZON_MS / 2) as number, nowMs),
      };
    },
    { isolation: "repeatable read" },
  );
}

/** A moment that has come waits for the heartbeat that proves it. */
function untilNext(momentMs: number, nowMs: number): number {
  return momentMs > nowMs ? momentMs - nowMs : BEAT_MS;
}

/** Every source of the area is read once, whichever monitors are shown its states. */
async function judge(tx: Tx, area: Area, { chains }: EvaluationParts, collector: Collector): Promise<void> {
  if (area === "system") return judgeSystem(tx, chains, collector);
  for (const [source, monitors] of Map.groupBy(ALL_MONITORS, (monitor) => monitor.source)) {
    const states = await statesOf(tx, source, area, collector);
    for (const monitor of monitors) collector.add(monitor, states);
  }
}

async function statesOf(
  tx: Tx,
  source: AnyMonitor["source"],
  area: Exclude<Area, "system">,
  { book, nowMs, listening }: Collector,
): Promise<readonly NamedVault[]> {
  const asked: Asked<AlertRules> = { book, nowMs, listening };
  if (source.area === "engine") return area === "engine" ? source.load(tx, asked) : [];
  return area === "engine" ? [] : source.load(tx, { ...asked, chainId: area.chainId });
}

/** What was found, without what is not followed any more: that only ends. Areas that are judged no more end with the service's own. */
async function withoutLeft(tx: Tx, area: Area, { chains }: EvaluationParts, collector: Collector) {
  const open = await loadOpen(tx, [nameOfArea(area)]);
  const judged = ["engine", "system", ...chains.map(({ chainId }) => areaOfChain(chainId))];
  const abandoned = area === "system" ? await loadOpen(tx, await areasLeft(tx, judged)) : [];
  const left = await loadUnfollowed(tx, chains, [...open, ...collector.signals]);
  const isLeft = (of: { chainId: number; vaultAddress: string }) => left.has(vaultIdOf(of));
  const gone = [...open.filter(isLeft), ...abandoned];
  const keys = new Set(gone.map(keyOf));
  return {
    open: [...open.filter((alert) => !isLeft(alert)), ...gone.map(asLeft)],
    signals: collector.signals.filter((signal) => !isLeft(signal)),
    unknown: new Set([...collector.unknown].filter((key) => !keys.has(key))),
  };
}

function isTold(transition: Transition): boolean {
  return transition.type === "close" ? transition.isTold : transition.notice !== null;
}
