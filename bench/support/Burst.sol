// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Put in the place of a contract's code, it emits many logs by one call and passes every other call to the code
/// that stood there, like LogProxy of the demo's contracts, whose slot it shares.
contract Burst {
    bytes32 private constant IMPLEMENTATION_SLOT = bytes32(uint256(keccak256("vaultops.demo.log-proxy.implementation")) - 1);

    /// @param words Topics of one log after the other, `counts` of them each.
    function burst(bytes32[] calldata words, uint256[] calldata counts, bytes[] calldata datas) external {
        uint256 at;
        for (uint256 i; i < datas.length; ++i) {
            bytes memory body = datas[i];
            uint256 count = counts[i];
            bytes32[4] memory t;
            for (uint256 j; j < count; ++j) t[j] = words[at++];
            assembly ("memory-safe") {
                let start := add(body, 32)
                let size := mload(body)
                switch count
                case 1 { log1(start, size, mload(t)) }
                case 2 { log2(start, size, mload(t), mload(add(t, 32))) }
                case 3 { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
                default { log4(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
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
