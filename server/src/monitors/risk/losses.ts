// Losses that the vault's contracts tell of, and bad debt that a reading first shows: each once, where it is more than a part of the total
// assets.
import type { Static } from "typebox";
import type { GovernanceEffect } from "../../chain/governance.ts";
import { isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { listenedMs, silentAtMs } from "../../judgements/listening.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { earliest, type Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { RESOLVE_AFTER, share, thresholds } from "../base/thresholds.ts";
import { amountWords, vaultWords } from "../base/wording.ts";
import { type RecentFact, type RecentFacts, recentFacts } from "./recent-facts.ts";
import { type BadDebt, type VaultHoldings, vaultHoldings } from "./vault-holdings.ts";

const rule = thresholds("Losses and bad debt.", {
  loss_fraction: share(
    "Critical when more is lost than",
    0.00001,
    "Part of the total assets; a loss of more is critical, one of less is not told.",
  ),
  resolve_after_seconds: RESOLVE_AFTER,
});

type Rule = Static<typeof rule>;

const WORDS = {
  category: "losses",
  name: "Losses",
  subject: "the loss's log, `bad_debt:{block}`",
  fires:
    "**critical**: a loss of more than `loss_fraction` of the total assets, one of which the contract tells no amount, or bad debt that grew by more with a reading, of which no event tells. Told once; resolves when it is acknowledged or after `resolve_after_seconds`",
  rule,
} as const;

export const losses = monitor({
  ...WORDS,
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

/** Losses that nobody has realised: the price of a share does not show them, and no event tells of them. */
export const badDebt = monitor({
  ...WORDS,
  source: vaultHoldings,
  judge(vault, rule, listening) {
    const lastsMs = rule.resolve_after_seconds * 1000;
    const recent = vault.badDebts.filter(
      ({ atMs }) => listenedMs(atMs, listening.nowMs, listening.gaps) < lastsMs,
    );
    return {
      findings: recent.flatMap((debt) => debtFinding(vault, debt, rule)),
      unknown: vault.isKnown ? [] : recent.map(debtSubject),
      wakeMs: earliest(...recent.map(({ atMs }) => silentAtMs(listening, atMs, lastsMs, 0))),
    };
  },
});

const debtSubject = ({ block }: BadDebt): string => `bad_debt:${block.number}`;

function debtFinding(vault: VaultHoldings, debt: BadDebt, rule: Rule): Finding[] {
  const { before, after, totalAssets: total, atMs, block } = debt;
  const grown = after - before;
  // Assets that include what is lost stand for the whole; where they are not known any bad debt is told.
  if (total !== null && !isMoreThan(grown, total, rule.loss_fraction)) return [];
  const at = timestampOfMs(atMs);
  return [
    {
      subject: debtSubject(debt),
      isOnce: true,
      severity: "critical",
      title: "Bad debt grew",
      message: `${vaultWords(vault)}: its bad debt grew by ${amountWords(grown, vault.asset)} to ${amountWords(after, vault.asset)} at ${readableTime(at)}${total === null ? "" : `, by ${percentWords(grown, total)} of its assets`}. No event tells of it.`,
      nextStep: "Look at the position whose borrowers do not pay, and lower its cap.",
      details: {
        lost_assets: grown.toString(),
        bad_debt: after.toString(),
        total_assets: total?.toString() ?? null,
        happened_at: at,
      },
      conditions: ["bad_debt"],
      block,
    },
  ];
}

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
