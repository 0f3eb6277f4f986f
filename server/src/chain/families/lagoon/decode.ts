// A log of a Lagoon vault (0.5.1, 0.6.0), of its proxy's admin or of a factory, to the fact it says.
//
// Requests are counted by epochs: SettleDeposit and SettleRedeem name no controllers, and what they settle is every request whose id is
// no higher than `epochId`. Synchronous flows have events of their own, and so has each valuation: what is proposed
// (NewTotalAssetsUpdated) is not yet what the price is made of (TotalAssetsUpdated).
import type { Logger } from "pino";
import type { Address } from "viem";
import { isZero } from "../../address.ts";
import type { ContractRole, Directory } from "../../directory.ts";
import type { GovernanceEffect } from "../../governance.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { byTopic, type EventRule, on, other } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
import { governed } from "../family/governed.ts";
import { erc4626Rules, erc7540Rules, mintOrBurn, TRANSFER } from "../family/vault-events.ts";

const STATES = ["open", "closing", "closed"];
const SYNC_MODES = ["both", "sync_deposit", "sync_redeem", "none"];
const ACCESS_MODES = ["blacklist", "whitelist"];

const flowRules: readonly EventRule[] = [
  ...erc4626Rules,
  ...erc7540Rules,
  on(TRANSFER, mintOrBurn),
  on(
    "DepositSync(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
    (sender, owner, assets, shares) => ({ kind: "deposit", sender, owner, assets, shares }),
    "sender",
  ),
  on(
    "WithdrawSync(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    (sender, receiver, owner, assets, shares) => ({
      kind: "withdraw",
      sender,
      receiver,
      owner,
      assets,
      shares,
      isSynchronous: true,
    }),
    "sender",
  ),
  // How much came back, it does not say; `complete` asks the contract what had been requested.
  on(
    "DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
    (requestId, controller) => ({
      kind: "deposit_cancel_claimed",
      receiver: controller,
      controller,
      requestId,
      sender: controller,
      assets: 0n,
    }),
  ),
  on(
    "RedeemRequestCanceled(uint256 indexed requestId, address indexed controller, uint256 requestedAmount)",
    (requestId, controller, shares) => ({
      kind: "redeem_cancel_claimed",
      receiver: controller,
      controller,
      requestId,
      sender: controller,
      shares,
    }),
  ),
  on("Paused(address account)", (account) => ({ kind: "vault_paused", account }), "account"),
  on("Unpaused(address account)", (account) => ({ kind: "vault_unpaused", account }), "account"),
  other("vault", "Initialized(uint64 version)"),
  other(
    "vault",
    "OperatorSet(address indexed controller, address indexed operator, bool approved)",
    "controller",
  ),
  other(
    "vault",
    "Referral(address indexed referral, address indexed owner, uint256 indexed requestId, uint256 assets)",
  ),
];

const valuationRules: readonly EventRule[] = [
  governed("vault", "NewTotalAssetsUpdated(uint256 totalAssets)", (totalAssets) => [
    { action: "nav_propose", new: { total_assets: totalAssets.toString() } },
  ]),
  governed("vault", "TotalAssetsUpdated(uint256 totalAssets)", (totalAssets) => [
    changed("total_assets", undefined, totalAssets),
  ]),
  governed("vault", "TotalAssetsLifespanUpdated(uint128 oldLifespan, uint128 newLifespan)", (old, now) => [
    changed("total_assets_lifespan_seconds", old, now),
  ]),
  // Every settlement moves it on; an end is set by hand.
  governed(
    "vault",
    "TotalAssetsExpirationUpdated(uint128 oldExpiration, uint128 newExpiration)",
    (old, now) => (now === 0n && old !== 0n ? [changed("total_assets_expiration", old, now)] : []),
  ),
  governed(
    "vault",
    "SettleDeposit(uint40 indexed epochId, uint40 indexed settledId, uint256 totalAssets, uint256 totalSupply, uint256 assetsDeposited, uint256 sharesMinted)",
    (epochId) => [{ action: "settle", id: epochId.toString() }],
  ),
  settling(
    governed(
      "vault",
      "SettleRedeem(uint40 indexed epochId, uint40 indexed settledId, uint256 totalAssets, uint256 totalSupply, uint256 assetsWithdrawed, uint256 sharesBurned)",
      (epochId) => [{ action: "settle", id: epochId.toString() }],
    ),
  ),
  // Shares to begin with, for assets that are in the Safe already; a DepositSync stands beside it.
  governed(
    "vault",
    "PreMint(address indexed sender, address indexed receiver, uint256 assets, uint256 shares)",
    () => [],
    "sender",
  ),
];

