// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IErc20 } from "../Tokens.sol";

struct MarketParams {
    address loanToken;
    address collateralToken;
    address oracle;
    address irm;
    uint256 lltv;
}

struct Market {
    uint128 totalSupplyAssets;
    uint128 totalSupplyShares;
    uint128 totalBorrowAssets;
    uint128 totalBorrowShares;
    uint128 lastUpdate;
    uint128 fee;
}

interface IRateModel {
    function borrowRateView(MarketParams memory params, Market memory market) external view returns (uint256);
}

/// @notice A rate per second that its maker sets, in 10^18.
contract RateModel is IRateModel {
    uint256 public rate;

    constructor(uint256 rate_) {
        rate = rate_;
    }

    function setRate(uint256 rate_) external {
        rate = rate_;
    }

    function borrowRateView(MarketParams memory, Market memory) external view returns (uint256) {
        return rate;
    }
}

/// @notice One contract of many markets, each of one loan token against one collateral, in the place of Morpho Blue.
/// @dev Borrowers bring no collateral: anyone borrows, repays, and writes debts off, which is how interest and loss come about.
contract LendingMarkets {
    event CreateMarket(bytes32 indexed id, MarketParams marketParams);
    event Supply(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares);
    event Withdraw(
        bytes32 indexed id, address caller, address indexed onBehalf, address indexed receiver, uint256 assets, uint256 shares
    );
    event Borrow(
        bytes32 indexed id, address caller, address indexed onBehalf, address indexed receiver, uint256 assets, uint256 shares
    );
    event Repay(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares);
    event Liquidate(
        bytes32 indexed id,
        address indexed caller,
        address indexed borrower,
        uint256 repaidAssets,
        uint256 repaidShares,
        uint256 seizedAssets,
        uint256 badDebtAssets,
        uint256 badDebtShares
    );
    event AccrueInterest(bytes32 indexed id, uint256 prevBorrowRate, uint256 interest, uint256 feeShares);

    error NoMarket(bytes32 id);
    error MarketExists(bytes32 id);
    error NotEnoughLiquidity();

    uint256 private constant E18 = 1e18;
    uint256 private constant MORE_SHARES = 1e6;

    address public immutable feeRecipient;
    mapping(bytes32 id => MarketParams) public idToMarketParams;
    mapping(bytes32 id => Market) internal _markets;
    mapping(bytes32 id => mapping(address account => uint256)) internal _supplyShares;
    mapping(bytes32 id => mapping(address account => uint256)) internal _borrowShares;

    constructor(address feeRecipient_) {
        feeRecipient = feeRecipient_;
    }

    function createMarket(MarketParams memory params) external {
        bytes32 id = idOf(params);
        if (_markets[id].lastUpdate != 0) revert MarketExists(id);
        _markets[id].lastUpdate = uint128(block.timestamp);
        idToMarketParams[id] = params;
        emit CreateMarket(id, params);
    }

    function setFee(MarketParams memory params, uint256 newFee) external {
        accrueInterest(params);
        _markets[idOf(params)].fee = uint128(newFee);
    }

    function supply(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, bytes calldata)
        external
        returns (uint256, uint256)
    {
        accrueInterest(params);
        bytes32 id = idOf(params);
        Market storage m = _markets[id];
        if (shares == 0) shares = _share(assets, m.totalSupplyAssets, m.totalSupplyShares, false);
        else assets = _worth(shares, m.totalSupplyAssets, m.totalSupplyShares, true);
        m.totalSupplyAssets += uint128(assets);
        m.totalSupplyShares += uint128(shares);
        _supplyShares[id][onBehalf] += shares;
        emit Supply(id, msg.sender, onBehalf, assets, shares);
        IErc20(params.loanToken).transferFrom(msg.sender, address(this), assets);
        return (assets, shares);
    }

    function withdraw(MarketParams memory params, uint256 assets, uint256 shares, address onBehalf, address receiver)
        external
        returns (uint256, uint256)
    {
        accrueInterest(params);
        bytes32 id = idOf(params);
        Market storage m = _markets[id];
        if (shares == 0) shares = _share(assets, m.totalSupplyAssets, m.totalSupplyShares, true);
        else assets = _worth(shares, m.totalSupplyAssets, m.totalSupplyShares, false);
        _supplyShares[id][onBehalf] -= shares;
        m.totalSupplyAssets -= uint128(assets);
        m.totalSupplyShares -= uint128(shares);
        if (m.totalBorrowAssets > m.totalSupplyAssets) revert NotEnoughLiquidity();
        emit Withdraw(id, msg.sender, onBehalf, receiver, assets, shares);
        IErc20(params.loanToken).transfer(receiver, assets);
        return (assets, shares);
    }

    function borrow(MarketParams memory params, uint256 assets, address onBehalf, address receiver) external {
        accrueInterest(params);
        bytes32 id = idOf(params);
        Market storage m = _markets[id];
        uint256 shares = _share(assets, m.totalBorrowAssets, m.totalBorrowShares, true);
        m.totalBorrowAssets += uint128(assets);
        m.totalBorrowShares += uint128(shares);
        _borrowShares[id][onBehalf] += shares;
        if (m.totalBorrowAssets > m.totalSupplyAssets) revert NotEnoughLiquidity();
        emit Borrow(id, msg.sender, onBehalf, receiver, assets, shares);
        IErc20(params.loanToken).transfer(receiver, assets);
    }

    function repay(MarketParams memory params, uint256 assets, address onBehalf) external {
        accrueInterest(params);
        bytes32 id = idOf(params);
        Market storage m = _markets[id];
        uint256 shares = _share(assets, m.totalBorrowAssets, m.totalBorrowShares, false);
        m.totalBorrowAssets -= uint128(assets);
        m.totalBorrowShares -= uint128(shares);
        _borrowShares[id][onBehalf] -= shares;
        emit Repay(id, msg.sender, onBehalf, assets, shares);
        IErc20(params.loanToken).transferFrom(msg.sender, address(this), assets);
    }

    /// @notice Writes off all that a borrower owes: those who supply the market bear it.
    function writeOff(MarketParams memory params, address borrower) external {
        accrueInterest(params);
        bytes32 id = idOf(params);
        Market storage m = _markets[id];
        uint256 shares = _borrowShares[id][borrower];
        uint256 assets = _worth(shares, m.totalBorrowAssets, m.totalBorrowShares, true);
        if (assets > m.totalBorrowAssets) assets = m.totalBorrowAssets;
        m.totalBorrowAssets -= uint128(assets);
        m.totalSupplyAssets -= uint128(assets);
        m.totalBorrowShares -= uint128(shares);
        _borrowShares[id][borrower] = 0;
        emit Liquidate(id, msg.sender, borrower, 0, 0, 0, assets, shares);
    }

    function accrueInterest(MarketParams memory params) public {
        bytes32 id = idOf(params);
        if (_markets[id].lastUpdate == 0) revert NoMarket(id);
        (Market memory after_, uint256 rate, uint256 interest, uint256 feeShares) = _grown(id, params);
        if (after_.lastUpdate == _markets[id].lastUpdate) return;
        _markets[id] = after_;
        _supplyShares[id][feeRecipient] += feeShares;
        emit AccrueInterest(id, rate, interest, feeShares);
    }

    function market(bytes32 id) external view returns (Market memory) {
        return _markets[id];
    }

    function position(bytes32 id, address account)
        external
        view
        returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)
    {
        return (_supplyShares[id][account], uint128(_borrowShares[id][account]), 0);
    }

    /// @notice What an account's position is worth, interest up to now included. The real contract leaves this to its callers.
    function expectedSupplyAssets(bytes32 id, address account) public view returns (uint256) {
        (Market memory m,,,) = _grown(id, idToMarketParams[id]);
        return _worth(_supplyShares[id][account], m.totalSupplyAssets, m.totalSupplyShares, false);
    }

    function expectedLiquidity(bytes32 id) public view returns (uint256) {
        (Market memory m,,,) = _grown(id, idToMarketParams[id]);
        return m.totalSupplyAssets - m.totalBorrowAssets;
    }

    function idOf(MarketParams memory params) public pure returns (bytes32) {
        return keccak256(abi.encode(params));
    }

    /// @dev The market with the interest of the time since it was last written.
    function _grown(bytes32 id, MarketParams memory params)
        private
        view
        returns (Market memory m, uint256 rate, uint256 interest, uint256 feeShares)
    {
        m = _markets[id];
        uint256 elapsed = block.timestamp - m.lastUpdate;
        m.lastUpdate = uint128(block.timestamp);
        if (elapsed == 0 || m.totalBorrowAssets == 0 || params.irm == address(0)) return (m, 0, 0, 0);
        rate = IRateModel(params.irm).borrowRateView(params, _markets[id]);
        // Continuous compounding by the first three terms of its series.
        uint256 first = rate * elapsed;
        uint256 second = (first * first) / (2 * E18);
        uint256 third = (second * first) / (3 * E18);
        interest = (m.totalBorrowAssets * (first + second + third)) / E18;
        m.totalBorrowAssets += uint128(interest);
        m.totalSupplyAssets += uint128(interest);
        uint256 feeAssets = (interest * m.fee) / E18;
        if (feeAssets == 0) return (m, rate, interest, 0);
        feeShares = _share(feeAssets, m.totalSupplyAssets - feeAssets, m.totalSupplyShares, false);
        m.totalSupplyShares += uint128(feeShares);
    }

    function _share(uint256 assets, uint256 totalAssets, uint256 totalShares, bool isUp) private pure returns (uint256) {
        return _divide(assets * (totalShares + MORE_SHARES), totalAssets + 1, isUp);
    }

    function _worth(uint256 shares, uint256 totalAssets, uint256 totalShares, bool isUp) private pure returns (uint256) {
        return _divide(shares * (totalAssets + 1), totalShares + MORE_SHARES, isUp);
    }

    function _divide(uint256 a, uint256 b, bool isUp) private pure returns (uint256) {
        return isUp && a != 0 ? (a - 1) / b + 1 : a / b;
    }
}
