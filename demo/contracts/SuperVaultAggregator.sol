// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { AggregatorCore } from "./AggregatorCore.sol";
import { AggregatorManagers } from "./AggregatorManagers.sol";
import { FeeConfig, ForwardPPSArgs, IEscrow, IGovernor, IStrategy, IVault } from "./Interfaces.sol";
import { IErc20 } from "./Tokens.sol";

/// @notice Makes vault trios and keeps their prices; a price it will not take is an event, never a revert.
contract SuperVaultAggregator is AggregatorManagers {
    uint256 private constant MAX_PERFORMANCE_FEE_BPS = 5100;
    uint256 private constant BPS = 10_000;

    error UNAUTHORIZED_PPS_ORACLE();
    error ARRAY_LENGTH_MISMATCH();
    error INVALID_VAULT_PARAMS();
    error MAX_STALENESS_TOO_LOW();
    error STRATEGY_ALREADY_PAUSED();
    error STRATEGY_NOT_PAUSED();
    error STRATEGY_PAUSED();
    error PPS_STALE();
    error PPS_MUST_DECREASE_AFTER_SKIM();
    error PPS_DEDUCTION_TOO_LARGE();
    error CLONE_FAILED();

    struct VaultCreationParams {
        address asset;
        string name;
        string symbol;
        address mainManager;
        address[] secondaryManagers;
        uint256 minUpdateInterval;
        uint256 maxStaleness;
        FeeConfig feeConfig;
    }

    address public immutable VAULT_IMPLEMENTATION;
    address public immutable STRATEGY_IMPLEMENTATION;
    address public immutable ESCROW_IMPLEMENTATION;
    uint256 public getCurrentNonce;
    address[] public superVaults;
    address[] public superVaultStrategies;
    address[] public superVaultEscrows;

    constructor(
        IGovernor governor,
        address vaultImplementation,
        address strategyImplementation,
        address escrowImplementation
    )
        AggregatorCore(governor)
    {
        VAULT_IMPLEMENTATION = vaultImplementation;
        STRATEGY_IMPLEMENTATION = strategyImplementation;
        ESCROW_IMPLEMENTATION = escrowImplementation;
    }

    // Vaults --------------------------------------------------------------------------------------------------------

    /// @dev Managers named here have no event of their own: read them at this block.
    function createVault(VaultCreationParams calldata params)
        external
        returns (address superVault, address strategy, address escrow)
    {
        if (params.asset == address(0) || params.mainManager == address(0)) revert ZERO_ADDRESS();
        if (bytes(params.name).length == 0 || bytes(params.symbol).length == 0) revert INVALID_VAULT_PARAMS();
        if (params.maxStaleness < SUPER_GOVERNOR.getMinStaleness()) revert MAX_STALENESS_TOO_LOW();
        uint256 nonce = getCurrentNonce++;
        superVault = _clone(VAULT_IMPLEMENTATION, nonce);
        strategy = _clone(STRATEGY_IMPLEMENTATION, nonce);
        escrow = _clone(ESCROW_IMPLEMENTATION, nonce);
        IVault(superVault).initialize(params.asset, params.name, params.symbol, strategy, escrow);
        IEscrow(escrow).initialize(superVault, strategy);
        IStrategy(strategy).initialize(superVault, params.feeConfig);
        _register(strategy, params);
        superVaults.push(superVault);
        superVaultStrategies.push(strategy);
        superVaultEscrows.push(escrow);
        emit VaultDeployed(superVault, strategy, escrow, params.asset, params.name, params.symbol, nonce);
        emit PPSUpdated(strategy, _data[strategy].pps, block.timestamp);
    }

    function getAllSuperVaults() external view returns (address[] memory) {
        return superVaults;
    }

    function getAllSuperVaultStrategies() external view returns (address[] memory) {
        return superVaultStrategies;
    }

    function getSuperVaultsCount() external view returns (uint256) {
        return superVaults.length;
    }

    // Prices --------------------------------------------------------------------------------------------------------

    function forwardPPS(ForwardPPSArgs calldata args) external {
        if (!SUPER_GOVERNOR.isActivePPSOracle(msg.sender)) revert UNAUTHORIZED_PPS_ORACLE();
        uint256 count = args.strategies.length;
        if (count != args.ppss.length || count != args.timestamps.length) revert ARRAY_LENGTH_MISMATCH();
        uint256 cost =
            SUPER_GOVERNOR.isUpkeepPaymentsEnabled() ? SUPER_GOVERNOR.getUpkeepCostPerSingleUpdate(msg.sender) : 0;
        for (uint256 i; i < count; ++i) {
            if (_isTimely(args.strategies[i], args.timestamps[i], args.updateAuthority)) {
                _update(args.strategies[i], args.ppss[i], args.timestamps[i], cost);
            }
        }
    }

    /// @notice Called by a strategy once it has taken its performance fee out of the assets.
    function updatePPSAfterSkim(uint256 newPPS, uint256 feeAmount) external validStrategy(msg.sender) {
        StrategyData storage data = _data[msg.sender];
        if (data.isPaused) revert STRATEGY_PAUSED();
        if (data.ppsStale) revert PPS_STALE();
        uint256 oldPPS = data.pps;
        if (newPPS >= oldPPS || newPPS == 0) revert PPS_MUST_DECREASE_AFTER_SKIM();
        if (newPPS < (oldPPS * (BPS - MAX_PERFORMANCE_FEE_BPS)) / BPS) revert PPS_DEDUCTION_TOO_LARGE();
        data.pps = newPPS;
        data.lastUpdateTimestamp = block.timestamp;
        emit PPSUpdatedAfterSkim(msg.sender, oldPPS, newPPS, feeAmount, block.timestamp);
    }

    // Pause ---------------------------------------------------------------------------------------------------------

    /// @dev The price turns stale with the pause and stays so until a fresh update after the unpause.
    function pauseStrategy(address strategy) external validStrategy(strategy) {
        if (!isAnyManager(msg.sender, strategy)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        StrategyData storage data = _data[strategy];
        if (data.isPaused) revert STRATEGY_ALREADY_PAUSED();
        data.isPaused = true;
        data.ppsStale = true;
        emit StrategyPaused(strategy);
    }

    function unpauseStrategy(address strategy) external validStrategy(strategy) {
        if (!isAnyManager(msg.sender, strategy)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        StrategyData storage data = _data[strategy];
        if (!data.isPaused) revert STRATEGY_NOT_PAUSED();
        data.isPaused = false;
        data.lastUnpauseTimestamp = block.timestamp;
        emit StrategyUnpaused(strategy);
    }

    // Internals -----------------------------------------------------------------------------------------------------

    function _isTimely(address strategy, uint256 timestamp, address updateAuthority) private returns (bool) {
        StrategyData storage data = _data[strategy];
        if (!data.isKnown) {
            emit UnknownStrategy(strategy);
        } else if (timestamp > block.timestamp) {
            emit ProvidedTimestampExceedsBlockTimestamp(strategy, timestamp, block.timestamp);
        } else if (data.isPaused) {
            emit PPSUpdateRejectedStrategyPaused(strategy);
        } else if (block.timestamp - timestamp > data.maxStaleness) {
            emit StaleUpdate(strategy, updateAuthority, timestamp);
        } else if (timestamp <= data.lastUpdateTimestamp) {
            emit TimestampNotMonotonic();
        } else if (data.lastUnpauseTimestamp > 0 && timestamp <= data.lastUnpauseTimestamp) {
            emit StaleSignatureAfterUnpause(strategy, timestamp, data.lastUnpauseTimestamp);
        } else if (timestamp - data.lastUpdateTimestamp < data.minUpdateInterval) {
            emit UpdateTooFrequent();
        } else {
            return true;
        }
        return false;
    }

    function _update(address strategy, uint256 pps, uint256 timestamp, uint256 cost) private {
        StrategyData storage data = _data[strategy];
        bool failed = pps == 0;
        if (_deviatesTooFar(data, pps)) {
            failed = true;
            emit StrategyCheckFailed(strategy, "HIGH_PPS_DEVIATION");
        }
        uint256 balance = data.upkeepBalance;
        if (balance < cost) {
            _pauseAsStale(strategy, data);
            emit InsufficientUpkeep(strategy, strategy, balance, cost);
            return;
        }
        if (cost > 0) {
            data.upkeepBalance = balance - cost;
            claimableUpkeep += cost;
            // As deployed: the balance told is the one before the cost was taken.
            emit UpkeepSpent(strategy, cost, balance, claimableUpkeep);
        }
        if (failed) {
            _pauseAsStale(strategy, data);
            return;
        }
        data.pps = pps;
        data.lastUpdateTimestamp = timestamp;
        if (data.ppsStale) {
            data.ppsStale = false;
            emit StrategyPPSStaleReset(strategy);
        }
        emit PPSUpdated(strategy, pps, timestamp);
    }

    function _pauseAsStale(address strategy, StrategyData storage data) private {
        data.isPaused = true;
        data.ppsStale = true;
        emit StrategyPaused(strategy);
        emit StrategyPPSStale(strategy);
    }

    function _deviatesTooFar(StrategyData storage data, uint256 pps) private view returns (bool) {
        if (data.deviationThreshold == type(uint256).max || data.pps == 0 || data.ppsStale) return false;
        uint256 difference = pps > data.pps ? pps - data.pps : data.pps - pps;
        return (difference * 1e18) / data.pps > data.deviationThreshold;
    }

    function _register(address strategy, VaultCreationParams calldata params) private {
        StrategyData storage data = _data[strategy];
        data.isKnown = true;
        data.pps = 10 ** IErc20(params.asset).decimals();
        data.lastUpdateTimestamp = block.timestamp;
        data.minUpdateInterval = params.minUpdateInterval;
        data.maxStaleness = params.maxStaleness;
        data.deviationThreshold = type(uint256).max;
        data.mainManager = params.mainManager;
        if (params.secondaryManagers.length > MAX_SECONDARY_MANAGERS) revert TOO_MANY_SECONDARY_MANAGERS();
        data.secondaryManagers = params.secondaryManagers;
    }

    /// @dev EIP-1167 minimal proxy.
    function _clone(address implementation, uint256 nonce) private returns (address instance) {
        bytes32 salt = keccak256(abi.encode(msg.sender, nonce));
        assembly ("memory-safe") {
            mstore(0x00, or(shr(0xe8, shl(0x60, implementation)), 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000))
            mstore(0x20, or(shl(0x78, implementation), 0x5af43d82803e903d91602b57fd5bf3))
            instance := create2(0, 0x09, 0x37, salt)
        }
        if (instance == address(0)) revert CLONE_FAILED();
    }
}