const feeRules: readonly EventRule[] = [
  governed(
    "vault",
    "RatesUpdated((uint16,uint16) oldRates, (uint16,uint16) newRate, uint256 timestamp)",
    (old, now, from) => [
      {
        action: "fee_config_update",
        old: ratesOf(old),
        new: ratesOf(now),
        // They count from then on: a cooldown may lie between.
        executable_at: from.toString(),
      },
    ],
  ),
  governed(
    "vault",
    "RatesUpdated((uint16,uint16,uint16,uint16,uint16) oldRates, (uint16,uint16,uint16,uint16,uint16) newRate, uint256 timestamp)",
    (old, now) => [{ action: "fee_config_update", old: ratesOf(old), new: ratesOf(now) }],
  ),
  // A settlement raises it; only by hand is it lowered.
  governed("vault", "HighWaterMarkUpdated(uint256 oldHighWaterMark, uint256 newHighWaterMark)", (old, now) =>
    now > old ? [] : [{ action: "high_water_mark_reset", old: old.toString(), new: now.toString() }],
  ),
  governed(
    "vault",
    "FeeTaken(uint8 indexed feeType, uint256 shares, uint16 rate, uint40 contextId, uint256 managerShares, uint256 protocolShares)",
    () => [],
  ),
  governed("vault", "HaircutTaken(address indexed owner, uint256 shares, uint16 rate)", () => [], "owner"),
];

const seatRules: readonly EventRule[] = [
  governed(
    "vault",
    "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)",
    (old, account) => [{ action: "owner_change_propose", role: "owner", account, old }],
    "previousOwner",
  ),
  governed(
    "vault",
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
    (old, account) => ownerChanged("owner", old, account),
  ),
  governed("vault", "ValuationManagerUpdated(address oldManager, address newManager)", (old, account) => [
    seated("valuation_manager", old, account),
  ]),
  governed("vault", "WhitelistManagerUpdated(address oldManager, address newManager)", (old, account) => [
    seated("whitelist_manager", old, account),
  ]),
  governed("vault", "SafeUpdated(address oldSafe, address newSafe)", (old, account) => [
    seated("safe", old, account),
  ]),
  governed(
    "vault",
    "SecurityCouncilUpdated(address oldSecurityCouncil, address newSecurityCouncil)",
    (old, account) => [seated("security_council", old, account)],
  ),
  governed(
    "vault",
    "SuperOperatorUpdated(address oldSuperOperator, address newSuperOperator)",
    (old, account) => [seated("super_operator", old, account)],
  ),
  governed("vault", "FeeReceiverUpdated(address oldReceiver, address newReceiver)", (old, account) => [
    { action: "fee_recipient_change", role: "fee_receiver", account, old },
  ]),
];

const settingRules: readonly EventRule[] = [
  // A vault begins open.
  governed("vault", "StateUpdated(uint8 state)", (state) =>
    state === 0 ? [] : [{ action: "mode_change", id: "state", new: wordOf(STATES, state) }],
  ),
  governed("vault", "SyncModeUpdated(uint8 oldMode, uint8 newMode)", (old, now) =>
    old === now
      ? []
      : [
          {
            action: "mode_change",
            id: "sync_mode",
            old: wordOf(SYNC_MODES, old),
            new: wordOf(SYNC_MODES, now),
          },
        ],
  ),
  governed("vault", "AsyncOnlyActivated()", () => [{ action: "mode_change", id: "async_only", new: true }]),
  governed(
    "vault",
    "GuardrailsUpdated((uint256,int256) oldGuardrails, (uint256,int256) newGuardrails)",
    (old, now) => [
      { action: "parameter_change", id: "guardrails", old: guardrailsOf(old), new: guardrailsOf(now) },
    ],
  ),
  governed("vault", "GuardrailsStatusUpdated(bool activated)", (activated) => [
    { action: "parameter_change", id: "guardrails_activated", new: activated },
  ]),
  governed("vault", "MaxCapUpdated(uint256 previousMaxCap, uint256 maxCap)", (old, now) => [
    { action: "cap_change", cap_kind: "deposit", old: old.toString(), new: now.toString() },
  ]),
  governed("vault", "AccessModeUpdated(uint8 newMode)", (mode) => [
    { action: "access_rule_change", id: "access_mode", new: wordOf(ACCESS_MODES, mode) },
  ]),
  governed("vault", "WhitelistUpdated(address indexed account, bool authorized)", (account, authorized) => [
    { action: "access_rule_change", id: "whitelist", account, new: authorized },
  ]),
  governed("vault", "BlacklistUpdated(address indexed account, bool blacklisted)", (account, blacklisted) => [
    { action: "access_rule_change", id: "blacklist", account, new: blacklisted },
  ]),
  governed("vault", "WhitelistDisabled()", () => [
    { action: "access_rule_change", id: "access_mode", old: "whitelist", new: "none" },
  ]),
  governed(
    "vault",
    "ExternalSanctionsListUpdated(address oldExternalSanctionList, address newExternalSanctionList)",
    (old, now) =>
      old === now ? [] : [{ action: "access_rule_change", id: "external_sanctions_list", old, new: now }],
  ),
  governed("vault", "NameUpdated(string previousName, string newName)", (old, now) => [
    { action: "metadata_change", id: "name", old, new: now },
  ]),
  governed("vault", "SymbolUpdated(string previousSymbol, string newSymbol)", (old, now) => [
    { action: "metadata_change", id: "symbol", old, new: now },
  ]),
  governed("proxy", "Upgraded(address indexed implementation)", (implementation) => [
    { action: "upgrade", new: implementation },
  ]),
  governed("proxy", "AdminChanged(address previousAdmin, address newAdmin)", (old, now) =>
    isZero(old) ? [] : [{ action: "parameter_change", id: "proxy_admin", old, new: now }],
  ),
];

