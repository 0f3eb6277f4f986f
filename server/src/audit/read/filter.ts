// What a reader asks of the log, and what of it the reader may see: a filter is a few branches that share no entry, each a set of
// places and perhaps one actor, under the same actions and times.
import type { Address } from "viem";
import type { Problem } from "../../platform/errors.ts";
import { type Caller, seesUnlimited } from "../../platform/permission.ts";
import { type VaultRef, type VisibleVaults, vaultIdOf } from "../../vault.ts";
import type { ActionType } from "../entries/details.ts";
import { ZERO_ADDRESS } from "../entries/entries.ts";

/** Entries of some places; `actor`, when not null, narrows them to the actor's. */
export interface Branch {
  /** Everything, a whole chain, one address on whatever chain, or these vaults (at least one). */
  places: "all" | { chainId: number } | { vaultAddress: Address } | readonly VaultRef[];
  actor: Address | null;
}

/** Times are in the API's form. `from` is inclusive, `to` exclusive. */
export interface AuditFilter {
  /** No branch: nothing can match. */
  branches: readonly Branch[];
  actions: readonly ActionType[] | null;
  from: string | null;
  to: string | null;
  /** What is filtered and sorted by: the entry's place in time, or the block's time. */
  timeField: "timestamp" | "block";
}

/** The part of a query string that selects entries, validated and in canonical form. */
export interface FilterQuery {
  vault_address?: Address;
  chain_id?: number;
  action_type?: ActionType[];
  actor_wallet?: Address;
  from_timestamp?: string;
  to_timestamp?: string;
  time_field?: "timestamp" | "block";
}

/** Throws the Problems of a vault or chain that does not exist or is not the caller's. */
export type FindVisible = (
  caller: Caller,
  filter: { chainId?: number; vaultAddress?: Address },
) => Promise<VisibleVaults>;

/**
 * The filter that a query means for its caller: entries of the caller's vaults, and, where the query does not name a vault or chain
 * other than none, what concerns no vault and was done by himself.
 * @throws Problem `chain_not_found`, `vault_not_found`, `insufficient_role`
 */
export async function filterOf(
  query: FilterQuery,
  caller: Caller,
  findVisible: FindVisible,
  vaultNotFound: () => Problem,
): Promise<AuditFilter> {
  return {
    branches: await branchesOf(query, caller, findVisible, vaultNotFound),
    actions: query.action_type === undefined ? null : [...new Set(query.action_type)].sort(),
    from: query.from_timestamp ?? null,
    to: query.to_timestamp ?? null,
    timeField: query.time_field ?? "timestamp",
  };
}

const NO_VAULT: VaultRef = { chainId: 0, vaultAddress: ZERO_ADDRESS };

async function branchesOf(
  { vault_address, chain_id, actor_wallet: asked }: FilterQuery,
  caller: Caller,
  findVisible: FindVisible,
  vaultNotFound: () => Problem,
): Promise<Branch[]> {
  const actor_wallet = asked ?? null;
  const own: Branch[] = [{ places: [NO_VAULT], actor: caller.isMaintainer ? actor_wallet : caller.wallet }];
  const isOwnAsked =
    caller.isMaintainer ||
    ((actor_wallet === null || actor_wallet === caller.wallet) && seesUnlimited(caller));
  if (chain_id === 0 && vault_address !== undefined && vault_address !== ZERO_ADDRESS) throw vaultNotFound();
  if (chain_id === 0 || (chain_id === undefined && vault_address === ZERO_ADDRESS)) {
    return isOwnAsked ? own : [];
  }
  const visible = await findVisible(caller, {
    ...(chain_id !== undefined && { chainId: chain_id }),
    ...(vault_address !== undefined && { vaultAddress: vault_address }),
  });
  if (visible.all) return [{ places: allPlaces(visible), actor: actor_wallet }];
  const branches: Branch[] = [];
  if (visible.vaults.length > 0) branches.push({ places: distinct(visible.vaults), actor: actor_wallet });
  if (chain_id === undefined && vault_address === undefined && isOwnAsked) branches.push(...own);
  return branches;
}

function allPlaces(visible: { chainId: number | null; vaultAddress: Address | null }): Branch["places"] {
  const { chainId, vaultAddress } = visible;
  if (chainId !== null && vaultAddress !== null) return [{ chainId, vaultAddress }];
  if (chainId !== null) return { chainId };
  return vaultAddress === null ? "all" : { vaultAddress };
}

/** A wallet may hold two roles on one vault; its entries count once. */
function distinct(vaults: readonly VaultRef[]): VaultRef[] {
  return [...new Map(vaults.map((vault) => [vaultIdOf(vault), vault])).values()].toSorted(
    (a, b) => a.chainId - b.chainId || (a.vaultAddress < b.vaultAddress ? -1 : 1),
  );
}

/** Whether an entry is one that the filter means. `entry.block_timestamp` is its occurred_at. */
export function matches(
  filter: AuditFilter,
  entry: {
    vault_address: string;
    chain_id: number;
    actor_wallet: string;
    action_type: string;
    timestamp: string;
    occurred_at: string;
  },
): boolean {
  if (filter.actions !== null && !filter.actions.includes(entry.action_type as ActionType)) return false;
  const time = filter.timeField === "block" ? entry.occurred_at : entry.timestamp;
  if ((filter.from !== null && time < filter.from) || (filter.to !== null && time >= filter.to)) return false;
  return filter.branches.some(
    ({ places, actor }) =>
      (actor === null || actor === entry.actor_wallet) &&
      isAmong(places, entry.chain_id, entry.vault_address),
  );
}

function isAmong(places: Branch["places"], chainId: number, vaultAddress: string): boolean {
  if (places === "all") return true;
  if ("chainId" in places) return places.chainId === chainId;
  if ("vaultAddress" in places) return places.vaultAddress === vaultAddress;
  return places.some((place) => place.chainId === chainId && place.vaultAddress === vaultAddress);
}
