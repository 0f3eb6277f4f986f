// Emergency pause: told as soon as the head shows it, marked unconfirmed until its block is confirmed. Unpausing resolves it.
import { readableTime } from "../../platform/http/time.ts";
import { NOTHING } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { thresholds } from "../base/thresholds.ts";
import { vaultWords } from "../base/wording.ts";
import { chainVaults } from "./chain-vaults.ts";

const SUBJECT = "vault";

export const emergencyPause = monitor({
  category: "emergency_pause",
  name: "Emergency pause",
  subject: "`vault`",
  fires: "**critical**: paused. Unpausing resolves it",
  rule: thresholds("A vault that is paused.", {}),
  source: chainVaults,
  judge(vault) {
    if (!vault.isKnown || vault.pause === "unknown") return { findings: [], unknown: [SUBJECT] };
    if (vault.pause === null) return NOTHING;
    const { since, by, txHash, block, isUnconfirmed } = vault.pause;
    const when = since === null ? "is paused" : `has been paused since ${readableTime(since)}`;
    return {
      findings: [
        {
          subject: SUBJECT,
          severity: "critical",
          title: "Vault paused",
          message: `${vaultWords(vault)} ${when}${by === null ? "" : `, by ${by}`}. Prices, deposits and redemptions are stopped.`,
          nextStep: "Find out why it was paused before unpausing it.",
          details: { since, by },
          conditions: ["paused"],
          isUnconfirmed,
          block,
          txHash,
        },
      ],
    };
  },
});
