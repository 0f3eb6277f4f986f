// Whether those who leave can be paid: what can be withdrawn at once of a vault whose exit is immediate, who waits and for how long, and
// what a settlement owes. By the newest confirmed reading.
import type { Static } from "typebox";
import { isLessThan, isMoreThan, percentWords } from "../../judgements/fractions.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { earliest, type Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { optionalShare, seconds, share, thresholds } from "../base/thresholds.ts";
import { amountWords, durationWords, vaultWords } from "../base/wording.ts";
import { type VaultHoldings, vaultHoldings } from "./vault-holdings.ts";

const rule = thresholds("Exits that could not be paid, or wait.", {
  warning_min_withdrawable_fraction: share(
    "Warning when less can be withdrawn than",
    0.02,
    "Part of the total assets that can be withdrawn at once, below which it is a warning.",
  ),
  critical_min_withdrawable_fraction: share(
    "Critical when less can be withdrawn than",
    0.005,
    "Part of the total assets that can be withdrawn at once, below which it is critical.",
  ),
  max_utilisation_fraction: optionalShare(
    "Warning when more is in use than",
    "Part of the total assets that cannot be withdrawn at once, above which it is a warning; null: off.",
  ),
  max_pending_fraction: optionalShare(
    "Warning when more waits to leave than",
    "Part of the shares whose holders wait to be paid, above which it is a warning; null: off.",
  ),
  max_request_age_seconds: seconds(
    "Warning when a request waits for more than",
    86_400,
    "How long a request to leave may wait.",
  ),
});
type Rule = Static<typeof rule>;

export const liquidity = monitor({
  category: "liquidity",
  name: "Liquidity",
  subject: "`withdrawable`, `utilisation`, `pending`, `request_age`, `settlement`",
  fires:
    "where exit is immediate, less than `warning_min_withdrawable_fraction` (**warning**) or `critical_min_withdrawable_fraction` (**critical**) of the total assets can be withdrawn, or more than `max_utilisation_fraction` cannot (**warning**). **warning**: more than `max_pending_fraction` of the shares wait to be paid, or a request waits for longer than `max_request_age_seconds`. **critical**: a settlement owes more than the vault holds idle",
  rule,
  contradictions: (rule) =>
    rule.critical_min_withdrawable_fraction > rule.warning_min_withdrawable_fraction
      ? [["critical_min_withdrawable_fraction", "must not be greater than warning_min_withdrawable_fraction"]]
      : [],
  source: vaultHoldings,
  judge(vault, rule, { nowMs }) {
    if (!vault.isKnown)
      return {
        findings: [],
        unknown: ["withdrawable", "utilisation", "pending", "request_age", "settlement"],
      };
    const unknown: string[] = [];
    const isLiquidityUnread = vault.unread.has("liquidity");
    if (isLiquidityUnread || vault.unread.has("total_assets") || vault.totalAssets === null)
      unknown.push("withdrawable", "utilisation");
    if (vault.unread.has("total_supply")) unknown.push("pending");
    if (isLiquidityUnread || vault.unread.has("nav")) unknown.push("settlement");
    const found = [
      withdrawable(vault, rule),
      utilisation(vault, rule),
      pending(vault, rule),
      settlement(vault),
    ];
    const age = requestAge(vault, rule, nowMs);
    return {
      findings: [...found, age.finding].filter(
        (finding): finding is Finding => finding !== null && !unknown.includes(finding.subject),
      ),
      unknown,
      wakeMs: earliest(age.wakeMs),
    };
  },
});

function withdrawable(
  { liquidity, totalAssets: total, ...vault }: VaultHoldings,
  rule: Rule,
): Finding | null {
  if (!liquidity?.isExitImmediate || liquidity.withdrawable === null || total === null) return null;
  const { withdrawable } = liquidity;
  const isCritical = isLessThan(withdrawable, total, rule.critical_min_withdrawable_fraction);
  if (!isCritical && !isLessThan(withdrawable, total, rule.warning_min_withdrawable_fraction)) return null;
  return {
    subject: "withdrawable",
    severity: isCritical ? "critical" : "warning",
    title: isCritical ? "Hardly anything can be withdrawn" : "Little can be withdrawn",
    message: `${vaultWords(vault)}: ${amountWords(withdrawable, vault.asset)} of ${amountWords(total, vault.asset)} can be withdrawn at once, which is ${percentWords(withdrawable, total)}.`,
    nextStep: "Free assets: take them out of positions that pay at once, or lower their caps.",
    details: { withdrawable_assets: withdrawable.toString(), total_assets: total.toString() },
    conditions: isCritical ? ["low", "very_low"] : ["low"],
  };
}

