// Views of the SuperVault contracts, by superform-xyz/v2-periphery's public interfaces; `view` makes any of them null where a
// deployed version has it not. Events stand with their facts in aggregator.ts, strategy.ts and periphery.ts.
import type { Address, Hex } from "viem";
import { view } from "../family/view.ts";

/** By strategy, on the aggregator. */
export const AGGREGATOR_VIEWS = {
  getPPS: view<bigint>("getPPS(address) view returns (uint256)"),
  getLastUpdateTimestamp: view<bigint>("getLastUpdateTimestamp(address) view returns (uint256)"),
  getMinUpdateInterval: view<bigint>("getMinUpdateInterval(address) view returns (uint256)"),
  getMaxStaleness: view<bigint>("getMaxStaleness(address) view returns (uint256)"),
  isStrategyPaused: view<boolean>("isStrategyPaused(address) view returns (bool)"),
  isPPSStale: view<boolean>("isPPSStale(address) view returns (bool)"),
  getUpkeepBalance: view<bigint>("getUpkeepBalance(address) view returns (uint256)"),
  getMainManager: view<Address>("getMainManager(address) view returns (address)"),
  getSecondaryManagers: view<readonly Address[]>("getSecondaryManagers(address) view returns (address[])"),
  getPendingManagerChange: view<readonly [Address, bigint]>(
    "getPendingManagerChange(address) view returns (address, uint256)",
  ),
  getProposedMinUpdateInterval: view<readonly [bigint, bigint]>(
    "getProposedMinUpdateInterval(address) view returns (uint256, uint256)",
  ),
  /** The amount and the time from which it may be taken out. */
  pendingUpkeepWithdrawals: view<readonly [bigint, bigint]>(
    "pendingUpkeepWithdrawals(address) view returns (uint256, uint256)",
  ),
  getStrategyHooksRoot: view<Hex>("getStrategyHooksRoot(address) view returns (bytes32)"),
  getProposedStrategyHooksRoot: view<readonly [Hex, bigint]>(
    "getProposedStrategyHooksRoot(address) view returns (bytes32, uint256)",
  ),
  isStrategyHooksRootVetoed: view<boolean>("isStrategyHooksRootVetoed(address) view returns (bool)"),
  superGovernor: view<Address>("SUPER_GOVERNOR() view returns (address)"),
};

/** On the aggregator, of the root that all its strategies fall back on. */
export const GLOBAL_ROOT_VETOED = view<boolean>("isGlobalHooksRootVetoed() view returns (bool)");

export interface FeeConfig {
  performanceFeeBps: bigint;
  managementFeeBps: bigint;
  recipient: Address;
}

export const STRATEGY_VIEWS = {
  getConfigInfo: view<FeeConfig>(
    "getConfigInfo() view returns ((uint256 performanceFeeBps, uint256 managementFeeBps, address recipient))",
  ),
  vaultHwmPps: view<bigint>("vaultHwmPps() view returns (uint256)"),
  ppsExpiration: view<bigint>("ppsExpiration() view returns (uint256)"),
  proposedPPSExpiryThreshold: view<bigint>("proposedPPSExpiryThreshold() view returns (uint256)"),
  ppsExpiryThresholdEffectiveTime: view<bigint>("ppsExpiryThresholdEffectiveTime() view returns (uint256)"),
  getYieldSourcesList: view<readonly { sourceAddress: Address; oracle: Address }[]>(
    "getYieldSourcesList() view returns ((address sourceAddress, address oracle)[])",
  ),
};

export const VAULT_VIEWS = {
  getEscrowedAssets: view<bigint>("getEscrowedAssets() view returns (uint256)"),
};

export const GOVERNOR_VIEWS = {
  getActivePPSOracle: view<Address>("getActivePPSOracle() view returns (address)"),
  getAddress: view<Address>("getAddress(bytes32) view returns (address)"),
  isUpkeepPaymentsEnabled: view<boolean>("isUpkeepPaymentsEnabled() view returns (bool)"),
  getUpkeepCostPerSingleUpdate: view<bigint>("getUpkeepCostPerSingleUpdate(address) view returns (uint256)"),
  /** Of governors that know no other; the second argument is how many strategies are updated at once. */
  getUpkeepCostPerBatchUpdate: view<bigint>(
    "getUpkeepCostPerBatchUpdate(address, uint256) view returns (uint256)",
  ),
};

/** Of a yield source: what an owner's position is worth, in the vault's asset. */
export const SOURCE_ORACLE_VIEWS = {
  getTVLByOwnerOfShares: view<bigint>("getTVLByOwnerOfShares(address, address) view returns (uint256)"),
};
