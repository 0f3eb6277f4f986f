// Alerts: what is wrong now, the worst first, with what can be done about it; what is silenced; what has been.
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { BellOff, CircleCheck } from "lucide-react";
import { useState } from "react";
import { useManagedVaults } from "../../api/permissions.ts";
import { count } from "../../format/amount.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { TimeInput } from "../../ui/form/time-input.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { HISTORY_COLUMNS, openColumns } from "./columns.tsx";
import { Filters } from "./filters.tsx";
import { type Alert, historyQuery, openQuery, PAGE_SIZE, type Search, worstFirst } from "./queries.ts";
import { SilenceDialog } from "./silence-dialog.tsx";
import { SilencesPanel, useIsSilenced } from "./silences.tsx";

const route = getRouteApi("/alerts");

export function AlertsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/alerts" });
  const { data: open } = useSuspenseQuery(openQuery(search));
  const managed = useManagedVaults();
  const isSilenced = useIsSilenced();
  const [isSilencing, setIsSilencing] = useState(false);
  const change = (next: Partial<Search>) =>
    void navigate({
      search: ({ offset: _, ...before }) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  const goTo = ({ id }: Alert) => void navigate({ to: "/alerts/$alertId", params: { alertId: id } });
  const isFiltered = Boolean(search.vault || search.category || search.severity);

  return (
    <>
      <PageHeader
        title="Alerts"
        description="Open and past alerts of your vaults, and who is handling them."
        actions={
          managed.length > 0 && (
            <Button icon={BellOff} onClick={() => setIsSilencing(true)}>
              Silence
            </Button>
          )
        }
      />
      <Filters search={search} onChange={change} />
      <Panel title="Open" isFlush aside={<OpenCount alerts={open.alerts} />}>
        <DataTable
          caption="Open alerts"
          columns={openColumns(isSilenced)}
          rows={worstFirst(open.alerts)}
          rowKey={({ id }) => id}
          rowTone={({ status, severity }) =>
            status === "firing" && severity !== "info" ? severity : undefined
          }
          onRowClick={goTo}
          empty={
            <EmptyState icon={CircleCheck} title={isFiltered ? "Nothing of it is open" : "Nothing is wrong"}>
              {isFiltered
                ? "No alert in this filter is firing or acknowledged."
                : "No alert of your vaults is firing. It is looked at all the time."}
            </EmptyState>
          }
        />
      </Panel>
      <SilencesPanel vault={search.vault} isShy className="mt-4" />
      <History search={search} onChange={change} onOpen={goTo} />
      <SilenceDialog
        vault={managed.find((id) => id === search.vault)}
        category={search.category}
        isOpen={isSilencing}
        onClose={() => setIsSilencing(false)}
      />
    </>
  );
}

function OpenCount({ alerts }: { alerts: readonly Alert[] }) {
  const firing = alerts.filter(({ status }) => status === "firing").length;
  return (
    <span role="status" className="num">
      {count(firing)} firing, {count(alerts.length - firing)} acknowledged
    </span>
  );
}

interface HistoryProps {
  search: Search;
  onChange(next: Partial<Search>): void;
  onOpen(alert: Alert): void;
}

function History({ search, onChange, onOpen }: HistoryProps) {
  const { data: history } = useSuspenseQuery(historyQuery(search));
  const navigate = useNavigate({ from: "/alerts" });
  return (
    <Panel
      title="History"
      className="mt-4"
      isFlush
      aside={
        <search aria-label="History" className="flex flex-wrap items-center gap-2">
          <TimeInput label="From" value={search.from} onChoose={(from) => onChange({ from })} />
          <TimeInput label="To" value={search.to} onChoose={(to) => onChange({ to })} />
        </search>
      }
    >
      <DataTable
        caption="Resolved alerts"
        columns={HISTORY_COLUMNS}
        rows={history.alerts}
        rowKey={({ id }) => id}
        onRowClick={onOpen}
        empty={
          <EmptyState title="Nothing here has been resolved">
            Alerts resolve by themselves once their cause is gone.
          </EmptyState>
        }
      />
      {history.total > 0 && (
        <Pager
          noun="alerts"
          offset={search.offset ?? 0}
          shown={history.alerts.length}
          limit={PAGE_SIZE}
          total={history.total}
          onOffset={(offset) =>
            void navigate({
              search: (before) => ({ ...before, offset: offset || undefined }),
              resetScroll: false,
            })
          }
        />
      )}
    </Panel>
  );
}
