/** What stands before the demo's curated vaults are made: assets with their prices, and who is to stand behind them. */
import type { Address } from "viem";
import type { AssetKey } from "../deployment.ts";

export interface Grounds {
  readonly tokens: Readonly<Record<AssetKey, Address>>;
  readonly feeds: Readonly<Record<AssetKey, Address>>;
  /** A Safe of three owners, of whom two must sign. */
  readonly council: Address;
  /** A Safe of one who signs alone, for the desk's everyday work. */
  readonly desk: Address;
  /** A timelock to which the council proposes. */
  readonly timelock: Address;
}
