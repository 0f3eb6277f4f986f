// Execution: a strategy whose intents fail or are aborted again and again. It resolves as failures leave the window, so those moments
// are computed ahead. The window is one of time in which one could hear, so that an outage of ours resolves nothing.
import { cleanText } from "../../../chain/text.ts";
import type { AlertRules } from "../../../config/alert-rules.ts";
import { MOST_GRACE_MS, silentAtMs, silentMs } from "../../../judgements/listening.ts";
import { earliest, type Monitor } from "../state/finding.ts";
import type { StrategyFailures } from "../state/state.ts";
import { durationWords, errorWords, vaultWords } from "../state/wording.ts";

export const execution: Monitor<StrategyFailures, AlertRules["execution"]> = {
  category: "execution",
  judge(strategy, rule, listening) {
    const windowMs = rule.window_seconds * 1000;
    // An engine's clock may run ahead a little: what is to come counts as now.
    const recent = strategy.failures.filter(
      ({ atMs }) => silentMs(listening, atMs, MOST_GRACE_MS) < windowMs,
    );
    const wakeMs = earliest(
      ...recent.map(({ atMs }) => silentAtMs(listening, atMs, windowMs, MOST_GRACE_MS)),
    );
    const isCritical = recent.length >= 2 * rule.failures;
    if (recent.length < rule.failures) return { findings: [], wakeMs };
    const name =
      strategy.strategyId === ""
        ? "intents without a strategy"
        : `strategy ${cleanText(strategy.strategyId, 64)}`;
    const errors = [...new Set(recent.flatMap(({ errorCode }) => errorCode ?? []))].slice(0, 5);
    return {
      findings: [
        {
          subject: strategy.strategyId,
          severity: isCritical ? "critical" : "warning",
          title: "Execution fails repeatedly",
          message: `${vaultWords(strategy)}: ${recent.length} intents failed or were aborted within ${durationWords(rule.window_seconds)} (${name})${errorWords(errors.join(", "))}.`,
          nextStep:
            "Look at the failed intents and their errors, and pause the strategy if they keep coming.",
          details: {
            strategy_id: strategy.strategyId === "" ? null : strategy.strategyId,
            failures: recent.length,
            window_seconds: rule.window_seconds,
            error_codes: errors,
            intent_ids: recent.slice(0, 10).map(({ intentId }) => intentId),
          },
          conditions: ["failing"],
        },
      ],
      wakeMs,
    };
  },
};