function utilisation({ liquidity, totalAssets: total, ...vault }: VaultHoldings, rule: Rule): Finding | null {
  const { max_utilisation_fraction: most } = rule;
  if (most === null || !liquidity?.isExitImmediate || liquidity.withdrawable === null || total === null)
    return null;
  const used = total - liquidity.withdrawable;
  if (!isMoreThan(used, total, most)) return null;
  return {
    subject: "utilisation",
    severity: "warning",
    title: "More of the assets is in use than it should be",
    message: `${vaultWords(vault)}: ${amountWords(used, vault.asset)} of ${amountWords(total, vault.asset)} cannot be withdrawn at once, which is ${percentWords(used, total)}.`,
    nextStep: "Free assets, or wait for borrowers to repay; lower caps of what is used most.",
    details: { used_assets: used.toString(), total_assets: total.toString() },
    conditions: ["utilised"],
  };
}

function pending({ pending, totalSupply: supply, ...vault }: VaultHoldings, rule: Rule): Finding | null {
  const { max_pending_fraction: most } = rule;
  if (most === null || pending === null || supply === null) return null;
  if (!isMoreThan(pending.shares, supply, most)) return null;
  const shares = { decimals: vault.shareDecimals, symbol: "shares" };
  return {
    subject: "pending",
    severity: "warning",
    title: "Many wait to leave",
    message: `${vaultWords(vault)}: ${pending.count === 1 ? "1 holder waits" : `${pending.count} holders wait`} to be paid for ${amountWords(pending.shares, shares)}, which is ${percentWords(pending.shares, supply)} of all.`,
    nextStep: "Free the assets that they are owed, and serve the requests.",
    details: {
      pending_shares: pending.shares.toString(),
      total_supply: supply.toString(),
      pending_count: pending.count,
    },
    conditions: ["pending"],
  };
}

function requestAge(
  { pending, ...vault }: VaultHoldings,
  { max_request_age_seconds: most }: Rule,
  nowMs: number,
): { finding: Finding | null; wakeMs: number | null } {
  if (pending === null || pending.count === 0 || pending.sinceMs === null)
    return { finding: null, wakeMs: null };
  // Longer than, so by the millisecond after.
  const dueMs = pending.sinceMs + most * 1000 + 1;
  if (nowMs < dueMs) return { finding: null, wakeMs: dueMs };
  const since = timestampOfMs(pending.sinceMs);
  return {
    wakeMs: null,
    finding: {
      subject: "request_age",
      severity: "warning",
      title: "A request to leave waits for long",
      message: `${vaultWords(vault)}: the oldest request to leave waits since ${readableTime(since)}, for more than ${durationWords(most)}.`,
      nextStep: "Serve the requests, or look at why they are not served.",
      details: { requested_at: since, pending_count: pending.count },
      conditions: ["old"],
    },
  };
}

function settlement({ liquidity, owedAssets: owed, ...vault }: VaultHoldings): Finding | null {
  if (owed === null || liquidity === null || owed <= liquidity.idle) return null;
  return {
    subject: "settlement",
    severity: "critical",
    title: "A settlement cannot be paid",
    message: `${vaultWords(vault)}: the settlement owes ${amountWords(owed, vault.asset)}, and ${amountWords(liquidity.idle, vault.asset)} are idle: ${amountWords(owed - liquidity.idle, vault.asset)} are missing.`,
    nextStep: "Bring the missing assets to the vault before it is settled.",
    details: { owed_assets: owed.toString(), idle_assets: liquidity.idle.toString() },
    conditions: ["unpayable"],
  };
}
