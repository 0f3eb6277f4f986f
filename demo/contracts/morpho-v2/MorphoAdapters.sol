// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Vault } from "../Erc4626Vault.sol";
import { IErc20 } from "../Tokens.sol";
import { IMorphoAdapter, IMorphoParentVault, MorphoMarketParams } from "./MorphoInterfaces.sol";
import { MorphoMarkets } from "./MorphoMarkets.sol";
import { MorphoTimelocks } from "./MorphoTimelocks.sol";

/// @notice Puts a vault's assets into lending markets. It has timelocks of its own: the vault's curator submits, sentinels revoke too.
contract MorphoMarketAdapter is IMorphoAdapter, MorphoTimelocks {
    event SetSkimRecipient(address indexed newSkimRecipient);
    event Skim(address indexed token, uint256 assets);
    event BurnShares(bytes32 indexed marketId, uint256 supplyShares);
    event Allocate(bytes32 indexed marketId, uint256 newAllocation, uint256 mintedShares);
    event Deallocate(bytes32 indexed marketId, uint256 newAllocation, uint256 burnedShares);

    error LoanAssetMismatch();

    address public immutable factory;
    address public immutable parentVault;
    address public immutable asset;
    address public immutable morpho;
    bytes32 public immutable adapterId;
    address public skimRecipient;
    bytes32[] public marketIds;
    /// @notice Its own count: shares that others give it are worth nothing.
    mapping(bytes32 marketId => uint256) public supplyShares;

    constructor(address parentVault_, address morpho_) {
        factory = msg.sender;
        parentVault = parentVault_;
        morpho = morpho_;
        adapterId = keccak256(abi.encode("this", address(this)));
        asset = IMorphoParentVault(parentVault_).asset();
        IErc20(asset).approve(morpho_, type(uint256).max);
        IErc20(asset).approve(parentVault_, type(uint256).max);
    }

    function marketIdsLength() external view returns (uint256) {
        return marketIds.length;
    }

    function setSkimRecipient(address newSkimRecipient) external waited {
        skimRecipient = newSkimRecipient;
        emit SetSkimRecipient(newSkimRecipient);
    }

    /// @notice Gives up what the vault has in a market, for good.
    function burnShares(bytes32 marketId) external waited {
        emit BurnShares(marketId, supplyShares[marketId]);
        delete supplyShares[marketId];
    }

    function skim(address token) external {
        if (msg.sender != skimRecipient) revert Unauthorized();
        uint256 assets = IErc20(token).balanceOf(address(this));
        IErc20(token).transfer(msg.sender, assets);
        emit Skim(token, assets);
    }

    function allocate(bytes calldata data, uint256 assets, bytes4, address) external returns (bytes32[] memory, int256) {
        (MorphoMarketParams memory params, bytes32 id) = _market(data);
        uint256 shares;
        if (assets > 0) shares = MorphoMarkets(morpho).supply(params, assets, address(this));
        supplyShares[id] += shares;
        (uint256 now_, int256 change) = _note(params, id);
        emit Allocate(id, now_, shares);
        return (ids(params), change);
    }

    function deallocate(bytes calldata data, uint256 assets, bytes4, address) external returns (bytes32[] memory, int256) {
        (MorphoMarketParams memory params, bytes32 id) = _market(data);
        uint256 shares;
        if (assets > 0) shares = MorphoMarkets(morpho).withdraw(params, assets, address(this));
        supplyShares[id] -= shares;
        (uint256 now_, int256 change) = _note(params, id);
        emit Deallocate(id, now_, shares);
        return (ids(params), change);
    }

    function expectedSupplyAssets(bytes32 marketId) public view returns (uint256) {
        (uint128 assets, uint128 shares,,,,) = MorphoMarkets(morpho).market(marketId);
        return (supplyShares[marketId] * (uint256(assets) + 1)) / (uint256(shares) + 1e6);
    }

    function realAssets() external view returns (uint256 assets) {
        for (uint256 i; i < marketIds.length; ++i) assets += expectedSupplyAssets(marketIds[i]);
    }

    function allocation(MorphoMarketParams memory params) public view returns (uint256) {
        return IMorphoParentVault(parentVault).allocation(_ownId(params));
    }

    /// @notice What a position counts against: the adapter, the collateral, the market in this adapter.
    function ids(MorphoMarketParams memory params) public view returns (bytes32[] memory all) {
        all = new bytes32[](3);
        all[0] = adapterId;
        all[1] = keccak256(abi.encode("collateralToken", params.collateralToken));
        all[2] = _ownId(params);
    }

    function _ownId(MorphoMarketParams memory params) private view returns (bytes32) {
        return keccak256(abi.encode("this/marketParams", address(this), params));
    }

    function _market(bytes calldata data) private view returns (MorphoMarketParams memory params, bytes32 id) {
        if (msg.sender != parentVault) revert Unauthorized();
        params = abi.decode(data, (MorphoMarketParams));
        if (params.loanToken != asset) revert LoanAssetMismatch();
        id = keccak256(abi.encode(params));
    }

    /// @dev Lists the market while the vault has anything booked in it.
    function _note(MorphoMarketParams memory params, bytes32 id) private returns (uint256 now_, int256 change) {
        uint256 before = allocation(params);
        now_ = expectedSupplyAssets(id);
        change = int256(now_) - int256(before);
        if (before == 0 && now_ > 0) marketIds.push(id);
        if (before == 0 || now_ > 0) return (now_, change);
        uint256 last = marketIds.length - 1;
        for (uint256 i; i <= last; ++i) {
            if (marketIds[i] != id) continue;
            marketIds[i] = marketIds[last];
            marketIds.pop();
            break;
        }
    }

    function _maySubmit(address account) internal view override returns (bool) {
        return account == IMorphoParentVault(parentVault).curator();
    }

    function _mayRevoke(address account) internal view override returns (bool) {
        return _maySubmit(account) || IMorphoParentVault(parentVault).isSentinel(account);
    }
}

