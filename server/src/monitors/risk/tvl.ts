// Total assets that moved though nobody came or went. What flows bring and take is taken off by the shares that they make and destroy:
// assets are compared with what the shares of now would have stood for then. By confirmed readings.
import type { Static } from "typebox";
import { isMoreThan, percentWords } from "../../judgements/fractions.ts";
import type { Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { seconds, share, thresholds } from "../base/thresholds.ts";
import { amountWords, durationWords, vaultWords } from "../base/wording.ts";
import { type Holding, type VaultPrices, vaultPrices } from "./vault-prices.ts";

const rule = thresholds("Total assets that moved, deposits and withdrawals taken off.", {
  window_seconds: seconds(
    "Within",
    3600,
    "How long back the total assets are compared with the most and the least that they were.",
    604_800,
    10,
  ),
  change_fraction: share(
    "Warning after a change of more than",
    0.15,
    "Change of the total assets, deposits and withdrawals taken off, at which it is a warning.",
  ),
});
type Rule = Static<typeof rule>;

/** Rounding moves assets by a unit with every flow. */
const LEAST_UNITS = 2n;

export const tvl = monitor({
  category: "tvl",
  name: "Total assets",
  subject: "`loss`, `gain`",
  fires:
    "**warning**: within `window_seconds` the total assets moved by more than `change_fraction` of what they would be by the shares that there are, so without what deposits and withdrawals brought and took; never by less than two raw units. Resolves when nothing within the window is so far from the newest",
  rule,
  source: vaultPrices,
  judge(vault, rule) {
    if (!vault.isKnown) return { findings: [], unknown: ["loss", "gain"] };
    const extremes = vault.holdings[rule.window_seconds];
    if (vault.holding === null || extremes === undefined) return { findings: [] };
    const { high, low } = extremes;
    const change = (before: Holding) => movedBy(before, vault.holding as Holding, rule.change_fraction);
    const findings: Finding[] = [];
    if (change(high) === "down") findings.push(findingOf(vault, rule, "loss", high));
    if (change(low) === "up") findings.push(findingOf(vault, rule, "gain", low));
    return { findings };
  },
});

/** Compared at the same number of shares, by products, so that nothing is divided. */
function movedBy(before: Holding, now: Holding, fraction: number): "down" | "up" | null {
  const expected = before.assets * now.shares;
  const change = now.assets * before.shares - expected;
  const size = change < 0n ? -change : change;
  if (size < LEAST_UNITS * before.shares || !isMoreThan(size, expected, fraction)) return null;
  return change < 0n ? "down" : "up";
}

function findingOf(vault: VaultPrices, rule: Rule, subject: "loss" | "gain", before: Holding): Finding {
  const { assets, shares } = vault.holding as Holding;
  const expected = (before.assets * shares) / before.shares;
  const change = expected > assets ? expected - assets : assets - expected;
  return {
    subject,
    severity: "warning",
    title:
      subject === "loss" ? "Total assets fell without withdrawals" : "Total assets rose without deposits",
    message: `${vaultWords(vault)}: its total assets ${subject === "loss" ? "fell" : "rose"} by ${percentWords(change, expected)} within ${durationWords(rule.window_seconds)}, deposits and withdrawals taken off: they are ${amountWords(assets, vault.asset)}, and would have been ${amountWords(expected, vault.asset)}.`,
    nextStep:
      subject === "loss"
        ? "Look for the position that lost, and for a wrong price of what the vault holds."
        : "Make sure that it was earned, and look for a wrong price of what the vault holds.",
    details: {
      total_assets: assets.toString(),
      expected_assets: expected.toString(),
      window_seconds: rule.window_seconds,
    },
    conditions: [subject],
    block: vault.price?.block ?? null,
  };
}
