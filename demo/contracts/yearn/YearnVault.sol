// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc20, IErc20 } from "../Tokens.sol";
import { YearnGovernance } from "./YearnGovernance.sol";

interface IYearnStrategy {
    function asset() external view returns (address);
    function balanceOf(address owner) external view returns (uint256);
    function convertToAssets(uint256 shares) external view returns (uint256);
    function convertToShares(uint256 assets) external view returns (uint256);
    function maxRedeem(address owner) external view returns (uint256);
    function deposit(uint256 assets, address receiver) external returns (uint256);
    function redeem(uint256 shares, address receiver, address owner) external returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

interface IYearnAccountant {
    function report(address strategy, uint256 gain, uint256 loss) external returns (uint256 fees, uint256 refunds);
}

/// @notice A vault in the shape of Yearn V3: assets lie idle or as debt with strategies, each an ERC-4626 vault.
/// @dev A profit raises the price at once: shares are not locked. What a strategy lost counts once it is reported.
contract YearnVault is YearnGovernance {
    error AlreadyInitialized();
    error WrongAsset();
    error HasDebt();
    error NothingToDo();
    error LimitReached();
    error TooMuchLoss();
    error NotEnough();

    uint256 private constant BPS = 10_000;
    uint256 private constant MOST_IN_QUEUE = 10;
    uint256 private constant ADDED = 1;
    uint256 private constant REVOKED = 2;

    function initialize(
        address asset_,
        string calldata name_,
        string calldata symbol_,
        address roleManager,
        uint256 unlockTime
    )
        external
    {
        if (asset != address(0)) revert AlreadyInitialized();
        asset = asset_;
        decimals = IErc20(asset_).decimals();
        FACTORY = msg.sender;
        name = name_;
        symbol = symbol_;
        // Said by no event.
        role_manager = roleManager;
        profitMaxUnlockTime = unlockTime;
    }

    // Strategies ----------------------------------------------------------------------------------------------------

    function add_strategy(address strategy) external {
        add_strategy(strategy, true);
    }

    function add_strategy(address strategy, bool isQueued) public onlyRole(ADD_STRATEGY_MANAGER) {
        if (IYearnStrategy(strategy).asset() != asset) revert WrongAsset();
        if (strategies[strategy].activation != 0) revert InUse();
        strategies[strategy] = StrategyParams(block.timestamp, block.timestamp, 0, 0);
        if (isQueued && _queue.length < MOST_IN_QUEUE) _queue.push(strategy);
        emit StrategyChanged(strategy, ADDED);
    }

    function revoke_strategy(address strategy) external onlyRole(REVOKE_STRATEGY_MANAGER) {
        if (strategies[strategy].current_debt != 0) revert HasDebt();
        _revoke(strategy);
    }

    function force_revoke_strategy(address strategy) external onlyRole(FORCE_REVOKE_MANAGER) {
        uint256 loss = strategies[strategy].current_debt;
        if (loss > 0) {
            totalDebt -= loss;
            emit StrategyReported(strategy, 0, loss, 0, 0, 0, 0);
        }
        _revoke(strategy);
    }

    function _revoke(address strategy) private {
        if (strategies[strategy].activation == 0) revert Inactive();
        delete strategies[strategy];
        address[] memory before = _queue;
        delete _queue;
        for (uint256 i; i < before.length; ++i) {
            if (before[i] != strategy) _queue.push(before[i]);
        }
        emit StrategyChanged(strategy, REVOKED);
    }

    function update_max_debt_for_strategy(address strategy, uint256 maxDebt) external onlyRole(MAX_DEBT_MANAGER) {
        if (strategies[strategy].activation == 0) revert Inactive();
        strategies[strategy].max_debt = maxDebt;
        emit UpdatedMaxDebtForStrategy(msg.sender, strategy, maxDebt);
    }

    function update_debt(address strategy, uint256 target) external returns (uint256) {
        return update_debt(strategy, target, BPS);
    }

    function update_debt(
        address strategy,
        uint256 target,
        uint256
    )
        public
        onlyRole(DEBT_MANAGER)
        returns (uint256)
    {
        return _updateDebt(strategy, target);
    }

    function _updateDebt(address strategy, uint256 target) private returns (uint256 debt) {
        StrategyParams storage params = strategies[strategy];
        uint256 before = params.current_debt;
        if (isShutdown) target = 0;
        if (target == before) revert NothingToDo();
        if (target < before) {
            if (_unrealised(strategy, before, before) > 0) revert TooMuchLoss();
            uint256 wanted = before - target;
            uint256 withdrawable = _withdrawable(strategy);
            if (wanted > withdrawable) wanted = withdrawable;
            if (wanted == 0) return before;
            _take(strategy, wanted);
            totalIdle += wanted;
            totalDebt -= wanted;
            debt = before - wanted;
        } else {
            if (target > params.max_debt) target = params.max_debt;
            if (target <= before || totalIdle <= minimum_total_idle) return before;
            uint256 available = totalIdle - minimum_total_idle;
            uint256 wanted = target - before;
            if (wanted > available) wanted = available;
            IErc20(asset).approve(strategy, wanted);
            IYearnStrategy(strategy).deposit(wanted, address(this));
            totalIdle -= wanted;
            totalDebt += wanted;
            debt = before + wanted;
        }
        params.current_debt = debt;
        emit DebtUpdated(strategy, before, debt);
    }

    function process_report(address strategy)
        external
        onlyRole(REPORTING_MANAGER)
        returns (uint256 gain, uint256 loss)
    {
        bool isIdle = strategy == address(this);
        if (!isIdle && strategies[strategy].activation == 0) revert Inactive();
        uint256 worth = isIdle ? IErc20(asset).balanceOf(address(this)) : _worth(strategy);
        uint256 debt = isIdle ? totalIdle : strategies[strategy].current_debt;
        if (worth > debt) gain = worth - debt;
        else loss = debt - worth;
        uint256 fees;
        if (accountant != address(0)) (fees,) = IYearnAccountant(accountant).report(strategy, gain, loss);
        if (isIdle) {
            totalIdle = worth;
        } else {
            totalDebt = totalDebt + gain - loss;
            strategies[strategy].current_debt = worth;
        }
        if (fees > 0) _mint(accountant, (fees * totalSupply) / (totalAssets() - fees));
        strategies[strategy].last_report = block.timestamp;
        emit StrategyReported(strategy, gain, loss, worth, 0, fees, 0);
    }

    function buy_debt(address strategy, uint256 amount) external onlyRole(DEBT_PURCHASER) {
        StrategyParams storage params = strategies[strategy];
        uint256 before = params.current_debt;
        if (before == 0 || amount == 0) revert NothingToDo();
        if (amount > before) amount = before;
        uint256 shares = (IYearnStrategy(strategy).balanceOf(address(this)) * amount) / before;
        IErc20(asset).transferFrom(msg.sender, address(this), amount);
        params.current_debt = before - amount;
        totalDebt -= amount;
        totalIdle += amount;
        emit DebtUpdated(strategy, before, before - amount);
        IYearnStrategy(strategy).transfer(msg.sender, shares);
        emit DebtPurchased(strategy, amount);
    }

    // Money ---------------------------------------------------------------------------------------------------------

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = convertToShares(assets);
        _enter(assets, shares, receiver);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = convertToAssets(shares);
        _enter(assets, shares, receiver);
    }

