// Intents: what the engine meant to do and what became of it, by state, newest first. The filters stand in the address.
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { count } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { useVaultName } from "../../parts/vault-name.tsx";
import { Dot } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { Select } from "../../ui/form/field.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { INTENT_COLUMNS } from "./columns.tsx";
import { type Facets, facetsQuery, listQuery, PAGE_SIZE, type Search, STATES } from "./queries.ts";
import { stateWord, toneOf } from "./state.tsx";

const route = getRouteApi("/intents");

export function IntentsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/intents" });
  const { data: page } = useSuspenseQuery(listQuery(search));
  const { data: facets } = useSuspenseQuery(facetsQuery(search));
  const change = (next: Partial<Search>) =>
    void navigate({
      search: ({ offset: _, ...before }) => ({ ...before, ...next }),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = Object.keys(search).some((key) => key !== "offset");

  return (
    <>
      <PageHeader title="Intents" description="What the engine set out to do, and the outcome." />
      <StateBar facets={facets} chosen={search.state} onChoose={(state) => change({ state })} />
      <Panel isFlush className="mt-4">
        <search className="flex flex-wrap items-center gap-2 border-b p-2.5">
          <FacetSelect
            label="Vault"
            values={facets.vault}
            chosen={search.vault}
            onChoose={(vault) => change({ vault })}
            nameOf={useVaultName()}
          />
          <FacetSelect
            label="Action"
            values={facets.action}
            chosen={search.action}
            onChoose={(action) => change({ action })}
            nameOf={words}
          />
          <FacetSelect
            label="Strategy"
            values={facets.strategy}
            chosen={search.strategy}
            onChoose={(strategy) => change({ strategy })}
          />
          {isFiltered && (
            <Button
              look="quiet"
              icon={X}
              onClick={() => void navigate({ search: {}, replace: true, resetScroll: false })}
            >
              Clear
            </Button>
          )}
        </search>
        <DataTable
          caption="Intents"
          columns={INTENT_COLUMNS}
          rows={page.intents}
          rowKey={({ intent_id }) => intent_id}
          rowTone={({ state }) => {
            const tone = toneOf(state);
            return tone === "critical" || tone === "accent" ? tone : undefined;
          }}
          onRowClick={({ intent_id }) =>
            void navigate({ to: "/intents/$intentId", params: { intentId: intent_id } })
          }
          empty={
            isFiltered ? (
              <EmptyState title="No intents match">Change or clear the filter.</EmptyState>
            ) : (
              <EmptyState title="No intents yet">
                Engines report intents through the ingest API. None have been reported for the vaults that you
                see.
              </EmptyState>
            )
          }
        />
        {page.total > 0 && (
          <Pager
            noun="intents"
            offset={search.offset ?? 0}
            shown={page.intents.length}
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

interface StateBarProps {
  facets: Facets;
  chosen: Search["state"];
  onChoose(state: Search["state"]): void;
}

/** How many intents are in each state, and the way to see those alone. States without any are left out. */
function StateBar({ facets, chosen, onChoose }: StateBarProps) {
  const counts = new Map(facets.state.map(({ value, count: n }) => [value, n]));
  const shown = STATES.filter((state) => counts.has(state) || state === chosen);
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">State</legend>
      {[undefined, ...shown].map((state) => (
        <button
          key={state ?? "all"}
          type="button"
          aria-pressed={state === chosen}
          onClick={() => onChoose(state)}
          className={cx(
            "inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-xs font-medium",
            state === chosen ? "border-accent bg-accent-wash text-ink" : "bg-panel text-ink-2 hover:bg-hover",
          )}
        >
          {state && <Dot tone={toneOf(state)} />}
          {state ? stateWord(state) : "All"}
          <span className="num text-ink-3">{count(state ? (counts.get(state) ?? 0) : facets.total)}</span>
        </button>
      ))}
    </fieldset>
  );
}

interface FacetSelectProps {
  label: string;
  values: readonly { value: string | null; count: number }[];
  chosen: string | undefined;
  onChoose(value: string | undefined): void;
  nameOf?: (value: string) => string;
}

function FacetSelect({ label, values, chosen, onChoose, nameOf = (value) => value }: FacetSelectProps) {
  const named = values.filter((one): one is { value: string; count: number } => one.value !== null);
  const options = chosen && !named.some(({ value }) => value === chosen) ? [{ value: chosen, count: 0 }] : [];
  return (
    <Select
      aria-label={label}
      className="!w-auto max-w-56"
      value={chosen ?? ""}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">{`Any ${label.toLowerCase()}`}</option>
      {[...options, ...named].map(({ value, count: n }) => (
        <option key={value} value={value}>
          {`${nameOf(value)} (${count(n)})`}
        </option>
      ))}
    </Select>
  );
}
