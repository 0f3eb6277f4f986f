// The service itself: its own outages, chains that halt, lag or reorganise deeply, an audit log that does not verify, deliveries that were given up, and
// channels bound by somebody who has left. What concerns no vault goes to the operator's own channels.
import type { Address } from "viem";
import { cleanText } from "../../../chain/text.ts";
import type { Gap, Listening } from "../../../judgements/listening.ts";
import { earliest, type Finding } from "../../../monitors/base/finding.ts";
import type { NamedVault } from "../../../monitors/base/monitor.ts";
import { durationWords, errorWords, vaultWords } from "../../../monitors/base/wording.ts";
import { readableTime, timestampOfMs } from "../../../platform/http/time.ts";

export interface ChainHealth {
  chainId: number;
  name: string;
  isHalted: boolean;
  headNumber: number | null;
  headAt: string | null;
  /** How far the head may lie behind the clock. */
  maxLagSeconds: number;
}

/**
 * A halted chain is not also called late: the one says why. `wakeMs`: when it will be late. After an outage of ours that ended at
 * `backSinceMs` it has as long to come up as it may lag.
 */
export function chainFindings(
  chain: ChainHealth,
  nowMs: number,
  backSinceMs = Number.NEGATIVE_INFINITY,
): { findings: Finding[]; wakeMs: number | null } {
  if (chain.headAt === null) return { findings: [], wakeMs: null };
  const details = {
    chain_id: chain.chainId,
    head_block: chain.headNumber,
    head_timestamp: chain.headAt,
    max_lag_seconds: chain.maxLagSeconds,
  };
  const newest = `its newest block known, ${chain.headNumber}, is of ${readableTime(chain.headAt)}`;
  if (chain.isHalted) {
    const finding: Finding = {
      subject: `halted:${chain.chainId}`,
      severity: "critical",
      title: `Chain ${chain.name} makes no new blocks`,
      message: `${chain.name}: the node answers, but the chain makes no new blocks; ${newest}.`,
      nextStep: "Compare with another node of the chain. Vaults' state is not newer than that block.",
      details,
      conditions: ["halted"],
    };
    return { findings: [finding], wakeMs: null };
  }
  const lateMs = Math.max(Date.parse(chain.headAt), backSinceMs) + chain.maxLagSeconds * 1000;
  if (nowMs <= lateMs) return { findings: [], wakeMs: lateMs + 1 };
  const finding: Finding = {
    subject: `lagging:${chain.chainId}`,
    severity: "critical",
    title: `Indexer of ${chain.name} lags behind`,
    message: `${chain.name}: ${newest}, more than ${durationWords(chain.maxLagSeconds)} ago.`,
    nextStep:
      "Look at the indexer's log and at the chain's node. Vaults' state is not newer than that block.",
    details,
    conditions: ["lagging"],
  };
  return { findings: [finding], wakeMs: null };
}

/** Outages of ours that are shorter, as a restart is, are not told of. */
const OUTAGE_TOLD_MS = 60_000;
/** An outage that is over stays told of for this long. */
const OUTAGE_SHOWN_MS = 3_600_000;

const NOT_COUNTED =
  "Checks that go by time, such as for a service that stops reporting, leave out the time in which no reports could be received.";

/** When this service could take no reports in itself. */
export function outageFindings({ nowMs, untilMs, gaps }: Listening): {
  findings: Finding[];
  wakeMs: number | null;
} {
  const shown = gaps.filter(
    ({ fromMs, toMs }) =>
      Number.isFinite(fromMs) && toMs - fromMs >= OUTAGE_TOLD_MS && nowMs < toMs + OUTAGE_SHOWN_MS,
  );
  const findings = shown.map(pastOutage);
  const isOut = Number.isFinite(untilMs) && nowMs - untilMs >= OUTAGE_TOLD_MS;
  if (isOut) findings.push(outageNow(untilMs));
  return { findings, wakeMs: earliest(...shown.map(({ toMs }) => Math.ceil(toMs) + OUTAGE_SHOWN_MS)) };
}

function outageNow(fromMs: number): Finding {
  const from = timestampOfMs(fromMs);
  return {
    subject: "outage",
    severity: "critical",
    title: "VaultOps receives no reports",
    message: `Since ${readableTime(from)} no process of the service could take reports in. ${NOT_COUNTED}`,
    nextStep: "Look at the processes that serve the API, at their log and at the database.",
    details: { began_at: from },
    conditions: ["outage"],
  };
}

