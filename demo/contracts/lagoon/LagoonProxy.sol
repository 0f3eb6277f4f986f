// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice A proxy by EIP-1967 whose admin may do one thing, replace the implementation, and only after a delay.
contract LagoonProxy {
    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    error Denied();

    bytes32 internal constant IMPLEMENTATION_SLOT =
        bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 internal constant ADMIN_SLOT = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    address private immutable _admin;

    constructor(address implementation, address adminOwner, uint256 delay, bytes memory data) {
        _upgrade(implementation, data);
        _admin = address(new DelayProxyAdmin(adminOwner, delay));
        _store(ADMIN_SLOT, _admin);
        emit AdminChanged(address(0), _admin);
    }

    fallback() external payable {
        if (msg.sender == _admin) {
            if (msg.sig != bytes4(keccak256("upgradeToAndCall(address,bytes)"))) revert Denied();
            (address implementation, bytes memory data) = abi.decode(msg.data[4:], (address, bytes));
            _upgrade(implementation, data);
            return;
        }
        _delegate(_implementation());
    }

    function _upgrade(address implementation, bytes memory data) private {
        _store(IMPLEMENTATION_SLOT, implementation);
        emit Upgraded(implementation);
        if (data.length == 0) return;
        (bool isDone, bytes memory answer) = implementation.delegatecall(data);
        if (isDone) return;
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }

    function _store(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }

    function _implementation() private view returns (address implementation) {
        bytes32 slot = IMPLEMENTATION_SLOT;
        assembly {
            implementation := sload(slot)
        }
    }

    function _delegate(address implementation) private {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(isDone) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

interface IUpgradeable {
    function upgradeToAndCall(address implementation, bytes calldata data) external payable;
}

/// @notice Another implementation and another delay are each submitted, and done once the delay has passed.
contract DelayProxyAdmin {
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event ImplementationUpdateSubmited(address indexed newImplementation, uint256 implementationUpdateTime);
    event DelayUpdateSubmited(uint256 currentDelay, uint256 newDelay, uint256 delayUpdateTime);
    event DelayUpdated(uint256 newDelay, uint256 oldDelay);

    error Unauthorized();
    error DelayOutOfRange();
    error DelayIsNotOver();
    error AnotherImplementation();

    uint256 private constant NEVER = type(uint256).max;

    address public owner;
    uint256 public delay;
    uint256 public newDelay;
    uint256 public delayUpdateTime = NEVER;
    address public newImplementation;
    uint256 public implementationUpdateTime = NEVER;

    modifier onlyOwner() {
        if (msg.sender != owner) revert Unauthorized();
        _;
    }

    constructor(address owner_, uint256 delay_) {
        if (delay_ < 1 days || delay_ > 30 days) revert DelayOutOfRange();
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
        delay = delay_;
        emit DelayUpdated(delay_, 0);
    }

    function transferOwnership(address newOwner) external onlyOwner {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function submitImplementation(address implementation) external onlyOwner {
        newImplementation = implementation;
        implementationUpdateTime = block.timestamp + delay;
        emit ImplementationUpdateSubmited(implementation, implementationUpdateTime);
    }

    function upgradeAndCall(address proxy, address implementation, bytes calldata data) external payable onlyOwner {
        if (block.timestamp < implementationUpdateTime) revert DelayIsNotOver();
        if (implementation != newImplementation) revert AnotherImplementation();
        IUpgradeable(proxy).upgradeToAndCall{ value: msg.value }(implementation, data);
        newImplementation = address(0);
        implementationUpdateTime = NEVER;
    }

    function submitDelay(uint256 delay_) external onlyOwner {
        if (delay_ < 1 days || delay_ > 30 days) revert DelayOutOfRange();
        newDelay = delay_;
        delayUpdateTime = block.timestamp + delay;
        emit DelayUpdateSubmited(delay, delay_, delayUpdateTime);
    }

    function updateDelay() external onlyOwner {
        if (block.timestamp < delayUpdateTime) revert DelayIsNotOver();
        emit DelayUpdated(newDelay, delay);
        delay = newDelay;
        newDelay = 0;
        delayUpdateTime = NEVER;
    }
}

/// @notice Makes vaults each with an admin of its own.
contract LagoonFactory {
    event ProxyDeployed(address proxy, address deployer);

    function createVaultProxy(
        address implementation,
        address adminOwner,
        uint256 delay,
        bytes calldata data
    )
        external
        returns (address proxy)
    {
        proxy = address(new LagoonProxy(implementation, adminOwner, delay, data));
        emit ProxyDeployed(proxy, msg.sender);
    }
}

/// @notice A vault that asks its factory, the beacon, for its implementation at each call.
contract LagoonBeaconProxy {
    address private immutable _beacon;

    constructor(address beacon, bytes memory data) {
        _beacon = beacon;
        address implementation = LagoonBeaconFactory(beacon).implementation();
        (bool isDone, bytes memory answer) = implementation.delegatecall(data);
        if (isDone) return;
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }

    fallback() external payable {
        address implementation = LagoonBeaconFactory(_beacon).implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let isDone := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(isDone) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// @notice Makes vaults of one implementation, and replaces that of all of them at once.
contract LagoonBeaconFactory {
    event BeaconProxyDeployed(address proxy, address deployer);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event Upgraded(address indexed implementation);

    error Unauthorized();

    address public owner;
    address public implementation;

    constructor(address implementation_, address owner_) {
        implementation = implementation_;
        owner = owner_;
        emit Upgraded(implementation_);
        emit OwnershipTransferred(address(0), owner_);
    }

    function upgradeTo(address newImplementation) external {
        if (msg.sender != owner) revert Unauthorized();
        implementation = newImplementation;
        emit Upgraded(newImplementation);
    }

    function createVaultProxy(bytes calldata data) external returns (address proxy) {
        proxy = address(new LagoonBeaconProxy(address(this), data));
        emit BeaconProxyDeployed(proxy, msg.sender);
    }
}
