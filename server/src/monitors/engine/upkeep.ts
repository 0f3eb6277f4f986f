// Upkeep: whether the next update of the price is paid for. Judged at the head, marked unconfirmed until a confirmed reading says the same.
import { shortfallOf } from "../../judgements/upkeep.ts";
import { type Finding, NOTHING } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { amount, thresholds } from "../base/thresholds.ts";
import { amountWords, vaultWords } from "../base/wording.ts";
import { chainVaults, type UpkeepReading } from "./chain-vaults.ts";

const SUBJECT = "upkeep";

export const upkeep = monitor({
  category: "upkeep",
  name: "Upkeep",
  subject: "`upkeep`",
  fires:
    "**critical**: the balance does not pay for the next price update. **warning**: it is below the vault's `reserve`",
  rule: thresholds("Upkeep short of what the next update of the price costs, or of a reserve.", {
    reserve: amount(
      "Reserve above what an update costs",
      "0",
      "Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.",
    ),
  }),
  source: chainVaults,
  judge(vault, rule) {
    if (!vault.isKnown || vault.upkeep === "unknown") return { findings: [], unknown: [SUBJECT] };
    if (vault.upkeep === null) return NOTHING;
    const { readings, ...unit } = vault.upkeep;
    const newest = readings.at(-1);
    if (newest === undefined) return NOTHING;
    const { balance, required } = newest;
    const missingOf = (reading: UpkeepReading) =>
      shortfallOf(reading.balance, reading.required + BigInt(rule.reserve)) ?? 0n;
    const shortfall = shortfallOf(balance, required) ?? 0n;
    const missing = missingOf(newest);
    if (missing === 0n) return NOTHING;
    // It stands on the first reading of those that have shown it ever since.
    const since = readings[readings.findLastIndex((reading) => missingOf(reading) === 0n) + 1] ?? newest;
    const inWords = (raw: bigint) => amountWords(raw, unit);
    const has = `${vaultWords(vault)} has ${inWords(balance)} of upkeep`;
    const says: Pick<Finding, "severity" | "title" | "message" | "conditions"> =
      shortfall > 0n
        ? {
            severity: "critical",
            title: "Upkeep does not pay for the next price update",
            message: `${has}, ${inWords(shortfall)} less than an update of its price costs. Updates are refused until it is topped up.`,
            conditions: ["below_reserve", "activation_lost"],
          }
        : {
            severity: "warning",
            title: "Upkeep is running low",
            message: `${has}: enough for an update of its price, but ${inWords(missing)} below the configured reserve.`,
            conditions: ["below_reserve"],
          };
    const finding: Finding = {
      subject: SUBJECT,
      ...says,
      nextStep: "Deposit upkeep for the vault's strategy at its aggregator.",
      details: {
        balance: balance.toString(),
        required_balance: required.toString(),
        shortfall: shortfall.toString(),
        reserve: rule.reserve,
      },
      isUnconfirmed: since.block !== null,
      block: since.block,
    };
    return { findings: [finding] };
  },
});
