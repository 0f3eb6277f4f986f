// Services: the keepers and engines that run the vaults, worst first; of all vaults joined by name, or of one.
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { words } from "../../format/words.ts";
import { OwnVaultSelect } from "../../parts/vault-select.tsx";
import { Dot } from "../../ui/badge.tsx";
import { DataTable, type SortState } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel, Stat, Stats } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { ORDER, SERVICE_COLUMNS, SERVICE_TONES, toneOf } from "./columns.tsx";
import { type Service, statusQuery, vaultServicesQuery } from "./queries.ts";

const route = getRouteApi("/services");

export function ServicesPage() {
  const { vault } = route.useSearch();
  const navigate = useNavigate({ from: "/services" });
  const { data: all } = useSuspenseQuery(statusQuery);
  const ofVault = useQuery({ ...vaultServicesQuery(vault ?? ""), enabled: vault !== undefined });
  return (
    <>
      <PageHeader
        title="Services"
        description="The keepers and engines that run the vaults, rated by their runs and their schedules."
        actions={
          <OwnVaultSelect
            chosen={vault}
            onChoose={(next) =>
              void navigate({ search: next === undefined ? {} : { vault: next }, replace: true })
            }
          />
        }
      />
      {vault === undefined ? (
        <ServiceTable services={all.services} />
      ) : (
        <Loaded query={ofVault} rows={7}>
          {(services) => <ServiceTable services={services} />}
        </Loaded>
      )}
    </>
  );
}

function ServiceTable({ services }: { services: readonly Service[] }) {
  const [sort, setSort] = useState<SortState>({ id: "status", order: "asc" });
  return (
    <>
      <Stats>
        {ORDER.map((status) => (
          <Stat key={status} name={status === "unknown" ? "Never reported" : words(status)}>
            <span className="inline-flex items-center gap-2">
              <Dot tone={SERVICE_TONES[status]} />
              {services.filter((service) => service.status === status).length}
            </span>
          </Stat>
        ))}
      </Stats>
      <Panel isFlush className="mt-4">
        <DataTable
          caption="Services"
          columns={SERVICE_COLUMNS}
          rows={services}
          rowKey={({ name }) => name}
          rowTone={toneOf}
          sort={sort}
          onSort={setSort}
          empty={<EmptyState title="No services">None is listed for the vaults that you see.</EmptyState>}
        />
      </Panel>
    </>
  );
}
