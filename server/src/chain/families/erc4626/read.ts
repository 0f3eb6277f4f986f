// An ERC-4626 vault's state at one block. The price of a share is what the vault itself would convert one whole share to; with
// no supply there is none. It is asked for 10^18 shares too: in an asset of few decimals the price of one is too coarse for a yield. There is no rule of staleness and no upkeep: those fields are null.
import { type Address, zeroAddress } from "viem";
import type { ChainClient } from "../../client.ts";
import type { KnownVault } from "../../directory.ts";
import type { BlockRef } from "../../raw.ts";
import type { VaultReading } from "../../reading.ts";
import { DEFAULT_DECIMALS, VIEWS } from "../vault-views.ts";
import { ViewBatch } from "../view.ts";

export async function read(
  client: ChainClient,
  vaults: readonly KnownVault[],
  at: BlockRef,
): Promise<VaultReading[]> {
  const shares = await shareTokens(client, vaults, at);
  const batch = new ViewBatch();
  const asked = vaults.map((vault, index) => {
    const wholeShare = 10n ** BigInt(vault.shareDecimals ?? DEFAULT_DECIMALS);
    return {
      vault,
      pps: batch.add(vault.address, VIEWS.convertToAssets, wholeShare),
      ppsE18: batch.add(vault.address, VIEWS.convertToAssets, wholeShare * E18),
      totalAssets: batch.add(vault.address, VIEWS.totalAssets),
      totalSupply: batch.add(shares[index]!, VIEWS.totalSupply),
      freeAssets: batch.add(vault.asset, VIEWS.balanceOf, vault.address),
      isPaused: batch.add(vault.address, VIEWS.paused),
      owner: batch.add(vault.address, VIEWS.owner),
    };
  });
  await batch.run(client, at);
  return asked.map(({ vault, ...views }) => {
    const totalSupply = views.totalSupply();
    const pps = totalSupply === 0n ? null : views.pps();
    return {
      pps,
      ppsE18: preciseOf(pps, views.ppsE18()),
      ppsDecimals: vault.assetDecimals ?? DEFAULT_DECIMALS,
      totalAssets: views.totalAssets(),
      totalSupply,
      escrowedAssets: null,
      freeAssets: views.freeAssets(),
      isPaused: views.isPaused(),
      lastPpsUpdate: null,
      ppsExpirationSeconds: null,
      maxStalenessSeconds: null,
      minUpdateIntervalSeconds: null,
      isPpsStaleFlag: null,
      hwmPps: null,
      fees: null,
      managers: { primary: manager(vault.configuredPrimary, views.owner()), secondary: [] },
      upkeep: null,
      merkle: null,
      yieldSources: [],
      pendingChanges: [],
    };
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
): Promise<Address[]> {
  const batch = new ViewBatch();
  const asked = vaults.map((vault) =>
    vault.capabilities.erc7575 ? batch.add(vault.address, VIEWS.share) : () => null,
  );
  await batch.run(client, at);
  return vaults.map((vault, index) => asked[index]!() ?? vault.address);
}
