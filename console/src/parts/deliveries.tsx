// What was sent to a channel or an endpoint: each delivery with its attempts and what was answered.
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { count } from "../format/amount.ts";
import { words } from "../format/words.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { cx } from "../ui/class-names.ts";
import { CopyButton } from "../ui/copy.tsx";
import type { Column } from "../ui/data-table.tsx";
import { Countdown, Time } from "../ui/time.tsx";
import type { DeliveryStatus } from "./delivery-search.ts";
import { VaultName } from "./vault-name.tsx";

export interface Delivery {
  id: string;
  event_id: string | null;
  event_type: string;
  chain_id: number;
  vault_address: string;
  status: DeliveryStatus;
  created_at: string;
  next_attempt_at: string | null;
  attempts: {
    number: number;
    at: string;
    status_code: number | null;
    error: string | null;
    duration_ms: number | null;
    response_excerpt: string | null;
  }[];
}

const TONES: Record<DeliveryStatus, Tone> = {
  pending: "accent",
  delivered: "good",
  failed: "warning",
  dead: "critical",
  canceled: "neutral",
};

const MEANINGS: Record<DeliveryStatus, string> = {
  pending: "It is about to be sent.",
  delivered: "It was accepted.",
  failed: "It was not accepted and will be tried again.",
  dead: "It was not accepted and will not be tried again.",
  canceled: "It was canceled before it was sent.",
};

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  return (
    <Badge tone={TONES[status]} tip={MEANINGS[status]}>
      {words(status)}
    </Badge>
  );
}

interface Target {
  last_delivery: { at: string; status: DeliveryStatus; error: string | null } | null;
}

/** What became of the newest delivery, in a table of what is sent to. */
export const LAST_DELIVERY: Column<Target> = {
  id: "last",
  header: "Last delivery",
  align: "right",
  from: "sm",
  className: "whitespace-nowrap",
  cell: ({ last_delivery: last }) =>
    last === null ? (
      <span className="text-ink-3">none yet</span>
    ) : (
      <span className="inline-flex items-center gap-2" data-tip={last.error ?? undefined}>
        <DeliveryBadge status={last.status} />
        <Time at={last.at} exact="hover" />
      </span>
    ),
};

export interface DeliveryListProps<T extends Delivery> {
  label: string;
  deliveries: readonly T[];
  /** What can be done about one. */
  actions?(delivery: T): ReactNode;
  /** What else is known of one, shown over its attempts. */
  more?(delivery: T): ReactNode;
}

export function DeliveryList<T extends Delivery>({ label, deliveries, actions, more }: DeliveryListProps<T>) {
  return (
    <ul aria-label={label} className="divide-y">
      {deliveries.map((delivery) => (
        <OneDelivery
          key={delivery.id}
          delivery={delivery}
          actions={actions?.(delivery)}
          more={more?.(delivery)}
        />
      ))}
    </ul>
  );
}

function OneDelivery({
  delivery,
  actions,
  more,
}: {
  delivery: Delivery;
  actions: ReactNode;
  more: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const { event_type: type, status, attempts, created_at: createdAt, next_attempt_at: nextAt } = delivery;
  const last = attempts.at(-1);
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-1.5 hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-7 min-w-0 flex-1 basis-full items-center gap-2 rounded text-left sm:basis-56"
        >
          <ChevronRight
            aria-hidden
            className={cx("size-3.5 shrink-0 text-ink-3 transition-transform", isOpen && "rotate-90")}
          />
          <DeliveryBadge status={status} />
          <span className="truncate font-medium">{type}</span>
        </button>
        <span className="mr-auto min-w-0 max-w-full truncate text-xs text-ink-2 sm:mr-0">
          {delivery.chain_id !== 0 && (
            <VaultName chainId={delivery.chain_id} address={delivery.vault_address} />
          )}
        </span>
        <span className="num text-xs text-ink-3">
          {outcomeOf(last)}
          {nextAt && status !== "pending" && (
            <>
              , again in <Countdown until={nextAt} />
            </>
          )}
        </span>
        <span className="text-xs text-ink-2">
          <Time at={createdAt} exact="hover" />
        </span>
        {actions}
      </div>
      {isOpen && (
        <div className="flex flex-col gap-3 border-t bg-canvas/60 px-3.5 py-3">
          <dl className="flex flex-wrap gap-x-6 gap-y-1 text-xs">
            {delivery.event_id && (
              <div className="flex items-center gap-1.5">
                <dt className="text-ink-3">Event</dt>
                <dd className="flex items-center break-all font-mono">
                  {delivery.event_id}
                  <CopyButton text={delivery.event_id} label="event id" />
                </dd>
              </div>
            )}
            <div className="flex items-center gap-1.5">
              <dt className="text-ink-3">Delivery</dt>
              <dd className="flex items-center break-all font-mono">
                {delivery.id}
                <CopyButton text={delivery.id} label="delivery id" />
              </dd>
            </div>
          </dl>
          {more}
          <Attempts attempts={attempts} />
        </div>
      )}
    </li>
  );
}

function outcomeOf(last: Delivery["attempts"][number] | undefined): string {
  if (last === undefined) return "not tried yet";
  const tries = last.number === 1 ? "" : `, attempt ${last.number}`;
  return `${last.status_code ?? last.error ?? "no answer"}${tries}`;
}

function Attempts({ attempts }: Pick<Delivery, "attempts">) {
  if (attempts.length === 0) return <p className="text-ink-3">It was not tried yet.</p>;
  return (
    <ol aria-label="Attempts" className="flex flex-col gap-2.5">
      {attempts.map((attempt) => (
        <li key={attempt.number} className="text-xs">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-medium">Attempt {attempt.number}</span>
            <span className="text-ink-2">
              <Time at={attempt.at} />
            </span>
            <span className={attempt.error === null ? "text-good" : "text-critical"}>
              {[attempt.status_code, attempt.error].filter((part) => part !== null).join(", ") || "no answer"}
            </span>
            {attempt.duration_ms !== null && (
              <span className="num text-ink-3">{count(attempt.duration_ms)} ms</span>
            )}
          </p>
          {attempt.response_excerpt && (
            <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap break-all rounded-md border bg-panel px-2.5 py-1.5 font-mono text-2xs text-ink-2">
              {attempt.response_excerpt}
            </pre>
          )}
        </li>
      ))}
    </ol>
  );
}
