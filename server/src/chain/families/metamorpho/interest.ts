// The arithmetic of a lending market, as Morpho Blue has it: interest compounds from when the market was last written, a fee of it is paid
// in new shares, and assets and shares begin with virtual ones. Integers and roundings are those of the contract.

export interface MarketState {
  totalSupplyAssets: bigint;
  totalSupplyShares: bigint;
  totalBorrowAssets: bigint;
  totalBorrowShares: bigint;
  /** Unix seconds. */
  lastUpdate: bigint;
  /** Of the interest, × 10^18. */
  fee: bigint;
}

const E18 = 10n ** 18n;
const VIRTUAL_SHARES = 10n ** 6n;
const VIRTUAL_ASSETS = 1n;
const WIDEST = (1n << 128n) - 1n;

/** Whether the market holds interest that it has not booked at that time. */
export function hasInterest(market: MarketState, time: bigint): boolean {
  return market.totalBorrowAssets > 0n && time > market.lastUpdate;
}

/** The market as it would book itself at that time; `rate` is per second, × 10^18. null for what the contract could not hold. */
export function withInterest(market: MarketState, rate: bigint, time: bigint): MarketState | null {
  const first = rate * (time - market.lastUpdate);
  const second = (first * first) / (2n * E18);
  const third = (second * first) / (3n * E18);
  const interest = (market.totalBorrowAssets * (first + second + third)) / E18;
  const totalBorrowAssets = market.totalBorrowAssets + interest;
  const totalSupplyAssets = market.totalSupplyAssets + interest;
  const feeAssets = (interest * market.fee) / E18;
  const feeShares =
    (feeAssets * (market.totalSupplyShares + VIRTUAL_SHARES)) /
    (totalSupplyAssets - feeAssets + VIRTUAL_ASSETS);
  const totalSupplyShares = market.totalSupplyShares + feeShares;
  if (totalSupplyAssets > WIDEST || totalBorrowAssets > WIDEST || totalSupplyShares > WIDEST) return null;
  return { ...market, totalSupplyAssets, totalSupplyShares, totalBorrowAssets, lastUpdate: time };
}

export function worthOf(market: MarketState, supplyShares: bigint): bigint {
  return (
    (supplyShares * (market.totalSupplyAssets + VIRTUAL_ASSETS)) / (market.totalSupplyShares + VIRTUAL_SHARES)
  );
}

/** What is not lent out. */
export function liquidityOf(market: MarketState): bigint {
  const left = market.totalSupplyAssets - market.totalBorrowAssets;
  return left > 0n ? left : 0n;
}
