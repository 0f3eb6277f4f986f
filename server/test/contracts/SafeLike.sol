// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// The part of a Safe (1.3.0 to 1.4.1) with which its owners sign a message: in a transaction that delegates to SignMessageLib, after
// which the compatibility fallback handler accepts the empty signature of that message. One owner stands for the threshold.

/// @dev keccak256("SafeMessage(bytes message)")
bytes32 constant SAFE_MSG_TYPEHASH = 0x60b3cbf8b4a223d68d641b3b6ddf9a298e7f33710cf3d3a9d1146b5a6150fbca;

function safeMessageHash(bytes32 domainSeparator, bytes memory message) pure returns (bytes32) {
    return keccak256(
        abi.encodePacked(
            bytes1(0x19), bytes1(0x01), domainSeparator, keccak256(abi.encode(SAFE_MSG_TYPEHASH, keccak256(message)))
        )
    );
}

contract SafeLike {
    // 0 to 6 of a real Safe; `signedMessages` lies where SignMessageLib, which is delegated to, looks for it.
    address private _singleton;
    mapping(address => address) private _modules;
    mapping(address => address) private _owners;
    uint256 private _ownerCount;
    uint256 private _threshold;
    uint256 private _nonce;
    bytes32 private _deprecatedDomainSeparator;
    mapping(bytes32 => uint256) public signedMessages;

    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function domainSeparator() public view returns (bytes32) {
        return keccak256(
            abi.encode(keccak256("EIP712Domain(uint256 chainId,address verifyingContract)"), block.chainid, address(this))
        );
    }

    /// @param operation 1, a delegatecall, as the Safe's transaction builder calls it.
    function execTransaction(address to, bytes calldata data, uint8 operation) external {
        require(msg.sender == owner && operation == 1, "GS026");
        (bool success,) = to.delegatecall(data);
        require(success, "GS013");
    }

    function isValidSignature(bytes32 dataHash, bytes calldata signature) external view returns (bytes4) {
        bytes32 messageHash = safeMessageHash(domainSeparator(), abi.encode(dataHash));
        require(signature.length == 0 && signedMessages[messageHash] != 0, "Hash not approved");
        return 0x1626ba7e;
    }
}

/// @notice As deployed at 0xd53cd0aB83D845Ac265BE939c57F53AD838012c9 (1.4.1): a Safe delegates to it.
contract SignMessageLib {
    // The storage of the Safe that delegates.
    address private _singleton;
    mapping(address => address) private _modules;
    mapping(address => address) private _owners;
    uint256 private _ownerCount;
    uint256 private _threshold;
    uint256 private _nonce;
    bytes32 private _deprecatedDomainSeparator;
    mapping(bytes32 => uint256) private _signedMessages;

    event SignMsg(bytes32 indexed msgHash);

    function signMessage(bytes calldata data) external {
        bytes32 messageHash = safeMessageHash(SafeLike(address(this)).domainSeparator(), data);
        _signedMessages[messageHash] = 1;
        emit SignMsg(messageHash);
    }
}
