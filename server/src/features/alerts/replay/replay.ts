// What would have been told of a vault over a time, under rules that need not be stored: its history is judged again by the monitors
// themselves, at each moment at which something happened or time alone changes the answer. Nobody is told, nothing is written.
//
// Guarantee: the same findings as an evaluation at that moment would have had of a chain that was heard all the time, with the times of the
// blocks: what confirmation, silences and acknowledgements would have changed is left out.

import type { AlertRules } from "../../../monitors/alert-rules.ts";
import { earliest } from "../../../monitors/base/finding.ts";
import { flows } from "../../../monitors/risk/flows.ts";
import { governance } from "../../../monitors/risk/governance.ts";
import { loadHistory, type PricePoint, type VaultHistory } from "../../../monitors/risk/history.ts";
import { price } from "../../../monitors/risk/price.ts";
import type { RecentFacts } from "../../../monitors/risk/recent-facts.ts";
import { LEAST_USD, type RecentFlows, SUPPLY_WINDOW_MS } from "../../../monitors/risk/recent-flows.ts";
import { tvl } from "../../../monitors/risk/tvl.ts";
import type { Holding, VaultPrices } from "../../../monitors/risk/vault-prices.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { VaultRef } from "../../../vault.ts";
import { Collector } from "../state/collector.ts";
import { RuleBook } from "../state/rules.ts";
import { AlertLife, type Told } from "./life.ts";
import { SlidingExtreme, type Standing } from "./sliding.ts";

/** Those of which enough is stored. */
export const REPLAYED_CATEGORIES = ["price", "tvl", "flows", "governance"] as const;

export interface ReplayRange {
  /** Unix milliseconds, both inclusive. */
  fromMs: number;
  toMs: number;
}

/** Null where there is no such vault. */
export async function replayVault(
  tx: Tx,
  { chainId, vaultAddress }: VaultRef,
  rules: AlertRules,
  { fromMs, toMs }: ReplayRange,
): Promise<Told[] | null> {
  // What began before is known when the time begins, and was told then.
  const earlierMs = 1000 * lookBackSeconds(rules);
  const history = await loadHistory(tx, {
    chainId,
    address: vaultAddress,
    from: timestampOfMs(Math.max(0, fromMs - earlierMs)),
    to: timestampOfMs(toMs),
    leastUsd: Math.min(LEAST_USD, rules.flows.single_usd),
  });
  if (history === null) return null;
  const told = replayHistory(history, rules, { fromMs: fromMs - earlierMs, toMs });
  return told.filter(({ atMs }) => atMs >= fromMs);
}

function lookBackSeconds({ price, tvl, flows, governance }: AlertRules): number {
  return Math.max(
    price.window_seconds,
    tvl.window_seconds,
    flows.resolve_after_seconds + (2 * SUPPLY_WINDOW_MS) / 1000,
    governance.resolve_after_seconds,
  );
}

/** Pure. */
export function replayHistory(
  history: VaultHistory,
  rules: AlertRules,
  { fromMs, toMs }: ReplayRange,
): Told[] {
  const life = new AlertLife();
  const told: Told[] = [];
  const past = new Past(history, rules, fromMs);
  const moments = momentsOf(history);
  let next = 0;
  let wakeMs: number | null = null;
  for (;;) {
    const momentMs = earliest(moments[next], wakeMs);
    if (momentMs === null || momentMs > toMs) return told;
    while (next < moments.length && (moments[next] as number) <= momentMs) next += 1;
    const found = past.judge(momentMs);
    wakeMs = found.wakeMs;
    if (found.signals.length === 0 && life.isIdle) continue;
    const step = life.step(found.signals, momentMs);
    told.push(...step.told);
    // Never again at the same moment.
    wakeMs = earliest(
      ...[found.wakeMs, step.wakeMs].map((ms) => (ms === null ? null : Math.max(ms, momentMs + 1))),
    );
  }
}

function momentsOf({ points, facts, flows, waiting }: VaultHistory): number[] {
  const all = [points, facts, flows, waiting].flatMap((list) => list.map(({ atMs }) => atMs));
  return [...new Set(all)].sort((a, b) => a - b);
}

/** A vault's history up to a moment that moves on. */
class Past {
  readonly #history: VaultHistory;
  readonly #rules: AlertRules;
  readonly #fromMs: number;
  readonly #prices: Extremes<bigint>;
  readonly #holdings: Extremes<Holding>;
  #at = { points: 0, facts: 0, flows: 0, waiting: 0 };

