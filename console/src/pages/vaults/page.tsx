// Home: every vault with what it holds, earns and needs. Signed out it is the public listing; signed in, one's own vaults also say
// how long their price stays fresh and what of them needs attention.

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Search as SearchIcon } from "lucide-react";
import { useSession } from "../../api/session.ts";
import { chainsQuery, ownVaultStatesQuery, publicVaultsQuery } from "../../api/vaults.ts";
import { counted } from "../../format/amount.ts";
import { DataTable, type SortState } from "../../ui/data-table.tsx";
import { Input, Segmented, Select } from "../../ui/form/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { vaultColumns } from "./columns.tsx";
import { filterVaults, listVaults } from "./listed-vaults.ts";
import type { Search, Sort } from "./queries.ts";
import { VaultStats } from "./stats.tsx";

const route = getRouteApi("/");

export function VaultsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/" });
  const go = useNavigate();
  const session = useSession();
  const { data: vaults } = useSuspenseQuery(publicVaultsQuery);
  const { data: chains } = useSuspenseQuery(chainsQuery);
  const { data: own } = useQuery({ ...ownVaultStatesQuery, enabled: session !== null });
  const all = listVaults(vaults, own?.vaults);
  const hasOwn = all.some(({ role }) => role !== null);
  const show = search.show ?? "all";
  const listed = filterVaults(all, { ...search, show: hasOwn ? show : "all" });
  const sort: SortState = { id: search.sort ?? "tvl", order: search.order ?? "desc" };
  const change = (next: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });

  return (
    <>
      <PageHeader
        title="Vaults"
        description={
          session === null ? "The public listing. Sign in to see what your vaults need." : undefined
        }
        actions={
          session === null && (
            <Link
              to="/sign-in"
              className="inline-flex h-8 items-center rounded-md bg-accent-solid px-3 font-medium text-white hover:brightness-110"
            >
              Sign in
            </Link>
          )
        }
      />
      <VaultStats vaults={all} />
      <Panel isFlush className="mt-4">
        <search className="flex flex-wrap items-center gap-2 border-b p-2.5">
          <div className="relative min-w-48 flex-1 sm:max-w-80">
            <SearchIcon
              aria-hidden
              className="pointer-events-none absolute top-2 left-2.5 size-4 text-ink-3"
            />
            <Input
              type="search"
              aria-label="Search by name, symbol or address"
              placeholder="Name, symbol or address"
              className="pl-8"
              value={search.q ?? ""}
              onChange={(event) => change({ q: event.target.value || undefined })}
            />
          </div>
          {chains.length > 1 && (
            <Select
              aria-label="Chain"
              className="!w-auto"
              value={search.chain ?? ""}
              onChange={(event) => change({ chain: Number(event.target.value) || undefined })}
            >
              <option value="">All chains</option>
              {chains.map((chain) => (
                <option key={chain.chain_id} value={chain.chain_id}>
                  {chain.name}
                </option>
              ))}
            </Select>
          )}
          {hasOwn && (
            <Segmented
              label="Which vaults"
              value={show}
              options={[
                ["all", "All"],
                ["mine", "Mine"],
              ]}
              onChange={(value) => change({ show: value === "all" ? undefined : value })}
            />
          )}
          <span role="status" className="num ml-auto px-1 text-xs text-ink-3">
            {listed.length === all.length
              ? counted(all.length, "vault")
              : `${listed.length} of ${counted(all.length, "vault")}`}
          </span>
        </search>
        <DataTable
          caption="Vaults"
          columns={vaultColumns(chains)}
          rows={listed}
          rowKey={(row) => row.vault.vault_id}
          rowTone={({ attention }) => attention?.[0]?.severity}
          onRowClick={({ vault }) =>
            void go({
              to: "/vaults/$chainId/$address",
              params: { chainId: vault.chain_id, address: vault.vault_address },
            })
          }
          sort={sort}
          onSort={({ id, order }) => change({ sort: id as Sort, order })}
          empty={
            all.length === 0 ? (
              <EmptyState title="No vaults yet">
                The service has not found a vault on the chains that it follows. That may still be going on.
              </EmptyState>
            ) : (
              <EmptyState title="No vaults match">Change or clear the search.</EmptyState>
            )
          }
        />
      </Panel>
    </>
  );
}
