// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// Who stands behind the roles of vaults, for tests: OpenZeppelin's own, a Safe that emits as 1.3.0 does, and some that mean harm.

import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";
import { ProxyAdmin } from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";
import { TransparentUpgradeableProxy } from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";

/// @notice What stands behind a proxy of a Safe, with the events of 1.3.0, none of whose parameters is indexed.
contract SafeOf130 {
    event ExecutionSuccess(bytes32 txHash, uint256 payment);
    event ExecutionFailure(bytes32 txHash, uint256 payment);
    event AddedOwner(address owner);
    event RemovedOwner(address owner);
    event ChangedThreshold(uint256 threshold);
    event EnabledModule(address module);
    event DisabledModule(address module);
    event ChangedGuard(address guard);
    event ChangedFallbackHandler(address handler);

    string public constant VERSION = "1.3.0";
    bytes32 private constant GUARD = keccak256("guard_manager.guard.address");
    bytes32 private constant HANDLER = keccak256("fallback_manager.handler.address");

    address private _singleton;
    address[] private _owners;
    address[] private _modules;
    uint256 private _threshold;

    function setup(address owner) external {
        require(_threshold == 0, "GS200");
        _owners.push(owner);
        _threshold = 1;
    }

    function getOwners() external view returns (address[] memory) {
        return _owners;
    }

    function getThreshold() external view returns (uint256) {
        return _threshold;
    }

    function getModulesPaginated(address, uint256) external view returns (address[] memory, address) {
        return (_modules, address(1));
    }

    function getStorageAt(uint256 offset, uint256 length) external view returns (bytes memory result) {
        result = new bytes(length * 32);
        for (uint256 index = 0; index < length; index++) {
            assembly ("memory-safe") {
                mstore(add(add(result, 32), mul(index, 32)), sload(add(offset, index)))
            }
        }
    }

    function execTransaction(
        address to,
        uint256 value,
        bytes calldata data,
        uint8,
        uint256,
        uint256,
        uint256,
        address,
        address payable,
        bytes memory
    ) external payable returns (bool success) {
        require(msg.sender == _owners[0], "GS026");
        (success,) = to.call{ value: value }(data);
        if (success) emit ExecutionSuccess(keccak256(data), 0);
        else emit ExecutionFailure(keccak256(data), 0);
    }

    function addOwnerWithThreshold(address owner, uint256 threshold) external {
        _owners.push(owner);
        emit AddedOwner(owner);
        changeThreshold(threshold);
    }

    function removeOwner(address, address owner, uint256 threshold) external {
        require(_owners[_owners.length - 1] == owner);
        _owners.pop();
        emit RemovedOwner(owner);
        changeThreshold(threshold);
    }

    function changeThreshold(uint256 threshold) public {
        if (threshold == _threshold) return;
        _threshold = threshold;
        emit ChangedThreshold(threshold);
    }

    function enableModule(address module) external {
        _modules.push(module);
        emit EnabledModule(module);
    }

    function disableModule(address, address module) external {
        require(_modules[_modules.length - 1] == module);
        _modules.pop();
        emit DisabledModule(module);
    }

    function setGuard(address guard) external {
        _set(GUARD, guard);
        emit ChangedGuard(guard);
    }

    function setFallbackHandler(address handler) external {
        _set(HANDLER, handler);
        emit ChangedFallbackHandler(handler);
    }

    function _set(bytes32 slot, address value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}

/// @notice Says that it is a Safe, whose owners are a million, and gives itself out for a proxy of a published singleton.
contract FalseSafe {
    string public constant VERSION = "1.4.1";
    address private _singleton = 0x41675C099F32341bf84BFc5382aF534df5C7461a;
    address private immutable _claimed;

    event AddedOwner(address indexed owner);
    event ExecutionSuccess(bytes32 indexed txHash, uint256 payment);

    constructor(address claimed) {
        _claimed = claimed;
    }

    function masterCopy() external view returns (address) {
        return _singleton;
    }

    function getThreshold() external pure returns (uint256) {
        return 1;
    }

    function getOwners() external view returns (address[] memory owners) {
        owners = new address[](1_000_000);
        owners[0] = _claimed;
    }

    function getMinDelay() external pure returns (uint256) {
        revert("no delay");
    }

    function announce(address owner) external {
        emit AddedOwner(owner);
        emit ExecutionSuccess(bytes32(0), 0);
    }
}

/// @notice Code that a Safe can be made to run as its own, and that writes where it is told, without an event.
contract StorageWriter {
    function write(uint256 slot, uint256 value) external {
        assembly {
            sstore(slot, value)
        }
    }
}

/// @notice A module: what it is told, the Safe does.
contract PassingModule {
    function pass(address safe, address to, bytes calldata data) external returns (bool) {
        (bool success,) = safe.call(
            abi.encodeWithSignature("execTransactionFromModule(address,uint256,bytes,uint8)", to, 0, data, 0)
        );
        return success;
    }
}