  constructor(history: VaultHistory, rules: AlertRules, fromMs: number) {
    this.#history = history;
    this.#rules = rules;
    this.#fromMs = fromMs;
    this.#prices = new Extremes(rules.price.window_seconds, (a, b) => a > b);
    this.#holdings = new Extremes(
      rules.tvl.window_seconds,
      (a, b) => a.assets * b.shares > b.assets * a.shares,
    );
  }

  judge(nowMs: number) {
    const collector = new Collector(new RuleBook(this.#rules, new Map()), {
      nowMs,
      untilMs: nowMs,
      gaps: [],
    });
    const prices = this.#pricesAt(nowMs);
    if (prices !== null) {
      collector.add(price, [prices]);
      collector.add(tvl, [prices]);
      // A window leaves behind what it compared with, and nothing else tells of that.
      if (collector.signals.length > 0) {
        collector.wakeAt(this.#prices.leavesMs(nowMs));
        collector.wakeAt(this.#holdings.leavesMs(nowMs));
      }
    }
    collector.add(flows, [this.#flowsAt(nowMs)]);
    collector.add(governance, [this.#factsAt(nowMs)]);
    return collector;
  }

  #pricesAt(nowMs: number): VaultPrices | null {
    const { points, vault, asset } = this.#history;
    while (this.#at.points < points.length && (points[this.#at.points] as PricePoint).atMs <= nowMs) {
      const point = points[this.#at.points] as PricePoint;
      const { atMs } = point;
      const untilMs = points[this.#at.points + 1]?.atMs ?? null;
      this.#at.points += 1;
      // Of several at one time the newest ends what was before it, if it has no price.
      if (point.pps === null) {
        this.#prices.clear();
        this.#holdings.clear();
        continue;
      }
      this.#prices.add({ value: point.pps, atMs, untilMs });
      const holding = holdingOf(point);
      if (holding !== null) this.#holdings.add({ value: holding, atMs, untilMs });
    }
    const newest = points[this.#at.points - 1];
    if (newest === undefined) return null;
    const { price, tvl } = this.#rules;
    return {
      ...vault,
      isKnown: true,
      asset,
      price: newest.pps === null ? null : { pps: newest.pps, block: newest.block },
      prices: windowOf(price.window_seconds, this.#prices.at(nowMs)),
      holding: holdingOf(newest),
      holdings: windowOf(tvl.window_seconds, this.#holdings.at(nowMs)),
    };
  }

  #flowsAt(nowMs: number): RecentFlows {
    const { flows, vault, asset, shareDecimals } = this.#history;
    const keptMs = this.#rules.flows.resolve_after_seconds * 1000 + 2 * SUPPLY_WINDOW_MS;
    const recent = within(flows, nowMs, keptMs);
    return { ...vault, asset, shareDecimals, flows: recent };
  }

  #factsAt(nowMs: number): RecentFacts {
    const { facts, waiting, vault, asset } = this.#history;
    while (this.#at.waiting < waiting.length && (waiting[this.#at.waiting]?.atMs as number) <= nowMs)
      this.#at.waiting += 1;
    return {
      ...vault,
      asset,
      facts: within(facts, nowMs, this.#rules.governance.resolve_after_seconds * 1000),
      waiting: waiting[this.#at.waiting - 1]?.calls ?? [],
      isWaitingKnown: true,
      watchedSinceMs: this.#fromMs,
      totalAssets: null,
    };
  }
}

/** Both ends of what a window holds. */
class Extremes<T> {
  readonly #high: SlidingExtreme<T>;
  readonly #low: SlidingExtreme<T>;

  constructor(windowSeconds: number, isMore: (a: T, b: T) => boolean) {
    this.#high = new SlidingExtreme(windowSeconds * 1000, isMore);
    this.#low = new SlidingExtreme(windowSeconds * 1000, (a, b) => isMore(b, a));
  }

  add(standing: Standing<T>): void {
    this.#high.add(standing);
    this.#low.add(standing);
  }

  clear(): void {
    this.#high.clear();
    this.#low.clear();
  }

  at(nowMs: number): { high: T; low: T } | null {
    const high = this.#high.at(nowMs);
    const low = this.#low.at(nowMs);
    return high === null || low === null ? null : { high: high.value, low: low.value };
  }

  leavesMs(nowMs: number): number | null {
    return earliest(this.#high.at(nowMs)?.leavesMs, this.#low.at(nowMs)?.leavesMs);
  }
}

function windowOf<T>(seconds: number, extremes: T | null): Record<string, T> {
  return extremes === null ? {} : { [seconds]: extremes };
}

function holdingOf({ totalAssets, totalSupply }: PricePoint): Holding | null {
  return totalAssets === null || !totalSupply ? null : { assets: totalAssets, shares: totalSupply };
}

/** Of a list in the order of time. */
function within<T extends { atMs: number }>(list: readonly T[], nowMs: number, ms: number): T[] {
  return list.slice(firstAfter(list, nowMs - ms), firstAfter(list, nowMs));
}

/** Where what is newer than a moment begins. */
function firstAfter(list: readonly { atMs: number }[], momentMs: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as { atMs: number }).atMs <= momentMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
