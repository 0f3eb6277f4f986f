// What an action would do: to the vault's record, to the audit log and to the alerts, at the block on which it was simulated, and again at the
// moment at which a timelocked call can be executed.
import { ArrowRight, CircleCheck, CircleX, Clock } from "lucide-react";
import type { ReactNode } from "react";
import { count } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { SeverityBadge } from "../alerts/badges.tsx";
import type { Outcome, PreparedAction } from "./queries.ts";
import { Value } from "./value.tsx";

export function Preview({ action }: { action: PreparedAction }) {
  const { simulation } = action;
  if (simulation === null)
    return (
      <Panel title="What it would do">
        <p role="alert" className="text-ink-2">
          {action.simulation_unavailable_reason ?? "It was not simulated."} Compare the calls before you sign.
        </p>
      </Panel>
    );
  const later = simulation.at_execution;
  return (
    <>
      <OutcomePanel
        title={later === null ? "What it would do" : "What it would do at once"}
        outcome={simulation}
        missing={simulation.unavailable_reason}
        chainId={action.chain_id}
      />
      {later !== null && (
        <OutcomePanel
          title="What it would do once it is executed"
          outcome={later}
          missing={simulation.unavailable_reason}
          chainId={action.chain_id}
          isLater
        />
      )}
    </>
  );
}

interface OutcomeProps {
  title: string;
  outcome: Outcome;
  /** Why parts are not known. */
  missing: string | null;
  chainId: number;
  isLater?: boolean;
}

function OutcomePanel({ title, outcome, missing, chainId, isLater }: OutcomeProps) {
  const { changes, entries, alerts } = outcome;
  return (
    <Panel
      title={title}
      aside={
        <span className="num inline-flex items-center gap-1">
          {isLater && <Clock aria-hidden className="size-3" />}
          block {count(outcome.block_number)}, <Time at={outcome.block_timestamp} />
        </span>
      }
    >
      <div className="flex flex-col gap-4">
        <Verdict outcome={outcome} />
        <Part title="The vault's record" noun="change" of={changes} missing={missing}>
          {(list) => (
            <ul aria-label="Changes" className="flex flex-col divide-y">
              {list.map(({ field, before, after, moves_with_time: moves }) => (
                <li key={field} className="flex flex-wrap items-center gap-x-2 gap-y-0.5 py-1.5">
                  <code className="min-w-0 grow basis-40 break-all text-xs text-ink-2">{field}</code>
                  <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
                    <Value value={before} chainId={chainId} />
                    <ArrowRight aria-label="becomes" className="size-3.5 shrink-0 text-ink-3" />
                    <strong className="font-medium">
                      <Value value={after} chainId={chainId} />
                    </strong>
                    {moves && (
                      <Badge tip="It is another when the calls are made later.">moves with time</Badge>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Part>
        <Part title="The audit log" noun="entry" of={entries} missing={missing}>
          {(list) => (
            <ol aria-label="Audit entries" className="flex flex-col divide-y">
              {list.map((entry, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: their order is what they are.
                <li key={nth} className="flex flex-col gap-0.5 py-1.5">
                  <span className="flex flex-wrap items-center gap-x-2">
                    <span className="font-medium">{words(entry.action_type)}</span>
                    {entry.actor_wallet !== null && (
                      <span className="text-ink-2">
                        by <Address value={entry.actor_wallet} chainId={chainId} label="actor" />
                      </span>
                    )}
                  </span>
                  <dl className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-ink-2">
                    {Object.entries(entry.details)
                      .filter(([, value]) => value !== null)
                      .map(([name, value]) => (
                        <div key={name} className="flex min-w-0 items-center gap-1">
                          <dt className="text-ink-3">{words(name)}</dt>
                          <dd className="min-w-0">
                            <Value value={value} chainId={chainId} />
                          </dd>
                        </div>
                      ))}
                  </dl>
                </li>
              ))}
            </ol>
          )}
        </Part>
        <Part title="Alerts" noun="alert" of={alerts} missing={missing}>
          {(list) => (
            <ul aria-label="Alerts" className="flex flex-col divide-y">
              {list.map(({ category, severity, title, message }) => (
                <li key={`${category} ${title}`} className="flex flex-col gap-0.5 py-1.5">
                  <span className="flex flex-wrap items-center gap-2">
                    <SeverityBadge severity={severity} />
                    <span className="font-medium">{title}</span>
                  </span>
                  <span className="break-words text-ink-2">{message}</span>
                </li>
              ))}
            </ul>
          )}
        </Part>
      </div>
    </Panel>
  );
}

function Verdict({ outcome: { ok, error } }: { outcome: Outcome }) {
  if (ok === null) return null;
  const Icon = ok ? CircleCheck : CircleX;
  return (
    <p role={ok ? "status" : "alert"} className="flex items-start gap-2">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${ok ? "text-good" : "text-critical"}`} />
      <span className="min-w-0 break-words">
        {ok ? "The calls go through." : `Call ${(error?.call ?? 0) + 1} is reverted: ${errorWords(error)}.`}
      </span>
    </p>
  );
}

function errorWords(error: Outcome["error"]): string {
  if (error === null) return "the contract gives no reason";
  const name = error.name ?? error.selector ?? "without a reason";
  const given = Object.entries(error.arguments ?? {}).map(([key, value]) => `${key}: ${String(value)}`);
  return given.length === 0 ? name : `${name} (${given.join(", ")})`;
}

interface PartProps<Item> {
  title: string;
  noun: string;
  /** null: not known. */
  of: readonly Item[] | null;
  missing: string | null;
  children(list: readonly Item[]): ReactNode;
}

function Part<Item>({ title, noun, of, missing, children }: PartProps<Item>) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium">{title}</h3>
      {of === null ? (
        <p className="text-ink-2">Not known{missing === null ? "." : `: ${missing}`}</p>
      ) : of.length === 0 ? (
        <Nothing>No {noun}.</Nothing>
      ) : (
        children(of)
      )}
    </section>
  );
}
