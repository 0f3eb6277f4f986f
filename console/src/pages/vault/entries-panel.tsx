import { useQuery } from "@tanstack/react-query";
import type { VaultId } from "../../api/vaults.ts";
import { counted } from "../../format/amount.ts";
import { words } from "../../format/words.ts";
import { Address, Transaction } from "../../parts/address.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { MoreLink } from "../../ui/more-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import { latestEntriesQuery, type VaultState } from "./queries.ts";

/** The newest entries of the vault's audit log. */
export function EntriesPanel({ id, vault }: { id: VaultId; vault: VaultState }) {
  const query = useQuery(latestEntriesQuery(id));
  return (
    <Panel
      title="Latest audit entries"
      isFlush
      aside={
        query.data && (
          <MoreLink to="/audit" search={{ vault: vault.vault_id }}>
            All {counted(query.data.total, "entry", "entries")}
          </MoreLink>
        )
      }
    >
      <Loaded query={query} rows={6}>
        {({ logs }) => (
          <DataTable
            caption="Latest audit entries"
            rows={logs}
            rowKey={({ id: entry }) => entry}
            empty={<EmptyState title="Nothing has been recorded of this vault yet" />}
            columns={[
              {
                id: "when",
                header: "When",
                cell: ({ timestamp }) => <Time at={timestamp} />,
              },
              {
                id: "action",
                header: "Action",
                cell: ({ action_type: action }) => <span className="font-medium">{words(action)}</span>,
              },
              {
                id: "actor",
                header: "Actor",
                cell: ({ actor_wallet: actor }) => (
                  <Address value={actor} chainId={vault.chain_id} label="actor" />
                ),
              },
              {
                id: "tx",
                header: "Transaction",
                from: "md",
                cell: ({ details }) => {
                  const hash = (details as { tx_hash?: unknown }).tx_hash;
                  return typeof hash === "string" ? (
                    <Transaction value={hash} chainId={vault.chain_id} />
                  ) : (
                    <Unknown reason="not an onchain operation" />
                  );
                },
              },
              {
                id: "seq",
                header: "Entry",
                align: "right",
                from: "sm",
                cell: ({ seq }) => <span className="num text-ink-3">#{seq}</span>,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
