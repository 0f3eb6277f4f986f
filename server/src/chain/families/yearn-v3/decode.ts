// A log of a Yearn V3 vault, or of the factory that made it, to the fact it says. What an event leaves out (what stood before) is completed
// from the block before.
import type { Logger } from "pino";
import { isZero } from "../../address.ts";
import type { ContractRole, Directory } from "../../directory.ts";
import type { GovernanceEffect } from "../../governance.ts";
import type { RawLog } from "../../rpc/raw.ts";
import { decodeLog } from "../family/decode-log.ts";
import { byTopic, type EventRule, on } from "../family/event.ts";
import type { Decoded } from "../family/family.ts";
import { governed } from "../family/governed.ts";
import { erc4626Rules, mintOrBurn, TRANSFER } from "../family/vault-events.ts";
import { rolesIn } from "./roles.ts";

const ADDED = 1n;

const vaultRules: readonly EventRule[] = [
  ...erc4626Rules,
  on(TRANSFER, mintOrBurn),

  governed("vault", "RoleSet(address indexed account, uint256 indexed role)", (account, mask) =>
    rolesChanged(account, null, mask),
  ),
  governed("vault", "UpdateFutureRoleManager(address indexed future_role_manager)", (account) => [
    { action: "owner_change_propose", role: "role_manager", account },
  ]),
  // Who was proposed took it himself.
  governed(
    "vault",
    "UpdateRoleManager(address indexed role_manager)",
    (account) => [{ action: "owner_change", role: "role_manager", account }],
    "role_manager",
  ),

  governed(
    "vault",
    "StrategyChanged(address indexed strategy, uint256 indexed change_type)",
    (strategy, type) => [
      { action: type === ADDED ? "strategy_add" : "strategy_revoke", id: strategy, account: strategy },
    ],
  ),
  governed(
    "vault",
    "StrategyReported(address indexed strategy, uint256 gain, uint256 loss, uint256 current_debt, uint256 protocol_fees, uint256 total_fees, uint256 total_refunds)",
    (strategy, gain, loss, debt, _protocolFees, fees, refunds) => [
      {
        action: "strategy_report",
        id: strategy,
        new: {
          gain: gain.toString(),
          loss: loss.toString(),
          current_debt: debt.toString(),
          total_fees: fees.toString(),
          total_refunds: refunds.toString(),
        },
      },
      ...(loss > 0n ? [{ action: "loss", id: strategy, new: loss.toString() } as const] : []),
    ],
  ),
  governed(
    "vault",
    "DebtUpdated(address indexed strategy, uint256 current_debt, uint256 new_debt)",
    (strategy, old, now) => [
      { action: "allocation_change", id: strategy, old: old.toString(), new: now.toString() },
    ],
  ),
  governed("vault", "DebtPurchased(address indexed strategy, uint256 amount)", (strategy, amount) => [
    { action: "allocation_change", id: strategy, new: { debt_bought: amount.toString() } },
  ]),
  governed(
    "vault",
    "UpdatedMaxDebtForStrategy(address indexed sender, address indexed strategy, uint256 new_debt)",
    (_sender, strategy, cap) => [
      { action: "cap_change", id: strategy, cap_kind: "debt", new: cap.toString() },
    ],
    "sender",
  ),

  governed("vault", "UpdateDepositLimit(uint256 deposit_limit)", (limit) => [
    { action: "cap_change", cap_kind: "deposit", new: limit.toString() },
  ]),
  governed("vault", "UpdateDepositLimitModule(address indexed deposit_limit_module)", (module) => [
    { action: "gate_change", id: "deposit_limit_module", new: module },
  ]),
  governed("vault", "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)", (module) => [
    { action: "gate_change", id: "withdraw_limit_module", new: module },
  ]),
  governed("vault", "UpdateAccountant(address indexed accountant)", (accountant) => [
    { action: "parameter_change", id: "accountant", new: accountant },
  ]),
  governed("vault", "UpdateDefaultQueue(address[] new_default_queue)", (queue) => [
    { action: "queue_change", id: "default_queue", new: queue },
  ]),
  governed("vault", "UpdateUseDefaultQueue(bool use_default_queue)", (isUsed) => [
    { action: "queue_change", id: "use_default_queue", new: isUsed },
  ]),
  governed("vault", "UpdateAutoAllocate(bool auto_allocate)", (isOn) => [
    { action: "parameter_change", id: "auto_allocate", new: isOn },
  ]),
  governed("vault", "UpdateMinimumTotalIdle(uint256 minimum_total_idle)", (idle) => [
    { action: "parameter_change", id: "minimum_total_idle", new: idle.toString() },
  ]),
  governed("vault", "UpdateProfitMaxUnlockTime(uint256 profit_max_unlock_time)", (time) => [
    { action: "parameter_change", id: "profit_max_unlock_seconds", new: time.toString() },
  ]),
  governed("vault", "Shutdown()", () => [{ action: "shutdown" }]),
];

export const VAULT_MADE = governed(
  "factory",
  "NewVault(address indexed vault_address, address indexed asset)",
  () => [],
);

export const RULES: Readonly<Partial<Record<ContractRole, ReadonlyMap<string, EventRule>>>> = {
  vault: byTopic(vaultRules),
  factory: byTopic([VAULT_MADE]),
};

export const TOPICS = [
  ...new Set(Object.values(RULES).flatMap((rules) => [...rules.values()].map((rule) => rule.topic))),
];

/** Events that say what is and not what was, or not who did what only one can do. */
const NEEDS_STATE: ReadonlySet<string> = new Set([
  "RoleSet",
  "UpdateFutureRoleManager",
  "UpdateRoleManager",
  "UpdatedMaxDebtForStrategy",
  "UpdateDepositLimit",
]);

export function decode(log: RawLog, directory: Directory, logger: Logger): Decoded | null {
  const contract = directory.contract(log.address);
  if (contract?.source.family !== "yearn_v3") return null;
  const rule = RULES[contract.role]?.get(log.topics[0] ?? "");
  if (rule === undefined) return null;
  const decoded = decodeLog(log, rule, "vault", contract.vault?.address ?? null, logger);
  if (decoded === null) return null;
  const { body } = decoded;
  if (body.kind !== "governance") return decoded;
  if (contract.role === "factory")
    return { ...decoded, vaultAddress: body.args.vault_address as `0x${string}` };
  return NEEDS_STATE.has(body.event) ? { ...decoded, needs: "state" } : decoded;
}

/** Which roles were given and which were taken; with nothing known of before, which stand now. */
export function rolesChanged(account: `0x${string}`, before: bigint | null, now: bigint): GovernanceEffect[] {
  if (before === null) {
    return [
      now === 0n
        ? { action: "role_revoke", account, new: [] }
        : { action: "role_grant", role: rolesIn(now).join(", "), account, new: rolesIn(now) },
    ];
  }
  const change = { account, old: rolesIn(before), new: rolesIn(now) };
  const [given, taken] = [rolesIn(now & ~before), rolesIn(before & ~now)];
  return [
    ...(given.length > 0 ? [{ action: "role_grant", role: given.join(", "), ...change } as const] : []),
    ...(taken.length > 0 ? [{ action: "role_revoke", role: taken.join(", "), ...change } as const] : []),
  ];
}

/** Nobody is named by the zero address. */
export function nobodyAsNull(account: `0x${string}` | null): `0x${string}` | null {
  return account === null || isZero(account) ? null : account;
}
