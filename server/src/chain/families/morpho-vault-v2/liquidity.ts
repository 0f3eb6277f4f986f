// What a vault could pay out at once: what lies idle, and what its liquidity adapter gets back at once. `maxWithdraw` says nothing here: it is
// always 0.
import { type Address, type Hex, zeroAddress } from "viem";
import type { VaultState } from "../../reading.ts";
import { VIEWS } from "../family/vault-views.ts";
import { ifRead, type ViewBatch } from "../family/view.ts";
import { marketIdOf } from "./cap-ids.ts";
import { ADAPTER_VIEWS, market, VAULT_VIEWS } from "./views.ts";

/** How a withdrawal beyond what lies idle is paid. */
export interface LiquidityPath {
  adapter: Address | null;
  data: Hex | null;
  /** Where an adapter for lending markets, or for one ERC-4626 vault, has the assets. */
  markets: Address | null;
  vault: Address | null;
}

export const NO_PATH: LiquidityPath = { adapter: null, data: null, markets: null, vault: null };

export function askForLiquidity(batch: ViewBatch, vault: Address, path: LiquidityPath) {
  const { adapter, markets } = path;
  const adapterNow = batch.add(vault, VAULT_VIEWS.liquidityAdapter);
  const dataNow = batch.add(vault, VAULT_VIEWS.liquidityData);
  const marketsNow = adapter ? batch.add(adapter, ADAPTER_VIEWS.morpho) : () => null;
  const vaultNow = adapter ? batch.add(adapter, ADAPTER_VIEWS.morphoVaultV1) : () => null;
  const marketId = adapter && markets && path.data ? marketIdOf(path.data) : null;
  const state = marketId && markets ? batch.add(markets, market, marketId) : () => null;
  const position =
    marketId && adapter ? batch.add(adapter, ADAPTER_VIEWS.expectedSupplyAssets, marketId) : () => null;
  const most = adapter && path.vault ? batch.add(path.vault, VIEWS.maxWithdraw, adapter) : () => null;

  return {
    pathFound: (): LiquidityPath => {
      const found = ifRead(adapterNow);
      if (found === null || found === zeroAddress) return NO_PATH;
      return {
        adapter: found,
        data: ifRead(dataNow),
        // Of another adapter they are not known yet.
        markets: found === adapter ? ifRead(marketsNow) : null,
        vault: found === adapter ? ifRead(vaultNow) : null,
      };
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
