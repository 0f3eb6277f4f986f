// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Put in the place of a contract's code, it emits many logs by one call and passes every other call to the code
/// that stood there, like LogProxy of the demo's contracts, whose slot it shares.
contract Burst {
    bytes32 private constant IMPLEMENTATION_SLOT = bytes32(uint256(keccak256("vaultops.demo.log-proxy.implementation")) - 1);

    /// @param packed One log after the other: a byte that counts its topics, three that count the bytes of its data, topics, data.
    function burst(bytes calldata packed) external {
        assembly ("memory-safe") {
            let start := mload(0x40)
            let end := add(packed.offset, packed.length)
            for { let at := packed.offset } lt(at, end) {} {
                let head := calldataload(at)
                let count := byte(0, head)
                let size := and(shr(224, head), 0xffffff)
                let topics := add(at, 4)
                let body := add(topics, mul(count, 32))
                at := add(body, size)
                calldatacopy(start, body, size)
                switch count
                case 1 { log1(start, size, calldataload(topics)) }
                case 2 { log2(start, size, calldataload(topics), calldataload(add(topics, 32))) }
                case 3 { log3(start, size, calldataload(topics), calldataload(add(topics, 32)), calldataload(add(topics, 64))) }
                default {
                    log4(start, size, calldataload(topics), calldataload(add(topics, 32)), calldataload(add(topics, 64)), calldataload(add(topics, 96)))
                }
            }
        }
    }

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
