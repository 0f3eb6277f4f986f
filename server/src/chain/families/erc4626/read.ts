// An ERC-4626 vault's state at one block. The price of a share is what the vault itself would convert one whole share to; with
// no supply there is none. It is asked for 10^18 shares too: in an asset of few decimals the price of one is too coarse for a yield. There is no rule of staleness and no upkeep: those fields are null.
import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../../client.ts";
import type { KnownVault } from "../../directory.ts";
import type { BlockRef } from "../../raw.ts";
import { NO_STATE, type VaultReading, type VaultState } from "../../reading.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../vault-views.ts";
import { ifRead, readEach, ViewBatch } from "../view.ts";

export async function read(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
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
    };
  });
  await batch.run(client, at);
  return asked.map(({ vault, ...views }) => {
    return readEach<VaultState>(NO_STATE, {
      pps: () => priceOf(views),
      ppsE18: () => preciseOf(priceOf(views), views.ppsE18()),
      ppsDecimals: () => vault.assetDecimals ?? DEFAULT_DECIMALS,
      totalAssets: views.totalAssets,
      totalSupply: views.totalSupply,
      freeAssets: views.freeAssets,
      isPaused: views.isPaused,
      managers: () => ({ primary: manager(vault.configuredPrimary, views.owner()), secondary: [] }),
    });
  });
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