/// @notice Puts a vault's assets into one ERC-4626 vault. It has no timelocks.
contract MorphoErc4626Adapter is IMorphoAdapter {
    event SetSkimRecipient(address indexed newSkimRecipient);
    event Skim(address indexed token, uint256 assets);

    error NotAuthorized();

    address public immutable factory;
    address public immutable parentVault;
    address public immutable morphoVaultV1;
    bytes32 public immutable adapterId;
    address public skimRecipient;

    constructor(address parentVault_, address vault) {
        factory = msg.sender;
        parentVault = parentVault_;
        morphoVaultV1 = vault;
        adapterId = keccak256(abi.encode("this", address(this)));
        address asset = IMorphoParentVault(parentVault_).asset();
        IErc20(asset).approve(vault, type(uint256).max);
        IErc20(asset).approve(parentVault_, type(uint256).max);
    }

    function setSkimRecipient(address newSkimRecipient) external {
        if (msg.sender != IMorphoParentVault(parentVault).owner()) revert NotAuthorized();
        skimRecipient = newSkimRecipient;
        emit SetSkimRecipient(newSkimRecipient);
    }

    function skim(address token) external {
        if (msg.sender != skimRecipient || token == morphoVaultV1) revert NotAuthorized();
        uint256 assets = IErc20(token).balanceOf(address(this));
        IErc20(token).transfer(msg.sender, assets);
        emit Skim(token, assets);
    }

    function allocate(bytes calldata, uint256 assets, bytes4, address) external returns (bytes32[] memory, int256) {
        if (msg.sender != parentVault) revert NotAuthorized();
        if (assets > 0) Erc4626Vault(morphoVaultV1).deposit(assets, address(this));
        return (ids(), int256(_worth()) - int256(allocation()));
    }

    function deallocate(bytes calldata, uint256 assets, bytes4, address) external returns (bytes32[] memory, int256) {
        if (msg.sender != parentVault) revert NotAuthorized();
        if (assets > 0) Erc4626Vault(morphoVaultV1).withdraw(assets, address(this), address(this));
        return (ids(), int256(_worth()) - int256(allocation()));
    }

    function ids() public view returns (bytes32[] memory all) {
        all = new bytes32[](1);
        all[0] = adapterId;
    }

    function allocation() public view returns (uint256) {
        return IMorphoParentVault(parentVault).allocation(adapterId);
    }

    function realAssets() external view returns (uint256) {
        return allocation() == 0 ? 0 : _worth();
    }

    function _worth() private view returns (uint256) {
        return Erc4626Vault(morphoVaultV1).previewRedeem(Erc4626Vault(morphoVaultV1).balanceOf(address(this)));
    }
}
