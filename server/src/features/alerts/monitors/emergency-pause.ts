// Emergency pause: told as soon as the head shows it, marked unconfirmed until its block is confirmed. Unpausing resolves it.
import type { AlertRules } from "../../../config/alert-rules.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { type Monitor, NOTHING } from "../state/finding.ts";
import type { ChainVault } from "../state/state.ts";
import { vaultWords } from "../state/wording.ts";

const SUBJECT = "vault";

export const emergencyPause: Monitor<ChainVault, AlertRules["emergency_pause"]> = {
  category: "emergency_pause",
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
          message: `${vaultWords(vault)} ${when}${by === null ? "" : `, by ${by}`}. Prices, deposits and redemptions stand still.`,
          nextStep: "Find out why it was paused before anybody unpauses it.",
          details: { since, by },
          conditions: ["paused"],
          isUnconfirmed,
          block,
          txHash,
        },
      ],
    };
  },
};