const adminRules: readonly EventRule[] = [
  governed(
    "proxy_admin",
    "ImplementationUpdateSubmited(address indexed newImplementation, uint256 implementationUpdateTime)",
    (implementation, at) => [
      { action: "upgrade_propose", new: implementation, executable_at: at.toString() },
    ],
  ),
  governed(
    "proxy_admin",
    "DelayUpdateSubmited(uint256 currentDelay, uint256 newDelay, uint256 delayUpdateTime)",
    (old, now, at) => [
      {
        action: "timelock_submit",
        id: "delay_seconds",
        old: old.toString(),
        new: now.toString(),
        executable_at: at.toString(),
      },
    ],
  ),
  governed("proxy_admin", "DelayUpdated(uint256 newDelay, uint256 oldDelay)", (now, old) =>
    old === 0n ? [] : [{ action: "timelock_delay_change", old: old.toString(), new: now.toString() }],
  ),
  governed(
    "proxy_admin",
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
    (old, account) => ownerChanged("proxy_admin_owner", old, account),
    "previousOwner",
  ),
];

export const VAULT_MADE = byTopic([
  governed("factory", "ProxyDeployed(address proxy, address deployer)", () => [], "deployer"),
  governed("factory", "BeaconProxyDeployed(address proxy, address deployer)", () => [], "deployer"),
]);

export const RULES: Readonly<Partial<Record<ContractRole, ReadonlyMap<string, EventRule>>>> = {
  vault: byTopic([...flowRules, ...valuationRules, ...feeRules, ...seatRules, ...settingRules]),
  proxy_admin: byTopic(adminRules),
  factory: byTopic([
    ...VAULT_MADE.values(),
    // Of a beacon: every vault that it made has another implementation from then on.
    governed("factory", "Upgraded(address indexed implementation)", (implementation) => [
      { action: "upgrade", new: implementation },
    ]),
  ]),
};

export const TOPICS = [
  ...new Set(Object.values(RULES).flatMap((rules) => [...rules.values()].map((rule) => rule.topic))),
];

export function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
  const contract = directory.contract(log.address);
  if (contract?.source.family !== "lagoon") return null;
  const rule = RULES[contract.role]?.get(log.topics[0] ?? "");
  if (rule === undefined) return null;
  const decoded = decodeLog(log, rule, "vault", contract.vault?.address ?? null, logger);
  if (decoded === null) return null;
  const { body } = decoded;
  // A claim names the controller as its sender (ERC-7540): who called stands in no parameter.
  if (body.kind === "deposit" && rule.name === "Deposit") return { ...decoded, actor: null };
  if (body.kind === "deposit_cancel_claimed") return { ...decoded, needs: "state" };
  if (body.kind !== "governance") return decoded;
  if (contract.role === "factory" && body.args.proxy !== undefined)
    return { ...decoded, vaultAddress: body.args.proxy as Address };
  if (body.event === "NewTotalAssetsUpdated") return { ...decoded, needs: "state" };
  // Only whom it was offered to can take it; who gives it up is not named.
  const [effect] = body.effects;
  if (effect?.action === "owner_change" && effect.role === "owner" && !isZero(effect.account!))
    return { ...decoded, actor: effect.account! };
  return decoded;
}

/** Of a rule whose first value is the last epoch of which redemptions are settled. */
function settling(rule: EventRule): EventRule {
  return {
    ...rule,
    toBody(values) {
      const body = rule.toBody(values);
      return body?.kind === "governance" ? { ...body, settledThrough: String(values[0]) } : body;
    },
  };
}

function changed(id: string, old: bigint | undefined, now: bigint): GovernanceEffect {
  return {
    action: "parameter_change",
    id,
    ...(old !== undefined && { old: old.toString() }),
    new: now.toString(),
  };
}

/** Each of a vault's seats has one holder. */
function seated(role: string, old: Address, account: Address): GovernanceEffect {
  return isZero(account)
    ? { action: "role_revoke", role, account: old }
    : { action: "role_grant", role, account, old };
}

/** The first owner came with the contract: nobody was replaced. */
function ownerChanged(role: string, old: Address, account: Address): GovernanceEffect[] {
  return isZero(old) ? [] : [{ action: "owner_change", role, account, old }];
}

const RATES = ["management_bps", "performance_bps", "entry_bps", "exit_bps", "haircut_bps"];

function ratesOf(values: readonly number[]): Record<string, string> {
  return Object.fromEntries(values.map((value, index) => [RATES[index]!, value.toString()]));
}

function guardrailsOf([upper, lower]: readonly [bigint, bigint]): Record<string, string> {
  return { upper_rate: upper.toString(), lower_rate: lower.toString() };
}

/** A word that a later version may add stands as its number. */
function wordOf(words: readonly string[], index: number): string {
  return words[index] ?? index.toString();
}
