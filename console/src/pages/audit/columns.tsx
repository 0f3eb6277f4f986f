import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "@vaultops/sdk/schema";
import { words } from "../../format/words.ts";
import { Address, Transaction } from "../../parts/address.tsx";
import { VaultName } from "../../parts/vault-name.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";

/** In place of a vault for what concerns none. */
export const NO_VAULT = "0x0000000000000000000000000000000000000000";

/** What an entry holds besides its columns: what the service knows, and what an engine says, which proves nothing. */
export function detailsOf(entry: AuditEntry): {
  known: Record<string, unknown>;
  reported: Record<string, unknown> | null;
} {
  const details = entry.details as Record<string, unknown>;
  if (details.reported !== true) return { known: details, reported: null };
  const { reported: _, reported_at, source, reported_details, ...flat } = details;
  return {
    known: { reported_at, source },
    reported: { ...flat, ...(reported_details as object | undefined) },
  };
}

export const ENTRY_COLUMNS: readonly Column<AuditEntry>[] = [
  { id: "when", header: "When", cell: ({ timestamp }) => <Time at={timestamp} exact="hover" /> },
  {
    id: "action",
    header: "Action",
    cell: (entry) => (
      <span className="inline-flex items-center gap-1.5">
        <Link
          from="/audit"
          search={(before) => ({ ...before, entry: entry.id })}
          resetScroll={false}
          className="font-medium hover:text-accent hover:underline"
        >
          {words(entry.action_type)}
        </Link>
        {detailsOf(entry).reported !== null && <Badge tip="The engine reported it.">reported</Badge>}
      </span>
    ),
  },
  {
    id: "vault",
    header: "Vault",
    cell: ({ chain_id, vault_address }) =>
      vault_address === NO_VAULT ? (
        <span className="text-ink-3">none</span>
      ) : (
        <VaultName chainId={chain_id} address={vault_address} />
      ),
  },
  {
    id: "actor",
    header: "Actor",
    from: "md",
    cell: ({ actor_wallet, chain_id }) => <Address value={actor_wallet} chainId={chain_id} label="actor" />,
  },
  {
    id: "tx",
    header: "Transaction",
    from: "lg",
    cell: (entry) => {
      const hash = detailsOf(entry).known.tx_hash;
      return typeof hash === "string" ? (
        <Transaction value={hash} chainId={entry.chain_id} />
      ) : (
        <Unknown reason="not an onchain operation" />
      );
    },
  },
  {
    id: "block",
    header: "Block",
    align: "right",
    from: "xl",
    cell: (entry) => {
      const block = detailsOf(entry).known.block_number;
      return typeof block === "number" ? <span className="num text-ink-2">{block}</span> : <Unknown />;
    },
  },
  {
    id: "seq",
    header: "Entry",
    align: "right",
    from: "sm",
    cell: ({ seq }) => <span className="num text-ink-3">#{seq}</span>,
  },
];
