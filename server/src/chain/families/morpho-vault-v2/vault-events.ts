// The vault's events: what each did, in the words of the audit log. What waits in the vault's timelock emits its effect after `Accept`, in the
// same transaction: the effect is the entry, as accepted, and `Accept` has one of its own only where its function is none that is known here.
import { isZero } from "../../address.ts";
import type { GovernanceEffect } from "../../governance.ts";
import { on } from "../family/event.ts";
import { governed } from "../family/governed.ts";
import { erc4626Rules, mintOrBurn, TRANSFER } from "../family/vault-events.ts";

const accepted = true;
const none = (): GovernanceEffect[] => [];

/** Of the vault, and of an adapter that has timelocks of its own. `Submit`, `Accept` and `Revoke` are told by who emitted them: decode.ts. */
export function timelockRules(contract: "vault" | "adapter") {
  return [
    governed(contract, "Submit(bytes4 indexed selector, bytes data, uint256 executableAt)", none),
    governed(contract, "Accept(bytes4 indexed selector, bytes data)", none),
    governed(contract, "Revoke(address indexed sender, bytes4 indexed selector, bytes data)", none, "sender"),
    governed(contract, "IncreaseTimelock(bytes4 indexed selector, uint256 newDuration)", duration),
    governed(contract, "DecreaseTimelock(bytes4 indexed selector, uint256 newDuration)", duration),
    governed(contract, "Abdicate(bytes4 indexed selector)", (selector) => [
      { action: "abdicate", id: selector, accepted },
    ]),
  ];
}

export const vaultRules = [
  ...erc4626Rules,
  on(TRANSFER, mintOrBurn),
  ...timelockRules("vault"),
  governed("vault", "Constructor(address indexed owner, address indexed asset)", none),
  // the owner's
  governed("vault", "SetOwner(address indexed newOwner)", (newOwner) => [
    { action: "owner_change", role: "owner", account: orNobody(newOwner), new: newOwner },
  ]),
  governed("vault", "SetCurator(address indexed newCurator)", (newCurator) => [
    { action: "curator_change", role: "curator", account: orNobody(newCurator), new: newCurator },
  ]),
  governed("vault", "SetIsSentinel(address indexed account, bool newIsSentinel)", (account, isSentinel) => [
    { action: isSentinel ? "role_grant" : "role_revoke", role: "sentinel", account },
  ]),
  governed("vault", "SetName(string newName)", (name) => [
    { action: "metadata_change", id: "name", new: name },
  ]),
  governed("vault", "SetSymbol(string newSymbol)", (symbol) => [
    { action: "metadata_change", id: "symbol", new: symbol },
  ]),
  // what waits
  governed(
    "vault",
    "SetIsAllocator(address indexed account, bool newIsAllocator)",
    (account, isAllocator) => [
      { action: isAllocator ? "role_grant" : "role_revoke", role: "allocator", account, accepted },
    ],
  ),
  governed("vault", "SetReceiveSharesGate(address indexed newReceiveSharesGate)", (gate) => [
    { action: "gate_change", id: "receiveSharesGate", account: orNobody(gate), new: gate, accepted },
  ]),
  governed("vault", "SetSendSharesGate(address indexed newSendSharesGate)", (gate) => [
    { action: "gate_change", id: "sendSharesGate", account: orNobody(gate), new: gate, accepted },
  ]),
  governed("vault", "SetReceiveAssetsGate(address indexed newReceiveAssetsGate)", (gate) => [
    { action: "gate_change", id: "receiveAssetsGate", account: orNobody(gate), new: gate, accepted },
  ]),
  governed("vault", "SetSendAssetsGate(address indexed newSendAssetsGate)", (gate) => [
    { action: "gate_change", id: "sendAssetsGate", account: orNobody(gate), new: gate, accepted },
  ]),
  governed("vault", "SetAdapterRegistry(address indexed newAdapterRegistry)", (registry) => [
    { action: "registry_change", account: orNobody(registry), new: registry, accepted },
  ]),
  governed("vault", "AddAdapter(address indexed account)", (account) => [
    { action: "adapter_add", id: account, account, accepted },
  ]),
  governed("vault", "RemoveAdapter(address indexed account)", (account) => [
    { action: "adapter_remove", id: account, account, accepted },
  ]),
  governed("vault", "SetPerformanceFee(uint256 newPerformanceFee)", (fee) => [
    { action: "fee_config_update", id: "performanceFee", new: fee.toString(), accepted },
  ]),
  governed("vault", "SetManagementFee(uint256 newManagementFee)", (fee) => [
    { action: "fee_config_update", id: "managementFee", new: fee.toString(), accepted },
  ]),
  governed("vault", "SetPerformanceFeeRecipient(address indexed newPerformanceFeeRecipient)", (recipient) => [
    feeRecipient("performanceFeeRecipient", recipient),
  ]),
  governed("vault", "SetManagementFeeRecipient(address indexed newManagementFeeRecipient)", (recipient) => [
    feeRecipient("managementFeeRecipient", recipient),
  ]),
  governed(
    "vault",
    "SetForceDeallocatePenalty(address indexed adapter, uint256 forceDeallocatePenalty)",
    (adapter, penalty) => [
      {
        action: "fee_config_update",
        id: "forceDeallocatePenalty",
        account: adapter,
        new: penalty.toString(),
        accepted,
      },
    ],
  ),
  governed(
    "vault",
    "IncreaseAbsoluteCap(bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    (id, _idData, cap) => [{ action: "cap_change", id, cap_kind: "absolute", new: cap.toString(), accepted }],
  ),
  governed(
    "vault",
    "IncreaseRelativeCap(bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    (id, _idData, cap) => [{ action: "cap_change", id, cap_kind: "relative", new: cap.toString(), accepted }],
  ),
  // what does not
  governed(
    "vault",
    "DecreaseAbsoluteCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newAbsoluteCap)",
    (_sender, id, _idData, cap) => [{ action: "cap_change", id, cap_kind: "absolute", new: cap.toString() }],
    "sender",
  ),
  governed(
    "vault",
    "DecreaseRelativeCap(address indexed sender, bytes32 indexed id, bytes idData, uint256 newRelativeCap)",
    (_sender, id, _idData, cap) => [{ action: "cap_change", id, cap_kind: "relative", new: cap.toString() }],
    "sender",
  ),
  // Of the data the log holds the hash alone: completing.ts reads it.
  governed(
    "vault",
    "SetLiquidityAdapterAndData(address indexed sender, address indexed newLiquidityAdapter, bytes indexed newLiquidityData)",
    (_sender, adapter) => [
      { action: "liquidity_adapter_change", account: orNobody(adapter), new: { adapter, data: null } },
    ],
    "sender",
  ),
  governed("vault", "SetMaxRate(uint256 newMaxRate)", (rate) => [
    { action: "max_rate_change", new: rate.toString() },
  ]),
  // Of a deposit, a withdrawal or a way out by force, it is no action of its own: completing.ts takes it away.
  governed(
    "vault",
    "Allocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change)",
    (_sender, adapter) => [{ action: "allocation_change", id: adapter, account: adapter }],
    "sender",
  ),
  governed(
    "vault",
    "Deallocate(address indexed sender, address indexed adapter, uint256 assets, bytes32[] ids, int256 change)",
    (_sender, adapter) => [{ action: "allocation_change", id: adapter, account: adapter }],
    "sender",
  ),
  governed(
    "vault",
    "ForceDeallocate(address indexed sender, address adapter, uint256 assets, address indexed onBehalf, bytes32[] ids, uint256 penaltyAssets)",
    (_sender, adapter) => [{ action: "force_deallocate", id: adapter, account: adapter }],
    "sender",
  ),
  governed(
    "vault",
    "AccrueInterest(uint256 previousTotalAssets, uint256 newTotalAssets, uint256 performanceFeeShares, uint256 managementFeeShares)",
    (before, after) =>
      after < before ? [{ action: "loss", old: before.toString(), new: after.toString() }] : [],
  ),
];