    function _enter(uint256 assets, uint256 shares, address receiver) private {
        if (assets > maxDeposit(receiver)) revert LimitReached();
        IErc20(asset).transferFrom(msg.sender, address(this), assets);
        totalIdle += assets;
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
        if (auto_allocate) _updateDebt(_queue[0], type(uint256).max);
    }

    function withdraw(uint256 assets, address receiver, address owner) external returns (uint256 shares) {
        shares = (assets * totalSupply + totalAssets() - 1) / totalAssets();
        _leave(assets, shares, receiver, owner);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        assets = convertToAssets(shares);
        _leave(assets, shares, receiver, owner);
    }

    /// @dev What is not idle comes from the strategies in their order; whoever leaves bears his part of what they lost.
    function _leave(uint256 assets, uint256 shares, address receiver, address owner) private {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        uint256 paid = assets;
        for (uint256 i; i < _queue.length && totalIdle < paid; ++i) {
            StrategyParams storage params = strategies[_queue[i]];
            uint256 before = params.current_debt;
            uint256 part = paid - totalIdle;
            if (part > before) part = before;
            uint256 lost = _unrealised(_queue[i], before, part);
            uint256 taken = part - lost;
            uint256 withdrawable = _withdrawable(_queue[i]);
            if (taken > withdrawable) {
                lost = (lost * withdrawable) / taken;
                taken = withdrawable;
            }
            if (taken == 0) continue;
            _take(_queue[i], taken);
            totalIdle += taken;
            totalDebt -= taken + lost;
            paid -= lost;
            params.current_debt = before - taken - lost;
            emit DebtUpdated(_queue[i], before, params.current_debt);
        }
        if (totalIdle < paid) revert NotEnough();
        totalIdle -= paid;
        _burn(owner, shares);
        IErc20(asset).transfer(receiver, paid);
        emit Withdraw(msg.sender, receiver, owner, paid, shares);
    }

    function _take(address strategy, uint256 assets) private {
        uint256 shares = IYearnStrategy(strategy).convertToShares(assets) + 1;
        uint256 held = IYearnStrategy(strategy).balanceOf(address(this));
        IYearnStrategy(strategy).redeem(shares < held ? shares : held, address(this), address(this));
    }

