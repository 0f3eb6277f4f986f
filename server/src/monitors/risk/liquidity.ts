// Whether those who leave can be paid: what can be withdrawn at once of a vault whose exit is immediate, and what a settlement owes. By
// the newest confirmed reading.

import { isLessThan, percentWords } from "../../judgements/fractions.ts";
import type { Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { share, thresholds } from "../base/thresholds.ts";
import { amountWords, vaultWords } from "../base/wording.ts";
import { vaultReadings } from "./vault-readings.ts";

const rule = thresholds("Exits that could not be paid.", {
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
});

export const liquidity = monitor({
  category: "liquidity",
  name: "Liquidity",
  subject: "`withdrawable`, `settlement`",
  fires:
    "where exit is immediate, less than `warning_min_withdrawable_fraction` (**warning**) or `critical_min_withdrawable_fraction` (**critical**) of the total assets can be withdrawn; a settlement owes more than the vault holds idle (**critical**)",
  rule,
  contradictions: (rule) =>
    rule.critical_min_withdrawable_fraction > rule.warning_min_withdrawable_fraction
      ? [["critical_min_withdrawable_fraction", "must not be greater than warning_min_withdrawable_fraction"]]
      : [],
  source: vaultReadings,
  judge(vault, rule) {
    if (!vault.isKnown) return { findings: [], unknown: ["withdrawable", "settlement"] };
    const { totalAssets: total, liquidity, owedAssets: owed, asset } = vault;
    const findings: Finding[] = [];
    const unknown: string[] = [];
    if (vault.isLiquidityUnread || total === null) unknown.push("withdrawable");
    else if (liquidity?.isExitImmediate && liquidity.withdrawable !== null) {
      const { withdrawable } = liquidity;
      const isBelow = (fraction: number) => isLessThan(withdrawable, total, fraction);
      const isCritical = isBelow(rule.critical_min_withdrawable_fraction);
      if (isCritical || isBelow(rule.warning_min_withdrawable_fraction))
        findings.push({
          subject: "withdrawable",
          severity: isCritical ? "critical" : "warning",
          title: isCritical ? "Hardly anything can be withdrawn" : "Little can be withdrawn",
          message: `${vaultWords(vault)}: ${amountWords(withdrawable, asset)} of ${amountWords(total, asset)} can be withdrawn at once, which is ${percentWords(withdrawable, total)}.`,
          nextStep: "Free assets: take them out of positions that pay at once, or lower their caps.",
          details: { withdrawable_assets: withdrawable.toString(), total_assets: total.toString() },
          conditions: isCritical ? ["low", "very_low"] : ["low"],
        });
    }
    if (vault.isNavUnread || vault.isLiquidityUnread) unknown.push("settlement");
    else if (owed !== null && liquidity !== null && owed > liquidity.idle)
      findings.push({
        subject: "settlement",
        severity: "critical",
        title: "A settlement cannot be paid",
        message: `${vaultWords(vault)}: the settlement owes ${amountWords(owed, asset)}, and ${amountWords(liquidity.idle, asset)} are idle: ${amountWords(owed - liquidity.idle, asset)} are missing.`,
        nextStep: "Bring the missing assets to the vault before it is settled.",
        details: { owed_assets: owed.toString(), idle_assets: liquidity.idle.toString() },
        conditions: ["unpayable"],
      });
    return { findings, unknown };
  },
});