/** Its own `Allocate` and `Deallocate` say what the vault's say. */
export const adapterRules = [
  ...timelockRules("adapter"),
  governed(
    "adapter",
    "Allocate(bytes32 indexed marketId, uint256 newAllocation, uint256 mintedShares)",
    none,
  ),
  governed(
    "adapter",
    "Deallocate(bytes32 indexed marketId, uint256 newAllocation, uint256 burnedShares)",
    none,
  ),
  governed("adapter", "BurnShares(bytes32 indexed marketId, uint256 supplyShares)", (marketId, shares) => [
    { action: "loss", id: marketId, old: shares.toString(), new: "0", accepted },
  ]),
  governed("adapter", "SetSkimRecipient(address indexed newSkimRecipient)", (recipient) => [
    { action: "fee_config_update", id: "skimRecipient", account: orNobody(recipient), new: recipient },
  ]),
  governed("adapter", "Skim(address indexed token, uint256 assets)", (token, assets) => [
    { action: "fee_config_update", id: "skim", account: token, new: assets.toString() },
  ]),
];

export const factoryRules = [
  governed(
    "factory",
    "CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)",
    none,
  ),
];

function duration(selector: `0x${string}`, seconds: bigint): GovernanceEffect[] {
  return [{ action: "timelock_duration_change", id: selector, new: seconds.toString(), accepted }];
}

function feeRecipient(id: string, recipient: `0x${string}`): GovernanceEffect {
  return { action: "fee_recipient_change", id, account: orNobody(recipient), new: recipient, accepted };
}

function orNobody(account: `0x${string}`): `0x${string}` | null {
  return isZero(account) ? null : account;
}
