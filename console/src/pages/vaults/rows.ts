// The rows of the list: the public record of each vault, and where the caller has a role on it, the whole one.
import type { Answer } from "@vaultops/sdk/client";
import type { OwnVault, Search, Vault } from "./queries.ts";

export type Alert = Answer<"GET /api/v1/alerts">["alerts"][number];

/** A whole record, of which lists hold only those that the caller may see. */
export type OwnState = Extract<OwnVault, { pps_expires_at: unknown }>;

export interface VaultRow {
  vault: Vault;
  own: OwnState | null;
  role: OwnVault["role"];
  /** What needs attention, worst first, in words. */
  needs: readonly { tone: "critical" | "warning"; text: string }[];
  tone: "critical" | "warning" | undefined;
  /** Open alerts; null where the caller may not see them, or they are not known yet. */
  alerts: readonly Alert[] | null;
}

export function joinOwn(
  vaults: readonly Vault[],
  own: readonly OwnVault[] = [],
  alerts?: readonly Alert[],
): VaultRow[] {
  const alertsOf = Map.groupBy(alerts ?? [], (alert) => `${alert.chain_id}:${alert.vault_address}`);
  const byId = new Map(own.map((vault) => [vault.vault_id, vault]));
  return vaults.map((vault) => {
    const mine = byId.get(vault.vault_id);
    const state = mine && "pps_expires_at" in mine ? mine : null;
    const needs = needsOf(vault, state);
    const open = mine === undefined || alerts === undefined ? null : (alertsOf.get(vault.vault_id) ?? []);
    return { vault, own: state, role: mine?.role ?? null, needs, tone: needs[0]?.tone, alerts: open };
  });
}

function needsOf(vault: Vault, own: OwnState | null): VaultRow["needs"] {
  const needs: { tone: "critical" | "warning"; text: string }[] = [];
  if (own?.emergency_exit?.is_armed) needs.push({ tone: "critical", text: "Emergency exit" });
  if (own?.is_pps_stale) needs.push({ tone: "critical", text: "Price stale" });
  if (vault.is_paused) needs.push({ tone: "critical", text: "Paused" });
  if (own && BigInt(own.upkeep_info?.threshold.shortfall ?? 0) > 0n)
    needs.push({ tone: "warning", text: "Upkeep short" });
  return needs;
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