function pastOutage({ fromMs, toMs }: Gap): Finding {
  const [from, to] = [timestampOfMs(fromMs), timestampOfMs(toMs)];
  const seconds = Math.round((toMs - fromMs) / 1000);
  return {
    subject: `outage:${from}`,
    severity: "warning",
    title: "VaultOps was away",
    message: `From ${readableTime(from)} to ${readableTime(to)}, for ${durationWords(seconds)}, the service could take no reports in. ${NOT_COUNTED}`,
    nextStep: "Nothing, if it was intended. Otherwise look at the service's log of that time.",
    details: { began_at: from, ended_at: to, seconds },
    conditions: ["outage"],
  };
}

export interface DeepReorganisation {
  chainId: number;
  name: string;
  ancestorNumber: number;
  revertedCount: number;
  happenedAt: string;
  happenedMs: number;
}

/** A deep reorganisation is an event, not a state: its alert stays open this long after the last one. */
export const REORGANISATION_SHOWN_MS = 3_600_000;

export function reorganisationFinding(reorg: DeepReorganisation): Finding {
  return {
    subject: `deep_reorg:${reorg.chainId}`,
    severity: "critical",
    title: `Deep reorganisation of ${reorg.name}`,
    message: `${reorg.name}: at ${readableTime(reorg.happenedAt)} a reorganisation went back to block ${reorg.ancestorNumber}, below confirmed ones. ${reorg.revertedCount} audit entries are marked as reverted.`,
    nextStep:
      "Check what was done on the strength of the undone blocks, and consider more confirmations for the chain.",
    details: {
      chain_id: reorg.chainId,
      ancestor_block: reorg.ancestorNumber,
      reverted_entries: reorg.revertedCount,
      happened_at: reorg.happenedAt,
    },
    conditions: ["deep_reorganisation"],
  };
}

/** What a part of the service has found out about itself. */
export interface SystemFinding {
  subject: string;
  message: string;
  details: Record<string, unknown>;
}

export const AUDIT_SUBJECT = "audit_verification";

export const SIGNING_SUBJECT = "audit_signing";

/** Before each stands the kind, behind it the witness. */
export const FORK_SUBJECT = "audit_fork";
export const WITNESS_SUBJECT = "audit_witness";

/** What stands between the audit log and a witness: that may mean two stories of one log, or that nobody vouches for it. */
function witnessFinding({ subject, message, details }: SystemFinding): Finding {
  const isFork = subject.startsWith(`${FORK_SUBJECT}:`);
  return {
    subject,
    severity: isFork ? "critical" : "warning",
    title: isFork ? "A witness holds another audit log" : "The audit log is not vouched for",
    message,
    nextStep: isFork
      ? "Compare what the witness hands out with the newest checkpoint here, and keep the database as it is."
      : "Look at the witness with whoever runs it: its address, and whether it knows the log and its keys.",
    details,
    conditions: [isFork ? "fork" : "not_witnessed"],
  };
}

/** Before each stands the kind, behind it the stream. */
export const STREAM_SUBJECT = "audit_stream";
export const OMITTED_SUBJECT = "audit_stream_omitted";

/** What stands between the audit log and a receiver of it. */
function streamFinding({ subject, message, details }: SystemFinding): Finding {
  const isOmitted = subject.startsWith(`${OMITTED_SUBJECT}:`);
  return {
    subject,
    severity: "warning",
    title: isOmitted
      ? "An audit entry is too large for its receiver"
      : "A stream of the audit log does not go on",
    message,
    nextStep: isOmitted
      ? "Let the receiver take larger requests, and read the entry by GET /api/v1/audit/logs."
      : "Look at the receiver and at its token; nothing is lost meanwhile. One that has stopped goes on at the next start, or with another token.",
    details,
    conditions: [isOmitted ? "omitted" : "not_streamed"],
  };
}

export const CHECKPOINT_FILE_SUBJECT = "audit_checkpoint_file";

