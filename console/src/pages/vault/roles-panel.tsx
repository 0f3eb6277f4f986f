import { words } from "../../format/words.ts";
import { Address } from "../../parts/address.tsx";
import { Nothing } from "../../ui/loaded.tsx";
import { Fact, Facts, Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import type { VaultState } from "./queries.ts";

/** Who holds which role in the vault's contract, in the contract's own words. */
export function RolesPanel({ vault }: { vault: VaultState }) {
  const { contract_roles: roles, unavailable_reasons: reasons } = vault;
  const byRole = Map.groupBy(roles, ({ role }) => role);
  return (
    <Panel title="Roles" aside={roles.length > 0 && `${roles.length} in the contract`}>
      {roles.length === 0 ? (
        <Nothing>{reasons.contract_roles ?? "The contract names no roles."}</Nothing>
      ) : (
        <Facts>
          {[...byRole].map(([role, holders]) => (
            <Fact key={role} name={words(role)}>
              <ul className="flex flex-col items-end gap-1.5">
                {holders.map(({ account, since }) => (
                  <li key={account} className="flex flex-wrap items-center justify-end gap-x-2">
                    <Address value={account} chainId={vault.chain_id} label={words(role)} />
                    {since !== null && (
                      <span className="text-xs text-ink-3">
                        since <Time at={since} exact="hover" />
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}
