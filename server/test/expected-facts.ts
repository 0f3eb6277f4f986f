// For tests: what each event of the table must become, and sample arguments for it. Written by hand from the table of events,
// apart from the code under test.
import type { AbiEvent, Address } from "viem";
import type { EventEntry } from "../../demo/src/events.ts";
import type { FactBody } from "../src/chain/facts.ts";

export type Contracts = Record<
  "aggregator" | "strategy" | "vault" | "escrow" | "oracle" | "governor",
  Address
>;

export const EMITTERS: Record<string, keyof Contracts> = {
  SuperVaultAggregator: "aggregator",
  "Legacy aggregator shapes": "aggregator",
  SuperVaultStrategy: "strategy",
  SuperVault: "vault",
  "ERC-7540 standard": "vault",
  SuperVaultEscrow: "escrow",
  ECDSAPPSOracle: "oracle",
  SuperGovernor: "governor",
  "Legacy strategy shapes": "strategy",
  "Legacy vault shapes": "vault",
  "Legacy governor shapes": "governor",
};

export type Expected = { kind: FactBody["kind"]; actor?: string; vault?: "none" } | null;
const kind = (name: FactBody["kind"], actor?: string): Expected =>
  actor ? { kind: name, actor } : { kind: name };
const noVault = (name: FactBody["kind"], actor?: string): Expected => ({
  kind: name,
  vault: "none",
  ...(actor ? { actor } : {}),
});
const other = (actor?: string): Expected => kind("other", actor);