    // Views ---------------------------------------------------------------------------------------------------------

    function apiVersion() external pure returns (string memory) {
        return "3.0.4";
    }

    function totalAssets() public view returns (uint256) {
        return totalIdle + totalDebt;
    }

    function pricePerShare() external view returns (uint256) {
        return convertToAssets(10 ** decimals);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? shares : (shares * totalAssets()) / totalSupply;
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return totalSupply == 0 ? assets : (assets * totalSupply) / totalAssets();
    }

    function maxDeposit(address) public view returns (uint256) {
        if (deposit_limit == type(uint256).max) return deposit_limit;
        return totalAssets() >= deposit_limit ? 0 : deposit_limit - totalAssets();
    }

    function maxRedeem(address owner) external view returns (uint256) {
        return convertToShares(maxWithdraw(owner));
    }

    /// @dev Of what strategies lost the owner bears his part, so it counts as had.
    function maxWithdraw(address owner) public view returns (uint256) {
        uint256 most = convertToAssets(balanceOf[owner]);
        uint256 have = totalIdle;
        for (uint256 i; i < _queue.length && have < most; ++i) {
            uint256 debt = strategies[_queue[i]].current_debt;
            uint256 part = most - have < debt ? most - have : debt;
            uint256 lost = _unrealised(_queue[i], debt, part);
            uint256 withdrawable = _withdrawable(_queue[i]);
            if (withdrawable < part - lost) part = withdrawable + (lost * withdrawable) / (part - lost);
            have += part;
        }
        return have < most ? have : most;
    }

    function assess_share_of_unrealised_losses(address strategy, uint256 assets) external view returns (uint256) {
        return _unrealised(strategy, strategies[strategy].current_debt, assets);
    }

    function _worth(address strategy) private view returns (uint256) {
        return IYearnStrategy(strategy).convertToAssets(IYearnStrategy(strategy).balanceOf(address(this)));
    }

    function _withdrawable(address strategy) private view returns (uint256) {
        return IYearnStrategy(strategy).convertToAssets(IYearnStrategy(strategy).maxRedeem(address(this)));
    }

    function _unrealised(address strategy, uint256 debt, uint256 assets) private view returns (uint256) {
        uint256 worth = _worth(strategy);
        if (worth >= debt || debt == 0) return 0;
        return assets - (assets * worth) / debt;
    }
}

/// @notice Makes vaults as minimal proxies.
contract YearnFactory {
    event NewVault(address indexed vault_address, address indexed asset);

    address public immutable vault_original;

    constructor(address original) {
        vault_original = original;
    }

    function deploy_new_vault(
        address asset,
        string calldata name,
        string calldata symbol,
        address roleManager,
        uint256 unlockTime
    )
        external
        returns (address vault)
    {
        bytes memory code = abi.encodePacked(
            hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", vault_original, hex"5af43d82803e903d91602b57fd5bf3"
        );
        assembly {
            vault := create(0, add(code, 32), mload(code))
        }
        YearnVault(vault).initialize(asset, name, symbol, roleManager, unlockTime);
        emit NewVault(vault, asset);
    }
}

/// @notice A strategy that pays no more at once than it is told to. Assets sent to it are its gain, assets burnt from it its loss.
contract YearnStrategy is Erc20 {
    error NotEnough();

    string public name;
    address public immutable asset;
    uint8 public immutable decimals;
    uint256 public limit = type(uint256).max;

    constructor(address asset_, string memory name_) {
        asset = asset_;
        name = name_;
        decimals = IErc20(asset_).decimals();
    }

    function setLimit(uint256 limit_) external {
        limit = limit_;
    }

    function totalAssets() public view returns (uint256) {
        return IErc20(asset).balanceOf(address(this));
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (totalAssets() + 1)) / (totalSupply + 1);
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return (assets * (totalSupply + 1)) / (totalAssets() + 1);
    }

    function maxRedeem(address owner) public view returns (uint256) {
        uint256 most = limit == type(uint256).max ? limit : convertToShares(limit);
        return balanceOf[owner] < most ? balanceOf[owner] : most;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = convertToShares(assets);
        IErc20(asset).transferFrom(msg.sender, address(this), assets);
        _mint(receiver, shares);
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        if (msg.sender != owner) _spendAllowance(owner, msg.sender, shares);
        assets = convertToAssets(shares);
        if (assets > limit) revert NotEnough();
        _burn(owner, shares);
        IErc20(asset).transfer(receiver, assets);
    }
}

/// @notice Takes a part of every gain.
contract YearnAccountant {
    uint256 public immutable feeBps;

    constructor(uint256 feeBps_) {
        feeBps = feeBps_;
    }

    function report(address, uint256 gain, uint256) external view returns (uint256, uint256) {
        return ((gain * feeBps) / 10_000, 0);
    }
}
