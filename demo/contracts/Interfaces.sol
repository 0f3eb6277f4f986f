// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What vault, strategy and escrow call on one another and on the aggregator and governor.

/// @param performanceFeeBps Basis points of the profit above the high-water mark.
/// @param managementFeeBps Basis points of each deposit.
struct FeeConfig {
    uint256 performanceFeeBps;
    uint256 managementFeeBps;
    address recipient;
}

struct ForwardPPSArgs {
    address[] strategies;
    uint256[] ppss;
    uint256[] timestamps;
    address updateAuthority;
}

struct YieldSourceInfo {
    address sourceAddress;
    address oracle;
}

interface IGovernor {
    function UPKEEP_TOKEN() external view returns (bytes32);
    function TREASURY() external view returns (bytes32);
    function SUPER_BANK() external view returns (bytes32);
    function SUPER_VAULT_AGGREGATOR() external view returns (bytes32);
    function getAddress(bytes32 key) external view returns (address);
    function getFee(uint8 feeType) external view returns (uint256);
    function getMinStaleness() external view returns (uint256);
    function isActivePPSOracle(address oracle) external view returns (bool);
    function isUpkeepPaymentsEnabled() external view returns (bool);
    function getUpkeepCostPerSingleUpdate(address oracle) external view returns (uint256);
}

interface IAggregator {
    function forwardPPS(ForwardPPSArgs calldata args) external;
    function updatePPSAfterSkim(uint256 newPPS, uint256 feeAmount) external;
    function getPPS(address strategy) external view returns (uint256 pps);
    function getLastUpdateTimestamp(address strategy) external view returns (uint256 timestamp);
    function getLastUnpauseTimestamp(address strategy) external view returns (uint256 timestamp);
    function isStrategyPaused(address strategy) external view returns (bool isPaused);
    function isPPSStale(address strategy) external view returns (bool isStale);
    function isMainManager(address manager, address strategy) external view returns (bool);
    function isAnyManager(address manager, address strategy) external view returns (bool);
}

interface IStrategy {
    function initialize(address vault, FeeConfig calldata feeConfig) external;
    function changeFeeRecipient(address newRecipient) external;
    function resetHighWaterMark(uint256 newHwmPps) external;
    function handleDeposit(address controller, uint256 assetsGross) external returns (uint256 sharesNet);
    function quoteMintAssetsGross(uint256 shares) external view returns (uint256 assetsGross, uint256 assetsNet);
    function handleRedeemRequest(address controller, address owner, uint256 shares) external;
    function handleCancelRedeemRequest(address controller) external;
    function handleClaimCancelRedeem(address controller) external returns (uint256 shares);
    function handleClaimRedeem(address controller, address receiver, uint256 assets) external;
    function getStoredPPS() external view returns (uint256);
    function getConfigInfo() external view returns (FeeConfig memory);
    function pendingRedeemRequest(address controller) external view returns (uint256);
    function pendingCancelRedeemRequest(address controller) external view returns (bool);
    function claimableCancelRedeemRequest(address controller) external view returns (uint256);
    function claimableWithdraw(address controller) external view returns (uint256);
    function getAverageWithdrawPrice(address controller) external view returns (uint256);
}

interface IVault {
    function initialize(
        address asset,
        string calldata name,
        string calldata symbol,
        address strategy,
        address escrow
    )
        external;
    function asset() external view returns (address);
    function escrow() external view returns (address);
    function decimals() external view returns (uint8);
    function totalSupply() external view returns (uint256);
    function burnShares(uint256 amount) external;
}

interface IEscrow {
    function initialize(address vault, address strategy) external;
    function escrowShares(address from, uint256 amount) external;
    function returnShares(address to, uint256 amount) external;
    function returnAssets(address to, uint256 amount) external;
}

/// @notice The ERC-4626 calls by which a strategy puts assets to work.
interface IYieldVault {
    function deposit(uint256 assets, address receiver) external returns (uint256 shares);
    function withdraw(uint256 assets, address receiver, address owner) external returns (uint256 shares);
    function balanceOf(address owner) external view returns (uint256);
    function totalAssets() external view returns (uint256);
    function decimals() external view returns (uint8);
    function convertToAssets(uint256 shares) external view returns (uint256);
}
