// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Emits any log at all, so that a test can make every event, and every malformed one, come from the right address.
abstract contract RawLogs {
    error TooManyTopics(uint256 count);

    /// @param topics None to four, the first one the event's hash.
    /// @param data The arguments that are not indexed, ABI-encoded.
    function emitRaw(bytes32[] calldata topics, bytes calldata data) external {
        uint256 count = topics.length;
        if (count > 4) revert TooManyTopics(count);
        bytes memory body = data;
        bytes32[4] memory words;
        for (uint256 i; i < count; ++i) words[i] = topics[i];
        assembly ("memory-safe") {
            let start := add(body, 32)
            let size := mload(body)
            switch count
            case 0 { log0(start, size) }
            case 1 { log1(start, size, mload(words)) }
            case 2 { log2(start, size, mload(words), mload(add(words, 32))) }
            case 3 { log3(start, size, mload(words), mload(add(words, 32)), mload(add(words, 64))) }
            default {
                log4(start, size, mload(words), mload(add(words, 32)), mload(add(words, 64)), mload(add(words, 96)))
            }
        }
    }
}

/// @notice Stands in for a contract that is only listened to, such as an oracle.
contract LogEmitter is RawLogs { }

/// @notice Put in the place of a contract's code, it emits any log and passes every other call to the code that stood there.
/// @dev Tests move the original code elsewhere, note where in IMPLEMENTATION_SLOT and set this code instead.
contract LogProxy is RawLogs {
    /// @dev keccak256("vaultops.demo.log-proxy.implementation") - 1
    bytes32 public constant IMPLEMENTATION_SLOT = bytes32(uint256(keccak256("vaultops.demo.log-proxy.implementation")) - 1);

    fallback() external {
        bytes32 slot = IMPLEMENTATION_SLOT;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
