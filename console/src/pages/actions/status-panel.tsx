import { Link } from "@tanstack/react-router";
import { words } from "../../format/words.ts";
import { Hash, Transaction } from "../../parts/address.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { PreparedAction } from "./queries.ts";

const TONES: Record<PreparedAction["status"], Tone> = {
  prepared: "neutral",
  submitted: "accent",
  executed: "accent",
  confirmed: "good",
  replaced: "warning",
  failed: "critical",
  expired: "neutral",
};

export function ActionStatus({ status }: Pick<PreparedAction, "status">) {
  return <Badge tone={TONES[status]}>{words(status)}</Badge>;
}

const SENTENCES: Record<PreparedAction["status"], string> = {
  prepared: "Nothing was sent yet, as far as is known.",
  submitted: "It was sent, and is not in a block yet.",
  executed: "It is in a block, which is not confirmed yet.",
  confirmed: "It is done, and its block is confirmed.",
  replaced: "Another transaction took its place: nothing of it happened.",
  failed: "What was sent was reverted: nothing of it happened.",
  expired: "It was prepared long ago. Should it be executed yet, that is shown here.",
};

/** Where the action stands on the chain, what was sent of it, and what it left in the audit log. */
export function StatusPanel({ action }: { action: PreparedAction }) {
  const { status, submissions, transaction_hash: hash, entry_ids: entries, chain_id: chainId } = action;
  return (
    <Panel title="Status" aside={<ActionStatus status={status} />}>
      <div className="flex flex-col gap-2">
        <p role="status">{SENTENCES[status]}</p>
        {hash !== null && (
          <p className="flex flex-wrap items-center gap-x-1 text-ink-2">
            Done by <Transaction value={hash} chainId={chainId} />
          </p>
        )}
        {submissions.length > 0 && (
          <ul aria-label="Submissions" className="flex flex-col divide-y">
            {submissions.map((one) => (
              <li
                key={one.transaction_hash ?? one.safe_tx_hash}
                className="flex flex-wrap items-center gap-x-2 py-1"
              >
                {one.transaction_hash !== null ? (
                  <Transaction value={one.transaction_hash} chainId={chainId} />
                ) : (
                  one.safe_tx_hash !== null && <Hash value={one.safe_tx_hash} label="Safe transaction hash" />
                )}
                <span className="text-ink-2">{words(one.status)}</span>
                <Time at={one.submitted_at} />
              </li>
            ))}
          </ul>
        )}
        {entries.length > 0 && (
          <ul aria-label="Audit entries of the action" className="flex flex-col gap-1">
            {entries.map((entry) => (
              <li key={entry}>
                <Link to="/audit" search={{ entry }} className="text-accent underline underline-offset-2">
                  Audit entry {entry.slice(0, 8)}
                </Link>
              </li>
            ))}
          </ul>
        )}
        {status === "prepared" && (
          <p className="text-xs text-ink-3">
            Followed until <Time at={action.expires_at} />
          </p>
        )}
      </div>
    </Panel>
  );
}
