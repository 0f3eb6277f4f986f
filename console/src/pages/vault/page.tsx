// A vault: what needs attention first, then what it is worth and earns, who may do what, what is about to change, what waits.
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Lock, PenLine } from "lucide-react";
import { useEffect } from "react";
import { followAudit } from "../../api/audit-stream.ts";
import { type VaultId, vaultQuery } from "../../api/vaults.ts";
import { count } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Segmented } from "../../ui/form/field.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Panel } from "../../ui/panel.tsx";
import { AcceptNote } from "./accept-note.tsx";
import { AlertsPanel } from "./alerts-panel.tsx";
import { AllocationsPanel } from "./allocations-panel.tsx";
import { AttentionList } from "./attention-list.tsx";
import { ChannelsPanel } from "./channels-panel.tsx";
import { VaultCharts } from "./charts.tsx";
import { ContractsPanel } from "./contracts-panel.tsx";
import { ControllersPanel } from "./controllers-panel.tsx";
import { EnginePanel } from "./engine-panel.tsx";
import { EntriesPanel } from "./entries-panel.tsx";
import { VaultFigures } from "./figures.tsx";
import { MembersPanel } from "./members-panel.tsx";
import { PeoplePanel } from "./people-panel.tsx";
import { PricePanel } from "./price-panel.tsx";
import { type VaultState, WINDOWS } from "./queries.ts";
import { RedeemsPanel } from "./redeems-panel.tsx";
import { RolesPanel } from "./roles-panel.tsx";
import { ServicesPanel } from "./services-panel.tsx";
import { SourcesPanel } from "./sources-panel.tsx";
import { TimelocksPanel } from "./timelocks-panel.tsx";
import { UpkeepPanel } from "./upkeep-panel.tsx";

const route = getRouteApi("/vaults/$chainId/$address");

export function VaultPage() {
  const { chainId, address } = route.useParams();
  const { window = "30d" } = route.useSearch();
  const navigate = useNavigate({ from: "/vaults/$chainId/$address" });
  const id: VaultId = { chain_id: chainId, address };
  const { data: vault } = useSuspenseQuery(vaultQuery(id));
  useFollow(id, vault.role !== null);

  return (
    <>
      <Head vault={vault} />
      <AcceptNote vault={vault} />
      <AttentionList attention={vault.attention} />
      <VaultFigures vault={vault} />
      <Panel
        className="mt-4"
        title="History"
        aside={
          <Segmented
            label="Window of the charts"
            value={window}
            options={WINDOWS.map((option) => [option, option === "all" ? "All" : option] as const)}
            onChange={(value) =>
              void navigate({ search: { window: value }, replace: true, resetScroll: false })
            }
          />
        }
      >
        <VaultCharts id={id} vault={vault} window={window} />
      </Panel>
      {vault.role === null ? <PublicParts vault={vault} /> : <Parts vault={vault} id={id} />}
    </>
  );
}

/** What those with a role see: the wide part with the log under it, and at the side what changes and waits. */
function Parts({ vault, id }: { vault: VaultState; id: VaultId }) {
  return (
    <div className="mt-4 grid items-start gap-4 xl:grid-cols-3">
      <div className="grid min-w-0 items-start gap-4 md:grid-cols-2 xl:col-span-2">
        <div className={COLUMN}>
          <PricePanel vault={vault} />
          <UpkeepPanel vault={vault} />
          <PeoplePanel vault={vault} />
          <MembersPanel id={id} />
          <Governance vault={vault} />
        </div>
        <div className={COLUMN}>
          <Allocation vault={vault} />
          <EnginePanel id={id} />
          <ContractsPanel vault={vault} />
        </div>
        <div className="min-w-0 md:col-span-2">
          <EntriesPanel id={id} vault={vault} />
        </div>
      </div>
      <div className="grid min-w-0 items-start gap-4 max-xl:order-first md:grid-cols-2 xl:grid-cols-1">
        <AlertsPanel id={id} />
        <TimelocksPanel vault={vault} />
        <ServicesPanel id={id} />
        <RedeemsPanel id={id} vault={vault} />
        <ChannelsPanel id={id} />
      </div>
    </div>
  );
}

