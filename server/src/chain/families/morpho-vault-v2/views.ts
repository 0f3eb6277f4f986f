// The views of a vault, of its adapters and of what they put assets into, as far as they are read.
import type { Address, Hex } from "viem";
import { VIEWS } from "../family/vault-views.ts";
import { view } from "../family/view.ts";

/** Of the vault's and the adapters' timelocks. */
export const TIMELOCK_VIEWS = {
  timelock: view<bigint>("timelock(bytes4) view returns (uint256)"),
  abdicated: view<boolean>("abdicated(bytes4) view returns (bool)"),
  executableAt: view<bigint>("executableAt(bytes) view returns (uint256)"),
};

export const VAULT_VIEWS = {
  ...TIMELOCK_VIEWS,
  owner: VIEWS.owner,
  name: VIEWS.name,
  symbol: VIEWS.symbol,
  curator: view<Address>("curator() view returns (address)"),
  isAllocator: view<boolean>("isAllocator(address) view returns (bool)"),
  isSentinel: view<boolean>("isSentinel(address) view returns (bool)"),
  receiveSharesGate: view<Address>("receiveSharesGate() view returns (address)"),
  sendSharesGate: view<Address>("sendSharesGate() view returns (address)"),
  receiveAssetsGate: view<Address>("receiveAssetsGate() view returns (address)"),
  sendAssetsGate: view<Address>("sendAssetsGate() view returns (address)"),
  adapterRegistry: view<Address>("adapterRegistry() view returns (address)"),
  adaptersLength: view<bigint>("adaptersLength() view returns (uint256)"),
  isAdapter: view<boolean>("isAdapter(address) view returns (bool)"),
  adapters: view<Address>("adapters(uint256) view returns (address)"),
  absoluteCap: view<bigint>("absoluteCap(bytes32) view returns (uint256)"),
  relativeCap: view<bigint>("relativeCap(bytes32) view returns (uint256)"),
  allocation: view<bigint>("allocation(bytes32) view returns (uint256)"),
  liquidityAdapter: view<Address>("liquidityAdapter() view returns (address)"),
  liquidityData: view<Hex>("liquidityData() view returns (bytes)"),
  performanceFee: view<bigint>("performanceFee() view returns (uint96)"),
  performanceFeeRecipient: view<Address>("performanceFeeRecipient() view returns (address)"),
  managementFee: view<bigint>("managementFee() view returns (uint96)"),
  managementFeeRecipient: view<Address>("managementFeeRecipient() view returns (address)"),
  forceDeallocatePenalty: view<bigint>("forceDeallocatePenalty(address) view returns (uint256)"),
  maxRate: view<bigint>("maxRate() view returns (uint64)"),
};

export const ADAPTER_VIEWS = {
  realAssets: view<bigint>("realAssets() view returns (uint256)"),
  skimRecipient: view<Address>("skimRecipient() view returns (address)"),
  /** Of an adapter for lending markets. */
  expectedSupplyAssets: view<bigint>("expectedSupplyAssets(bytes32) view returns (uint256)"),
  morpho: view<Address>("morpho() view returns (address)"),
  /** Of an adapter for one ERC-4626 vault. */
  morphoVaultV1: view<Address>("morphoVaultV1() view returns (address)"),
};

/** Supply and debt of a lending market, each in assets and shares; when interest came last; its fee. */
export const market = view<readonly [bigint, bigint, bigint, bigint, bigint, bigint]>(
  "market(bytes32) view returns (uint128, uint128, uint128, uint128, uint128, uint128)",
);

/** Multicall3's, at the same address on every chain that has it. */
export const blockTimestamp = view<bigint>("getCurrentBlockTimestamp() view returns (uint256)");
