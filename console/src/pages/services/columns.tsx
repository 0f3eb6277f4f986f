import { keysOf } from "../../api/keys-of.ts";
import { count, percent } from "../../format/amount.ts";
import { duration } from "../../format/time.ts";
import { words } from "../../format/words.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Countdown, Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { Service } from "./queries.ts";

/** Worst first. */
export const SERVICE_TONES: Record<Service["status"], Tone> = {
  critical: "critical",
  warning: "warning",
  paused: "neutral",
  unknown: "neutral",
  healthy: "good",
};

export const SERVICE_COLUMNS: readonly Column<Service>[] = [
  {
    id: "name",
    header: "Service",
    sortBy: ({ display_name }) => display_name,
    cell: ({ name, display_name }) => (
      <div className="py-0.5">
        <p className="font-medium">{display_name}</p>
        <p className="font-mono text-2xs text-ink-3">{name}</p>
      </div>
    ),
  },
  {
    id: "status",
    header: "Status",
    sortBy: ({ status }) => ORDER.indexOf(status),
    cell: (service) => (
      <span className="inline-flex flex-wrap gap-1">
        <Badge tone={SERVICE_TONES[service.status]} tip={whyOf(service)}>
          {words(service.status)}
        </Badge>
        {!service.is_enabled && <Badge>Switched off</Badge>}
      </span>
    ),
  },
  {
    id: "rate",
    header: "Success",
    align: "right",
    sortBy: ({ success_rate }) => success_rate,
    cell: ({ success_rate: rate }) =>
      rate === null ? (
        <Unknown reason="no run has succeeded or failed yet" />
      ) : (
        <span className="num" data-tip="of the last 100 runs that succeeded or failed">
          {percent(rate)}
        </span>
      ),
  },
  {
    id: "last",
    header: "Last run",
    align: "right",
    sortBy: ({ last_run }) => last_run,
    cell: ({ last_run }) => <Time at={last_run} exact="hover" reason="it has never run" />,
  },
  {
    id: "next",
    header: "Next run",
    align: "right",
    from: "sm",
    cell: (service) =>
      service.status === "paused" ? (
        <span className="text-ink-3">paused</span>
      ) : (
        <Countdown until={service.next_run} over="due" reason="it has no schedule" />
      ),
  },
  {
    id: "schedule",
    header: "Every",
    align: "right",
    from: "md",
    cell: ({ schedule_seconds: seconds }) =>
      seconds === null ? (
        <Unknown reason="it has no schedule" />
      ) : (
        <span className="num">{duration(seconds)}</span>
      ),
  },
  {
    id: "average",
    header: "Takes",
    align: "right",
    from: "md",
    sortBy: ({ avg_execution_time_seconds }) => avg_execution_time_seconds,
    cell: ({ avg_execution_time_seconds: seconds }) =>
      seconds === null ? (
        <Unknown reason="no run has finished yet" />
      ) : (
        <span className="num" data-tip={`${seconds} s on average over the last 100 runs`}>
          {seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`}
        </span>
      ),
  },
  {
    id: "total",
    header: "Runs",
    align: "right",
    from: "lg",
    sortBy: ({ total_executions }) => total_executions,
    cell: ({ total_executions }) => <span className="num">{count(total_executions)}</span>,
  },
  {
    id: "error",
    header: "Last error",
    from: "lg",
    className: "max-w-80",
    cell: ({ last_error }) =>
      last_error === undefined ? (
        <span className="text-ink-3" data-tip="choose a vault to see it">
          –
        </span>
      ) : last_error === null ? (
        <span className="text-ink-3">none</span>
      ) : (
        <span className="block truncate text-ink-2" data-tip={last_error}>
          {last_error}
        </span>
      ),
  },
];

export const ORDER = keysOf(SERVICE_TONES);

export function toneOf({ status }: Service): "critical" | "warning" | undefined {
  return status === "critical" || status === "warning" ? status : undefined;
}

/** What its status means. */
function whyOf(service: Service): string {
  switch (service.status) {
    case "paused":
      return (
        [
          service.paused_reason,
          service.paused_by && `by ${service.paused_by}`,
          service.paused_at && `since ${service.paused_at}`,
        ]
          .filter(Boolean)
          .join("\n") || "Paused: it is never late."
      );
    case "unknown":
      return "It has never reported.";
    case "healthy":
      return "It runs on time and succeeds.";
    default:
      return service.last_error === undefined
        ? "Of the vault where it is worst: choose a vault to see its own."
        : "Too many of its runs fail, or it misses its schedule.";
  }
}
