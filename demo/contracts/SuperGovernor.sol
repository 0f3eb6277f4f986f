// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { GovernorEvents } from "./events/GovernorEvents.sol";

interface IGovernedAggregator {
    function changePrimaryManager(address strategy, address newManager, address feeRecipient) external;
    function resetHighWaterMark(address strategy) external;
    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external;
    function setGlobalHooksRootVetoStatus(bool vetoed) external;
    function proposeGlobalHooksRoot(bytes32 newRoot) external;
    function setHooksRootUpdateTimelock(uint256 newTimelock) external;
    function claimUpkeep(uint256 amount) external;
}

/// @notice The address book and the powers above the aggregator, held by one owner on this chain.
/// @dev Timelocks of the real governor are left out: what is proposed here takes effect at once.
contract SuperGovernor is GovernorEvents {
    bytes32 public constant UP = keccak256("UP");
    bytes32 public constant UPKEEP_TOKEN = keccak256("UPKEEP_TOKEN");
    bytes32 public constant TREASURY = keccak256("TREASURY");
    bytes32 public constant SUPER_BANK = keccak256("SUPER_BANK");
    bytes32 public constant ECDSAPPSORACLE = keccak256("ECDSAPPSORACLE");
    bytes32 public constant SUPER_VAULT_AGGREGATOR = keccak256("SUPER_VAULT_AGGREGATOR");

    error NotOwner();
    error NotFound();

    address public immutable owner;
    bool public isUpkeepPaymentsEnabled;
    /// @notice Seconds below which no strategy's maxStaleness may go.
    uint256 public getMinStaleness;
    address public getActivePPSOracle;
    uint256 private _upkeepCost;
    mapping(address oracle => uint256) private _surcharge;
    uint256 private _superformFeeShareBps;
    mapping(bytes32 key => address) private _addresses;

    constructor(address owner_) {
        owner = owner_;
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    function getAddress(bytes32 key) external view returns (address) {
        address value = _addresses[key];
        if (value == address(0)) revert NotFound();
        return value;
    }

    /// @return Upkeep tokens that one price update costs the strategy.
    function getUpkeepCostPerSingleUpdate(address oracle) external view returns (uint256) {
        return _upkeepCost + _surcharge[oracle];
    }

    /// @return Basis points of the performance fee that go to the treasury.
    function getFee(uint8) external view returns (uint256) {
        return _superformFeeShareBps;
    }

    function isActivePPSOracle(address oracle) external view returns (bool) {
        return oracle == getActivePPSOracle;
    }

    function setAddress(bytes32 key, address value) external onlyOwner {
        emit AddressSet(key, _addresses[key], value);
        _addresses[key] = value;
    }

    function setActivePPSOracle(address oracle) external onlyOwner {
        address old = getActivePPSOracle;
        getActivePPSOracle = oracle;
        if (old == address(0)) emit ActivePPSOracleSet(oracle);
        else emit ActivePPSOracleChanged(old, oracle);
    }

    function setUpkeep(bool enabled, uint256 costPerUpdate) external onlyOwner {
        _upkeepCost = costPerUpdate;
        isUpkeepPaymentsEnabled = enabled;
        emit UpkeepPaymentsChanged(enabled);
    }

    /// @notice What an oracle's update costs more than others'.
    function setGasInfo(address oracle, uint256 surcharge) external onlyOwner {
        _surcharge[oracle] = surcharge;
        emit GasInfoSet(oracle, surcharge);
    }

    function setMinStaleness(uint256 newMinStaleness) external onlyOwner {
        getMinStaleness = newMinStaleness;
        emit MinStalenessChanged(newMinStaleness);
    }

    function setFeeShare(uint8 feeType, uint256 bps) external onlyOwner {
        _superformFeeShareBps = bps;
        emit FeeUpdated(feeType, bps);
    }

    function changePrimaryManager(address strategy, address newManager, address feeRecipient) external onlyOwner {
        _aggregator().changePrimaryManager(strategy, newManager, feeRecipient);
    }

    function resetHighWaterMark(address strategy) external onlyOwner {
        _aggregator().resetHighWaterMark(strategy);
    }

    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external onlyOwner {
        _aggregator().setStrategyHooksRootVetoStatus(strategy, vetoed);
    }

    function setGlobalHooksRootVetoStatus(bool vetoed) external onlyOwner {
        _aggregator().setGlobalHooksRootVetoStatus(vetoed);
    }

    function proposeGlobalHooksRoot(bytes32 newRoot) external onlyOwner {
        _aggregator().proposeGlobalHooksRoot(newRoot);
    }

    function setHooksRootUpdateTimelock(uint256 newTimelock) external onlyOwner {
        _aggregator().setHooksRootUpdateTimelock(newTimelock);
    }

    function executeUpkeepClaim(uint256 amount) external onlyOwner {
        _aggregator().claimUpkeep(amount);
    }

    function _aggregator() private view returns (IGovernedAggregator) {
        return IGovernedAggregator(_addresses[SUPER_VAULT_AGGREGATOR]);
    }
}
