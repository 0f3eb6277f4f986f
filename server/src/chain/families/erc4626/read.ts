// An ERC-4626 vault's state at one block. There is no rule of staleness and no upkeep: those fields are null.
import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import { NO_STATE, type VaultReading, type VaultState } from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { OpenRequests } from "../family/family.ts";
import { addRedeemRequests } from "../family/redeem-requests.ts";
import { addSharePrice } from "../family/share-price.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../family/vault-views.ts";
import { ifRead, readEach, ViewBatch } from "../family/view.ts";

export async function read(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
  requests: OpenRequests = new Map(),
): Promise<VaultReading[]> {
  const shareOf = await shareTokens(client, vaults, at);
  const batch = new ViewBatch();
  const asked = vaults.map((vault, index) => {
    return {
      vault,
      price: addSharePrice(batch, vault),
      totalAssets: batch.add(vault.address, VIEWS.totalAssets),
      totalSupply: supply(batch, vault, shareOf[index]!),
      freeAssets: batch.add(vault.asset, VIEWS.balanceOf, vault.address),
      isPaused: batch.add(vault.address, VIEWS.paused),
      owner: batch.add(vault.address, VIEWS.owner),
      name: batch.add(vault.share ?? vault.address, VIEWS.name),
      symbol: batch.add(vault.share ?? vault.address, VIEWS.symbol),
      redeemRequests: addRedeemRequests(batch, vault.address, requests.get(vault.address) ?? []),
    };
  });
  await batch.run(client, at);
  return asked.map(({ vault, ...views }) => {
    const state = readEach<VaultState>(NO_STATE, {
      pps: () => views.price.pps(views.totalSupply()),
      ppsE18: () => views.price.ppsE18(views.totalSupply()),
      ppsDecimals: () => vault.assetDecimals ?? DEFAULT_DECIMALS,
      totalAssets: views.totalAssets,
      totalSupply: views.totalSupply,
      freeAssets: views.freeAssets,
      isPaused: views.isPaused,
      managers: () => ({ primary: manager(vault.configuredPrimary, views.owner()), secondary: [] }),
      contractRoles: () => {
        const owner = manager(null, views.owner());
        return owner === null ? [] : [{ role: "owner", account: owner }];
      },
      // What could be paid out at once the standard tells for one owner alone.
      liquidity: () => {
        const idleAssets = views.freeAssets();
        const isExitImmediate = !vault.capabilities.erc7540_redeem;
        return idleAssets === null ? null : { idleAssets, withdrawableAssets: null, isExitImmediate };
      },
    });
    const { name, symbol } = views;
    return { ...state, name: ifRead(name), symbol: ifRead(symbol), redeemRequests: views.redeemRequests() };
  });
}

/** The configuration's word stands before the chain's; an owner that gave up ownership is none. */
export function manager(configured: Address | null, owner: Address | null): Address | null {
  return configured ?? (owner === zeroAddress ? null : owner);
}

/** ERC-7575: the share may be a token of its own. */
async function shareTokens(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
): Promise<(() => Address | null)[]> {
  const batch = new ViewBatch();
  const asked = vaults.map((vault) =>
    vault.capabilities.erc7575 ? batch.add(vault.address, VIEWS.share) : () => null,
  );
  await batch.run(client, at);
  return asked;
}

/** Of which token is not known where the share was not read; then neither is this. */
function supply(batch: ViewBatch, vault: KnownVault, share: () => Address | null): () => bigint | null {
  const answer = batch.add(ifRead(share) ?? vault.address, VIEWS.totalSupply);
  return () => {
    share();
    return answer();
  };
}
