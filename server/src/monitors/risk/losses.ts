// Losses that the vault's contracts tell of: each once, where it is more than a part of the total assets.

import type { GovernanceEffect } from "../../chain/governance.ts";
import { isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { listenedMs, silentAtMs } from "../../judgements/listening.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { earliest, type Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { RESOLVE_AFTER, share, thresholds } from "../base/thresholds.ts";
import { amountWords, vaultWords } from "../base/wording.ts";
import { type RecentFact, type RecentFacts, recentFacts } from "./recent-facts.ts";

const rule = thresholds("Losses and bad debt.", {
  loss_fraction: share(
    "Critical when more is lost than",
    0.00001,
    "Part of the total assets; a loss of more is critical, one of less is not told.",
  ),
  resolve_after_seconds: RESOLVE_AFTER,
});

export const losses = monitor({
  category: "losses",
  name: "Losses",
  subject: "the loss's log",
  fires:
    "**critical**: a loss or bad debt of more than `loss_fraction` of the total assets, or one of which the contract tells no amount. Told once; resolves when it is acknowledged or after `resolve_after_seconds`",
  rule,
  source: recentFacts,
  judge(vault, rule, listening) {
    const findings: Finding[] = [];
    const unknown: string[] = [];
    const wakes: number[] = [];
    const lastsMs = rule.resolve_after_seconds * 1000;
    for (const fact of vault.facts) {
      if (fact.body.kind !== "governance") continue;
      if (listenedMs(fact.atMs, listening.nowMs, listening.gaps) >= lastsMs) continue;
      fact.body.effects.forEach((effect, nth) => {
        if (effect.action !== "loss") return;
        const subject = `${fact.txHash}:${fact.logIndex}${nth === 0 ? "" : `:${nth}`}`;
        wakes.push(silentAtMs(listening, fact.atMs, lastsMs, 0));
        const lost = lostBy(effect);
        if (lost !== null && vault.totalAssets === null) unknown.push(subject);
        // What is left and what was lost is what there was.
        else if (lost === null || isMoreThan(lost, (vault.totalAssets ?? 0n) + lost, rule.loss_fraction))
          findings.push(findingOf(vault, fact, subject, lost));
      });
    }
    return { findings, unknown, wakeMs: earliest(...wakes) };
  },
});

/** In the vault's asset; null where the contract tells no amount, as of a market that is written off. */
function lostBy({ id, old, new: now }: GovernanceEffect): bigint | null {
  if (!isAmount(now)) return null;
  if (old === undefined) return BigInt(now);
  if (id !== undefined || !isAmount(old)) return null;
  const change = BigInt(now) - BigInt(old);
  return change < 0n ? -change : change;
}

const isAmount = (value: unknown): value is string => typeof value === "string" && /^\d+$/.test(value);

function findingOf(
  vault: RecentFacts,
  { atMs, actor, block, txHash }: RecentFact,
  subject: string,
  lost: bigint | null,
): Finding {
  const at = timestampOfMs(atMs);
  const total = (vault.totalAssets ?? 0n) + (lost ?? 0n);
  const amount =
    lost === null
      ? "wrote off assets, of which its contract tells no amount,"
      : `lost ${amountWords(lost, vault.asset)}, ${percentWords(lost, total)} of its assets,`;
  return {
    subject,
    isOnce: true,
    severity: "critical",
    title: "The vault lost assets",
    message: `${vaultWords(vault)}: it ${amount} at ${readableTime(at)}.`,
    nextStep: "Look at the position that lost, and take out of it what can be taken out.",
    details: {
      lost_assets: lost?.toString() ?? null,
      total_assets: vault.totalAssets?.toString() ?? null,
      actor,
      happened_at: at,
    },
    conditions: ["lost"],
    block,
    txHash,
  };
}
