// Events that any vault may emit by the standards: ERC-4626 flows and ERC-7540 requests. Shared by the families.
// Signatures: ERC-4626, ERC-7540 and ERC-7887 (cancellations).
import { isZero } from "../../address.ts";
import { type EventRule, on } from "./event.ts";
import { governed } from "./governed.ts";

export const erc4626Rules: readonly EventRule[] = [
  on(
    "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    (sender, owner, assets, shares) => ({ kind: "deposit", sender, owner, assets, shares }),
    "sender",
  ),
  on(
    "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    (sender, receiver, owner, assets, shares) => ({
      kind: "withdraw",
      sender,
      receiver,
      owner,
      assets,
      shares,
    }),
    "sender",
  ),
];

export const erc7540Rules: readonly EventRule[] = [
  on(
    "DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
    (controller, owner, requestId, sender, assets) => ({
      kind: "deposit_requested",
      controller,
      owner,
      requestId,
      sender,
      assets,
    }),
    "sender",
  ),
  on(
    "DepositClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
    (controller, requestId, assets, shares) => ({
      kind: "deposit_claimable",
      controller,
      requestId,
      assets,
      shares,
    }),
  ),
  on(
    "CancelDepositRequest(address indexed controller, uint256 indexed requestId, address sender)",
    (controller, requestId, sender) => ({ kind: "deposit_cancel_requested", controller, requestId, sender }),
    "sender",
  ),
  on(
    "CancelDepositClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 assets)",
    (receiver, controller, requestId, sender, assets) => ({
      kind: "deposit_cancel_claimed",
      receiver,
      controller,
      requestId,
      sender,
      assets,
    }),
    "sender",
  ),
  // The last parameter is an amount of shares, whatever deployed contracts call it.
  on(
    "RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
    (controller, owner, requestId, sender, shares) => ({
      kind: "redeem_requested",
      controller,
      owner,
      requestId,
      sender,
      shares,
    }),
    "sender",
  ),
  on(
    "RedeemClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
    (controller, requestId, assets, shares) => ({
      kind: "redeem_claimable",
      controller,
      requestId,
      assets,
      shares,
      averageWithdrawPrice: null,
    }),
  ),
  on(
    "CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender)",
    (controller, requestId, sender) => ({ kind: "redeem_cancel_requested", controller, requestId, sender }),
    "sender",
  ),
  on(
    "CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares)",
    (receiver, controller, requestId, sender, shares) => ({
      kind: "redeem_cancel_claimed",
      receiver,
      controller,
      requestId,
      sender,
      shares,
    }),
    "sender",
  ),
];

/** Of a vault that is a proxy (EIP-1967). */
export const proxyRules: readonly EventRule[] = [
  governed("vault", "Upgraded(address indexed implementation)", (implementation) => [
    { action: "upgrade", new: implementation },
  ]),
  governed("vault", "BeaconUpgraded(address indexed beacon)", (beacon) => [
    { action: "upgrade", id: "beacon", new: beacon },
  ]),
  governed("vault", "AdminChanged(address previousAdmin, address newAdmin)", (previous, admin) => [
    { action: "owner_change", role: "proxy_admin", account: admin, old: previous },
  ]),
];

export const TRANSFER = "Transfer(address indexed from, address indexed to, uint256 value)";

/** Shares made or destroyed; null for a transfer between holders. */
export function mintOrBurn(from: `0x${string}`, to: `0x${string}`, shares: bigint) {
  if (isZero(from)) return { kind: "shares_minted", to, shares } as const;
  if (isZero(to)) return { kind: "shares_burned", from, shares } as const;
  return null;
}
