// An ERC-4626 vault's state at one block. The price of a share is what the vault itself would convert one whole share to; with
// no supply there is none. It is asked for 10^18 shares too: in an asset of few decimals the price of one is too coarse for a yield. There is no rule of staleness and no upkeep: those fields are null.
import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../../client/client.ts";
import type { KnownVault } from "../../directory.ts";
import { NO_STATE, type RedeemRequestReading, type VaultReading, type VaultState } from "../../reading.ts";
import type { BlockRef } from "../../rpc/raw.ts";
import type { OpenRequests, RedeemRequest } from "../family/family.ts";
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
    const wholeShare = 10n ** BigInt(vault.shareDecimals ?? DEFAULT_DECIMALS);
    return {
      vault,
      pps: batch.add(vault.address, VIEWS.convertToAssets, wholeShare),
      ppsE18: batch.add(vault.address, VIEWS.convertToAssets, wholeShare * E18),
      totalAssets: batch.add(vault.address, VIEWS.totalAssets),
      totalSupply: supply(batch, vault, shareOf[index]!),
      freeAssets: batch.add(vault.asset, VIEWS.balanceOf, vault.address),
      isPaused: batch.add(vault.address, VIEWS.paused),
      owner: batch.add(vault.address, VIEWS.owner),
      name: batch.add(vault.share ?? vault.address, VIEWS.name),
      symbol: batch.add(vault.share ?? vault.address, VIEWS.symbol),
      redeemRequests: addRequests(batch, vault.address, requests.get(vault.address) ?? []),
    };
  });
  await batch.run(client, at);
  return asked.map(({ vault, ...views }) => {
    const state = readEach<VaultState>(NO_STATE, {
      pps: () => priceOf(views),
      ppsE18: () => preciseOf(priceOf(views), views.ppsE18()),
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

/** By controller, over all of its requests; one of which a view did not answer is left out. */
function addRequests(
  batch: ViewBatch,
  vault: Address,
  requests: readonly RedeemRequest[],
): () => RedeemRequestReading[] {
  const asked = [...Map.groupBy(requests, ({ controller }) => controller)].map(([controller, own]) => ({
    controller,
    claimableAssets: batch.add(vault, VIEWS.maxWithdraw, controller),
    each: own.map(({ requestId }) => ({
      pending: batch.add(vault, VIEWS.pendingRedeemRequest, requestId, controller),
      claimable: batch.add(vault, VIEWS.claimableRedeemRequest, requestId, controller),
    })),
  }));
  return () =>
    asked.flatMap(({ controller, claimableAssets, each }) => {
      const pendingShares = sumOf(each.map(({ pending }) => ifRead(pending)));
      const claimableShares = sumOf(each.map(({ claimable }) => ifRead(claimable)));
      const assets = ifRead(claimableAssets);
      if (pendingShares === null || claimableShares === null || assets === null) return [];
      return [{ controller, pendingShares, claimableShares, claimableAssets: assets }];
    });
}

function sumOf(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0n,
  );
}

const E18 = 10n ** 18n;

/** A contract may be bounded, or charge by size: its price of many shares counts only if it is that of one, but for the last place. */
function preciseOf(pps: bigint | null, ppsE18: bigint | null): bigint | null {
  if (pps === null || ppsE18 === null) return null;
  const difference = ppsE18 / E18 - pps;
  return difference >= -1n && difference <= 1n ? ppsE18 : null;
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

function priceOf(views: { pps: () => bigint | null; totalSupply: () => bigint | null }): bigint | null {
  return views.totalSupply() === 0n ? null : views.pps();
}
