import { Address } from "../../parts/address.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import type { VaultState } from "./queries.ts";

/** Which contracts the vault is made of. */
export function ContractsPanel({ vault }: { vault: VaultState }) {
  const contracts = [
    [`Asset (${vault.underlying_asset_symbol ?? "unnamed"})`, vault.underlying_asset_address],
    ["Strategy", vault.strategy_address],
    ["Escrow", vault.escrow_address],
  ] as const;
  return (
    <Panel title="Contracts">
      <Facts>
        {contracts.map(
          ([name, address]) =>
            address !== null && (
              <Fact key={name} name={name}>
                <Address value={address} chainId={vault.chain_id} label={`address of ${name}`} />
              </Fact>
            ),
        )}
      </Facts>
    </Panel>
  );
}
