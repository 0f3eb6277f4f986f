// The functions by which a curated vault is governed, so that a call that waits can be told by name and arguments.

/** `line` is the parameter that names a line where it is opened, `id` the type of what names it everywhere else. */
export function GOVERNANCE_CALLS(line: string, id: string): string[] {
  return [
    "transferOwnership(address newOwner)",
    "acceptOwnership()",
    "renounceOwnership()",
    "setName(string newName)",
    "setSymbol(string newSymbol)",
    "setCurator(address newCurator)",
    "setIsAllocator(address newAllocator, bool newIsAllocator)",
    "setSkimRecipient(address newSkimRecipient)",
    "setFee(uint256 newFee)",
    "setFeeRecipient(address newFeeRecipient)",
    "submitTimelock(uint256 newTimelock)",
    "acceptTimelock()",
    "revokePendingTimelock()",
    "submitGuardian(address newGuardian)",
    "acceptGuardian()",
    "revokePendingGuardian()",
    `submitCap(${line}, uint256 newSupplyCap)`,
    `acceptCap(${line})`,
    `revokePendingCap(${id} id)`,
    `submitMarketRemoval(${line})`,
    `revokePendingMarketRemoval(${id} id)`,
    `setSupplyQueue(${id}[] newSupplyQueue)`,
    "updateWithdrawQueue(uint256[] indexes)",
    `reallocate((${line}, uint256 assets)[] allocations)`,
    "skim(address token)",
    "multicall(bytes[] data)",
  ];
}
