import { useQuery } from "@tanstack/react-query";
import type { VaultId } from "../../api/vaults.ts";
import { span } from "../../format/time.ts";
import { Address } from "../../parts/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Loaded, Nothing } from "../../ui/loaded.tsx";
import { MoreLink } from "../../ui/more-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Unknown } from "../../ui/unknown.tsx";
import { redeemsQuery, type VaultState } from "./queries.ts";

/** Who waits to be paid out and since when, and who may claim. */
export function RedeemsPanel({ id, vault }: { id: VaultId; vault: VaultState }) {
  const query = useQuery(redeemsQuery(id));
  const shares = { decimals: vault.vault_share_decimals, symbol: vault.symbol };
  const assets = { decimals: vault.underlying_asset_decimals, symbol: vault.underlying_asset_symbol };
  return (
    <Panel
      title="Redeem queue"
      isFlush
      aside={
        <MoreLink to="/redemptions" search={{ vault: vault.vault_id }}>
          Paid out
        </MoreLink>
      }
    >
      <Loaded query={query}>
        {({ redeems, total, total_pending_shares: pending }) => (
          <>
            <DataTable
              caption="Redeem queue"
              rows={redeems}
              rowKey={({ controller }) => controller}
              empty={
                <div className="p-3.5">
                  <Nothing>No redemptions are waiting.</Nothing>
                </div>
              }
              columns={[
                {
                  id: "controller",
                  header: "Controller",
                  cell: ({ controller }) => (
                    <Address value={controller} chainId={vault.chain_id} label="controller" />
                  ),
                },
                {
                  id: "waits",
                  header: "Waits",
                  align: "right",
                  cell: ({ age_seconds: age, requested_at: at }) =>
                    age === null ? (
                      <Unknown reason="nothing waits; see what may be claimed" />
                    ) : (
                      <span className="num whitespace-nowrap" data-tip={at ?? ""}>
                        {span(age)}
                      </span>
                    ),
                },
                {
                  id: "pending",
                  header: "Pending",
                  align: "right",
                  cell: ({ pending_shares: waiting, claimable_assets: claimable }) => (
                    <span className="flex flex-col items-end">
                      {waiting !== "0" && <Amount raw={waiting} {...shares} />}
                      {claimable !== "0" && (
                        <span className="text-xs text-ink-2">
                          <Amount raw={claimable} {...assets} /> to claim
                        </span>
                      )}
                    </span>
                  ),
                },
              ]}
            />
            {total > 0 && (
              <p className="border-t px-3.5 py-2 text-xs text-ink-3">
                {redeems.length < total && `The ${redeems.length} that wait longest of ${total}. `}
                <Amount raw={pending} {...shares} /> wait in all.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
