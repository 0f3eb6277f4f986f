// The price of a share that the vault itself would convert one whole share at; with no supply there is none. It is asked for 10^18 shares too:
// in an asset of few decimals the price of one is too coarse for a yield.
import type { KnownVault } from "../../directory.ts";
import { DEFAULT_DECIMALS, VIEWS } from "./vault-views.ts";
import type { ViewBatch } from "./view.ts";

const E18 = 10n ** 18n;

interface SharePrice {
  pps(totalSupply: bigint | null): bigint | null;
  ppsE18(totalSupply: bigint | null): bigint | null;
}

export function addSharePrice(
  batch: ViewBatch,
  vault: Pick<KnownVault, "address" | "shareDecimals">,
): SharePrice {
  const wholeShare = 10n ** BigInt(vault.shareDecimals ?? DEFAULT_DECIMALS);
  const one = batch.add(vault.address, VIEWS.convertToAssets, wholeShare);
  const many = batch.add(vault.address, VIEWS.convertToAssets, wholeShare * E18);
  const pps = (totalSupply: bigint | null) => (totalSupply === 0n ? null : one());
  return { pps, ppsE18: (totalSupply) => preciseOf(pps(totalSupply), many()) };
}

/** A contract may be bounded, or charge by size: its price of many shares counts only if it is that of one, but for the last place. */
function preciseOf(pps: bigint | null, ppsE18: bigint | null): bigint | null {
  if (pps === null || ppsE18 === null) return null;
  const difference = ppsE18 / E18 - pps;
  return difference >= -1n && difference <= 1n ? ppsE18 : null;
}
