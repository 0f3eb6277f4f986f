// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IYieldVault } from "./Interfaces.sol";

/// @notice A price feed with the shape of Chainlink's AggregatorV3Interface; anyone may set the answer.
contract PriceFeed {
    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    uint8 public immutable decimals;
    string public description;
    uint256 public constant version = 4;
    uint80 private _roundId;
    int256 private _answer;
    uint256 private _updatedAt;

    constructor(string memory description_, uint8 decimals_, int256 answer) {
        description = description_;
        decimals = decimals_;
        set(answer, block.timestamp);
    }

    /// @param updatedAt Unix seconds; older than now makes a feed that has gone quiet.
    function set(int256 answer, uint256 updatedAt) public {
        _roundId += 1;
        _answer = answer;
        _updatedAt = updatedAt;
        emit AnswerUpdated(answer, _roundId, updatedAt);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return (_roundId, _answer, _updatedAt, _updatedAt, _roundId);
    }
}

/// @notice Values a strategy's position in an ERC-4626 yield source.
contract YieldSourceOracle {
    function decimals(address source) external view returns (uint8) {
        return IYieldVault(source).decimals();
    }

    function getPricePerShare(address source) external view returns (uint256) {
        return IYieldVault(source).convertToAssets(10 ** IYieldVault(source).decimals());
    }

    function getTVL(address source) external view returns (uint256) {
        return IYieldVault(source).totalAssets();
    }

    function getTVLByOwnerOfShares(address source, address ownerOfShares) external view returns (uint256) {
        return IYieldVault(source).convertToAssets(IYieldVault(source).balanceOf(ownerOfShares));
    }
}

/// @notice A wallet that is a contract: its owner's key signs for it (ERC-1271) and acts through it.
contract ContractWallet {
    error NotOwner();
    error CallFailed(bytes reason);

    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable { }

    /// @return 0x1626ba7e where the owner signed the hash, else 0xffffffff.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature[:32]), bytes32(signature[32:64]), uint8(signature[64]));
        address signer = ecrecover(hash, v, r, s);
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function execute(address target, uint256 value, bytes calldata data) external returns (bytes memory) {
        if (msg.sender != owner) revert NotOwner();
        (bool success, bytes memory result) = target.call{ value: value }(data);
        if (!success) revert CallFailed(result);
        return result;
    }
}

/// @notice Deploys contract wallets at addresses known beforehand, as ERC-6492 signatures need.
contract ContractWalletFactory {
    function deploy(address owner, bytes32 salt) external returns (address) {
        address predicted = getAddress(owner, salt);
        if (predicted.code.length > 0) return predicted;
        return address(new ContractWallet{ salt: salt }(owner));
    }

    function getAddress(address owner, bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(ContractWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, codeHash)))));
    }
}

/// @notice The part of Multicall3 that batched reads use, placed at its canonical address on a fresh chain.
contract Multicall3 {
    error CallFailed(uint256 index);

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].callData);
            if (!success && !calls[i].allowFailure) revert CallFailed(i);
            results[i] = Result(success, returnData);
        }
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getBlockHash(uint256 blockNumber) external view returns (bytes32) {
        return blockhash(blockNumber);
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }
}
