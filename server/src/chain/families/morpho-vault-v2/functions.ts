// The functions whose calls wait in a timelock, of the vault and of the adapters that have timelocks of their own; and all of both.
import { type Hex, toFunctionSelector } from "viem";
import { type CallTable, callTable } from "../family/call.ts";

const TIMELOCK_FUNCTIONS = [
  "increaseTimelock(bytes4 selector, uint256 newDuration)",
  "decreaseTimelock(bytes4 selector, uint256 newDuration)",
  "abdicate(bytes4 selector)",
];

export const VAULT_FUNCTIONS = callTable([
  ...TIMELOCK_FUNCTIONS,
  "setIsAllocator(address account, bool newIsAllocator)",
  "setReceiveSharesGate(address newReceiveSharesGate)",
  "setSendSharesGate(address newSendSharesGate)",
  "setReceiveAssetsGate(address newReceiveAssetsGate)",
  "setSendAssetsGate(address newSendAssetsGate)",
  "setAdapterRegistry(address newAdapterRegistry)",
  "addAdapter(address account)",
  "removeAdapter(address account)",
  "setPerformanceFee(uint256 newPerformanceFee)",
  "setManagementFee(uint256 newManagementFee)",
  "setPerformanceFeeRecipient(address newPerformanceFeeRecipient)",
  "setManagementFeeRecipient(address newManagementFeeRecipient)",
  "increaseAbsoluteCap(bytes idData, uint256 newAbsoluteCap)",
  "increaseRelativeCap(bytes idData, uint256 newRelativeCap)",
  "setForceDeallocatePenalty(address adapter, uint256 newForceDeallocatePenalty)",
]);

export const ADAPTER_FUNCTIONS = callTable([
  ...TIMELOCK_FUNCTIONS,
  "setSkimRecipient(address newSkimRecipient)",
  "burnShares(bytes32 marketId)",
]);

/** Of the vault and its adapters: also what runs at once. */
export const FUNCTIONS: CallTable = new Map([
  ...VAULT_FUNCTIONS,
  ...ADAPTER_FUNCTIONS,
  ...callTable([
    "submit(bytes data)",
    "revoke(bytes data)",
    "multicall(bytes[] data)",
    "setOwner(address newOwner)",
    "setCurator(address newCurator)",
    "setIsSentinel(address account, bool newIsSentinel)",
    "setName(string newName)",
    "setSymbol(string newSymbol)",
    "decreaseAbsoluteCap(bytes idData, uint256 newAbsoluteCap)",
    "decreaseRelativeCap(bytes idData, uint256 newRelativeCap)",
    "allocate(address adapter, bytes data, uint256 assets)",
    "deallocate(address adapter, bytes data, uint256 assets)",
    "forceDeallocate(address adapter, bytes data, uint256 assets, address onBehalf)",
    "setLiquidityAdapterAndData(address newLiquidityAdapter, bytes newLiquidityData)",
    "setMaxRate(uint256 newMaxRate)",
    "skim(address token)",
  ]),
]);

export const DECREASE_TIMELOCK = toFunctionSelector("decreaseTimelock(bytes4,uint256)");

/** The first four bytes, as the contract takes them: what is shorter is filled up with zeros. */
export function selectorOf(calldata: Hex): Hex {
  return calldata.slice(0, 10).padEnd(10, "0") as Hex;
}

/** The function for whose time a call has to wait: a decrease of a timelock waits as long as what it is about. */
export function waitsLike(calldata: Hex): Hex {
  const selector = selectorOf(calldata);
  return selector === DECREASE_TIMELOCK ? (`0x${calldata.slice(10, 18).padEnd(8, "0")}` as Hex) : selector;
}
