// The session key with which the engine acts for a vault: not ready, soon expired, or to be rotated. One alert for all of it, as bad as
// the worst. Expiry comes with time alone, so its moments are computed ahead; after a time in which nothing could be heard it waits for
// reports of another key that were kept meanwhile.
import { sql } from "kysely";
import type { Address } from "viem";
import { countedMs, countsAtMs, MOST_GRACE_MS } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { type AlertSeverity, earliest } from "../base/finding.ts";
import { type Asked, engineSource, HORIZON_MS, monitor, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf, withVault } from "../base/named-vault.ts";
import { seconds, thresholds } from "../base/thresholds.ts";
import { errorWords, vaultWords } from "../base/wording.ts";

export interface SessionKeyState extends NamedVault {
  isReady: boolean;
  keyAddress: Address;
  expiresAt: string;
  isRotationPending: boolean;
  reason: string | null;
  reportedMs: number;
}

export const sessionKey = monitor({
  category: "session_key",
  name: "Session key",
  subject: "`session_key`",
  fires:
    "**critical**: not ready, or expired. **warning**: expires within `expires_within_seconds`. **info**: to be rotated",
  rule: thresholds("A session key that is not ready, expires soon, or is to be rotated.", {
    expires_within_seconds: seconds(
      "Warning when the key has this much time left",
      86_400,
      "Remaining lifetime of the key at which it is a warning.",
    ),
  }),
  source: engineSource(loadSessionKeys),
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
});

async function loadSessionKeys(
  tx: Tx,
  { book, nowMs }: Asked<{ session_key: { expires_within_seconds: number } }>,
): Promise<SessionKeyState[]> {
  const within = book.greatest(({ session_key: rule }) => rule.expires_within_seconds) * 1000;
  const { rows } = await sql<
    RefRow & {
      is_ready: boolean;
      key_address: Address;
      expires_at: string;
      pending_rotation: boolean;
      reason: string | null;
      reported_ms: number;
    }
  >`
    select ${REF}, k.is_ready, k.key_address, k.expires_at, k.pending_rotation, k.reason,
      (extract(epoch from k.reported_at) * 1000)::float8 as reported_ms
    from session_keys k ${withVault("k")}
    where not k.is_ready or k.pending_rotation or k.expires_at <= ${timestampOfMs(nowMs + within + HORIZON_MS)}`.execute(
    tx,
  );
  return rows.map((row) => ({
    ...refOf(row),
    isReady: row.is_ready,
    keyAddress: row.key_address,
    expiresAt: row.expires_at,
    isRotationPending: row.pending_rotation,
    reason: row.reason,
    reportedMs: row.reported_ms,
  }));
}
