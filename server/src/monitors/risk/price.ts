// The price of a share against the extreme that it had within a window: a fall, and a jump that is hardly earned. By confirmed prices.
import type { Static } from "typebox";
import { isMoreThan, percentWords } from "../../judgements/fractions.ts";
import type { Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { seconds, share, thresholds } from "../base/thresholds.ts";
import { amountWords, durationWords, vaultWords } from "../base/wording.ts";
import { type VaultPrices, vaultPrices } from "./vault-prices.ts";

const rule = thresholds("A price per share that fell, or jumped.", {
  window_seconds: seconds(
    "Within",
    86_400,
    "How long back the price is compared with the highest and the lowest that it was.",
    604_800,
    10,
  ),
  warning_drop_fraction: share("Warning after a fall of more than", 0.0005, "Fall at which it is a warning."),
  critical_drop_fraction: share("Critical after a fall of more than", 0.005, "Fall at which it is critical."),
  jump_fraction: share("Warning after a rise of more than", 0.02, "Rise at which it is a warning."),
});
type Rule = Static<typeof rule>;

/** Rounding moves a price by one unit. */
const LEAST_UNITS = 2n;

export const price = monitor({
  category: "price",
  name: "Price",
  subject: "`drop`, `jump`",
  fires:
    "within `window_seconds` the price fell from its highest by more than `warning_drop_fraction` (**warning**) or `critical_drop_fraction` (**critical**), or rose from its lowest by more than `jump_fraction` (**warning**); never by less than two raw units. Resolves when no price within the window is so far from the newest",
  rule,
  contradictions: ({ warning_drop_fraction, critical_drop_fraction }) =>
    critical_drop_fraction < warning_drop_fraction
      ? [["critical_drop_fraction", "must not be less than warning_drop_fraction"]]
      : [],
  source: vaultPrices,
  judge(vault, rule) {
    if (!vault.isKnown) return { findings: [], unknown: ["drop", "jump"] };
    const extremes = vault.prices[rule.window_seconds];
    if (vault.price === null || extremes === undefined) return { findings: [] };
    const { pps } = vault.price;
    const { high, low } = extremes;
    const findings: Finding[] = [];
    const isFall = (fraction: number) => high - pps >= LEAST_UNITS && isMoreThan(high - pps, high, fraction);
    const severity = isFall(rule.critical_drop_fraction)
      ? "critical"
      : isFall(rule.warning_drop_fraction)
        ? "warning"
        : null;
    if (severity !== null) findings.push(findingOf(vault, rule, "drop", severity, high));
    if (pps - low >= LEAST_UNITS && isMoreThan(pps - low, low, rule.jump_fraction))
      findings.push(findingOf(vault, rule, "jump", "warning", low));
    return { findings };
  },
});

function findingOf(
  vault: VaultPrices,
  { window_seconds: window }: Rule,
  subject: "drop" | "jump",
  severity: "warning" | "critical",
  from: bigint,
): Finding {
  const { pps, block } = vault.price as NonNullable<VaultPrices["price"]>;
  const change = from > pps ? from - pps : pps - from;
  const words = subject === "drop" ? "fell" : "rose";
  return {
    subject,
    severity,
    title: subject === "drop" ? "Price per share fell" : "Price per share jumped",
    message: `${vaultWords(vault)}: its price per share ${words} by ${percentWords(change, from)} within ${durationWords(window)}, from ${amountWords(from, vault.asset)} to ${amountWords(pps, vault.asset)}.`,
    nextStep:
      subject === "drop"
        ? "Look for a realised loss, a wrong price of an asset or a manipulated oracle. Pause the vault if depositors would leave at a wrong price."
        : "Make sure that it was earned. A price that is too high pays those who leave at the cost of those who stay.",
    details: {
      pps: pps.toString(),
      [subject === "drop" ? "highest_pps" : "lowest_pps"]: from.toString(),
      window_seconds: window,
    },
    conditions: severity === "critical" ? [subject, `${subject}_critical`] : [subject],
    block,
  };
}
