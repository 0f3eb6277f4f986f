// The session key with which the engine acts for a vault: not ready, soon expired, or to be rotated. One alert for all of it, as bad as
// the worst. Expiry comes with time alone, so its moments are computed ahead; after a time in which nothing could be heard it waits for
// reports of another key that were kept meanwhile.
import type { AlertRules } from "../../../config/alert-rules.ts";
import type { AlertSeverity } from "../../../events/alert.ts";
import { countedMs, countsAtMs, MOST_GRACE_MS } from "../../../judgements/listening.ts";
import { readableTime } from "../../../platform/http/time.ts";
import { earliest, type Monitor } from "../state/finding.ts";
import type { SessionKeyState } from "../state/state.ts";
import { errorWords, vaultWords } from "../state/wording.ts";

export const sessionKey: Monitor<SessionKeyState, AlertRules["session_key"]> = {
  category: "session_key",
  judge(key, rule, listening) {
    const nowMs = countedMs(listening, key.reportedMs, MOST_GRACE_MS);
    const expiresMs = Date.parse(key.expiresAt);
    const warnsMs = expiresMs - rule.expires_within_seconds * 1000;
    const wakeMs = earliest(
      ...[warnsMs, expiresMs]
        .filter((moment) => moment > nowMs)
        .map((moment) => countsAtMs(listening, key.reportedMs, moment, MOST_GRACE_MS)),
    );
    const faults: { condition: string; severity: AlertSeverity; title: string; sentence: string }[] = [];
    if (!key.isReady)
      faults.push({
        condition: "not_ready",
        severity: "critical",
        title: "Session key is not ready",
        sentence: `The key is not ready${errorWords(key.reason)}.`,
      });
    if (nowMs >= expiresMs)
      faults.push({
        condition: "expired",
        severity: "critical",
        title: "Session key has expired",
        sentence: `The key expired at ${readableTime(key.expiresAt)}.`,
      });
    else if (nowMs >= warnsMs)
      faults.push({
        condition: "expires_soon",
        severity: "warning",
        title: "Session key expires soon",
        sentence: `The key expires at ${readableTime(key.expiresAt)}.`,
      });
    if (key.isRotationPending)
      faults.push({
        condition: "rotation_pending",
        severity: "info",
        title: "Session key is to be rotated",
        sentence: "A rotation of the key is pending.",
      });
    const [first] = faults;
    if (first === undefined) return { findings: [], wakeMs };
    return {
      findings: [
        {
          subject: "session_key",
          severity: first.severity,
          title: first.title,
          message: `${vaultWords(key)}: session key ${key.keyAddress}. ${faults.map(({ sentence }) => sentence).join(" ")}`,
          nextStep: "Grant or rotate the vault's session key. Until then the engine may not act for it.",
          details: {
            key_address: key.keyAddress,
            is_ready: key.isReady,
            expires_at: key.expiresAt,
            pending_rotation: key.isRotationPending,
            reason: key.reason,
          },
          conditions: faults.map(({ condition }) => condition),
        },
      ],
      wakeMs,
    };
  },
};