/** What each event of the table must become; `actor` is the parameter that names who acted. */
const EXPECTED: Record<string, Record<string, Expected>> = {
  SuperVaultAggregator: {
    VaultDeployed: kind("vault_deployed"),
    PPSUpdated: kind("pps_updated"),
    PPSUpdatedAfterSkim: kind("pps_updated_after_skim"),
    StrategyPaused: kind("vault_paused"),
    StrategyUnpaused: kind("vault_unpaused"),
    StrategyCheckFailed: kind("pps_update_rejected"),
    StrategyPPSStale: kind("pps_stale"),
    StrategyPPSStaleReset: kind("pps_stale_reset"),
    StaleUpdate: kind("pps_update_rejected", "updateAuthority"),
    UpdateTooFrequent: noVault("pps_update_rejected"),
    TimestampNotMonotonic: noVault("pps_update_rejected"),
    StaleSignatureAfterUnpause: kind("pps_update_rejected"),
    ProvidedTimestampExceedsBlockTimestamp: kind("pps_update_rejected"),
    UnknownStrategy: kind("pps_update_rejected"),
    PPSUpdateRejectedStrategyPaused: kind("pps_update_rejected"),
    UpkeepDeposited: kind("upkeep_deposited", "depositor"),
    UpkeepWithdrawn: kind("upkeep_withdrawn"),
    UpkeepWithdrawalProposed: kind("upkeep_withdrawal_proposed", "mainManager"),
    UpkeepWithdrawalCancelled: kind("upkeep_withdrawal_cancelled"),
    UpkeepSpent: kind("upkeep_spent"),
    UpkeepClaimed: noVault("upkeep_claimed"),
    InsufficientUpkeep: kind("upkeep_insufficient"),
    SecondaryManagerAdded: kind("secondary_manager_added"),
    SecondaryManagerRemoved: kind("secondary_manager_removed"),
    PrimaryManagerChanged: kind("primary_manager_changed"),
    PrimaryManagerChangeProposed: kind("primary_manager_proposed", "proposer"),
    PrimaryManagerChangeCancelled: kind("primary_manager_change_cancelled"),
    OldPrimaryManagerRemoved: kind("old_primary_manager_removed"),
    HighWaterMarkReset: other(),
    GlobalHooksRootUpdateProposed: noVault("global_hooks_root_proposed"),
    GlobalHooksRootUpdated: noVault("global_hooks_root_updated"),
    GlobalHooksRootVetoStatusChanged: noVault("global_hooks_root_veto_changed"),
    StrategyHooksRootUpdateProposed: kind("hooks_root_proposed", "proposer"),
    StrategyHooksRootUpdated: kind("hooks_root_updated"),
    StrategyHooksRootVetoStatusChanged: kind("hooks_root_veto_changed"),
    HooksRootUpdateTimelockChanged: noVault("other"),
    GlobalLeavesStatusChanged: kind("global_leaves_changed"),
    DeviationThresholdUpdated: kind("deviation_threshold_updated"),
    MinUpdateIntervalChangeProposed: kind("min_update_interval_proposed", "proposer"),
    MinUpdateIntervalChanged: kind("min_update_interval_changed"),
    MinUpdateIntervalChangeRejected: kind("min_update_interval_rejected"),
    MinUpdateIntervalChangeCancelled: kind("min_update_interval_cancelled"),
  },
  "Legacy aggregator shapes": {
    PPSUpdated: kind("pps_updated"),
    UpkeepDeposited: noVault("upkeep_deposited"),
    UpkeepWithdrawn: noVault("upkeep_withdrawn", "manager"),
    UpkeepSpent: noVault("upkeep_spent"),
    PrimaryManagerChanged: kind("primary_manager_changed"),
    PrimaryManagerChangeProposed: kind("primary_manager_proposed", "proposer"),
    StrategyHooksRootVetoed: kind("hooks_root_veto_changed", "guardian"),
    GlobalHooksRootVetoed: noVault("global_hooks_root_veto_changed", "guardian"),
    PPSVerificationThresholdsUpdated: other(),
    UpkeepCostUpdated: noVault("other"),
    AuthorizedCallerAdded: other(),
    AuthorizedCallerRemoved: other(),
    PrimaryManagerChangedToSuperform: other(),
    StakeDeposited: noVault("other"),
    StakeWithdrawn: noVault("other", "manager"),
    StakeSlashed: noVault("other"),
    SuperformManager: other(),
    AuthorizedCaller: other(),
  },
  SuperVaultStrategy: {
    Initialized: other(),
    SuperGovernorSet: other(),
    YieldSourceAdded: kind("yield_source_added"),
    YieldSourceOracleUpdated: kind("yield_source_oracle_updated"),
    YieldSourceRemoved: kind("yield_source_removed"),
    VaultFeeConfigProposed: kind("fee_config_proposed"),
    VaultFeeConfigUpdated: kind("fee_config_updated"),
    FeeRecipientChanged: kind("fee_recipient_changed"),
    ManagementFeePaid: kind("management_fee_paid"),
    PerformanceFeeSkimmed: kind("performance_fee_skimmed"),
    HWMPPSUpdated: kind("high_water_mark_updated"),
    HighWaterMarkReset: kind("high_water_mark_updated"),
    HooksExecuted: other(),
    HookExecuted: kind("hook_executed"),
    DepositHandled: other(),
    RedeemRequestPlaced: other(),
    RedeemClaimable: kind("redeem_claimable"),
    RedeemRequestsFulfilled: kind("redeem_requests_fulfilled"),
    RedeemRequestClaimed: null,
    RedeemCancelRequestPlaced: other(),
    RedeemCancelRequestFulfilled: kind("redeem_cancel_fulfilled"),
    RedeemRequestCanceled: other(),
    RedeemSlippageSet: other("controller"),
    PPSExpirationProposed: kind("pps_expiration_proposed"),
    PPSExpiryThresholdUpdated: kind("pps_expiration_updated"),
    PPSExpiryThresholdProposalCanceled: kind("pps_expiration_proposal_cancelled"),
    HookRootUpdated: other(),
    HookRootProposed: other(),
    PPSUpdated: other(),
    FeePaid: other(),
    VaultCostBasisUpdated: other(),
  },
  SuperVault: {
    Initialized: other(),
    Transfer: other(),
    Approval: other("owner"),
    Deposit: kind("deposit", "sender"),
    Withdraw: kind("withdraw", "sender"),
    RedeemRequest: kind("redeem_requested", "sender"),
    CancelRedeemRequest: kind("redeem_cancel_requested", "sender"),
    CancelRedeemClaim: kind("redeem_cancel_claimed", "sender"),
    OperatorSet: other("controller"),
    NonceInvalidated: other("sender"),
  },
  SuperVaultEscrow: {
    Initialized: other(),
    SharesEscrowed: other(),
    SharesReturned: other(),
    AssetsReturned: other(),
  },
  ECDSAPPSOracle: {
    PPSValidated: other("sender"),
    ProofValidationFailed: kind("pps_update_rejected"),
    ProofValidationFailedLowLevel: kind("pps_update_rejected"),
    BatchForwardPPSFailed: noVault("pps_update_rejected"),
    BatchForwardPPSFailedLowLevel: noVault("pps_update_rejected"),
  },
  "Legacy strategy shapes": {
    RedeemRequestsFulfilled: kind("redeem_requests_fulfilled"),
    FulfillHookExecuted: kind("hook_executed"),
    EmergencyWithdrawal: kind("emergency_withdrawal"),
    EmergencyWithdrawableProposed: other(),
    EmergencyWithdrawableUpdated: other(),
    EmergencyWithdrawableProposalCanceled: other(),
    MaxPPSSlippageUpdated: other(),
    RedeemRequestFulfilled: other(),
  },
  "Legacy vault shapes": {
    RedeemClaimable: kind("redeem_claimable"),
    RedeemRequestCancelled: kind("redeem_request_cancelled", "sender"),
    SuperGovernorSet: other(),
  },
  SuperGovernor: {
    RoleGranted: noVault("role_granted", "sender"),
    RoleRevoked: noVault("role_revoked", "sender"),
  },
  "ERC-7540 standard": {
    DepositRequest: kind("deposit_requested", "sender"),
    DepositClaimable: kind("deposit_claimable"),
    RedeemClaimable: kind("redeem_claimable"),
    CancelDepositRequest: kind("deposit_cancel_requested", "sender"),
    CancelDepositClaim: kind("deposit_cancel_claimed", "sender"),
  },
};
export const expectedOf = (entry: EventEntry): Expected =>
  EMITTERS[entry.section] === "governor"
    ? (EXPECTED[entry.section]?.[entry.abi.name] ?? noVault("other"))
    : EXPECTED[entry.section]![entry.abi.name]!;

/** Arguments that differ from one another; the strategy is the known one. */
export function sampleArgs(abi: AbiEvent, strategy: Address): unknown[] {
  return abi.inputs.map(({ type, name }, index) => {
    if (name === "strategy" || name === "strategyAddr") return strategy;
    const n = index + 1;
    const value: Record<string, unknown> = {
      address: `0x${n.toString(16).padStart(40, "0")}`,
      bool: true,
      string: `text ${n}`,
      bytes: `0x${n.toString(16).padStart(6, "0")}`,
      bytes32: `0x${n.toString(16).padStart(64, "0")}`,
      "address[]": [`0x${n.toString(16).padStart(40, "0")}`],
      "bytes[]": [`0x${n.toString(16).padStart(2, "0")}`, `0x${"ab".repeat(40)}`],
      "bytes32[]": [`0x${n.toString(16).padStart(64, "0")}`],
      "bool[]": [true, false],
      uint8: n,
      uint16: n,
    };
    return value[type] ?? BigInt(1000 + n);
  });
}
