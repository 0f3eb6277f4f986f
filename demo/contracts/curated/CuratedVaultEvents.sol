// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What MetaMorpho and Euler Earn vaults emit alike.
interface CuratedVaultEvents {
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event SubmitTimelock(uint256 newTimelock);
    event SetTimelock(address indexed caller, uint256 newTimelock);
    event RevokePendingTimelock(address indexed caller);
    event SubmitGuardian(address indexed newGuardian);
    event SetGuardian(address indexed caller, address indexed guardian);
    event RevokePendingGuardian(address indexed caller);
    event SetCurator(address indexed newCurator);
    event SetIsAllocator(address indexed allocator, bool isAllocator);
    event SetFee(address indexed caller, uint256 newFee);
    event SetFeeRecipient(address indexed newFeeRecipient);
    event AccrueInterest(uint256 newTotalAssets, uint256 feeShares);
    event UpdateLastTotalAssets(uint256 updatedTotalAssets);
}

/// @notice What those emit besides that keep losses apart and let the owner rename them: MetaMorpho v1.1 and Euler Earn.
interface LossKeepingEvents {
    event UpdateLostAssets(uint256 newLostAssets);
    event SetName(string name);
    event SetSymbol(string symbol);
}

/// @notice What is about a market, which MetaMorpho names by the market's id.
interface MetaMorphoEvents {
    event SubmitCap(address indexed caller, bytes32 indexed id, uint256 cap);
    event SetCap(address indexed caller, bytes32 indexed id, uint256 cap);
    event RevokePendingCap(address indexed caller, bytes32 indexed id);
    event SubmitMarketRemoval(address indexed caller, bytes32 indexed id);
    event RevokePendingMarketRemoval(address indexed caller, bytes32 indexed id);
    event SetSupplyQueue(address indexed caller, bytes32[] newSupplyQueue);
    event SetWithdrawQueue(address indexed caller, bytes32[] newWithdrawQueue);
    event ReallocateSupply(address indexed caller, bytes32 indexed id, uint256 suppliedAssets, uint256 suppliedShares);
    event ReallocateWithdraw(address indexed caller, bytes32 indexed id, uint256 withdrawnAssets, uint256 withdrawnShares);
    event SetSkimRecipient(address indexed newSkimRecipient);
    event Skim(address indexed caller, address indexed token, uint256 amount);
}

/// @notice What is about a strategy, which Euler Earn names by the strategy's address.
interface EulerEarnEvents {
    event SubmitCap(address indexed caller, address indexed id, uint256 cap);
    event SetCap(address indexed caller, address indexed id, uint256 cap);
    event RevokePendingCap(address indexed caller, address indexed id);
    event SubmitMarketRemoval(address indexed caller, address indexed id);
    event RevokePendingMarketRemoval(address indexed caller, address indexed id);
    event SetSupplyQueue(address indexed caller, address[] newSupplyQueue);
    event SetWithdrawQueue(address indexed caller, address[] newWithdrawQueue);
    event ReallocateSupply(address indexed caller, address indexed id, uint256 suppliedAssets, uint256 suppliedShares);
    event ReallocateWithdraw(address indexed caller, address indexed id, uint256 withdrawnAssets, uint256 withdrawnShares);
}
