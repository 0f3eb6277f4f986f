// What a curated vault's events say: MetaMorpho 1.0 and 1.1 and Euler Earn, whose events differ in what names a line of the vault, a
// market's id or a strategy's address. What an event leaves out and its block tells is added by `complete`.
import { type Address, zeroAddress } from "viem";
import type { GovernanceEffect } from "../../governance.ts";
import { type EventRule, on } from "../family/event.ts";
import { governed } from "../family/governed.ts";
import { erc4626Rules, mintOrBurn, TRANSFER } from "../family/vault-events.ts";

/** What the lines of a vault are named by. */
export type LineId = "bytes32" | "address";

/** The zero address stands for nobody. */
export function orNobody(account: Address): Address | null {
  return account === zeroAddress ? null : account;
}

/** What both families emit, by what names a line. */
export function curatedRules(id: LineId): EventRule[] {
  return [...erc4626Rules, on(TRANSFER, mintOrBurn), ...roleRules, ...feeRules, ...lineRules(id)];
}

const roleRules: readonly EventRule[] = [
  governed(
    "vault",
    "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)",
    (_previous, next) => [named("owner_change_propose", "owner", next)],
    "previousOwner",
  ),
  governed(
    "vault",
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
    (_previous, next) => [named("owner_change", "owner", next)],
  ),
  governed("vault", "SetCurator(address indexed newCurator)", (next) => [
    named("curator_change", "curator", next),
  ]),
  governed("vault", "SetIsAllocator(address indexed allocator, bool isAllocator)", (account, isOne) => [
    { action: isOne ? "role_grant" : "role_revoke", role: "allocator", account },
  ]),
  governed("vault", "SubmitGuardian(address indexed newGuardian)", (next) => [
    named("guardian_change_propose", "guardian", next),
  ]),
  governed(
    "vault",
    "SetGuardian(address indexed caller, address indexed guardian)",
    (_caller, next) => [named("guardian_change", "guardian", next)],
    "caller",
  ),
  governed(
    "vault",
    "RevokePendingGuardian(address indexed caller)",
    () => [{ action: "timelock_revoke", role: "guardian" }],
    "caller",
  ),
  governed("vault", "SubmitTimelock(uint256 newTimelock)", (next) => [
    { action: "timelock_submit", new: next.toString() },
  ]),
  governed(
    "vault",
    "SetTimelock(address indexed caller, uint256 newTimelock)",
    (_caller, next) => [{ action: "timelock_duration_change", new: next.toString() }],
    "caller",
  ),
  governed(
    "vault",
    "RevokePendingTimelock(address indexed caller)",
    () => [{ action: "timelock_revoke" }],
    "caller",
  ),
];

const feeRules: readonly EventRule[] = [
  governed(
    "vault",
    "SetFee(address indexed caller, uint256 newFee)",
    (_caller, next) => [{ action: "fee_config_update", new: next.toString() }],
    "caller",
  ),
  governed("vault", "SetFeeRecipient(address indexed newFeeRecipient)", (next) => [
    named("fee_recipient_change", "fee_recipient", next),
  ]),
  // A loss is one only against what there was before, which the block tells.
  governed("vault", "AccrueInterest(uint256 newTotalAssets, uint256 feeShares)", () => []),
  governed("vault", "UpdateLastTotalAssets(uint256 updatedTotalAssets)", () => []),
];

/** Of MetaMorpho 1.1 and Euler Earn. */
export const lossKeepingRules: readonly EventRule[] = [
  governed("vault", "UpdateLostAssets(uint256 newLostAssets)", () => []),
  governed("vault", "SetName(string name)", (name) => [{ action: "metadata_change", id: "name", new: name }]),
  governed("vault", "SetSymbol(string symbol)", (symbol) => [
    { action: "metadata_change", id: "symbol", new: symbol },
  ]),
];

export const skimRules: readonly EventRule[] = [
  governed("vault", "SetSkimRecipient(address indexed newSkimRecipient)", (next) => [
    named("fee_config_update", "skim_recipient", next),
  ]),
  // Anyone may send on what lies in the vault itself, which is nobody's deposit.
  governed(
    "vault",
    "Skim(address indexed caller, address indexed token, uint256 amount)",
    () => [],
    "caller",
  ),
];

function lineRules(id: LineId): EventRule[] {
  return [
    governed(
      "vault",
      `SubmitCap(address indexed caller, ${id} indexed id, uint256 cap)`,
      (_caller, line, cap) => [
        { action: "cap_change_propose", id: line, cap_kind: "supply", new: cap.toString() },
      ],
      "caller",
    ),
    governed(
      "vault",
      `SetCap(address indexed caller, ${id} indexed id, uint256 cap)`,
      (_caller, line, cap) => [{ action: "cap_change", id: line, cap_kind: "supply", new: cap.toString() }],
      "caller",
    ),
    governed(
      "vault",
      `RevokePendingCap(address indexed caller, ${id} indexed id)`,
      (_caller, line) => [{ action: "timelock_revoke", id: line, cap_kind: "supply" }],
      "caller",
    ),
    governed(
      "vault",
      `SubmitMarketRemoval(address indexed caller, ${id} indexed id)`,
      (_caller, line) => [{ action: "market_removal_propose", id: line }],
      "caller",
    ),
    governed(
      "vault",
      `RevokePendingMarketRemoval(address indexed caller, ${id} indexed id)`,
      (_caller, line) => [{ action: "timelock_revoke", id: line }],
      "caller",
    ),
    governed(
      "vault",
      `SetSupplyQueue(address indexed caller, ${id}[] newSupplyQueue)`,
      (_caller, lines) => [{ action: "queue_change", id: "supply", new: [...lines] }],
      "caller",
    ),
    governed(
      "vault",
      `SetWithdrawQueue(address indexed caller, ${id}[] newWithdrawQueue)`,
      (_caller, lines) => [{ action: "queue_change", id: "withdraw", new: [...lines] }],
      "caller",
    ),
    governed(
      "vault",
      `ReallocateSupply(address indexed caller, ${id} indexed id, uint256 suppliedAssets, uint256 suppliedShares)`,
      (_caller, line, assets) => [{ action: "allocation_change", id: line, new: assets.toString() }],
      "caller",
    ),
    governed(
      "vault",
      `ReallocateWithdraw(address indexed caller, ${id} indexed id, uint256 withdrawnAssets, uint256 withdrawnShares)`,
      (_caller, line, assets) => [{ action: "allocation_change", id: line, new: (-assets).toString() }],
      "caller",
    ),
  ];
}

function named(action: GovernanceEffect["action"], role: string, account: Address): GovernanceEffect {
  return { action, role, account: orNobody(account), new: orNobody(account) };
}
