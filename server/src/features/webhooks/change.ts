// What is asked of an endpoint: checked against the world, and put together with what it was.
import { grantOn, mayOperate, type VaultAccess } from "../../auth/vaults.ts";
import { ALERT_CATEGORIES } from "../../monitors/categories.ts";
import { checkUserUrl, EgressError, type EgressSettings } from "../../platform/egress/egress.ts";
import { Problem } from "../../platform/errors.ts";
import type { Caller } from "../../platform/permission.ts";
import { parseVaultId, type VaultRef } from "../../vault.ts";
import { EVENT_TYPE_NAMES } from "./payload.ts";
import type { EndpointChange } from "./schemas.ts";
import type { EndpointRow } from "./store.ts";

export interface CheckParts {
  egressSettings: EgressSettings;
  vaults: Pick<VaultAccess, "mustExist">;
}

/**
 * Whether the caller may ask for it.
 * @throws Problem `invalid_request` for a URL that is never called, `chain_not_found` or `vault_not_found`, `insufficient_role` for a
 * vault that the caller does not manage
 */
export async function checkChange(
  { egressSettings, vaults }: CheckParts,
  caller: Caller,
  change: EndpointChange,
): Promise<void> {
  if (change.url !== undefined) checkUrl(change.url, egressSettings);
  for (const vaultId of change.vaults ?? []) {
    const place = parseVaultId(vaultId) as VaultRef;
    const grant = grantOn(caller.grants, place);
    if (grant === null) await vaults.mustExist(place);
    if (grant === null || !mayOperate(grant))
      throw new Problem("insufficient_role", `Your wallet is not a manager or operator of ${vaultId}.`);
  }
}

function checkUrl(url: string, settings: EgressSettings): void {
  try {
    checkUserUrl(url, settings);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const message = `is refused: ${error.message}`;
    throw new Problem("invalid_request", `url ${message}.`, { errors: [{ path: "/url", message }] });
  }
}

/** The row with the change, and the names of what is different. */
export function changed(
  before: EndpointRow,
  change: EndpointChange,
  now: string,
): { row: EndpointRow; names: string[] } {
  const row: EndpointRow = { ...before };
  const names: string[] = [];
  const { categories, ...rest } = change;
  const wanted = {
    ...rest,
    ...(categories !== undefined && {
      alert_categories: categories && withUnknown(categories, before.alert_categories, ALERT_CATEGORIES),
    }),
    ...(change.vaults && { vaults: distinct(change.vaults) }),
    ...(change.event_types && {
      event_types: withUnknown(change.event_types, before.event_types, EVENT_TYPE_NAMES),
    }),
  };
  for (const [name, value] of Object.entries(wanted)) {
    const key = name as keyof typeof wanted;
    if (JSON.stringify(before[key]) === JSON.stringify(value)) continue;
    Object.assign(row, { [key]: value });
    names.push(name === "alert_categories" ? "categories" : name);
  }
  if (names.length > 0) row.updated_at = now;
  if (names.includes("is_enabled")) {
    row.disabled_reason = null;
    row.disabled_at = row.is_enabled ? null : now;
  }
  return { row, names: names.sort() };
}

/** A newer process beside this one may know further words, of which nothing was asked here. */
function withUnknown(
  words: readonly string[],
  before: readonly string[] | null,
  known: readonly string[],
): string[] {
  return [...words, ...(before ?? []).filter((word) => !known.includes(word))];
}

/** Each vault once, though several spellings were given. */
export function distinct(vaults: readonly string[] | null): string[] | null {
  return vaults === null ? null : [...new Set(vaults)];
}
