// The rows of the list: the public record of each vault, and where the caller has a role on it, the whole one.
import type { OwnVault, Search, Vault } from "./queries.ts";

/** A whole record, of which lists hold only those that the caller may see. */
export type OwnState = Extract<OwnVault, { pps_expires_at: unknown }>;

export interface VaultRow {
  vault: Vault;
  own: OwnState | null;
  role: OwnVault["role"];
  /** What the service says is wrong with it, worst first; null where it does not tell this caller, or has not yet. */
  attention: OwnVault["attention"];
}

export function joinOwn(vaults: readonly Vault[], own: readonly OwnVault[] = []): VaultRow[] {
  const byId = new Map(own.map((vault) => [vault.vault_id, vault]));
  return vaults.map((vault) => {
    const mine = byId.get(vault.vault_id);
    const state = mine && "pps_expires_at" in mine ? mine : null;
    return { vault, own: state, role: mine?.role ?? null, attention: mine?.attention ?? null };
  });
}

/** The rows that the search leaves. Text is looked for in name, symbol and address. */
export function filterRows(rows: readonly VaultRow[], { q, chain, show }: Search): VaultRow[] {
  const text = q?.trim().toLowerCase() ?? "";
  return rows.filter(
    ({ vault, role }) =>
      (chain === undefined || vault.chain_id === chain) &&
      (show !== "mine" || role !== null) &&
      (text === "" ||
        [vault.name, vault.symbol, vault.vault_address, vault.vault_id].some((field) =>
          field?.toLowerCase().includes(text),
        )),
  );
}
