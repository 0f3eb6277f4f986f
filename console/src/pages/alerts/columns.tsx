import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { span } from "../../format/time.ts";
import { subjectWords } from "../../format/words.ts";
import { VaultName } from "../../parts/vault-name.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Time } from "../../ui/time.tsx";
import { AcknowledgeButton } from "./actions.tsx";
import { AlertMarks, SeverityBadge, StatusBadge } from "./badges.tsx";
import { type Alert, categoryName } from "./queries.ts";

/** Takes what room the others leave; what does not fit is cut. */
const alertColumn = (isSilenced?: (alert: Alert) => boolean): Column<Alert> => ({
  id: "alert",
  header: "Alert",
  className: "w-full max-w-0",
  cell: (alert) => (
    <div className="min-w-0 py-0.5">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <Link
          to="/alerts/$alertId"
          params={{ alertId: alert.id }}
          className="font-medium hover:text-accent hover:underline"
        >
          {alert.title}
        </Link>
        <AlertMarks alert={alert} isSilenced={isSilenced?.(alert) ?? false} />
      </span>
      <p className="text-xs text-ink-3 sm:hidden">
        <Vault alert={alert} />
      </p>
      {isSilenced && (
        <p className="hidden truncate text-xs text-ink-3 lg:block" data-tip={alert.message}>
          {alert.message}
        </p>
      )}
    </div>
  ),
});

const VAULT: Column<Alert> = {
  id: "vault",
  header: "Vault",
  from: "sm",
  className: "whitespace-nowrap",
  cell: (alert) => <Vault alert={alert} />,
};
const CATEGORY: Column<Alert> = {
  id: "category",
  header: "Category",
  from: "md",
  className: "whitespace-nowrap",
  cell: ({ category }) => <span className="text-ink-2">{categoryName(category)}</span>,
};
const CAUSE: Column<Alert> = {
  id: "cause",
  header: "Cause",
  from: "lg",
  className: "whitespace-nowrap",
  cell: (alert) => <TransactionLink alert={alert} />,
};
const STARTED: Column<Alert> = {
  id: "started",
  header: "Since",
  align: "right",
  cell: ({ started_at }) => <Time at={started_at} exact="hover" />,
};

export const openColumns = (isSilenced: (alert: Alert) => boolean): readonly Column<Alert>[] => [
  { id: "status", header: "Status", cell: (alert) => <StatusBadge alert={alert} /> },
  alertColumn(isSilenced),
  VAULT,
  CATEGORY,
  CAUSE,
  STARTED,
  {
    id: "act",
    header: <span className="sr-only">What to do</span>,
    align: "right",
    from: "sm",
    cell: (alert) => <AcknowledgeButton alert={alert} size="small" />,
  },
];

export const HISTORY_COLUMNS: readonly Column<Alert>[] = [
  { id: "severity", header: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  alertColumn(),
  VAULT,
  CATEGORY,
  CAUSE,
  { ...STARTED, header: "Began" },
  {
    id: "lasted",
    header: "Lasted",
    align: "right",
    from: "sm",
    cell: ({ started_at, resolved_at }) => (
      <span className="num">
        {resolved_at === null ? "–" : span((Date.parse(resolved_at) - Date.parse(started_at)) / 1000)}
      </span>
    ),
  },
];

function Vault({ alert }: { alert: Alert }) {
  if (alert.chain_id === 0) return <span className="text-ink-3">none</span>;
  return <VaultName chainId={alert.chain_id} address={alert.vault_address} name={alert.vault_name} />;
}

/** To the transaction that brought it about. */
function TransactionLink({ alert }: { alert: Alert }) {
  if (alert.transaction_url === null || !/^https?:/.test(alert.transaction_url))
    return <span className="text-ink-3">{alert.subject === "" ? "–" : subjectWords(alert.subject)}</span>;
  return (
    <a
      href={alert.transaction_url}
      target="_blank"
      rel="noreferrer noopener"
      className="inline-flex items-center gap-1 hover:text-accent"
    >
      Transaction <ExternalLink aria-hidden className="size-3" />
    </a>
  );
}
