// What the list shows of each vault: its public record, and where the caller has a role on it, the whole one.
import type { OwnVault, Vault } from "../../api/vaults.ts";
import type { Search } from "./queries.ts";

/** A whole record, of which lists hold only those that the caller may see. */
export type OwnState = Extract<OwnVault, { pps_expires_at: unknown }>;

export interface ListedVault {
  vault: Vault;
  own: OwnState | null;
  role: OwnVault["role"];
  /** What the service says is wrong with it, worst first; null where it does not tell this caller, or has not yet. */
  attention: OwnVault["attention"];
}

export function listVaults(vaults: readonly Vault[], own: readonly OwnVault[] = []): ListedVault[] {
  const byId = new Map(own.map((vault) => [vault.vault_id, vault]));
  return vaults.map((vault) => {
    const mine = byId.get(vault.vault_id);
    const state = mine && "pps_expires_at" in mine ? mine : null;
    return { vault, own: state, role: mine?.role ?? null, attention: mine?.attention ?? null };
  });
}

/** The vaults that match the search. Text is looked for in name, symbol and address. */
export function filterVaults(listed: readonly ListedVault[], { q, chain, show }: Search): ListedVault[] {
  const text = q?.trim().toLowerCase() ?? "";
  return listed.filter(
    ({ vault, role }) =>
      (chain === undefined || vault.chain_id === chain) &&
      (show !== "mine" || role !== null) &&
      (text === "" ||
        [vault.name, vault.symbol, vault.vault_address, vault.vault_id].some((field) =>
          field?.toLowerCase().includes(text),
        )),
  );
}
