// What a vault could pay out at once: what lies idle, and what its liquidity adapter gets back at once. `maxWithdraw` says nothing here: it is
// always 0.
import { type Address, type Hex, zeroAddress } from "viem";
import type { VaultState } from "../../reading.ts";
import { isChainFault } from "../../rpc/fault.ts";
import { VIEWS } from "../family/vault-views.ts";
import { ifRead, type ViewBatch } from "../family/view.ts";
import { marketIdOf } from "./cap-ids.ts";
import { ADAPTER_VIEWS, market, VAULT_VIEWS } from "./views.ts";

/** How a withdrawal beyond what lies idle is paid. */
export interface LiquidityPath {
  adapter: Address | null;
  data: Hex | null;
  /** Where the adapter has the assets: in lending markets, in one ERC-4626 vault, or somewhere else. null until it was asked. */
  kind: "markets" | "vault" | "other" | null;
  place: Address | null;
}

export const NO_PATH: LiquidityPath = { adapter: null, data: null, kind: null, place: null };

export function askForLiquidity(batch: ViewBatch, vault: Address, path: LiquidityPath) {
  const { adapter, kind, place } = path;
  const adapterNow = batch.add(vault, VAULT_VIEWS.liquidityAdapter);
  const dataNow = batch.add(vault, VAULT_VIEWS.liquidityData);
  // Asked once: where an adapter has the assets never changes.
  const isNew = adapter !== null && kind === null;
  const marketsNow = isNew ? batch.add(adapter, ADAPTER_VIEWS.morpho) : () => null;
  const vaultNow = isNew ? batch.add(adapter, ADAPTER_VIEWS.morphoVaultV1) : () => null;
  const marketId = kind === "markets" && path.data ? marketIdOf(path.data) : null;
  const state = marketId && place ? batch.add(place, market, marketId) : () => null;
  const position =
    marketId && adapter ? batch.add(adapter, ADAPTER_VIEWS.expectedSupplyAssets, marketId) : () => null;
  const most =
    kind === "vault" && place && adapter ? batch.add(place, VIEWS.maxWithdraw, adapter) : () => null;

  return {
    /** What was not read is taken to be as it was. */
    pathFound: (): LiquidityPath => {
      const found = ifRead(adapterNow);
      if (found === null) return path;
      if (found === zeroAddress) return NO_PATH;
      const data = ifRead(dataNow) ?? path.data;
      if (found !== adapter) return { adapter: found, data, kind: null, place: null };
      if (!isNew) return { ...path, data };
      const [markets, target] = [unlessUnread(marketsNow), unlessUnread(vaultNow)];
      if (markets) return { adapter: found, data, kind: "markets", place: markets };
      if (target) return { adapter: found, data, kind: "vault", place: target };
      const isTold = markets !== undefined && target !== undefined;
      return { adapter: found, data, kind: isTold ? "other" : null, place: null };
    },

    read(idleAssets: bigint | null, adapters: readonly Address[]): VaultState["liquidity"] {
      const now = adapterNow();
      dataNow();
      if (idleAssets === null || now === null) return null;
      const withdrawable = (more: bigint | null) => ({
        idleAssets,
        withdrawableAssets: more === null ? null : idleAssets + more,
        isExitImmediate: true,
      });
      // One that is no adapter of the vault's any more pays nothing: the withdrawal fails.
      if (now === zeroAddress || !adapters.includes(now)) return withdrawable(0n);
      const [places, held] = [state(), position()];
      if (places !== null && held !== null) {
        const free = places[0] > places[2] ? places[0] - places[2] : 0n;
        return withdrawable(held < free ? held : free);
      }
      return withdrawable(most());
    },
  };
}

function unlessUnread<R>(answer: () => R): R | undefined {
  try {
    return answer();
  } catch (error) {
    if (!isChainFault(error, "unread")) throw error;
    return undefined;
  }
}
