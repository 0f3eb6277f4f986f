// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Calls contracts on behalf of accounts that allow it, in the place of Euler's connector: a contract that trusts it
/// takes the account for its caller, whoever sent the transaction.
contract VaultConnector {
    error NotAuthorised(address account, address caller);
    error CallFailed(bytes reason);

    address public onBehalfOf;
    mapping(address account => mapping(address operator => bool)) public isOperator;

    function setOperator(address operator, bool isOne) external {
        isOperator[msg.sender][operator] = isOne;
    }

    function call(address target, address account, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != account && !isOperator[account][msg.sender]) revert NotAuthorised(account, msg.sender);
        address before = onBehalfOf;
        onBehalfOf = account;
        (bool success, bytes memory result) = target.call(data);
        if (!success) revert CallFailed(result);
        onBehalfOf = before;
        return result;
    }
}
