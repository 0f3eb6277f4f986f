// Staleness of the price per share: how long the stored price may still be used. Time alone makes it worse, so the moments at which
// it does are computed ahead.
//
// Judged by the clock, as the contract does, but only while the chain is heard: what was updated meanwhile is in its blocks. Judged by
// confirmed readings. While a newer price stands at the head, nothing is opened and nothing made worse; an open alert stays
// until that price is confirmed.
import type { Static } from "typebox";
import { isHearing } from "../../judgements/listening.ts";
import {
  expiresAtOf,
  type StalenessReason,
  type StalenessRule,
  stalenessAt,
  wouldExpireAtOf,
} from "../../judgements/staleness.ts";
import { readableTime, timestampOrNull } from "../../platform/http/time.ts";
import { earliest, type Finding, NOTHING } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { seconds, share, thresholds } from "../base/thresholds.ts";
import { vaultWords } from "../base/wording.ts";
import { type ChainVault, chainVaults } from "./chain-vaults.ts";

const SUBJECT = "pps";
const LEVELS = ["expires_soon", "expires_very_soon", "stale"] as const;

const rule = thresholds("A price per share that expires soon, or has.", {
  warning_seconds: seconds(
    "Warning when this much time is left",
    3600,
    "Remaining time of the price at which it is a warning.",
  ),
  warning_fraction: share(
    "or this part of its lifetime, if that is less",
    0.25,
    "Remaining part of the price's lifetime at which it is a warning, if that is less time.",
  ),
  critical_seconds: seconds(
    "Critical when this much time is left",
    600,
    "Remaining time of the price at which it is critical.",
  ),
  critical_fraction: share(
    "or this part of its lifetime, if that is less",
    0.1,
    "Remaining part of the price's lifetime at which it is critical, if that is less time.",
  ),
});

type Rule = Static<typeof rule>;

export const ppsStaleness = monitor({
  category: "pps_staleness",
  name: "Price staleness",
  subject: "`pps`",
  fires:
    "**warning**: the price expires within `warning_seconds`, or within `warning_fraction` of its life if that is less. **critical**: the same with `critical_…`, and when it has expired or the contract flags it as stale",
  rule,
  contradictions({ warning_seconds, critical_seconds, warning_fraction, critical_fraction }) {
    const found: [string, string][] = [];
    if (critical_seconds > warning_seconds)
      found.push(["critical_seconds", "must not be greater than warning_seconds"]);
    if (critical_fraction > warning_fraction)
      found.push(["critical_fraction", "must not be greater than warning_fraction"]);
    return found;
  },
  source: chainVaults,
  judge(vault, rule, listening) {
    const { nowMs } = listening;
    if (!vault.isKnown || vault.staleness === null || !isHearing(listening))
      return { findings: [], unknown: [SUBJECT] };
    const { confirmed, head } = vault.staleness;
    const level = levelAt(confirmed, rule, nowMs, vault.headSeconds);
    const wakeMs = nextChangeMs(confirmed, rule, nowMs);
    if (level === 0) return { ...NOTHING, wakeMs };
    const opens = levelAt(head, rule, nowMs, vault.headSeconds) >= level;
    return {
      findings: [{ ...findingOf(vault, confirmed, level), opens }],
      wakeMs: earliest(wakeMs, nextChangeMs(head, rule, nowMs)),
    };
  },
  events({ details }, _added, nowMs) {
    const { last_update, pps_expires_at, pps_would_expire_at, staleness_reason } =
      details as unknown as StalenessDetails;
    const isStale = staleness_reason !== null;
    const remaining =
      isStale || pps_expires_at === null
        ? 0
        : Math.max(0, Math.floor((Date.parse(pps_expires_at) - nowMs) / 1000));
    return [
      {
        type: "pps.stale" as const,
        data: {
          remaining_seconds: remaining,
          last_update,
          is_stale: isStale,
          staleness_reason,
          pps_expires_at,
          pps_would_expire_at,
        },
      },
    ];
  },
});

interface StalenessDetails {
  last_update: string | null;
  expires_at: string | null;
  expiration_seconds: number | null;
  is_flagged: boolean;
  staleness_reason: StalenessReason | null;
  pps_expires_at: string | null;
  pps_would_expire_at: string | null;
}

/** 0: fresh; else how many of LEVELS have been reached. */
function levelAt(rule: StalenessRule, limits: Rule, nowMs: number, headSeconds: number | null): number {
  const { remainingSeconds, isStale } = stalenessAt(rule, nowMs, headSeconds);
  if (isStale) return 3;
  if (remainingSeconds === null) return 0;
  const { warning, critical } = remainders(rule, limits);
  if (remainingSeconds <= critical) return 2;
  return remainingSeconds <= warning ? 1 : 0;
}

/** Remaining seconds at which each level begins. */
function remainders({ expirationSeconds }: StalenessRule, limits: Rule) {
  const life = expirationSeconds ?? 0;
  return {
    warning: Math.min(limits.warning_seconds, life * limits.warning_fraction),
    critical: Math.min(limits.critical_seconds, life * limits.critical_fraction),
  };
}

function nextChangeMs(rule: StalenessRule, limits: Rule, nowMs: number): number | null {
  const expiry = wouldExpireAtOf(rule);
  if (expiry === null) return null;
  const { warning, critical } = remainders(rule, limits);
  // Remaining time is told in whole seconds, so a part of a second counts from the next whole one on. Stale is it the second after.
  const moments = [warning, critical, -1].map((seconds) => (expiry - Math.floor(seconds)) * 1000);
  return earliest(...moments.filter((moment) => moment > nowMs));
}

function findingOf(vault: ChainVault, rule: StalenessRule, level: number): Finding {
  const isFlagged = rule.isFlagged === true;
  const staleReason = isFlagged ? "flagged" : rule.lastUpdate === null ? "never_updated" : "expired";
  const details: StalenessDetails = {
    last_update: timestampOrNull(rule.lastUpdate),
    expires_at: timestampOrNull(wouldExpireAtOf(rule)),
    expiration_seconds: rule.expirationSeconds,
    is_flagged: isFlagged,
    staleness_reason: level === 3 ? staleReason : null,
    pps_expires_at: timestampOrNull(expiresAtOf(rule)),
    pps_would_expire_at: timestampOrNull(wouldExpireAtOf(rule)),
  };
  const updated =
    details.last_update === null
      ? "was never updated"
      : `was last updated at ${readableTime(details.last_update)}`;
  const expires =
    details.expires_at === null
      ? ""
      : `${level === 3 ? "expired" : "expires"} at ${readableTime(details.expires_at)}`;
  const flagged = details.is_flagged ? "is flagged as stale by the contract" : "";
  const words = [updated, level === 3 && details.is_flagged ? flagged : expires]
    .filter(Boolean)
    .join(" and ");
  return {
    subject: SUBJECT,
    severity: level === 1 ? "warning" : "critical",
    title: [
      "",
      "Price per share goes stale soon",
      "Price per share is about to go stale",
      "Price per share is stale",
    ][level] as string,
    message: `${vaultWords(vault)}: its price per share ${words}.`,
    nextStep:
      "Look after the price oracle and its keepers. A stale price is refused by the vault until it is updated.",
    details: { ...details },
    conditions: LEVELS.slice(0, level),
  };
}
