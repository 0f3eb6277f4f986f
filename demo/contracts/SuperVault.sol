// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { VaultEvents } from "./events/VaultEvents.sol";
import { IAggregator, IEscrow, IGovernor, IStrategy } from "./Interfaces.sol";
import { Erc20, IErc20 } from "./Tokens.sol";

/// @notice The share token of a trio: ERC-4626 deposits at once, ERC-7540 redeems through the strategy.
/// @dev Shares have the decimals of the asset; a whole share is worth getStoredPPS() raw asset units.
contract SuperVault is Erc20, VaultEvents {
    uint256 private constant REQUEST_ID = 0;
    uint256 private constant BPS = 10_000;

    error ALREADY_INITIALIZED();
    error ZERO_AMOUNT();
    error INVALID_AMOUNT();
    error UNAUTHORIZED();
    error INVALID_NONCE();
    error NOT_IMPLEMENTED();
    error INVALID_CONTROLLER();
    error INVALID_WITHDRAW_PRICE();
    error CONTROLLER_MUST_EQUAL_OWNER();
    error RECEIVER_MUST_EQUAL_CONTROLLER();
    error CANCELLATION_REDEEM_REQUEST_PENDING();

    IGovernor public immutable SUPER_GOVERNOR;

    string public name;
    string public symbol;
    uint8 public decimals;
    address public asset;
    address public escrow;
    IStrategy public strategy;
    /// @notice Raw units of a whole share.
    uint256 public PRECISION;
    mapping(address controller => mapping(address operator => bool)) public isOperator;
    mapping(address controller => mapping(bytes32 nonce => bool)) public authorizations;

    constructor(IGovernor governor) {
        SUPER_GOVERNOR = governor;
    }

    function initialize(
        address asset_,
        string calldata name_,
        string calldata symbol_,
        address strategy_,
        address escrow_
    )
        external
    {
        if (asset != address(0)) revert ALREADY_INITIALIZED();
        name = name_;
        symbol = symbol_;
        asset = asset_;
        decimals = IErc20(asset_).decimals();
        PRECISION = 10 ** decimals;
        strategy = IStrategy(strategy_);
        escrow = escrow_;
        emit Initialized(asset_, strategy_, escrow_);
    }

    // Deposits ------------------------------------------------------------------------------------------------------

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (assets == 0) revert ZERO_AMOUNT();
        IErc20(asset).transferFrom(msg.sender, address(strategy), assets);
        shares = strategy.handleDeposit(receiver, assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        if (shares == 0) revert ZERO_AMOUNT();
        (assets,) = strategy.quoteMintAssetsGross(shares);
        IErc20(asset).transferFrom(msg.sender, address(strategy), assets);
        if (strategy.handleDeposit(receiver, assets) < shares) revert INVALID_AMOUNT();
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    // Redeems -------------------------------------------------------------------------------------------------------

    /// @return The request's id, always 0: requests of one controller add up.
    function requestRedeem(uint256 shares, address controller, address owner) external returns (uint256) {
        if (shares == 0) revert ZERO_AMOUNT();
        _authorize(owner);
        if (controller != owner) revert CONTROLLER_MUST_EQUAL_OWNER();
        if (balanceOf[owner] < shares) revert INVALID_AMOUNT();
        if (strategy.pendingCancelRedeemRequest(owner)) revert CANCELLATION_REDEEM_REQUEST_PENDING();
        allowance[owner][escrow] = shares;
        emit Approval(owner, escrow, shares);
        IEscrow(escrow).escrowShares(owner, shares);
        strategy.handleRedeemRequest(controller, owner, shares);
        emit RedeemRequest(controller, owner, REQUEST_ID, msg.sender, shares);
        return REQUEST_ID;
    }

    function cancelRedeemRequest(uint256, address controller) external {
        _authorize(controller);
        strategy.handleCancelRedeemRequest(controller);
        emit CancelRedeemRequest(controller, REQUEST_ID, msg.sender);
    }

    function claimCancelRedeemRequest(uint256, address receiver, address controller) external returns (uint256 shares) {
        _authorizeReceiver(controller, receiver);
        shares = strategy.handleClaimCancelRedeem(controller);
        IEscrow(escrow).returnShares(receiver, shares);
        emit CancelRedeemClaim(receiver, controller, REQUEST_ID, msg.sender, shares);
    }

    function withdraw(uint256 assets, address receiver, address controller) external returns (uint256 shares) {
        uint256 price = _withdrawPrice(controller, receiver);
        shares = _ceilDiv(assets * PRECISION, price);
        _claim(assets, shares, receiver, controller);
    }

    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        uint256 price = _withdrawPrice(controller, receiver);
        assets = (shares * price) / PRECISION;
        _claim(assets, shares, receiver, controller);
    }

    /// @notice Burns shares that the escrow holds, once the strategy has fulfilled their requests.
    function burnShares(uint256 amount) external {
        if (msg.sender != address(strategy)) revert UNAUTHORIZED();
        _burn(escrow, amount);
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        if (msg.sender == operator) revert UNAUTHORIZED();
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    function invalidateNonce(bytes32 nonce) external {
        if (authorizations[msg.sender][nonce]) revert INVALID_NONCE();
        authorizations[msg.sender][nonce] = true;
        emit NonceInvalidated(msg.sender, nonce);
    }

    // Views ---------------------------------------------------------------------------------------------------------

    function share() external view returns (address) {
        return address(this);
    }

    /// @return Raw asset units that fulfilled requests may claim.
    function getEscrowedAssets() external view returns (uint256) {
        return IErc20(asset).balanceOf(escrow);
    }

    function totalAssets() external view returns (uint256) {
        return (totalSupply * strategy.getStoredPPS()) / PRECISION;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        uint256 pps = strategy.getStoredPPS();
        return pps == 0 ? 0 : (assets * PRECISION) / pps;
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return (shares * strategy.getStoredPPS()) / PRECISION;
    }

    function maxDeposit(address) public view returns (uint256) {
        IAggregator aggregator = IAggregator(SUPER_GOVERNOR.getAddress(SUPER_GOVERNOR.SUPER_VAULT_AGGREGATOR()));
        bool closed = aggregator.isStrategyPaused(address(strategy)) || aggregator.isPPSStale(address(strategy));
        return closed ? 0 : type(uint256).max;
    }

    function maxMint(address receiver) external view returns (uint256) {
        return maxDeposit(receiver);
    }

    function maxWithdraw(address controller) public view returns (uint256) {
        return strategy.claimableWithdraw(controller);
    }

    function maxRedeem(address controller) public view returns (uint256) {
        uint256 price = strategy.getAverageWithdrawPrice(controller);
        return price == 0 ? 0 : (maxWithdraw(controller) * PRECISION) / price;
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        uint256 fee = _ceilDiv(assets * strategy.getConfigInfo().managementFeeBps, BPS);
        return convertToShares(assets - fee);
    }

    function previewMint(uint256 shares) external view returns (uint256 assets) {
        (assets,) = strategy.quoteMintAssetsGross(shares);
    }

    function previewWithdraw(uint256) external pure returns (uint256) {
        revert NOT_IMPLEMENTED();
    }

    function previewRedeem(uint256) external pure returns (uint256) {
        revert NOT_IMPLEMENTED();
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return strategy.pendingRedeemRequest(controller);
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return maxRedeem(controller);
    }

    function pendingCancelRedeemRequest(uint256, address controller) external view returns (bool) {
        return strategy.pendingCancelRedeemRequest(controller);
    }

    function claimableCancelRedeemRequest(uint256, address controller) external view returns (uint256) {
        return strategy.claimableCancelRedeemRequest(controller);
    }

    /// @dev ERC-165, ERC-7540 operators and redeems, ERC-7575; not ERC-7540 deposits, which are synchronous here.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xe3bc4e65 || id == 0x620ee8e4 || id == 0x2f0a18c5;
    }

    // Internals -----------------------------------------------------------------------------------------------------

    function _claim(uint256 assets, uint256 shares, address receiver, address controller) private {
        if (assets > maxWithdraw(controller)) revert INVALID_AMOUNT();
        strategy.handleClaimRedeem(controller, receiver, assets);
        IEscrow(escrow).returnAssets(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    function _withdrawPrice(address controller, address receiver) private view returns (uint256 price) {
        _authorizeReceiver(controller, receiver);
        price = strategy.getAverageWithdrawPrice(controller);
        if (price == 0) revert INVALID_WITHDRAW_PRICE();
    }

    function _authorize(address controller) private view {
        if (controller != msg.sender && !isOperator[controller][msg.sender]) revert INVALID_CONTROLLER();
    }

    function _authorizeReceiver(address controller, address receiver) private view {
        _authorize(controller);
        if (controller != msg.sender && receiver != controller) revert RECEIVER_MUST_EQUAL_CONTROLLER();
    }

    function _ceilDiv(uint256 a, uint256 b) private pure returns (uint256) {
        return a == 0 ? 0 : (a - 1) / b + 1;
    }
}
