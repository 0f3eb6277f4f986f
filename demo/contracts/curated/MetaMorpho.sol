// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { CuratedRoles } from "./CuratedRoles.sol";
import { CuratedVault } from "./CuratedVault.sol";
import { LossKeepingEvents, MetaMorphoEvents } from "./CuratedVaultEvents.sol";
import { LendingMarkets, Market, MarketParams } from "./LendingMarkets.sol";
import { IErc20 } from "../Tokens.sol";

struct MarketAllocation {
    MarketParams marketParams;
    uint256 assets;
}

/// @notice A curated vault over lending markets with the events and views of MetaMorpho 1.0: a loss lowers the price.
contract MetaMorpho is CuratedVault, MetaMorphoEvents {
    error WrongAsset();

    LendingMarkets public immutable MORPHO;
    uint8 public immutable DECIMALS_OFFSET;
    address public skimRecipient;

    constructor(address owner_, address morpho, uint256 timelock_, address asset_, string memory name_, string memory symbol_)
        CuratedRoles(owner_, timelock_, _keepsLosses())
        CuratedVault(asset_, name_, symbol_)
    {
        MORPHO = LendingMarkets(morpho);
        uint8 decimals_ = IErc20(asset_).decimals();
        DECIMALS_OFFSET = decimals_ < 18 ? 18 - decimals_ : 0;
        IErc20(asset_).approve(morpho, type(uint256).max);
    }

    function decimals() external view returns (uint8) {
        return IErc20(asset).decimals() + DECIMALS_OFFSET;
    }

    function supplyQueue(uint256 place) external view returns (bytes32) {
        return _supplyQueue[place];
    }

    function withdrawQueue(uint256 place) external view returns (bytes32) {
        return _withdrawQueue[place];
    }

    function config(bytes32 id) external view returns (uint184 cap, bool enabled, uint64 removableAt) {
        Line memory line = _lines[id];
        return (uint184(line.cap), line.isEnabled, line.removableAt);
    }

    function pendingCap(bytes32 id) external view returns (uint192 value, uint64 validAt) {
        PendingValue memory pending = _pendingCaps[id];
        return (pending.value, pending.validAt);
    }

    function pendingTimelock() external view returns (uint192 value, uint64 validAt) {
        return (_pendingTimelock.value, _pendingTimelock.validAt);
    }

    /// @notice Several calls in one, each on behalf of the same sender.
    function multicall(bytes[] calldata calls) external {
        for (uint256 i; i < calls.length; ++i) {
            (bool success, bytes memory reason) = address(this).delegatecall(calls[i]);
            if (!success) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }

    function submitCap(MarketParams memory params, uint256 newCap) external onlyCurator {
        bytes32 id = MORPHO.idOf(params);
        if (params.loanToken != asset) revert WrongAsset();
        if (MORPHO.market(id).lastUpdate == 0) revert NoLine(id);
        _submitCap(id, uint184(newCap));
    }

    function acceptCap(MarketParams memory params) external {
        _acceptCap(MORPHO.idOf(params));
    }

    function revokePendingCap(bytes32 id) external onlyCuratorOrGuardian {
        _revokeCap(id);
    }

    function submitMarketRemoval(MarketParams memory params) external onlyCurator {
        _submitRemoval(MORPHO.idOf(params));
    }

    function revokePendingMarketRemoval(bytes32 id) external onlyCuratorOrGuardian {
        _revokeRemoval(id);
    }

    function setSupplyQueue(bytes32[] calldata queue) external onlyAllocator {
        _setSupplyQueue(queue);
    }

    function reallocate(MarketAllocation[] calldata allocations) external onlyAllocator {
        int256 inHand;
        for (uint256 i; i < allocations.length; ++i) {
            MORPHO.accrueInterest(allocations[i].marketParams);
            inHand = _bringTo(MORPHO.idOf(allocations[i].marketParams), allocations[i].assets, inHand);
        }
        if (inHand != 0) revert UnevenReallocation();
    }

    function setSkimRecipient(address recipient) external onlyOwner {
        if (recipient == skimRecipient) revert AlreadySet();
        skimRecipient = recipient;
        emit SetSkimRecipient(recipient);
    }

    /// @notice Anyone may send on what lies in the vault itself: none of it is the depositors'.
    function skim(address token) external {
        uint256 amount = IErc20(token).balanceOf(address(this));
        IErc20(token).transfer(skimRecipient, amount);
        emit Skim(_sender(), token, amount);
    }

    function _worth(bytes32 id) internal view override returns (uint256) {
        return MORPHO.expectedSupplyAssets(id, address(this));
    }

    function _liquid(bytes32 id) internal view override returns (uint256) {
        (uint256 worth, uint256 liquidity) = (_worth(id), MORPHO.expectedLiquidity(id));
        return worth < liquidity ? worth : liquidity;
    }

    function _room(bytes32) internal pure override returns (uint256) {
        return type(uint256).max;
    }

    function _put(bytes32 id, uint256 assets) internal override returns (uint256 shares) {
        (, shares) = MORPHO.supply(_paramsOf(id), assets, 0, address(this), "");
    }

    function _take(bytes32 id, uint256 assets) internal override returns (uint256 shares) {
        (, shares) = MORPHO.withdraw(_paramsOf(id), assets, 0, address(this), address(this));
    }

    function _takeAll(bytes32 id) internal override returns (uint256, uint256) {
        (uint256 shares,,) = MORPHO.position(id, address(this));
        return MORPHO.withdraw(_paramsOf(id), 0, shares, address(this), address(this));
    }

    function _open(bytes32) internal pure override { }

    function _keepsLosses() internal pure virtual override returns (bool) {
        return false;
    }

    function _virtual() internal view override returns (uint256, uint256) {
        return (10 ** DECIMALS_OFFSET, 1);
    }

    function _tellSubmitCap(address caller, bytes32 id, uint256 cap) internal override {
        emit SubmitCap(caller, id, cap);
    }

    function _tellSetCap(address caller, bytes32 id, uint256 cap) internal override {
        emit SetCap(caller, id, cap);
    }

    function _tellRevokeCap(address caller, bytes32 id) internal override {
        emit RevokePendingCap(caller, id);
    }

    function _tellSubmitRemoval(address caller, bytes32 id) internal override {
        emit SubmitMarketRemoval(caller, id);
    }

    function _tellRevokeRemoval(address caller, bytes32 id) internal override {
        emit RevokePendingMarketRemoval(caller, id);
    }

    function _tellSupplyQueue(address caller) internal override {
        emit SetSupplyQueue(caller, _supplyQueue);
    }

    function _tellWithdrawQueue(address caller) internal override {
        emit SetWithdrawQueue(caller, _withdrawQueue);
    }

    function _tellMove(address caller, bytes32 id, bool isSupply, uint256 assets, uint256 shares) internal override {
        if (isSupply) emit ReallocateSupply(caller, id, assets, shares);
        else emit ReallocateWithdraw(caller, id, assets, shares);
    }

    function _tellLost(uint256) internal virtual override { }

    function _paramsOf(bytes32 id) private view returns (MarketParams memory params) {
        (params.loanToken, params.collateralToken, params.oracle, params.irm, params.lltv) = MORPHO.idToMarketParams(id);
    }
}

/// @notice The same with the events and views of MetaMorpho 1.1: a loss is kept apart, and the price stands.
contract MetaMorphoV1_1 is MetaMorpho, LossKeepingEvents {
    constructor(address owner_, address morpho, uint256 timelock_, address asset_, string memory name_, string memory symbol_)
        MetaMorpho(owner_, morpho, timelock_, asset_, name_, symbol_)
    {
        emit SetName(name_);
        emit SetSymbol(symbol_);
    }

    function setName(string memory newName) external onlyOwner {
        name = newName;
        emit SetName(newName);
    }

    function setSymbol(string memory newSymbol) external onlyOwner {
        symbol = newSymbol;
        emit SetSymbol(newSymbol);
    }

    /// @notice As of the last accrual.
    function lostAssets() external view returns (uint256) {
        return _lost;
    }

    function _keepsLosses() internal pure override returns (bool) {
        return true;
    }

    function _tellLost(uint256 lost) internal override {
        emit UpdateLostAssets(lost);
    }
}

interface MetaMorphoFactoryEvents {
    event CreateMetaMorpho(
        address indexed metaMorpho,
        address indexed caller,
        address initialOwner,
        uint256 initialTimelock,
        address indexed asset,
        string name,
        string symbol,
        bytes32 salt
    );
}

contract MetaMorphoV1_1Factory is MetaMorphoFactoryEvents {
    address public immutable MORPHO;
    mapping(address vault => bool) public isMetaMorpho;

    constructor(address morpho) {
        MORPHO = morpho;
    }

    function createMetaMorpho(
        address initialOwner,
        uint256 initialTimelock,
        address asset,
        string memory name,
        string memory symbol,
        bytes32 salt
    ) external returns (address vault) {
        vault = address(new MetaMorphoV1_1{ salt: salt }(initialOwner, MORPHO, initialTimelock, asset, name, symbol));
        isMetaMorpho[vault] = true;
        emit CreateMetaMorpho(vault, msg.sender, initialOwner, initialTimelock, asset, name, symbol, salt);
    }
}