function fileFinding({ subject, message, details }: SystemFinding): Finding {
  return {
    subject,
    severity: "warning",
    title: "The file of audit checkpoints is not as it was left",
    message,
    nextStep:
      "Find out who changed the file, or why it cannot be written. The newest checkpoint is appended to it again; bring the others back from a copy.",
    details,
    conditions: ["not_kept"],
  };
}

/** The finding of what was noted, by the kind before the colon. */
export function notedFinding(noted: SystemFinding): Finding {
  if (noted.subject === CHECKPOINT_FILE_SUBJECT) return fileFinding(noted);
  const [kind, of] = noted.subject.split(":");
  if (of === undefined) return auditFinding(noted);
  return kind === STREAM_SUBJECT || kind === OMITTED_SUBJECT ? streamFinding(noted) : witnessFinding(noted);
}

function auditFinding({ subject, message, details }: SystemFinding): Finding {
  return {
    subject,
    severity: "critical",
    title:
      subject === SIGNING_SUBJECT ? "The audit log is no longer signed" : "The audit log does not verify",
    message,
    nextStep:
      "Run `vaultops audit verify`, keep the database as it is, and compare with the checkpoints kept outside.",
    details,
    conditions: ["failed"],
  };
}

export interface DeadTarget {
  queue: "channel" | "webhook";
  targetId: string;
  targetName: string | null;
  /** null: deliveries that concern no vault. */
  vault: NamedVault | null;
  deliveriesCount: number;
  lastAt: string;
  lastError: string | null;
}

/** Deliveries given up are told of for this long after the last one, unless the target takes something again. */
export const DEAD_SHOWN_MS = 86_400_000;

export function deadFinding(target: DeadTarget): Finding {
  const what = target.queue === "channel" ? "notification channel" : "webhook endpoint";
  const name = cleanText(target.targetName ?? "", 64);
  const named = name === "" ? "" : ` “${name}”`;
  const about = target.vault === null ? "Messages" : `${vaultWords(target.vault)}: messages`;
  return {
    subject: `dead:${target.targetId}`,
    severity: "warning",
    title: `A ${what} takes no messages`,
    message: `${about} to the ${what}${named} were given up after all attempts, the last at ${readableTime(target.lastAt)}${errorWords(target.lastError)}.`,
    nextStep: "Test it, correct its configuration or the receiver, and replay what was lost.",
    details: {
      queue: target.queue,
      target_id: target.targetId,
      deliveries_count: target.deliveriesCount,
      last_dead_at: target.lastAt,
      last_error: target.lastError,
    },
    conditions: ["dead"],
  };
}

export interface DisabledWebhook {
  vault: NamedVault;
  webhookId: string;
  description: string;
  reason: "gone" | "failing";
  disabledAt: string;
}

const REASONS = {
  gone: "it answered that it is gone (410)",
  failing: "it did nothing but fail for five days",
} as const;

export function disabledFinding(webhook: DisabledWebhook): Finding {
  const described = cleanText(webhook.description, 64);
  const named = described === "" ? "" : ` “${described}”`;
  return {
    subject: `disabled:${webhook.webhookId}`,
    severity: "warning",
    title: "A webhook endpoint was disabled",
    message: `${vaultWords(webhook.vault)}: the webhook endpoint${named} was disabled at ${readableTime(webhook.disabledAt)}, since ${REASONS[webhook.reason]}. It gets no events any more.`,
    nextStep: "Mend the receiver, enable the endpoint again, and replay what it missed; or delete it.",
    details: { webhook_id: webhook.webhookId, reason: webhook.reason, disabled_at: webhook.disabledAt },
    conditions: ["disabled"],
  };
}

export interface OrphanBinding {
  vault: NamedVault;
  channelId: string;
  channelName: string;
  boundBy: Address;
}

export function bindingFinding({ vault, channelId, channelName, boundBy }: OrphanBinding): Finding {
  return {
    subject: `binding:${channelId}`,
    severity: "warning",
    title: "A bound channel needs confirmation",
    message: `${vaultWords(vault)}: the channel “${cleanText(channelName, 64)}” was bound by ${boundBy}, who manages the vault no more. It still gets the vault's alerts.`,
    nextStep: "Bind the channel again to confirm it, or unbind it.",
    details: { channel_id: channelId, channel_name: channelName, bound_by: boundBy },
    conditions: ["needs_confirmation"],
  };
}
