// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { MorphoErc4626Adapter, MorphoMarketAdapter } from "./MorphoAdapters.sol";
import { IMorphoAdapterRegistry, IMorphoGate } from "./MorphoInterfaces.sol";
import { MorphoVaultV2 } from "./MorphoVaultV2.sol";

/// @notice Makes vaults and announces them with their first owner.
contract MorphoVaultV2Factory {
    event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2);

    mapping(address account => bool) public isVaultV2;

    function createVaultV2(address owner, address asset, bytes32 salt) external returns (address vault) {
        vault = address(new MorphoVaultV2{ salt: salt }(owner, asset));
        isVaultV2[vault] = true;
        emit CreateVaultV2(owner, asset, salt, vault);
    }
}

/// @notice Makes adapters for vaults, and vouches for those that it made.
contract MorphoAdapterFactory is IMorphoAdapterRegistry {
    event CreateMorphoMarketV1AdapterV2(address indexed parentVault, address indexed adapter);
    event CreateMorphoVaultV1Adapter(address indexed parentVault, address indexed morphoVaultV1, address indexed adapter);

    mapping(address account => bool) public isInRegistry;

    function createMarketAdapter(address parentVault, address morpho) external returns (address adapter) {
        adapter = address(new MorphoMarketAdapter(parentVault, morpho));
        isInRegistry[adapter] = true;
        emit CreateMorphoMarketV1AdapterV2(parentVault, adapter);
    }

    function createErc4626Adapter(address parentVault, address vault) external returns (address adapter) {
        adapter = address(new MorphoErc4626Adapter(parentVault, vault));
        isInRegistry[adapter] = true;
        emit CreateMorphoVaultV1Adapter(parentVault, vault, adapter);
    }
}

/// @notice Lets through whom it was told to; nobody to begin with.
contract MorphoGate is IMorphoGate {
    mapping(address account => bool) public isAllowed;

    function allow(address account, bool isAllowed_) external {
        isAllowed[account] = isAllowed_;
    }

    function canReceiveShares(address account) external view returns (bool) {
        return isAllowed[account];
    }

    function canSendShares(address account) external view returns (bool) {
        return isAllowed[account];
    }

    function canReceiveAssets(address account) external view returns (bool) {
        return isAllowed[account];
    }

    function canSendAssets(address account) external view returns (bool) {
        return isAllowed[account];
    }
}
