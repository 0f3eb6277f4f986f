// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Calls that wait: submitted as calldata, sent by anybody once their time has come, revoked until then.
/// @dev The vault and its market adapter have one each, of the same shape.
abstract contract MorphoTimelocks {
    event Submit(bytes4 indexed selector, bytes data, uint256 executableAt);
    event Accept(bytes4 indexed selector, bytes data);
    event Revoke(address indexed sender, bytes4 indexed selector, bytes data);
    event IncreaseTimelock(bytes4 indexed selector, uint256 newDuration);
    event DecreaseTimelock(bytes4 indexed selector, uint256 newDuration);
    event Abdicate(bytes4 indexed selector);

    error Unauthorized();
    error DataAlreadyPending();
    error DataNotTimelocked();
    error TimelockNotExpired();
    error Abdicated();
    error AutomaticallyTimelocked();
    error TimelockNotIncreasing();
    error TimelockNotDecreasing();

    /// @notice Seconds that a call of a function waits.
    mapping(bytes4 selector => uint256) public timelock;
    /// @notice Given up for good: what is submitted can never be executed.
    mapping(bytes4 selector => bool) public abdicated;
    /// @notice By the exact calldata; 0 where it does not wait.
    mapping(bytes data => uint256) public executableAt;

    /// @dev Its data is taken as it comes: it may call nothing at all.
    function submit(bytes calldata data) external {
        if (!_maySubmit(msg.sender)) revert Unauthorized();
        if (executableAt[data] != 0) revert DataAlreadyPending();
        bytes4 selector = bytes4(data);
        // What shortens a wait waits as long as what it shortens.
        bytes4 waitsLike = selector == this.decreaseTimelock.selector ? bytes4(data[4:8]) : selector;
        uint256 time = block.timestamp + timelock[waitsLike];
        executableAt[data] = time;
        emit Submit(selector, data, time);
    }

    function revoke(bytes calldata data) external {
        if (!_mayRevoke(msg.sender)) revert Unauthorized();
        if (executableAt[data] == 0) revert DataNotTimelocked();
        delete executableAt[data];
        emit Revoke(msg.sender, bytes4(data), data);
    }

    function increaseTimelock(bytes4 selector, uint256 newDuration) external waited {
        if (selector == this.decreaseTimelock.selector) revert AutomaticallyTimelocked();
        if (newDuration < timelock[selector]) revert TimelockNotIncreasing();
        timelock[selector] = newDuration;
        emit IncreaseTimelock(selector, newDuration);
    }

    function decreaseTimelock(bytes4 selector, uint256 newDuration) external waited {
        if (selector == this.decreaseTimelock.selector) revert AutomaticallyTimelocked();
        if (newDuration > timelock[selector]) revert TimelockNotDecreasing();
        timelock[selector] = newDuration;
        emit DecreaseTimelock(selector, newDuration);
    }

    function abdicate(bytes4 selector) external waited {
        abdicated[selector] = true;
        emit Abdicate(selector);
    }

    /// @dev The call that runs was submitted with these very bytes, and its time has come.
    modifier waited() {
        uint256 time = executableAt[msg.data];
        if (time == 0) revert DataNotTimelocked();
        if (block.timestamp < time) revert TimelockNotExpired();
        if (abdicated[msg.sig]) revert Abdicated();
        delete executableAt[msg.data];
        emit Accept(msg.sig, msg.data);
        _;
    }

    function _maySubmit(address account) internal view virtual returns (bool);
    function _mayRevoke(address account) internal view virtual returns (bool);
}
