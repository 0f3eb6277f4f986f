// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice The ERC-20 balances and transfers that every token and share here is built on.
abstract contract Erc20 {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error ZeroAddress();

    uint256 public totalSupply;
    mapping(address owner => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        _spendAllowance(from, msg.sender, value);
        _transfer(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function _spendAllowance(address owner, address spender, uint256 value) internal {
        uint256 allowed = allowance[owner][spender];
        if (allowed == type(uint256).max) return;
        if (allowed < value) revert InsufficientAllowance(spender, allowed, value);
        allowance[owner][spender] = allowed - value;
    }

    function _transfer(address from, address to, uint256 value) internal virtual {
        if (to == address(0)) revert ZeroAddress();
        _debit(from, value);
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function _mint(address to, uint256 value) internal {
        if (to == address(0)) revert ZeroAddress();
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal {
        _debit(from, value);
        totalSupply -= value;
        emit Transfer(from, address(0), value);
    }

    function _debit(address from, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        unchecked {
            balanceOf[from] = balance - value;
        }
    }
}

/// @notice What the vaults call on an asset.
interface IErc20 {
    function balanceOf(address owner) external view returns (uint256);
    function decimals() external view returns (uint8);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function approve(address spender, uint256 value) external returns (bool);
}

/// @notice Tokens of a play chain: anyone may make or destroy them, which is how yield and loss come about.
abstract contract FreeToken is Erc20 {
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function burn(address from, uint256 value) external {
        _burn(from, value);
    }
}

/// @notice A well-behaved token of any name and decimals.
contract Token is FreeToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// @notice A token of the old kind: name and symbol are bytes32.
contract Bytes32Token is FreeToken {
    bytes32 public name;
    bytes32 public symbol;
    uint8 public immutable decimals;

    constructor(bytes32 name_, bytes32 symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}

/// @notice A token that will not say what it is called: name() and symbol() revert.
contract NamelessToken is FreeToken {
    error NoMetadata();

    uint8 public immutable decimals;

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function name() external pure returns (string memory) {
        revert NoMetadata();
    }

    function symbol() external pure returns (string memory) {
        revert NoMetadata();
    }
}
