// What stands still inside the service, or was gone on without: nothing of it may only show in a log.
import type { Finding } from "../../../monitors/base/finding.ts";
import { durationWords } from "../../../monitors/base/wording.ts";
import { readableTime } from "../../../platform/http/time.ts";

/** The newest confirmed block may be so much older than the head. */
export const CONFIRMED_BEHIND_SECONDS = 1_800;
/** What waits may wait for so long before somebody ought to look. */
export const QUEUE_WAITS_MS = 600_000;
/** A gap stays for good; its alert for a day after the last was found. */
export const GAPS_SHOWN_MS = 86_400_000;

export interface Unconfirmed {
  chainId: number;
  name: string;
  headNumber: number;
  confirmedNumber: number;
  confirmedAt: string;
  behindSeconds: number;
  /** How many blocks below the head a block counts as confirmed; null where a tag of the node's says. */
  confirmations: number | null;
}

/** None where blocks are so far apart that the depth itself takes that long. */
export function unconfirmedFinding(chain: Unconfirmed): Finding | null {
  const { chainId, name, headNumber, confirmedNumber, confirmedAt, behindSeconds, confirmations } = chain;
  if (behindSeconds <= CONFIRMED_BEHIND_SECONDS) return null;
  if (confirmations !== null && headNumber - confirmedNumber <= confirmations) return null;
  return {
    subject: `unconfirmed:${chainId}`,
    severity: "critical",
    title: `Nothing is confirmed on ${name}`,
    message: `${name}: the head is followed, block ${headNumber}, but the newest confirmed block, ${confirmedNumber}, is of ${readableTime(confirmedAt)}, more than ${durationWords(CONFIRMED_BEHIND_SECONDS)} older. Nothing after it becomes an audit entry or an event.`,
    nextStep:
      "Look at the chain's check in /readyz and at the indexer's log: nodes that disagree, a tag that does not advance, or a block whose entries cannot be written.",
    details: {
      chain_id: chainId,
      head_block: headNumber,
      confirmed_block: confirmedNumber,
      confirmed_timestamp: confirmedAt,
    },
    conditions: ["unconfirmed"],
  };
}

export interface Gaps {
  chainId: number;
  name: string;
  count: number;
  firstBlock: number;
  lastBlock: number;
  lacks: string[];
  lastAt: string;
}

const LACKS: Readonly<Record<string, string>> = {
  logs: "what happened in a block",
  vault_description: "the description of an announced vault",
  sample: "a vault's state in the past",
  managers: "who manages a new vault",
  rejected_vault: "whose price update was rejected",
  rejected_price: "which price was rejected",
  pps_expiration: "which price expiry was in force",
  cancelled_shares: "how many shares a cancelled request was about",
  governance_state: "what stood before a change",
  transaction: "who sent a transaction",
  user_operations: "through which wallet somebody acted",
};

export function gapsFinding({ chainId, name, count, firstBlock, lastBlock, lacks, lastAt }: Gaps): Finding {
  const what = lacks.map((each) => LACKS[each] ?? each).join(", ");
  const where =
    firstBlock === lastBlock ? `in block ${firstBlock}` : `in blocks ${firstBlock} to ${lastBlock}`;
  return {
    subject: `gaps:${chainId}`,
    severity: "warning",
    title: `${name} is stored with gaps`,
    message: `${name}: the nodes did not return ${what}, so following continued without it, ${count === 1 ? "once" : `${count} times`}, ${where}, the last time at ${readableTime(lastAt)}.`,
    nextStep: "See the table chain_gaps for each, and add a node that serves these blocks.",
    details: {
      chain_id: chainId,
      gaps_count: count,
      first_block: firstBlock,
      last_block: lastBlock,
      lacks,
      last_found_at: lastAt,
    },
    conditions: ["gaps"],
  };
}

export interface WaitingQueue {
  queue: "events" | "channel" | "webhook";
  count: number;
  oldestAt: string;
}

const QUEUES = {
  events: "Events that wait to be passed to channels and webhooks",
  channel: "Messages to notification channels",
  webhook: "Messages to webhook endpoints",
};

export function queueFinding({ queue, count, oldestAt }: WaitingQueue): Finding {
  return {
    subject: `queue:${queue}`,
    severity: "critical",
    title: "A queue of the service is not emptied",
    message: `${QUEUES[queue]} are not processed: ${count}, the oldest due at ${readableTime(oldestAt)}.`,
    nextStep: "Look at the log of the processes with the role worker, and at their database connections.",
    details: { queue, waiting_count: count, oldest_due_at: oldestAt },
    conditions: ["waiting"],
  };
}
