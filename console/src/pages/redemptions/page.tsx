// Redemptions: payouts to those who asked to redeem, each as the engine reported it and as the chain shows it, made one.
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { publicVaultsQuery } from "../../api/vaults.ts";
import { words } from "../../format/words.ts";
import { OwnVaultSelect } from "../../parts/vault-select.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Segmented } from "../../ui/form/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { executionColumns } from "./columns.tsx";
import { executionsQuery, PAGE_SIZE, type Search, STATUSES } from "./queries.ts";

const route = getRouteApi("/redemptions");

export function RedemptionsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/redemptions" });
  const { data: page } = useSuspenseQuery(executionsQuery(search));
  const { data: vaults = [] } = useQuery(publicVaultsQuery);
  const change = (next: Partial<Search>) =>
    void navigate({
      search: ({ offset: _, ...before }) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = search.status !== undefined || search.vault !== undefined;
  return (
    <>
      <PageHeader
        title="Redemptions"
        description="Payouts to those who asked to redeem, as reported and as the chain shows them."
      />
      <Panel isFlush>
        <search className="flex flex-wrap items-center gap-2 border-b p-2.5">
          <OwnVaultSelect chosen={search.vault} onChoose={(vault) => change({ vault })} />
          <Segmented
            label="Status"
            value={search.status ?? "all"}
            options={[["all", "All"], ...STATUSES.map((status) => [status, words(status)] as const)]}
            onChange={(status) => change({ status: status === "all" ? undefined : status })}
          />
        </search>
        <DataTable
          caption="Redemptions"
          columns={executionColumns(vaults)}
          rows={page.executions}
          rowKey={({ id }) => id}
          rowTone={({ status }) => (status === "failed" ? "critical" : undefined)}
          empty={
            isFiltered ? (
              <EmptyState title="No redemptions match">Change or clear the filter.</EmptyState>
            ) : (
              <EmptyState title="No redemptions yet">
                They appear here once a vault of yours pays out, or its engine reports that it did.
              </EmptyState>
            )
          }
        />
        {page.total > 0 && (
          <Pager
            noun="redemptions"
            offset={search.offset ?? 0}
            shown={page.executions.length}
            limit={PAGE_SIZE}
            total={page.total}
            onOffset={(offset) =>
              void navigate({ search: (before) => ({ ...before, offset: offset || undefined }) })
            }
          />
        )}
      </Panel>
    </>
  );
}