/** What anybody with a session sees. */
function PublicParts({ vault }: { vault: VaultState }) {
  return (
    <>
      <p className="mt-4 flex items-center gap-2 rounded-lg border bg-panel px-3.5 py-3 text-ink-2">
        <Lock aria-hidden className="size-4 shrink-0 text-ink-3" />
        You have no role on this vault: its alerts, services, redemptions, engine and audit log are shown to
        its managers and viewers.
      </p>
      <div className="mt-4 grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
        <div className={COLUMN}>
          <PricePanel vault={vault} />
          <UpkeepPanel vault={vault} />
        </div>
        <div className={COLUMN}>
          <Allocation vault={vault} />
          <TimelocksPanel vault={vault} />
        </div>
        <div className={COLUMN}>
          <PeoplePanel vault={vault} />
          <Governance vault={vault} />
          <ContractsPanel vault={vault} />
        </div>
      </div>
    </>
  );
}

/** Yield sources have oracles of their own; whatever else holds assets is told alike in every family. */
function Allocation({ vault }: { vault: VaultState }) {
  return vault.family === "supervault" || vault.allocations.length === 0 ? (
    <SourcesPanel vault={vault} />
  ) : (
    <AllocationsPanel vault={vault} />
  );
}

/** The roles of the contract, where they are more than the managers, and who stands behind them. */
function Governance({ vault }: { vault: VaultState }) {
  return (
    <>
      {vault.family !== "supervault" && <RolesPanel vault={vault} />}
      <ControllersPanel vault={vault} />
    </>
  );
}

const COLUMN = "flex min-w-0 flex-col gap-4";

const FAMILIES: Readonly<Record<string, string>> = {
  supervault: "SuperVault",
  erc4626: "ERC-4626",
  morpho_vault_v2: "Morpho Vault V2",
  metamorpho: "MetaMorpho",
  euler_earn: "Euler Earn",
  lagoon: "Lagoon",
  yearn_v3: "Yearn V3",
};

function Head({ vault }: { vault: VaultState }) {
  const { as_of: asOf } = vault;
  return (
    <PageHeader
      title={vault.name ?? "Unnamed vault"}
      lead={<Glyph text={vault.underlying_asset_symbol ?? ""} seed={vault.vault_id} size={36} />}
      badges={
        <>
          <span className="text-ink-2">{vault.symbol}</span>
          {vault.role && <Badge tone="accent">{words(vault.role)}</Badge>}
          {vault.emergency_exit.is_armed && <Badge>Emergency exit</Badge>}
          {vault.is_paused && <Badge>Paused</Badge>}
          {vault.is_pps_stale && <Badge>Price stale</Badge>}
        </>
      }
      description={
        <span className="flex flex-wrap items-center gap-x-3">
          <Address value={vault.vault_address} chainId={vault.chain_id} label="vault address" />
          <span>{FAMILIES[vault.family] ?? words(vault.family)}</span>
          {asOf && (
            <span className="num text-ink-3" data-tip={`block hash ${asOf.block_hash}`}>
              as of block {count(asOf.block_number)}
              {asOf.confirmed ? "" : ", unconfirmed"}
            </span>
          )}
        </span>
      }
      actions={
        vault.role !== null && (
          <Link
            to="/vaults/$chainId/$address/actions"
            params={{ chainId: vault.chain_id, address: vault.vault_address }}
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-panel px-3 font-medium hover:bg-hover"
          >
            <PenLine aria-hidden className="size-3.5" />
            Actions
          </Link>
        )
      }
    />
  );
}

/** What happens on the vault is seen at once: an entry of its audit log brings the page up to date. */
function useFollow({ chain_id, address }: VaultId, isAllowed: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isAllowed) return;
    const ending = new AbortController();
    void followAudit({
      query: { chain_id, vault_address: address },
      signal: ending.signal,
      onEntries: () =>
        void queries.invalidateQueries({
          predicate: ({ queryKey: [route, options] }) =>
            route === "GET /api/v1/audit/logs" || JSON.stringify(options ?? "").includes(address),
        }),
    });
    return () => ending.abort();
  }, [chain_id, address, isAllowed, queries]);
}
