// Events of a trio's vault and escrow, and of the contracts that stand once for all trios: price oracle and governor. Apart from
// the vault's flows they have no meaning of their own yet and are kept whole.
// Signatures: superform-xyz/v2-periphery, ISuperVault, ISuperVaultEscrow, IECDSAPPSOracle, ISuperGovernor.
import { byTopic, on, other } from "../event.ts";
import { erc4626Rules, erc7540Rules, mintOrBurn, TRANSFER } from "../vault-events.ts";

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
  other("oracle", "ProofValidationFailed(address indexed strategy, string reason)"),
  other("oracle", "ProofValidationFailedLowLevel(address indexed strategy, bytes data)"),
  other("oracle", "BatchForwardPPSFailed(string reason)"),
  other("oracle", "BatchForwardPPSFailedLowLevel(bytes lowLevelData)"),
]);

export const governorRules = byTopic(
  [
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
    "MinStalenesProposed(uint256 newMinStaleness, uint256 effectiveTime)",
    "MinStalenesChanged(uint256 newMinStaleness)",
    "ManagerTakeoversFrozen()",
    "SuperformManagerAdded(address indexed manager)",
    "SuperformManagerRemoved(address indexed manager)",
    "ProtectedKeeperRegistered(address indexed keeper)",
    "ProtectedKeeperUnregistered(address indexed keeper)",
    "GasInfoSet(address indexed oracle, uint256 gasIncreasePerEntryBatch)",
  ].map((signature) => other("governor", signature)),
);
