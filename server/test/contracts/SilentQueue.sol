// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Shares in a token of their own (ERC-7575), which anybody may mint in this test.
contract ShareToken is ERC20 {
    string private _name;

    constructor() ERC20("", "") {
        _name = "First Name";
    }

    function name() public view override returns (string memory) {
        return _name;
    }

    function symbol() public pure override returns (string memory) {
        return "SHR";
    }

    function rename(string calldata name_) external {
        _name = name_;
    }

    function mint(address to, uint256 shares) external {
        _mint(to, shares);
    }
}

/// @notice ERC-7540 redemption whose settlements announce nothing, each request under an id of its own.
contract SilentQueue {
    event RedeemRequest(
        address indexed controller,
        address indexed owner,
        uint256 indexed requestId,
        address sender,
        uint256 assets
    );
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );

    address public immutable asset;
    address public immutable share;
    uint256 public lastRequestId;
    mapping(uint256 requestId => mapping(address controller => uint256)) public pending;
    mapping(uint256 requestId => mapping(address controller => uint256)) public claimable;
    mapping(address controller => uint256) public maxWithdraw;

    constructor(address asset_) {
        asset = asset_;
        share = address(new ShareToken());
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0xce3bbe50 || id == 0x620ee8e4 || id == 0x2f0a18c5 || id == 0x01ffc9a7;
    }

    function totalAssets() external view returns (uint256) {
        return 2 * ERC20(share).totalSupply();
    }

    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return 2 * shares;
    }

    function pendingRedeemRequest(uint256 requestId, address controller) external view returns (uint256) {
        return pending[requestId][controller];
    }

    function claimableRedeemRequest(uint256 requestId, address controller) external view returns (uint256) {
        return claimable[requestId][controller];
    }

    function requestRedeem(uint256 shares) external {
        pending[++lastRequestId][msg.sender] = shares;
        emit RedeemRequest(msg.sender, msg.sender, lastRequestId, msg.sender, shares);
    }

    function settle(uint256 requestId, address controller, uint256 shares) external {
        pending[requestId][controller] -= shares;
        claimable[requestId][controller] += shares;
        maxWithdraw[controller] += 2 * shares;
    }

    function claim(uint256 requestId, address controller) external {
        uint256 shares = claimable[requestId][controller];
        claimable[requestId][controller] = 0;
        maxWithdraw[controller] -= 2 * shares;
        emit Withdraw(msg.sender, controller, controller, 2 * shares, shares);
    }

    /// @dev As deployed contracts do: the controller stands where ERC-4626 has the caller.
    function claimDeposit(address controller, uint256 shares) external {
        emit Deposit(controller, controller, 2 * shares, shares);
    }
}
