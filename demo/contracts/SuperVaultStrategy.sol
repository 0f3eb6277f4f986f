// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { FeeConfig, IAggregator, IGovernor, IVault, IYieldVault, YieldSourceInfo } from "./Interfaces.sol";
import { StrategyCore } from "./StrategyCore.sol";
import { StrategyRedeems } from "./StrategyRedeems.sol";
import { IErc20 } from "./Tokens.sol";

/// @notice The part of a trio that holds the assets: yield sources, fees, price expiry, and the redeems it inherits.
contract SuperVaultStrategy is StrategyRedeems {
    constructor(IGovernor governor) StrategyCore(governor) { }

    // Yield sources -------------------------------------------------------------------------------------------------

    /// @param actionType 0 adds, 1 changes the oracle, 2 removes.
    function manageYieldSource(address source, address oracle, uint8 actionType) external onlyPrimaryManager {
        _manageYieldSource(source, oracle, actionType);
    }

    function manageYieldSources(
        address[] calldata sources,
        address[] calldata oracles,
        uint8[] calldata actionTypes
    )
        external
        onlyPrimaryManager
    {
        if (sources.length != oracles.length || sources.length != actionTypes.length) revert INVALID_ARRAY_LENGTH();
        for (uint256 i; i < sources.length; ++i) _manageYieldSource(sources[i], oracles[i], actionTypes[i]);
    }

    /// @notice Puts idle assets into a yield source; the hook is this contract itself.
    function allocate(address source, uint256 assets) external onlyManager {
        if (_oracleOf[source] == address(0)) revert YIELD_SOURCE_NOT_FOUND();
        IErc20(_asset).approve(source, assets);
        IYieldVault(source).deposit(assets, address(this));
        _emitHook(source, abi.encode(source, assets, true));
    }

    /// @notice Takes assets back out of a yield source.
    function deallocate(address source, uint256 assets) external onlyManager {
        IYieldVault(source).withdraw(assets, address(this), address(this));
        _emitHook(source, abi.encode(source, assets, false));
    }

    // Fees and expiry -----------------------------------------------------------------------------------------------

    function skimPerformanceFee() external onlyManager {
        _requireOpen();
        IAggregator aggregator = _aggregator();
        if (block.timestamp < aggregator.getLastUnpauseTimestamp(address(this)) + POST_UNPAUSE_SKIM_TIMELOCK) {
            revert SKIM_TIMELOCK_ACTIVE();
        }
        uint256 pps = getStoredPPS();
        uint256 profit = vaultUnrealizedProfit();
        uint256 fee = _ceilDiv(profit * _fees.performanceFeeBps, BPS);
        if (fee == 0) return;
        if (IErc20(_asset).balanceOf(address(this)) < fee) revert NOT_ENOUGH_FREE_ASSETS_FEE_SKIM();
        uint256 treasuryFee = (fee * SUPER_GOVERNOR.getFee(0)) / BPS;
        if (treasuryFee > 0) {
            IErc20(_asset).transfer(SUPER_GOVERNOR.getAddress(SUPER_GOVERNOR.TREASURY()), treasuryFee);
        }
        IErc20(_asset).transfer(_fees.recipient, fee - treasuryFee);
        emit PerformanceFeeSkimmed(fee, treasuryFee);
        uint256 reduction = (fee * PRECISION) / IVault(_vault).totalSupply();
        if (reduction >= pps) revert INVALID_PPS();
        vaultHwmPps = pps - reduction;
        emit HWMPPSUpdated(pps - reduction, pps, profit, fee);
        aggregator.updatePPSAfterSkim(pps - reduction, fee);
    }

    function proposeVaultFeeConfigUpdate(
        uint256 performanceFeeBps,
        uint256 managementFeeBps,
        address recipient
    )
        external
        onlyPrimaryManager
    {
        if (performanceFeeBps > MAX_PERFORMANCE_FEE_BPS || managementFeeBps >= BPS) revert INVALID_PERFORMANCE_FEE_BPS();
        _proposedFees = FeeConfig(performanceFeeBps, managementFeeBps, recipient);
        feeConfigEffectiveTime = block.timestamp + PROPOSAL_TIMELOCK;
        emit VaultFeeConfigProposed(performanceFeeBps, managementFeeBps, recipient, feeConfigEffectiveTime);
    }

    function executeVaultFeeConfigUpdate() external onlyPrimaryManager {
        if (feeConfigEffectiveTime == 0) revert NO_PROPOSAL();
        if (block.timestamp < feeConfigEffectiveTime) revert INVALID_TIMESTAMP();
        uint256 oldHwmPps = vaultHwmPps;
        _fees = _proposedFees;
        delete _proposedFees;
        feeConfigEffectiveTime = 0;
        vaultHwmPps = getStoredPPS();
        emit VaultFeeConfigUpdated(_fees.performanceFeeBps, _fees.managementFeeBps, _fees.recipient);
        emit HWMPPSUpdated(vaultHwmPps, oldHwmPps, 0, 0);
    }

    /// @param action 0 proposes, 1 executes once the timelock has passed, 2 cancels.
    /// @param newExpiration Seconds; read when proposing only.
    function managePPSExpiration(uint8 action, uint256 newExpiration) external onlyPrimaryManager {
        if (action == 0) {
            if (newExpiration < MIN_PPS_EXPIRATION || newExpiration > MAX_PPS_EXPIRATION) {
                revert INVALID_PPS_EXPIRY_THRESHOLD();
            }
            uint256 previous = proposedPPSExpiryThreshold;
            proposedPPSExpiryThreshold = newExpiration;
            ppsExpiryThresholdEffectiveTime = block.timestamp + PROPOSAL_TIMELOCK;
            emit PPSExpirationProposed(previous, newExpiration, ppsExpiryThresholdEffectiveTime);
            return;
        }
        if (ppsExpiryThresholdEffectiveTime == 0) revert NO_PROPOSAL();
        if (action == 1) {
            if (block.timestamp < ppsExpiryThresholdEffectiveTime) revert INVALID_TIMESTAMP();
            ppsExpiration = proposedPPSExpiryThreshold;
            emit PPSExpiryThresholdUpdated(ppsExpiration);
        } else if (action == 2) {
            emit PPSExpiryThresholdProposalCanceled();
        } else {
            revert ACTION_TYPE_DISALLOWED();
        }
        proposedPPSExpiryThreshold = 0;
        ppsExpiryThresholdEffectiveTime = 0;
    }

    function changeFeeRecipient(address newRecipient) external onlyAggregator {
        _fees.recipient = newRecipient;
        emit FeeRecipientChanged(newRecipient);
    }

    function resetHighWaterMark(uint256 newHwmPps) external onlyAggregator {
        vaultHwmPps = newHwmPps;
        emit HighWaterMarkReset(newHwmPps);
    }

    // Views ---------------------------------------------------------------------------------------------------------

    function getVaultInfo() external view returns (address vault, address asset, uint8 vaultDecimals) {
        return (_vault, _asset, _decimals);
    }

    function getConfigInfo() external view returns (FeeConfig memory feeConfig) {
        return _fees;
    }

    function getYieldSourcesList() external view returns (YieldSourceInfo[] memory list) {
        list = new YieldSourceInfo[](_sources.length);
        for (uint256 i; i < list.length; ++i) list[i] = YieldSourceInfo(_sources[i], _oracleOf[_sources[i]]);
    }

    function getYieldSources() external view returns (address[] memory) {
        return _sources;
    }

    function getYieldSourcesCount() external view returns (uint256) {
        return _sources.length;
    }

    function containsYieldSource(address source) external view returns (bool) {
        return _oracleOf[source] != address(0);
    }

    /// @return Raw assets by which all shares together stand above the high-water mark.
    function vaultUnrealizedProfit() public view returns (uint256) {
        uint256 pps = getStoredPPS();
        if (pps <= vaultHwmPps) return 0;
        return ((pps - vaultHwmPps) * IVault(_vault).totalSupply()) / PRECISION;
    }

    function quoteMintAssetsGross(uint256 shares) external view returns (uint256 assetsGross, uint256 assetsNet) {
        assetsNet = _ceilDiv(shares * getStoredPPS(), PRECISION);
        assetsGross = _ceilDiv(assetsNet * BPS, BPS - _fees.managementFeeBps);
    }

    // Internals ---------------------------------------------------------------------------------------------------

    function _manageYieldSource(address source, address oracle, uint8 actionType) private {
        address current = _oracleOf[source];
        if (actionType == 0) {
            if (current != address(0)) revert YIELD_SOURCE_ALREADY_EXISTS();
            _sources.push(source);
            _oracleOf[source] = oracle;
            emit YieldSourceAdded(source, oracle);
            return;
        }
        if (current == address(0)) revert YIELD_SOURCE_NOT_FOUND();
        if (actionType == 1) {
            _oracleOf[source] = oracle;
            emit YieldSourceOracleUpdated(source, current, oracle);
        } else if (actionType == 2) {
            uint256 last = _sources.length - 1;
            for (uint256 i; i < last; ++i) if (_sources[i] == source) _sources[i] = _sources[last];
            _sources.pop();
            delete _oracleOf[source];
            emit YieldSourceRemoved(source);
        } else {
            revert ACTION_TYPE_DISALLOWED();
        }
    }

    function _emitHook(address source, bytes memory hookCalldata) private {
        address[] memory hooks = new address[](1);
        hooks[0] = address(this);
        emit HookExecuted(address(this), address(0), source, false, hookCalldata);
        emit HooksExecuted(hooks);
    }
}
