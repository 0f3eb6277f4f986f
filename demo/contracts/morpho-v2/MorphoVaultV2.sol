// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IMorphoAdapterRegistry } from "./MorphoInterfaces.sol";
import { MorphoTimelocks } from "./MorphoTimelocks.sol";
import { MorphoVaultV2Accounts } from "./MorphoVaultV2Accounts.sol";
import { MorphoVaultV2Flows } from "./MorphoVaultV2Flows.sol";

/// @notice A vault with the events and views of Morpho Vault V2: an owner who names the others, a curator whose calls wait, allocators who
/// move assets within the caps, and sentinels who revoke, lower and withdraw.
contract MorphoVaultV2 is MorphoVaultV2Flows, MorphoTimelocks {
    error FeeTooHigh();
    error FeeInvariantBroken();
    error AbsoluteCapNotIncreasing();
    error AbsoluteCapNotDecreasing();
    error RelativeCapAboveOne();
    error RelativeCapNotIncreasing();
    error RelativeCapNotDecreasing();
    error PenaltyTooHigh();
    error MaxRateTooHigh();
    error NotInAdapterRegistry();
    error CallFailed();

    address public owner;
    address public curator;
    address public adapterRegistry;
    mapping(address account => bool) public isSentinel;
    mapping(address account => bool) public isAllocator;

    constructor(address owner_, address asset_) MorphoVaultV2Accounts(asset_) {
        owner = owner_;
        emit Constructor(owner_, asset_);
    }

    modifier only(bool isAllowed) {
        if (!isAllowed) revert Unauthorized();
        _;
    }

    /// @notice Several calls of the sender's in one transaction.
    function multicall(bytes[] calldata calls) external {
        for (uint256 i; i < calls.length; ++i) {
            (bool isDone, bytes memory answer) = address(this).delegatecall(calls[i]);
            if (isDone) continue;
            if (answer.length == 0) revert CallFailed();
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    // The owner's, at once.

    function setOwner(address newOwner) external only(msg.sender == owner) {
        owner = newOwner;
        emit SetOwner(newOwner);
    }

    function setCurator(address newCurator) external only(msg.sender == owner) {
        curator = newCurator;
        emit SetCurator(newCurator);
    }

    function setIsSentinel(address account, bool newIsSentinel) external only(msg.sender == owner) {
        isSentinel[account] = newIsSentinel;
        emit SetIsSentinel(account, newIsSentinel);
    }

    function setName(string calldata newName) external only(msg.sender == owner) {
        name = newName;
        emit SetName(newName);
    }

    function setSymbol(string calldata newSymbol) external only(msg.sender == owner) {
        symbol = newSymbol;
        emit SetSymbol(newSymbol);
    }

    // Submitted by the curator, sent by anybody once they have waited.

    function setIsAllocator(address account, bool newIsAllocator) external waited {
        isAllocator[account] = newIsAllocator;
        emit SetIsAllocator(account, newIsAllocator);
    }

    function setReceiveSharesGate(address newReceiveSharesGate) external waited {
        receiveSharesGate = newReceiveSharesGate;
        emit SetReceiveSharesGate(newReceiveSharesGate);
    }

    function setSendSharesGate(address newSendSharesGate) external waited {
        sendSharesGate = newSendSharesGate;
        emit SetSendSharesGate(newSendSharesGate);
    }

    function setReceiveAssetsGate(address newReceiveAssetsGate) external waited {
        receiveAssetsGate = newReceiveAssetsGate;
        emit SetReceiveAssetsGate(newReceiveAssetsGate);
    }

    function setSendAssetsGate(address newSendAssetsGate) external waited {
        sendAssetsGate = newSendAssetsGate;
        emit SetSendAssetsGate(newSendAssetsGate);
    }

    function setAdapterRegistry(address newAdapterRegistry) external waited {
        for (uint256 i; i < adapters.length; ++i) _checkRegistered(newAdapterRegistry, adapters[i]);
        adapterRegistry = newAdapterRegistry;
        emit SetAdapterRegistry(newAdapterRegistry);
    }

    function addAdapter(address account) external waited {
        _checkRegistered(adapterRegistry, account);
        if (!isAdapter[account]) adapters.push(account);
        isAdapter[account] = true;
        emit AddAdapter(account);
    }

    function removeAdapter(address account) external waited {
        uint256 last = adapters.length;
        for (uint256 i; isAdapter[account] && i < last; ++i) {
            if (adapters[i] != account) continue;
            adapters[i] = adapters[last - 1];
            adapters.pop();
            isAdapter[account] = false;
        }
        emit RemoveAdapter(account);
    }

    function setPerformanceFee(uint256 newPerformanceFee) external waited {
        if (newPerformanceFee > WAD / 2) revert FeeTooHigh();
        if (newPerformanceFee > 0 && performanceFeeRecipient == address(0)) revert FeeInvariantBroken();
        accrueInterest();
        performanceFee = uint96(newPerformanceFee);
        emit SetPerformanceFee(newPerformanceFee);
    }

    function setManagementFee(uint256 newManagementFee) external waited {
        if (newManagementFee > 0.05e18 / uint256(365 days)) revert FeeTooHigh();
        if (newManagementFee > 0 && managementFeeRecipient == address(0)) revert FeeInvariantBroken();
        accrueInterest();
        managementFee = uint96(newManagementFee);
        emit SetManagementFee(newManagementFee);
    }

    function setPerformanceFeeRecipient(address newPerformanceFeeRecipient) external waited {
        if (performanceFee > 0 && newPerformanceFeeRecipient == address(0)) revert FeeInvariantBroken();
        accrueInterest();
        performanceFeeRecipient = newPerformanceFeeRecipient;
        emit SetPerformanceFeeRecipient(newPerformanceFeeRecipient);
    }

    function setManagementFeeRecipient(address newManagementFeeRecipient) external waited {
        if (managementFee > 0 && newManagementFeeRecipient == address(0)) revert FeeInvariantBroken();
        accrueInterest();
        managementFeeRecipient = newManagementFeeRecipient;
        emit SetManagementFeeRecipient(newManagementFeeRecipient);
    }

    function setForceDeallocatePenalty(address adapter, uint256 newForceDeallocatePenalty) external waited {
        if (newForceDeallocatePenalty > 0.02e18) revert PenaltyTooHigh();
        forceDeallocatePenalty[adapter] = newForceDeallocatePenalty;
        emit SetForceDeallocatePenalty(adapter, newForceDeallocatePenalty);
    }

    function increaseAbsoluteCap(bytes calldata idData, uint256 newAbsoluteCap) external waited {
        bytes32 id = keccak256(idData);
        bool isMore = newAbsoluteCap >= _rooms[id].absoluteCap && newAbsoluteCap <= type(uint128).max;
        if (!isMore) revert AbsoluteCapNotIncreasing();
        _rooms[id].absoluteCap = uint128(newAbsoluteCap);
        emit IncreaseAbsoluteCap(id, idData, newAbsoluteCap);
    }

    function increaseRelativeCap(bytes calldata idData, uint256 newRelativeCap) external waited {
        bytes32 id = keccak256(idData);
        if (newRelativeCap > WAD) revert RelativeCapAboveOne();
        if (newRelativeCap < _rooms[id].relativeCap) revert RelativeCapNotIncreasing();
        _rooms[id].relativeCap = uint128(newRelativeCap);
        emit IncreaseRelativeCap(id, idData, newRelativeCap);
    }

    // What makes the vault safer does not wait.

    function decreaseAbsoluteCap(bytes calldata idData, uint256 newAbsoluteCap) external only(_mayRevoke(msg.sender)) {
        bytes32 id = keccak256(idData);
        if (newAbsoluteCap > _rooms[id].absoluteCap) revert AbsoluteCapNotDecreasing();
        _rooms[id].absoluteCap = uint128(newAbsoluteCap);
        emit DecreaseAbsoluteCap(msg.sender, id, idData, newAbsoluteCap);
    }

    function decreaseRelativeCap(bytes calldata idData, uint256 newRelativeCap) external only(_mayRevoke(msg.sender)) {
        bytes32 id = keccak256(idData);
        if (newRelativeCap > _rooms[id].relativeCap) revert RelativeCapNotDecreasing();
        _rooms[id].relativeCap = uint128(newRelativeCap);
        emit DecreaseRelativeCap(msg.sender, id, idData, newRelativeCap);
    }

    // The allocators'.

    function allocate(address adapter, bytes calldata data, uint256 assets) external only(isAllocator[msg.sender]) {
        _put(adapter, data, assets);
    }

    function deallocate(address adapter, bytes calldata data, uint256 assets)
        external
        only(isAllocator[msg.sender] || isSentinel[msg.sender])
    {
        _take(adapter, data, assets);
    }

    function setLiquidityAdapterAndData(address newLiquidityAdapter, bytes calldata newLiquidityData)
        external
        only(isAllocator[msg.sender])
    {
        liquidityAdapter = newLiquidityAdapter;
        liquidityData = newLiquidityData;
        emit SetLiquidityAdapterAndData(msg.sender, newLiquidityAdapter, newLiquidityData);
    }

    function setMaxRate(uint256 newMaxRate) external only(isAllocator[msg.sender]) {
        if (newMaxRate > 2e18 / uint256(365 days)) revert MaxRateTooHigh();
        accrueInterest();
        maxRate = uint64(newMaxRate);
        emit SetMaxRate(newMaxRate);
    }

    function _maySubmit(address account) internal view override returns (bool) {
        return account == curator;
    }

    function _mayRevoke(address account) internal view override returns (bool) {
        return account == curator || isSentinel[account];
    }

    function _checkRegistered(address registry, address account) private view {
        bool isFine = registry == address(0) || IMorphoAdapterRegistry(registry).isInRegistry(account);
        if (!isFine) revert NotInAdapterRegistry();
    }
}
