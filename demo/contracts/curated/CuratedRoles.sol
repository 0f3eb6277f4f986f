// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { CuratedVaultEvents } from "./CuratedVaultEvents.sol";

/// @notice Who may do what in a curated vault, and the one timelock that holds back what lowers its safety.
abstract contract CuratedRoles is CuratedVaultEvents {
    struct PendingValue {
        uint192 value;
        uint64 validAt;
    }

    struct PendingAccount {
        address value;
        uint64 validAt;
    }

    error NotAllowed(address caller);
    error AlreadySet();
    error AlreadyPending();
    error NothingPending();
    error TimelockNotElapsed();
    error TimelockOutOfBounds();

    uint256 internal constant SHORTEST_TIMELOCK = 1 days;
    uint256 internal constant LONGEST_TIMELOCK = 14 days;

    address public owner;
    address public pendingOwner;
    address public curator;
    address public guardian;
    mapping(address account => bool) public isAllocator;
    uint256 public timelock;
    PendingAccount public pendingGuardian;
    PendingValue internal _pendingTimelock;

    constructor(address owner_, uint256 timelock_, bool mayHaveNone) {
        if (timelock_ != 0 || !mayHaveNone) _checkTimelock(timelock_);
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
        _setTimelock(timelock_);
    }

    modifier onlyOwner() {
        _require(_isOwner(_sender()));
        _;
    }

    modifier onlyCurator() {
        _require(_isCurator(_sender()));
        _;
    }

    modifier onlyAllocator() {
        address sender = _sender();
        _require(_isCurator(sender) || isAllocator[sender]);
        _;
    }

    modifier onlyGuardian() {
        address sender = _sender();
        _require(_isOwner(sender) || sender == guardian);
        _;
    }

    modifier onlyCuratorOrGuardian() {
        address sender = _sender();
        _require(_isCurator(sender) || sender == guardian);
        _;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    function acceptOwnership() external {
        _require(_sender() == pendingOwner);
        _setOwner(pendingOwner);
    }

    function renounceOwnership() external onlyOwner {
        _setOwner(address(0));
    }

    function setCurator(address newCurator) external onlyOwner {
        if (newCurator == curator) revert AlreadySet();
        curator = newCurator;
        emit SetCurator(newCurator);
    }

    function setIsAllocator(address account, bool isOne) external onlyOwner {
        if (isAllocator[account] == isOne) revert AlreadySet();
        isAllocator[account] = isOne;
        emit SetIsAllocator(account, isOne);
    }

    /// @notice A longer timelock holds at once, a shorter one waits for the one that stands.
    function submitTimelock(uint256 newTimelock) external onlyOwner {
        if (newTimelock == timelock) revert AlreadySet();
        if (_pendingTimelock.validAt != 0) revert AlreadyPending();
        _checkTimelock(newTimelock);
        if (newTimelock > timelock) {
            _setTimelock(newTimelock);
            return;
        }
        _pendingTimelock = PendingValue(uint192(newTimelock), _readyAt());
        emit SubmitTimelock(newTimelock);
    }

    function acceptTimelock() external {
        _checkReady(_pendingTimelock.validAt);
        _setTimelock(_pendingTimelock.value);
    }

    /// @notice Succeeds with nothing pending too, as the others that revoke.
    function revokePendingTimelock() external onlyGuardian {
        delete _pendingTimelock;
        emit RevokePendingTimelock(_sender());
    }

    /// @notice The first guardian holds at once, another one waits.
    function submitGuardian(address newGuardian) external onlyOwner {
        if (newGuardian == guardian) revert AlreadySet();
        if (pendingGuardian.validAt != 0) revert AlreadyPending();
        if (guardian == address(0)) {
            _setGuardian(newGuardian);
            return;
        }
        pendingGuardian = PendingAccount(newGuardian, _readyAt());
        emit SubmitGuardian(newGuardian);
    }

    function acceptGuardian() external {
        _checkReady(pendingGuardian.validAt);
        _setGuardian(pendingGuardian.value);
    }

    function revokePendingGuardian() external onlyGuardian {
        delete pendingGuardian;
        emit RevokePendingGuardian(_sender());
    }

    /// @dev Who calls, be it through a contract that speaks for others.
    function _sender() internal view virtual returns (address) {
        return msg.sender;
    }

    function _readyAt() internal view returns (uint64) {
        return uint64(block.timestamp + timelock);
    }

    function _checkReady(uint256 validAt) internal view {
        if (validAt == 0) revert NothingPending();
        if (block.timestamp < validAt) revert TimelockNotElapsed();
    }

    function _isOwner(address sender) private view returns (bool) {
        return sender == owner;
    }

    function _isCurator(address sender) private view returns (bool) {
        return sender == owner || sender == curator;
    }

    function _require(bool isAllowed) private view {
        if (!isAllowed) revert NotAllowed(_sender());
    }

    function _checkTimelock(uint256 seconds_) private pure {
        if (seconds_ < SHORTEST_TIMELOCK || seconds_ > LONGEST_TIMELOCK) revert TimelockOutOfBounds();
    }

    function _setOwner(address newOwner) private {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
        pendingOwner = address(0);
    }

    function _setTimelock(uint256 newTimelock) private {
        timelock = newTimelock;
        delete _pendingTimelock;
        emit SetTimelock(_sender(), newTimelock);
    }

    function _setGuardian(address newGuardian) private {
        guardian = newGuardian;
        delete pendingGuardian;
        emit SetGuardian(_sender(), newGuardian);
    }
}
