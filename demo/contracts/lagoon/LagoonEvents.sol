// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What a Lagoon vault says, by the published signatures of 0.5.1 and 0.6.0.
abstract contract LagoonEvents {
    enum State {
        Open,
        Closing,
        Closed
    }

    enum SyncMode {
        Both,
        SyncDeposit,
        SyncRedeem,
        None
    }

    enum AccessMode {
        Blacklist,
        Whitelist
    }

    enum FeeType {
        Management,
        Performance,
        Entry,
        Exit
    }

    struct TwoRates {
        uint16 managementRate;
        uint16 performanceRate;
    }

    struct FiveRates {
        uint16 managementRate;
        uint16 performanceRate;
        uint16 entryRate;
        uint16 exitRate;
        uint16 haircutRate;
    }

    struct Guardrails {
        uint256 upperRate;
        int256 lowerRate;
    }

    event Initialized(uint64 version);
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event Paused(address account);
    event Unpaused(address account);

    event StateUpdated(State state);
    event NewTotalAssetsUpdated(uint256 totalAssets);
    event TotalAssetsUpdated(uint256 totalAssets);
    event TotalAssetsLifespanUpdated(uint128 oldLifespan, uint128 newLifespan);
    event TotalAssetsExpirationUpdated(uint128 oldExpiration, uint128 newExpiration);
    event SettleDeposit(
        uint40 indexed epochId,
        uint40 indexed settledId,
        uint256 totalAssets,
        uint256 totalSupply,
        uint256 assetsDeposited,
        uint256 sharesMinted
    );
    event SettleRedeem(
        uint40 indexed epochId,
        uint40 indexed settledId,
        uint256 totalAssets,
        uint256 totalSupply,
        uint256 assetsWithdrawed,
        uint256 sharesBurned
    );

    event DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event WithdrawSync(
        address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares
    );
    event PreMint(address indexed sender, address indexed receiver, uint256 assets, uint256 shares);
    event DepositRequestCanceled(uint256 indexed requestId, address indexed controller);
    event RedeemRequestCanceled(uint256 indexed requestId, address indexed controller, uint256 requestedAmount);
    event Referral(address indexed referral, address indexed owner, uint256 indexed requestId, uint256 assets);

    event RatesUpdated(TwoRates oldRates, TwoRates newRate, uint256 timestamp);
    event RatesUpdated(FiveRates oldRates, FiveRates newRate, uint256 timestamp);
    event HighWaterMarkUpdated(uint256 oldHighWaterMark, uint256 newHighWaterMark);
    event FeeTaken(
        FeeType indexed feeType,
        uint256 shares,
        uint16 rate,
        uint40 contextId,
        uint256 managerShares,
        uint256 protocolShares
    );
    event HaircutTaken(address indexed owner, uint256 shares, uint16 rate);

    event ValuationManagerUpdated(address oldManager, address newManager);
    event WhitelistManagerUpdated(address oldManager, address newManager);
    event FeeReceiverUpdated(address oldReceiver, address newReceiver);
    event SafeUpdated(address oldSafe, address newSafe);
    event SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil);
    event SuperOperatorUpdated(address oldSuperOperator, address newSuperOperator);

    event GuardrailsUpdated(Guardrails oldGuardrails, Guardrails newGuardrails);
    event GuardrailsStatusUpdated(bool activated);
    event MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap);
    event SyncModeUpdated(SyncMode oldMode, SyncMode newMode);
    event AsyncOnlyActivated();
    event AccessModeUpdated(AccessMode newMode);
    event WhitelistUpdated(address indexed account, bool authorized);
    event BlacklistUpdated(address indexed account, bool blacklisted);
    event WhitelistDisabled();
    event ExternalSanctionsListUpdated(address oldExternalSanctionList, address newExternalSanctionList);
    event NameUpdated(string previousName, string newName);
    event SymbolUpdated(string previousSymbol, string newSymbol);
}
