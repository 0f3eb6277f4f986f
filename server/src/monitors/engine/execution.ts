// Execution: a strategy whose intents fail or are aborted again and again. It resolves as failures leave the window, so those moments
// are computed ahead. The window is one of time in which one could hear, so that an outage of ours resolves nothing.
import { sql } from "kysely";
import { cleanText } from "../../chain/text.ts";
import { MOST_GRACE_MS, silentAtMs, silentMs, windowFromMs } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import { earliest } from "../base/finding.ts";
import { type Asked, engineSource, monitor, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf, withVault } from "../base/named-vault.ts";
import { count, seconds, thresholds } from "../base/thresholds.ts";
import { durationWords, errorWords, vaultWords } from "../base/wording.ts";

/** Failed and aborted intents of one strategy ('' stands for none), newest first. */
export interface StrategyFailures extends NamedVault {
  strategyId: string;
  failures: readonly { intentId: string; atMs: number; errorCode: string | null }[];
}

export const execution = monitor({
  category: "execution",
  name: "Execution",
  subject: "the strategy",
  fires:
    "**warning**: `failures` intents failed or were aborted within `window_seconds`; **critical**: twice as many. Resolves when fewer remain in the window",
  rule: thresholds("Intents of a strategy that fail again and again.", {
    failures: count(
      "Warning after failed intents",
      3,
      100,
      "Failed or aborted intents of a strategy that are a warning; twice as many are critical.",
    ),
    window_seconds: seconds("within", 900, "Within how long.", 86_400),
  }),
  source: engineSource(loadFailures),
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
});

/** Failures that are kept of one strategy: more than any rule counts. */
const MOST_FAILURES = 200;

async function loadFailures(
  tx: Tx,
  { book, listening }: Asked<{ execution: { window_seconds: number } }>,
): Promise<StrategyFailures[]> {
  const windowMs = book.greatest(({ execution: rule }) => rule.window_seconds) * 1000;
  const fromMs = windowFromMs(listening.untilMs, windowMs + MOST_GRACE_MS, listening.gaps);
  const { rows } = await sql<
    RefRow & { strategy_id: string; intent_ids: string[]; at_ms: number[]; error_codes: (string | null)[] }
  >`
    select ${REF}, i.strategy_id, array_agg(i.intent_id order by i.n) as intent_ids,
      array_agg((extract(epoch from i.terminal_at) * 1000)::float8 order by i.n) as at_ms,
      array_agg(i.error_code order by i.n) as error_codes
    from (
      select chain_id, vault_address, intent_id, terminal_at, error_code, coalesce(strategy_id, '') as strategy_id,
        row_number() over (partition by chain_id, vault_address, strategy_id order by terminal_at desc, intent_id) as n
      from intents where state in ('FAILED', 'ABORTED') and terminal_at > ${Number.isFinite(fromMs) ? timestampOfMs(fromMs) : "-infinity"}
    ) i ${withVault("i")}
    where i.n <= ${MOST_FAILURES}
    group by 1, 2, 3, 4, 5, 6`.execute(tx);
  return rows.map((row) => ({
    ...refOf(row),
    strategyId: row.strategy_id,
    failures: row.intent_ids.map((intentId, index) => ({
      intentId,
      atMs: row.at_ms[index]!,
      errorCode: row.error_codes[index] ?? null,
    })),
  }));
}
