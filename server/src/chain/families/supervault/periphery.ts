// Events of a trio's vault and escrow, and of the contracts that stand once for all trios: price oracle and governor. The governor's
// are kept whole under their names: what it sets holds for every vault at once.
// Signatures: superform-xyz/v2-periphery, ISuperVault, ISuperVaultEscrow, IECDSAPPSOracle, ISuperGovernor.
import { cleanText, REASON_LENGTH } from "../../text.ts";
import { byTopic, on, other } from "../family/event.ts";
import { erc4626Rules, erc7540Rules, mintOrBurn, TRANSFER } from "../family/vault-events.ts";
import { rejected } from "./aggregator.ts";

export const vaultRules = byTopic([
  ...erc4626Rules,
  ...erc7540Rules,
  on(TRANSFER, (from, to, value) => {
    return (
      mintOrBurn(from, to, value) ?? {
        kind: "other",
        contract: "vault",
        event: "Transfer",
        args: { from, to, value },
      }
    );
  }),
  other("vault", "Approval(address indexed owner, address indexed spender, uint256 value)", "owner"),
  other("vault", "Initialized(address indexed asset, address indexed strategy, address indexed escrow)"),
  other(
    "vault",
    "OperatorSet(address indexed controller, address indexed operator, bool approved)",
    "controller",
  ),
  other("vault", "NonceInvalidated(address indexed sender, bytes32 indexed nonce)", "sender"),

  // older shapes
  on(
    "RedeemClaimable(address indexed user, uint256 indexed requestId, uint256 assets, uint256 shares, uint256 averageWithdrawPrice, uint256 accumulatorShares, uint256 accumulatorCostBasis)",
    (controller, requestId, assets, shares, averageWithdrawPrice) => ({
      kind: "redeem_claimable",
      controller,
      requestId,
      assets,
      shares,
      averageWithdrawPrice,
    }),
  ),
  // How many shares came back the strategy tells in the same transaction: `complete` takes it from there.
  on(
    "RedeemRequestCancelled(address indexed controller, address indexed sender)",
    (controller, sender) => ({ kind: "redeem_request_cancelled", controller, sender, shares: null }),
    "sender",
  ),
  other("vault", "SuperGovernorSet(address indexed superGovernor)"),
]);

export const escrowRules = byTopic([
  other("escrow", "Initialized(address indexed vault)"),
  other("escrow", "SharesEscrowed(address indexed from, uint256 amount)"),
  other("escrow", "SharesReturned(address indexed to, uint256 amount)"),
  other("escrow", "AssetsReturned(address indexed to, uint256 amount)"),
]);

export const oracleRules = byTopic([
  other(
    "oracle",
    "PPSValidated(address indexed strategy, uint256 pps, uint256 timestamp, address indexed sender)",
    "sender",
  ),
  other(
    "oracle",
    "PPSValidated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 timestamp, address indexed sender)",
    "sender",
  ),
  other(
    "oracle",
    "PPSValidated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 validatorSet, uint256 totalValidators, uint256 timestamp, address indexed sender)",
    "sender",
  ),
  on("ProofValidationFailed(address indexed strategy, string reason)", (_strategy, reason) =>
    rejected("ProofValidationFailed", cleanText(reason, REASON_LENGTH)),
  ),
  on("ProofValidationFailedLowLevel(address indexed strategy, bytes data)", (_strategy, data) =>
    rejected("ProofValidationFailedLowLevel", cleanText(data, REASON_LENGTH)),
  ),
  on("BatchForwardPPSFailed(string reason)", (reason) =>
    rejected("BatchForwardPPSFailed", cleanText(reason, REASON_LENGTH)),
  ),
  on("BatchForwardPPSFailedLowLevel(bytes lowLevelData)", (data) =>
    rejected("BatchForwardPPSFailedLowLevel", cleanText(data, REASON_LENGTH)),
  ),
]);

export const governorRules = byTopic([
  on(
    "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    (role, account, sender) => ({ kind: "role_granted", role, account, sender }),
    "sender",
  ),
  on(
    "RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
    (role, account, sender) => ({ kind: "role_revoked", role, account, sender }),
    "sender",
  ),
  ...[
    "RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
    "AddressSet(bytes32 indexed key, address indexed oldValue, address indexed value)",
    "ActivePPSOracleSet(address indexed oracle)",
    "ActivePPSOracleProposed(address indexed oracle, uint256 effectiveTime)",
    "ActivePPSOracleChanged(address indexed oldOracle, address indexed newOracle)",
    "PPSOracleQuorumUpdated(uint256 quorum)",
    "ValidatorAdded(address indexed validator)",
    "ValidatorRemoved(address indexed validator)",
    "HookApproved(address indexed hook)",
    "HookRemoved(address indexed hook)",
    "FeeProposed(uint8 indexed feeType, uint256 value, uint256 effectiveTime)",
    "FeeUpdated(uint8 indexed feeType, uint256 value)",
    "RevenueShareUpdated(uint256 share)",
    "UpkeepPaymentsChangeProposed(bool enabled, uint256 effectiveTime)",
    "UpkeepPaymentsChanged(bool enabled)",
    "MinStalenessProposed(uint256 newMinStaleness, uint256 effectiveTime)",
    "MinStalenessChanged(uint256 newMinStaleness)",
    "ValidatorConfigSet(uint256 version, address[] validators, bytes[] validatorPublicKeys, uint256 quorum, bytes offchainConfig)",
    "SuperBankHookMerkleRootProposed(address indexed hook, bytes32 newRoot, uint256 effectiveTime)",
    "SuperBankHookMerkleRootUpdated(address indexed hook, bytes32 newRoot)",
    "ManagerTakeoversFrozen()",
    "SuperformManagerAdded(address indexed manager)",
    "SuperformManagerRemoved(address indexed manager)",
    "ProtectedKeeperRegistered(address indexed keeper)",
    "ProtectedKeeperUnregistered(address indexed keeper)",
    "GasInfoSet(address indexed oracle, uint256 gasIncreasePerEntryBatch)",
    // older shapes
    "AddressSet(bytes32 indexed key, address indexed value)",
    "MinStalenesProposed(uint256 newMinStaleness, uint256 effectiveTime)",
    "MinStalenesChanged(uint256 newMinStaleness)",
    "FulfillRequestsHookRegistered(address indexed hook)",
    "FulfillRequestsHookUnregistered(address indexed hook)",
    "VaultBankHookMerkleRootProposed(address indexed hook, bytes32 newRoot, uint256 effectiveTime)",
    "VaultBankHookMerkleRootUpdated(address indexed hook, bytes32 newRoot)",
    "VaultBankAddressAdded(uint64 indexed chainId, address indexed vaultBank)",
    "RelayerAdded(address indexed relayer)",
    "RelayerRemoved(address indexed relayer)",
    "ExecutorAdded(address indexed executor)",
    "ExecutorRemoved(address indexed executor)",
    "ProverSet(address indexed prover)",
    "WhitelistedIncentiveTokensProposed(address[] tokens, uint256 effectiveTime)",
    "WhitelistedIncentiveTokensAdded(address[] tokens)",
    "WhitelistedIncentiveTokensRemoved(address[] tokens)",
    "GasInfoSet(address indexed oracle, uint256 baseGasBatch, uint256 gasIncreasePerEntryBatch)",
  ].map((signature) => other("governor", signature)),
]);
