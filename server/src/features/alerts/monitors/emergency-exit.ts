// Emergency liquidity exit: armed until it is stopped. It leaves no trace onchain; the engine reports it, and no reorganisation undoes that.
import type { AlertRules } from "../../../config/alert-rules.ts";
import { readableTime } from "../../../platform/http/time.ts";
import type { Monitor } from "../state/finding.ts";
import type { ExitState } from "../state/state.ts";
import { vaultWords } from "../state/wording.ts";

export const emergencyExit: Monitor<ExitState, AlertRules["emergency_exit"]> = {
  category: "emergency_exit",
  judge(exit) {
    const { since, by } = exit;
    const when = since === null ? "" : ` since ${readableTime(since)}`;
    return {
      findings: [
        {
          subject: "exit",
          severity: "critical",
          title: "Emergency liquidity exit armed",
          message: `${vaultWords(exit)}: an emergency liquidity exit has been armed${when}${by === null ? "" : `, by ${by}`}.`,
          nextStep:
            "Make sure that it is intended. Follow the unwinding of its positions, and stop the exit when it is done.",
          details: { since, by },
          conditions: ["armed"],
        },
      ],
    };
  },
};
