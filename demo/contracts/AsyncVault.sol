// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "./events/Erc4626Events.sol";
import { Erc7540Events } from "./events/Erc7540Events.sol";
import { Erc7540RedeemEvents } from "./events/Erc7540RedeemEvents.sol";
import { Erc20, IErc20 } from "./Tokens.sol";

/// @notice An ERC-7540 vault: deposits and redeems are both requested, fulfilled by an operator, then claimed.
/// @dev Requests of a controller add up under id 0. Assets that are only passing through are no part of totalAssets.
contract AsyncVault is Erc20, Erc4626Events, Erc7540Events, Erc7540RedeemEvents {
    event Paused(address account);
    event Unpaused(address account);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    error Unauthorized();
    error EnforcedPause();
    error ExpectedPause();
    error AsynchronousOnly();
    error NothingClaimable();
    error ZeroAmount();

    struct Request {
        uint256 pendingAssets;
        uint256 claimableAssets;
        uint256 claimableShares;
        uint256 cancelledAssets;
        uint256 pendingShares;
        uint256 redeemableShares;
        uint256 redeemableAssets;
    }

    uint256 private constant REQUEST_ID = 0;
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");

    string public name;
    string public symbol;
    address public immutable asset;
    uint8 public immutable decimals;
    address public owner;
    bool public paused;
    mapping(bytes32 role => mapping(address account => bool)) public hasRole;
    mapping(address controller => mapping(address operator => bool)) public isOperator;
    /// @notice Assets held for others: pending deposits, cancelled ones, and redeems that wait to be claimed.
    uint256 public reservedAssets;
    mapping(address controller => Request) private _requests;

    constructor(address asset_, string memory name_, string memory symbol_, address owner_) {
        asset = asset_;
        name = name_;
        symbol = symbol_;
        decimals = IErc20(asset_).decimals();
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
        hasRole[OPERATOR_ROLE][owner_] = true;
        emit RoleGranted(OPERATOR_ROLE, owner_, msg.sender);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert Unauthorized();
        _;
    }

    modifier onlyFulfiller() {
        if (!hasRole[OPERATOR_ROLE][msg.sender]) revert Unauthorized();
        _;
    }

    modifier whenNotPaused() {
        if (paused) revert EnforcedPause();
        _;
    }

    modifier authorized(address controller) {
        if (msg.sender != controller && !isOperator[controller][msg.sender]) revert Unauthorized();
        _;
    }

    // Administration ------------------------------------------------------------------------------------------------

    function pause() external onlyOwner whenNotPaused {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external onlyOwner {
        if (!paused) revert ExpectedPause();
        paused = false;
        emit Unpaused(msg.sender);
    }

    function transferOwnership(address newOwner) external onlyOwner {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function grantRole(bytes32 role, address account) external onlyOwner {
        hasRole[role][account] = true;
        emit RoleGranted(role, account, msg.sender);
    }

    function revokeRole(bytes32 role, address account) external onlyOwner {
        hasRole[role][account] = false;
        emit RoleRevoked(role, account, msg.sender);
    }

    function setOperator(address operator, bool approved) external returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    // Deposits ------------------------------------------------------------------------------------------------------

    function requestDeposit(
        uint256 assets,
        address controller,
        address owner_
    )
        external
        whenNotPaused
        authorized(owner_)
        returns (uint256)
    {
        if (assets == 0) revert ZeroAmount();
        IErc20(asset).transferFrom(owner_, address(this), assets);
        reservedAssets += assets;
        _requests[controller].pendingAssets += assets;
        emit DepositRequest(controller, owner_, REQUEST_ID, msg.sender, assets);
        return REQUEST_ID;
    }

    function fulfillDeposits(address[] calldata controllers) external onlyFulfiller whenNotPaused {
        for (uint256 i; i < controllers.length; ++i) {
            Request storage request = _requests[controllers[i]];
            uint256 assets = request.pendingAssets;
            if (assets == 0) continue;
            uint256 shares = convertToShares(assets);
            request.pendingAssets = 0;
            request.claimableAssets += assets;
            request.claimableShares += shares;
            reservedAssets -= assets;
            _mint(address(this), shares);
            emit DepositClaimable(controllers[i], REQUEST_ID, assets, shares);
        }
    }

    function cancelDepositRequest(uint256, address controller) external authorized(controller) {
        Request storage request = _requests[controller];
        if (request.pendingAssets == 0) revert NothingClaimable();
        request.cancelledAssets += request.pendingAssets;
        request.pendingAssets = 0;
        emit CancelDepositRequest(controller, REQUEST_ID, msg.sender);
    }

    function claimCancelDepositRequest(
        uint256,
        address receiver,
        address controller
    )
        external
        authorized(controller)
        returns (uint256 assets)
    {
        assets = _requests[controller].cancelledAssets;
        if (assets == 0) revert NothingClaimable();
        _requests[controller].cancelledAssets = 0;
        reservedAssets -= assets;
        IErc20(asset).transfer(receiver, assets);
        emit CancelDepositClaim(receiver, controller, REQUEST_ID, msg.sender, assets);
    }

    function deposit(uint256 assets, address receiver, address controller) public returns (uint256 shares) {
        Request storage request = _requests[controller];
        if (request.claimableAssets == 0) revert NothingClaimable();
        shares = (assets * request.claimableShares) / request.claimableAssets;
        _claimDeposit(request, assets, shares, receiver, controller);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        return deposit(assets, receiver, msg.sender);
    }

    function mint(uint256 shares, address receiver, address controller) public returns (uint256 assets) {
        Request storage request = _requests[controller];
        if (request.claimableShares == 0) revert NothingClaimable();
        assets = (shares * request.claimableAssets) / request.claimableShares;
        _claimDeposit(request, assets, shares, receiver, controller);
    }

    function mint(uint256 shares, address receiver) external returns (uint256) {
        return mint(shares, receiver, msg.sender);
    }

    // Redeems -------------------------------------------------------------------------------------------------------

    function requestRedeem(uint256 shares, address controller, address owner_) external whenNotPaused returns (uint256) {
        if (shares == 0) revert ZeroAmount();
        if (msg.sender != owner_ && !isOperator[owner_][msg.sender]) _spendAllowance(owner_, msg.sender, shares);
        _transfer(owner_, address(this), shares);
        _requests[controller].pendingShares += shares;
        emit RedeemRequest(controller, owner_, REQUEST_ID, msg.sender, shares);
        return REQUEST_ID;
    }

    function fulfillRedeems(address[] calldata controllers) external onlyFulfiller whenNotPaused {
        for (uint256 i; i < controllers.length; ++i) {
            Request storage request = _requests[controllers[i]];
            uint256 shares = request.pendingShares;
            if (shares == 0) continue;
            uint256 assets = convertToAssets(shares);
            request.pendingShares = 0;
            request.redeemableShares += shares;
            request.redeemableAssets += assets;
            reservedAssets += assets;
            _burn(address(this), shares);
            emit RedeemClaimable(controllers[i], REQUEST_ID, assets, shares);
        }
    }

    function redeem(uint256 shares, address receiver, address controller) external returns (uint256 assets) {
        Request storage request = _requests[controller];
        if (request.redeemableShares == 0) revert NothingClaimable();
        assets = (shares * request.redeemableAssets) / request.redeemableShares;
        _claimRedeem(request, assets, shares, receiver, controller);
    }

    function withdraw(uint256 assets, address receiver, address controller) external returns (uint256 shares) {
        Request storage request = _requests[controller];
        if (request.redeemableAssets == 0) revert NothingClaimable();
        shares = (assets * request.redeemableShares) / request.redeemableAssets;
        _claimRedeem(request, assets, shares, receiver, controller);
    }

    // Views ---------------------------------------------------------------------------------------------------------

    function share() external view returns (address) {
        return address(this);
    }

    function totalAssets() public view returns (uint256) {
        return IErc20(asset).balanceOf(address(this)) - reservedAssets;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return (assets * (totalSupply + 1)) / (totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (totalAssets() + 1)) / (totalSupply + 1);
    }

    function pendingDepositRequest(uint256, address controller) external view returns (uint256) {
        return _requests[controller].pendingAssets;
    }

    function claimableDepositRequest(uint256, address controller) external view returns (uint256) {
        return _requests[controller].claimableAssets;
    }

    function pendingCancelDepositRequest(uint256, address) external pure returns (bool) {
        return false;
    }

    function claimableCancelDepositRequest(uint256, address controller) external view returns (uint256) {
        return _requests[controller].cancelledAssets;
    }

    function pendingRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _requests[controller].pendingShares;
    }

    function claimableRedeemRequest(uint256, address controller) external view returns (uint256) {
        return _requests[controller].redeemableShares;
    }

    function maxDeposit(address controller) external view returns (uint256) {
        return _requests[controller].claimableAssets;
    }

    function maxMint(address controller) external view returns (uint256) {
        return _requests[controller].claimableShares;
    }

    function maxWithdraw(address controller) external view returns (uint256) {
        return _requests[controller].redeemableAssets;
    }

    function maxRedeem(address controller) external view returns (uint256) {
        return _requests[controller].redeemableShares;
    }

    /// @dev A preview cannot be given where the price is set only when the request is fulfilled.
    function previewDeposit(uint256) external pure returns (uint256) {
        revert AsynchronousOnly();
    }

    function previewMint(uint256) external pure returns (uint256) {
        revert AsynchronousOnly();
    }

    function previewWithdraw(uint256) external pure returns (uint256) {
        revert AsynchronousOnly();
    }

    function previewRedeem(uint256) external pure returns (uint256) {
        revert AsynchronousOnly();
    }

    /// @dev ERC-165; ERC-7540 operators, deposits and redeems; ERC-7575; ERC-7887 cancelling of deposits.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xe3bc4e65 || id == 0xce3bbe50 || id == 0x620ee8e4 || id == 0x2f0a18c5;
    }

    // Internals -----------------------------------------------------------------------------------------------------

    function _claimDeposit(
        Request storage request,
        uint256 assets,
        uint256 shares,
        address receiver,
        address controller
    )
        private
        authorized(controller)
    {
        request.claimableAssets -= assets;
        request.claimableShares -= shares;
        _transfer(address(this), receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }

    function _claimRedeem(
        Request storage request,
        uint256 assets,
        uint256 shares,
        address receiver,
        address controller
    )
        private
        authorized(controller)
    {
        request.redeemableAssets -= assets;
        request.redeemableShares -= shares;
        reservedAssets -= assets;
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }
}
