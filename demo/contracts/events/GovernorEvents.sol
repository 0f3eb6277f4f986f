// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the governor emits.
interface GovernorEvents {
    event AddressSet(bytes32 indexed key, address indexed oldValue, address indexed value);
    event ActivePPSOracleSet(address indexed oracle);
    event ActivePPSOracleProposed(address indexed oracle, uint256 effectiveTime);
    event ActivePPSOracleChanged(address indexed oldOracle, address indexed newOracle);
    event PPSOracleQuorumUpdated(uint256 quorum);
    event ValidatorAdded(address indexed validator);
    event ValidatorRemoved(address indexed validator);
    event HookApproved(address indexed hook);
    event HookRemoved(address indexed hook);
    event FeeProposed(uint8 indexed feeType, uint256 value, uint256 effectiveTime);
    event FeeUpdated(uint8 indexed feeType, uint256 value);
    event RevenueShareUpdated(uint256 share);
    event UpkeepPaymentsChangeProposed(bool enabled, uint256 effectiveTime);
    event UpkeepPaymentsChanged(bool enabled);
    event ManagerTakeoversFrozen();
    event SuperformManagerAdded(address indexed manager);
    event SuperformManagerRemoved(address indexed manager);
    event ProtectedKeeperRegistered(address indexed keeper);
    event ProtectedKeeperUnregistered(address indexed keeper);
    event GasInfoSet(address indexed oracle, uint256 gasIncreasePerEntryBatch);
    event MinStalenessProposed(uint256 newMinStaleness, uint256 effectiveTime);
    event MinStalenessChanged(uint256 newMinStaleness);
    event ValidatorConfigSet(uint256 version, address[] validators, bytes[] validatorPublicKeys, uint256 quorum, bytes offchainConfig);
    event SuperBankHookMerkleRootProposed(address indexed hook, bytes32 newRoot, uint256 effectiveTime);
    event SuperBankHookMerkleRootUpdated(address indexed hook, bytes32 newRoot);
    event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
    event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole);
}
