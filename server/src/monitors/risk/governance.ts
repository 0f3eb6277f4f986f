// Governance by its life: a change was submitted, becomes executable, was executed or revoked; and what changed at once. Each is told
// once, with the decoded call. Only confirmed facts are told.
import type { Static } from "typebox";
import { type GovernanceChange, governanceChangesOf } from "../../chain/governance-changes.ts";
import { cleanText } from "../../chain/text.ts";
import { isHearing, listenedMs, silentAtMs } from "../../judgements/listening.ts";
import { readableTime, timestampOfMs } from "../../platform/http/time.ts";
import { earliest, type Finding } from "../base/finding.ts";
import { monitor } from "../base/monitor.ts";
import { addresses, RESOLVE_AFTER, seconds, thresholds } from "../base/thresholds.ts";
import { vaultWords } from "../base/wording.ts";
import { type RecentFact, type RecentFacts, recentFacts, type WaitingCall } from "./recent-facts.ts";

const rule = thresholds("Changes of a vault's governance: submitted, executable, executed, revoked.", {
  notice_seconds: seconds(
    "Tell this long before a change can be executed",
    86_400,
    "How long before a submitted change can be executed it is told again, as a warning.",
  ),
  known_actors: addresses(
    "Who may propose",
    "Accounts that propose changes. A proposal of anybody else is critical; none: nobody is asked about.",
  ),
  resolve_after_seconds: RESOLVE_AFTER,
});
type Rule = Static<typeof rule>;

const NEXT_STEP = {
  submitted: "Make sure that this is intended; it can be revoked until it is executed.",
  executed: "Make sure that this was intended.",
  revoked: "Nothing needs to be done if this was intended.",
  changed:
    "Make sure that this was intended, and by whom. If not, look at who holds the vault's roles at once.",
};

export const governance = monitor({
  category: "governance",
  name: "Governance",
  subject: "a change's log, `ready:{id}` for a change that waits",
  fires:
    "**info**: a change was submitted, executed or revoked. **warning**: a change can be executed within `notice_seconds`, until it is executed or revoked; a role, a fee, a guard, a gate or a delay changed. **critical**: an owner, signer, threshold, module, singleton or implementation changed; a proposal of somebody outside `known_actors`. What happened is told once, and resolves when it is acknowledged or after `resolve_after_seconds`",
  rule,
  source: recentFacts,
  judge(vault, rule, listening) {
    const { nowMs } = listening;
    const findings: Finding[] = [];
    const wakes: number[] = [];
    for (const fact of vault.facts) {
      if (listenedMs(fact.atMs, nowMs, listening.gaps) >= rule.resolve_after_seconds * 1000) continue;
      const changes = governanceChangesOf(fact.body, vault.address);
      if (changes.length > 0)
        wakes.push(silentAtMs(listening, fact.atMs, rule.resolve_after_seconds * 1000, 0));
      changes.forEach((change, nth) => {
        findings.push(happened(vault, fact, change, nth, rule));
      });
    }
    for (const call of vault.waiting) {
      const at = call.executable_at ?? call.effective_at;
      if (at === null || call.is_blocked) continue;
      const dueMs = Date.parse(at) - rule.notice_seconds * 1000;
      if (dueMs > nowMs) wakes.push(dueMs);
      else
        findings.push({
          ...ready(vault, call, at),
          opens: vault.isWaitingKnown && dueMs >= vault.watchedSinceMs && isHearing(listening),
        });
    }
    return { findings, wakeMs: earliest(...wakes) };
  },
});

function happened(
  vault: RecentFacts,
  { block, atMs, txHash, logIndex, actor }: RecentFact,
  change: GovernanceChange,
  nth: number,
  { known_actors: known }: Rule,
): Finding {
  const isUnknown =
    change.life === "submitted" &&
    known.length > 0 &&
    !known.some((one) => one.toLowerCase() === actor.toLowerCase());
  const at = timestampOfMs(atMs);
  const about = [
    change.role === undefined ? "" : `role ${cleanText(change.role, 66)}`,
    change.account ? `account ${change.account}` : "",
    change.id === undefined ? "" : `id ${cleanText(change.id, 66)}`,
  ].filter(Boolean);
  const sentence = change.sentence.replace(/\.$/, "");
  return {
    subject: `${txHash}:${logIndex}${nth === 0 ? "" : `:${nth}`}`,
    isOnce: true,
    severity: isUnknown ? "critical" : change.severity,
    title: isUnknown ? `${sentence}, by an unknown account` : sentence,
    message: [
      `${vaultWords(vault)}: ${sentence[0]!.toLowerCase()}${sentence.slice(1)}${about.length === 0 ? "" : ` (${about.join(", ")})`}, by ${actor} at ${readableTime(at)}.`,
      isUnknown ? "That account is not among those that are known to propose." : "",
      change.call === undefined ? "" : `The call: ${callWords(change.call)}.`,
      change.life === "submitted" && change.executableAt
        ? `It can be executed from ${timeWords(change.executableAt)} on.`
        : "",
    ]
      .filter(Boolean)
      .join(" "),
    nextStep: NEXT_STEP[change.life],
    details: {
      action: change.action,
      life: change.life,
      actor,
      role: change.role ?? null,
      account: change.account ?? null,
      id: change.id ?? null,
      call: change.call ?? null,
      executable_at: change.executableAt ?? null,
      happened_at: at,
    },
    conditions: [change.life, ...(isUnknown ? ["unknown_actor"] : [])],
    block,
    txHash,
  };
}

/** A change that waits and soon can be executed. It lasts until it was executed or revoked. */
function ready(vault: RecentFacts, call: WaitingCall, at: string): Finding {
  const isCall = call.kind === "call" && call.calldata != null;
  const what = isCall
    ? callWords({
        function: call.function ?? null,
        arguments: call.arguments ?? null,
        calldata: call.calldata!,
      })
    : call.kind.replaceAll("_", " ");
  const by = call.submitted_by ?? call.proposer;
  return {
    subject: `ready:${call.id ?? `${call.kind}:${at}`}`,
    severity: "warning",
    title: "A submitted change can soon be executed",
    message: `${vaultWords(vault)}: a change that was submitted${by === null ? "" : ` by ${by}`} can be executed from ${timeWords(at)} on. ${isCall ? "The call" : "It changes"}: ${what}.`,
    nextStep: "Revoke it if it is not intended, before it is executed.",
    details: { ...call },
    conditions: ["ready"],
  };
}

const CALL_LENGTH = 400;

/** `setFee(newFee: 1000)`; a call that is not known by its bytes. */
function callWords(call: {
  function: string | null;
  arguments: Readonly<Record<string, unknown>> | null;
  calldata: string;
}): string {
  if (call.function === null)
    return `${call.calldata.slice(0, 74)}${call.calldata.length > 74 ? "…" : ""}, which is not known`;
  const name = call.function.split("(")[0];
  const given = Object.entries(call.arguments ?? {}).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return cleanText(`${name}(${given.join(", ")})`, CALL_LENGTH);
}

/** What is not a time, such as one past the last year, is shown as it is. */
function timeWords(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : readableTime(at);
}
