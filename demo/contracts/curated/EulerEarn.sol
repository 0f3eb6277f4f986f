// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { CuratedRoles } from "./CuratedRoles.sol";
import { CuratedVault } from "./CuratedVault.sol";
import { EulerEarnEvents, LossKeepingEvents } from "./CuratedVaultEvents.sol";
import { VaultConnector } from "./VaultConnector.sol";
import { Erc4626Vault } from "../Erc4626Vault.sol";
import { IErc20 } from "../Tokens.sol";

struct StrategyAllocation {
    address id;
    uint256 assets;
}

/// @notice A curated vault over ERC-4626 strategies with the events and views of Euler Earn.
contract EulerEarn is CuratedVault, EulerEarnEvents, LossKeepingEvents {
    error WrongAsset();
    error NotAllowedStrategy(address strategy);
    error ZeroShares();

    VaultConnector private immutable _connector;
    EulerEarnFactory public immutable creator;

    constructor(address owner_, address connector, uint256 timelock_, address asset_, string memory name_, string memory symbol_)
        CuratedRoles(owner_, timelock_, true)
        CuratedVault(asset_, name_, symbol_)
    {
        _connector = VaultConnector(connector);
        creator = EulerEarnFactory(msg.sender);
        emit SetName(name_);
        emit SetSymbol(symbol_);
    }

    function EVC() external view returns (address) {
        return address(_connector);
    }

    function decimals() external view returns (uint8) {
        return IErc20(asset).decimals();
    }

    function setName(string memory newName) external onlyOwner {
        name = newName;
        emit SetName(newName);
    }

    function setSymbol(string memory newSymbol) external onlyOwner {
        symbol = newSymbol;
        emit SetSymbol(newSymbol);
    }

    function supplyQueue(uint256 place) external view returns (address) {
        return _addressOf(_supplyQueue[place]);
    }

    function withdrawQueue(uint256 place) external view returns (address) {
        return _addressOf(_withdrawQueue[place]);
    }

    function config(address id) external view returns (uint112 balance, uint136 cap, bool enabled, uint64 removableAt) {
        Line memory line = _lines[_idOf(id)];
        return (uint112(line.shares), uint136(line.cap), line.isEnabled, line.removableAt);
    }

    function pendingCap(address id) external view returns (uint136 value, uint64 validAt) {
        PendingValue memory pending = _pendingCaps[_idOf(id)];
        return (uint136(pending.value), pending.validAt);
    }

    function pendingTimelock() external view returns (uint136 value, uint64 validAt) {
        return (uint136(_pendingTimelock.value), _pendingTimelock.validAt);
    }

    function lostAssets() external view returns (uint256) {
        return _lost;
    }

    function expectedSupplyAssets(address id) public view returns (uint256) {
        return Erc4626Vault(id).previewRedeem(_lines[_idOf(id)].shares);
    }

    function maxWithdrawFromStrategy(address id) public view returns (uint256) {
        (uint256 most, uint256 worth) = (Erc4626Vault(id).maxWithdraw(address(this)), expectedSupplyAssets(id));
        return most < worth ? most : worth;
    }

    function submitCap(address id, uint256 newCap) external onlyCurator {
        if (Erc4626Vault(id).asset() != asset) revert WrongAsset();
        // As what callers of MetaMorpho say for "unlimited" is wider than what fits here.
        uint256 cap = newCap == type(uint184).max ? type(uint136).max : uint136(newCap);
        if (cap > _lines[_idOf(id)].cap) _checkAllowed(id);
        _submitCap(_idOf(id), cap);
    }

    function acceptCap(address id) external {
        _checkAllowed(id);
        _acceptCap(_idOf(id));
    }

    function revokePendingCap(address id) external onlyCuratorOrGuardian {
        _revokeCap(_idOf(id));
    }

    function submitMarketRemoval(address id) external onlyCurator {
        _submitRemoval(_idOf(id));
    }

    function revokePendingMarketRemoval(address id) external onlyCuratorOrGuardian {
        _revokeRemoval(_idOf(id));
    }

    function setSupplyQueue(address[] calldata queue) external onlyAllocator {
        bytes32[] memory ids = new bytes32[](queue.length);
        for (uint256 i; i < queue.length; ++i) {
            ids[i] = _idOf(queue[i]);
        }
        _setSupplyQueue(ids);
    }

    function reallocate(StrategyAllocation[] calldata allocations) external onlyAllocator {
        int256 inHand;
        for (uint256 i; i < allocations.length; ++i) {
            inHand = _bringTo(_idOf(allocations[i].id), allocations[i].assets, inHand);
        }
        if (inHand != 0) revert UnevenReallocation();
    }

    function _sender() internal view override returns (address) {
        return msg.sender == address(_connector) ? _connector.onBehalfOf() : msg.sender;
    }

    function _worth(bytes32 id) internal view override returns (uint256) {
        return expectedSupplyAssets(_addressOf(id));
    }

    function _liquid(bytes32 id) internal view override returns (uint256) {
        return maxWithdrawFromStrategy(_addressOf(id));
    }

    function _room(bytes32 id) internal view override returns (uint256) {
        return Erc4626Vault(_addressOf(id)).maxDeposit(address(this));
    }

    function _put(bytes32 id, uint256 assets) internal override returns (uint256 shares) {
        shares = Erc4626Vault(_addressOf(id)).deposit(assets, address(this));
        _lines[id].shares += shares;
    }

    function _take(bytes32 id, uint256 assets) internal override returns (uint256 shares) {
        shares = Erc4626Vault(_addressOf(id)).withdraw(assets, address(this), address(this));
        _lines[id].shares -= shares;
    }

    function _takeAll(bytes32 id) internal override returns (uint256 assets, uint256 shares) {
        shares = _lines[id].shares;
        assets = Erc4626Vault(_addressOf(id)).redeem(shares, address(this), address(this));
        _lines[id].shares = 0;
    }

    function _open(bytes32 id) internal override {
        address strategy = _addressOf(id);
        IErc20(asset).approve(strategy, type(uint256).max);
        _lines[id].shares = IErc20(strategy).balanceOf(address(this));
    }

    function _keepsLosses() internal pure override returns (bool) {
        return true;
    }

    function _virtual() internal pure override returns (uint256, uint256) {
        return (1e6, 1e6);
    }

    function _tellSubmitCap(address caller, bytes32 id, uint256 cap) internal override {
        emit SubmitCap(caller, _addressOf(id), cap);
    }

    function _tellSetCap(address caller, bytes32 id, uint256 cap) internal override {
        emit SetCap(caller, _addressOf(id), cap);
    }

    function _tellRevokeCap(address caller, bytes32 id) internal override {
        emit RevokePendingCap(caller, _addressOf(id));
    }

    function _tellSubmitRemoval(address caller, bytes32 id) internal override {
        emit SubmitMarketRemoval(caller, _addressOf(id));
    }

    function _tellRevokeRemoval(address caller, bytes32 id) internal override {
        emit RevokePendingMarketRemoval(caller, _addressOf(id));
    }

    function _tellSupplyQueue(address caller) internal override {
        emit SetSupplyQueue(caller, _addressesOf(_supplyQueue));
    }

    function _tellWithdrawQueue(address caller) internal override {
        emit SetWithdrawQueue(caller, _addressesOf(_withdrawQueue));
    }

    function _tellMove(address caller, bytes32 id, bool isSupply, uint256 assets, uint256 shares) internal override {
        if (isSupply) emit ReallocateSupply(caller, _addressOf(id), assets, shares);
        else emit ReallocateWithdraw(caller, _addressOf(id), assets, shares);
    }

    function _tellLost(uint256 lost) internal override {
        emit UpdateLostAssets(lost);
    }

    function _checkAllowed(address id) private view {
        if (!creator.isStrategyAllowed(id)) revert NotAllowedStrategy(id);
    }

    function _idOf(address strategy) private pure returns (bytes32) {
        return bytes32(uint256(uint160(strategy)));
    }

    function _addressOf(bytes32 id) private pure returns (address) {
        return address(uint160(uint256(id)));
    }

    function _addressesOf(bytes32[] memory ids) private pure returns (address[] memory addresses) {
        addresses = new address[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            addresses[i] = _addressOf(ids[i]);
        }
    }
}

