// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice One lending market; its id is the hash of this, encoded.
struct MorphoMarketParams {
    address loanToken;
    address collateralToken;
    address oracle;
    address irm;
    uint256 lltv;
}

/// @notice What puts a vault's assets to work.
interface IMorphoAdapter {
    function allocate(bytes calldata data, uint256 assets, bytes4 selector, address sender)
        external
        returns (bytes32[] memory ids, int256 change);
    function deallocate(bytes calldata data, uint256 assets, bytes4 selector, address sender)
        external
        returns (bytes32[] memory ids, int256 change);
    function realAssets() external view returns (uint256);
}

interface IMorphoAdapterRegistry {
    function isInRegistry(address account) external view returns (bool);
}

/// @notice The four questions that a gate may be asked; each has a gate of its own.
interface IMorphoGate {
    function canReceiveShares(address account) external view returns (bool);
    function canSendShares(address account) external view returns (bool);
    function canReceiveAssets(address account) external view returns (bool);
    function canSendAssets(address account) external view returns (bool);
}

/// @notice What an adapter asks of its vault.
interface IMorphoParentVault {
    function asset() external view returns (address);
    function owner() external view returns (address);
    function curator() external view returns (address);
    function isSentinel(address account) external view returns (bool);
    function allocation(bytes32 id) external view returns (uint256);
}
