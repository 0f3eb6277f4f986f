import type { Vault } from "../../api/vaults.ts";
import { count } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Transaction } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { Amount, Pps } from "../../ui/amount.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import type { Execution } from "./queries.ts";

const TONES: Record<Execution["status"], Tone> = {
  pending: "accent",
  success: "good",
  failed: "critical",
  skipped: "neutral",
};

const SOURCES: Record<Execution["source"], string> = {
  reported: "The engine reported it; the chain has not shown it.",
  onchain: "Seen on the chain; the engine has not reported it.",
  both: "Reported by the engine and seen on the chain.",
};

/** The columns of the list; amounts in the units of each vault. */
export function executionColumns(vaults: readonly Vault[]): Column<Execution>[] {
  const byId = new Map(vaults.map((vault) => [vault.vault_id, vault]));
  const vaultOf = ({ chain_id, vault_address }: Execution) => byId.get(`${chain_id}:${vault_address}`);
  return [
    {
      id: "vault",
      header: "Vault",
      cell: ({ chain_id, vault_address }) => <VaultName chainId={chain_id} address={vault_address} />,
    },
    {
      id: "status",
      header: "Status",
      cell: ({ status, source, is_confirmed }) => (
        <span className="inline-flex gap-1">
          <Badge tone={TONES[status]}>{words(status)}</Badge>
          <Badge tip={SOURCES[source]}>{source === "both" ? "reported, onchain" : source}</Badge>
          {is_confirmed === false && (
            <Badge tone="accent" tip="Its block may still be undone by a reorganisation.">
              unconfirmed
            </Badge>
          )}
        </span>
      ),
    },
    {
      id: "assets",
      header: "Assets out",
      align: "right",
      cell: (execution) => {
        const vault = vaultOf(execution);
        return vault ? (
          <Amount
            raw={execution.total_assets_out}
            decimals={vault.underlying_asset_decimals}
            symbol={vault.underlying_asset_symbol}
            reason="the engine did not report it and the chain does not show it"
          />
        ) : (
          <Unknown />
        );
      },
    },
    {
      id: "shares",
      header: "Shares",
      align: "right",
      from: "md",
      cell: (execution) => {
        const vault = vaultOf(execution);
        return vault ? (
          <Amount
            raw={execution.total_shares_fulfilled}
            decimals={vault.vault_share_decimals}
            symbol={vault.symbol}
          />
        ) : (
          <Unknown />
        );
      },
    },
    {
      id: "pps",
      header: "Price per share",
      align: "right",
      from: "lg",
      cell: (execution) => {
        const vault = vaultOf(execution);
        return vault ? (
          <Pps
            raw={execution.pps_at_fulfillment}
            decimals={vault.underlying_asset_decimals}
            symbol={vault.underlying_asset_symbol}
          />
        ) : (
          <Unknown />
        );
      },
    },
    {
      id: "controllers",
      header: "Controllers",
      align: "right",
      from: "md",
      cell: ({ controllers_count }) => <span className="num">{count(controllers_count)}</span>,
    },
    {
      id: "tx",
      header: "Transaction",
      from: "sm",
      cell: ({ tx_hash, chain_id }) =>
        tx_hash === null ? (
          <Unknown reason="no transaction is known" />
        ) : (
          <Transaction value={tx_hash} chainId={chain_id} />
        ),
    },
    {
      id: "at",
      header: "When",
      align: "right",
      cell: ({ created_at }) => <Time at={created_at} exact="hover" />,
    },
  ];
}
