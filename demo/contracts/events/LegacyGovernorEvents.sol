// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Shapes that older governors emitted; some names are misspelt.
interface LegacyGovernorEvents {
    event AddressSet(bytes32 indexed key, address indexed value);
    event MinStalenesProposed(uint256 newMinStaleness, uint256 effectiveTime);
    event MinStalenesChanged(uint256 newMinStaleness);
    event FulfillRequestsHookRegistered(address indexed hook);
    event FulfillRequestsHookUnregistered(address indexed hook);
    event VaultBankHookMerkleRootProposed(address indexed hook, bytes32 newRoot, uint256 effectiveTime);
    event VaultBankHookMerkleRootUpdated(address indexed hook, bytes32 newRoot);
    event VaultBankAddressAdded(uint64 indexed chainId, address indexed vaultBank);
    event RelayerAdded(address indexed relayer);
    event RelayerRemoved(address indexed relayer);
    event ExecutorAdded(address indexed executor);
    event ExecutorRemoved(address indexed executor);
    event ProverSet(address indexed prover);
    event WhitelistedIncentiveTokensProposed(address[] tokens, uint256 effectiveTime);
    event WhitelistedIncentiveTokensAdded(address[] tokens);
    event WhitelistedIncentiveTokensRemoved(address[] tokens);
    event GasInfoSet(address indexed oracle, uint256 baseGasBatch, uint256 gasIncreasePerEntryBatch);
}