/// @notice Which strategies may be given caps, as its maker says.
contract StrategyList {
    mapping(address strategy => bool) public isVerified;

    function verify(address strategy, bool isOne) external {
        isVerified[strategy] = isOne;
    }
}

/// @notice An ERC-4626 strategy that lends out what it holds: so much cannot be withdrawn until it is back.
contract LendingStrategy is Erc4626Vault {
    uint256 public lentAssets;

    constructor(address asset_, string memory name_, string memory symbol_)
        Erc4626Vault(asset_, name_, symbol_, 0, msg.sender)
    { }

    function lend(uint256 assets, address borrower) external {
        lentAssets += assets;
        IErc20(asset).transfer(borrower, assets);
    }

    /// @notice Takes a loan back from who has approved it.
    function collect(uint256 assets, address borrower) external {
        lentAssets -= assets;
        IErc20(asset).transferFrom(borrower, address(this), assets);
    }

    function writeOff(uint256 assets) external {
        lentAssets -= assets;
    }

    function totalAssets() public view override returns (uint256) {
        return IErc20(asset).balanceOf(address(this)) + lentAssets;
    }

    function maxWithdraw(address account) external view override returns (uint256) {
        (uint256 worth, uint256 cash) = (convertToAssets(balanceOf[account]), IErc20(asset).balanceOf(address(this)));
        return worth < cash ? worth : cash;
    }
}

interface EulerEarnFactoryEvents {
    event CreateEulerEarn(
        address indexed eulerEarn,
        address indexed caller,
        address initialOwner,
        uint256 initialTimelock,
        address indexed asset,
        string name,
        string symbol,
        bytes32 salt
    );
    event SetPerspective(address);
}

contract EulerEarnFactory is EulerEarnFactoryEvents {
    address public immutable EVC;
    address public supportedPerspective;
    mapping(address vault => bool) public isVault;

    constructor(address connector, address perspective) {
        EVC = connector;
        supportedPerspective = perspective;
    }

    function setPerspective(address perspective) external {
        supportedPerspective = perspective;
        emit SetPerspective(perspective);
    }

    function isStrategyAllowed(address id) external view returns (bool) {
        return isVault[id] || StrategyList(supportedPerspective).isVerified(id);
    }

    function createEulerEarn(
        address initialOwner,
        uint256 initialTimelock,
        address asset,
        string memory name,
        string memory symbol,
        bytes32 salt
    ) external returns (address vault) {
        vault = address(new EulerEarn{ salt: salt }(initialOwner, EVC, initialTimelock, asset, name, symbol));
        isVault[vault] = true;
        emit CreateEulerEarn(vault, msg.sender, initialOwner, initialTimelock, asset, name, symbol, salt);
    }
}
