// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// Accounts that are contracts, for tests: code for accounts of ERC-4337 and for keys (EIP-7702), and an EntryPoint with the selectors and events
// of the published ones. Neither asks whether anybody agrees: tests look at what is told of an operation, not at who may begin one.

struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

contract OpenEntryPoint {
    event BeforeExecution();
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    function handleOps(PackedUserOperation[] calldata ops, address payable) external {
        emit BeforeExecution();
        for (uint256 i = 0; i < ops.length; i++) {
            (bool success,) = ops[i].sender.call(ops[i].callData);
            emit UserOperationEvent(
                keccak256(abi.encode(ops[i])), ops[i].sender, address(0), ops[i].nonce, success, 0, 0
            );
        }
    }
}

contract BatchAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function execute(Call[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(success, "a call reverted");
        }
    }

    receive() external payable {}
}
