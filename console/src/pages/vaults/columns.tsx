import { Link } from "@tanstack/react-router";
import type { Answer } from "@vaultops/sdk/client";
import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Amount, Percent, Pps, Usd } from "../../ui/amount.tsx";
import { Badge, Dot } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Countdown } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { ListedVault } from "./listed-vaults.ts";

type Chains = Answer<"GET /api/v1/chains">;

/** The columns of the list; the chain's name only where there is more than one. */
export function vaultColumns(chains: Chains): Column<ListedVault>[] {
  const nameOf = new Map(chains.map(({ chain_id, name }) => [chain_id, name]));
  return [
    {
      id: "name",
      header: "Vault",
      sortBy: ({ vault }) => vault.name,
      cell: ({ vault, role, attention }) => (
        <div className="flex items-center gap-2.5 py-0.5">
          <Glyph text={vault.underlying_asset_symbol ?? ""} seed={vault.vault_id} />
          <div className="min-w-0">
            <Link
              to="/vaults/$chainId/$address"
              params={{ chainId: vault.chain_id, address: vault.vault_address }}
              className="block truncate font-medium hover:text-accent"
            >
              {vault.name ?? "Unnamed vault"}
            </Link>
            <p className="flex flex-wrap items-center gap-x-1.5 text-2xs text-ink-3">
              {vault.symbol}
              {role && <span className="whitespace-nowrap text-accent">{words(role)}</span>}
              {chains.length > 1 && <span>{nameOf.get(vault.chain_id)}</span>}
            </p>
            {isTroubled({ vault, attention }) && (
              <span className="mt-0.5 flex flex-wrap gap-1 sm:hidden">
                <Troubles vault={vault} attention={attention} />
              </span>
            )}
          </div>
        </div>
      ),
    },
    {
      id: "status",
      header: "Status",
      from: "sm",
      cell: (row) =>
        isTroubled(row) ? (
          <span className="flex flex-wrap gap-1">
            <Troubles {...row} />
          </span>
        ) : (
          <span className="inline-flex items-center gap-1.5 text-ink-2">
            <Dot tone="good" />
            Active
          </span>
        ),
    },
    {
      id: "alerts",
      header: "Alerts",
      from: "lg",
      sortBy: ({ attention }) => attention?.length,
      cell: ({ attention }) =>
        attention === null ? (
          <Unknown reason="shown to those with a role on the vault" />
        ) : attention[0] === undefined ? (
          <span className="text-ink-3">none</span>
        ) : (
          <Badge tone={attention[0].severity} tip={attention.map(({ text }) => text).join("\n")}>
            {attention.length} open
          </Badge>
        ),
    },
    {
      id: "tvl",
      header: "TVL",
      align: "right",
      sortBy: ({ vault }) => vault.tvl_usd,
      cell: ({ vault }) => (
        <div className="flex flex-col items-end">
          <Usd value={vault.tvl_usd} reason={vault.tvl_usd_unavailable_reason} />
          <span className="text-2xs text-ink-2">
            <Amount
              raw={vault.tvl}
              decimals={vault.underlying_asset_decimals}
              symbol={vault.underlying_asset_symbol}
              reason={vault.unavailable_reasons.tvl}
            />
          </span>
        </div>
      ),
    },
    {
      id: "apy",
      header: "APY 7 d",
      align: "right",
      sortBy: ({ vault }) => vault.apy_7d,
      cell: ({ vault }) => (
        <Percent
          value={vault.apy_7d}
          reason={vault.unavailable_reasons.apy_7d}
          tip="realised, net, over 7 days"
        />
      ),
    },
    {
      id: "apy30",
      header: "APY 30 d",
      align: "right",
      from: "lg",
      cell: ({ vault }) => (
        <Percent
          value={vault.apy_30d}
          reason={vault.unavailable_reasons.apy_30d}
          tip="realised, net, over 30 days"
        />
      ),
    },
    {
      id: "pps",
      header: "Price per share",
      align: "right",
      from: "md",
      cell: ({ vault }) => (
        <Pps
          raw={vault.pps}
          decimals={vault.underlying_asset_decimals}
          symbol={vault.underlying_asset_symbol}
          reason={vault.unavailable_reasons.pps}
        />
      ),
    },
    {
      id: "fresh",
      header: "Price fresh for",
      align: "right",
      from: "md",
      sortBy: ({ own }) => own?.pps_expires_at,
      cell: ({ own }) =>
        own === null ? (
          <Unknown reason="shown to those with a role on the vault" />
        ) : (
          <Countdown until={own.pps_expires_at} over="stale" reason="this vault has no staleness rule" />
        ),
    },
    {
      id: "address",
      header: "Address",
      from: "xl",
      cell: ({ vault }) => (
        <Address
          value={vault.vault_address}
          chainId={vault.chain_id}
          label={`address of ${vault.name ?? "the vault"}`}
        />
      ),
    },
  ];
}

type Attention = NonNullable<ListedVault["attention"]>[number];
type State = Pick<ListedVault, "vault" | "attention">;

const isTroubled = ({ vault, attention }: State): boolean =>
  vault.is_paused === true || (attention !== null && attention.length > 0);

/** A badge for each kind of what is wrong, as grave as the worst of it; of a vault that one has no role on, that it is paused. */
function Troubles({ vault, attention }: State) {
  if (attention === null || attention.length === 0) return vault.is_paused && <Badge>Paused</Badge>;
  return [...Map.groupBy(attention, ({ kind }) => kind).values()].map((alike) => {
    const [worst] = alike as [Attention, ...Attention[]];
    return (
      <Badge key={worst.kind} tone={worst.severity} tip={alike.map(({ text }) => text).join("\n")}>
        {words(worst.kind)}
      </Badge>
    );
  });
}
