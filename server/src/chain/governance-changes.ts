// What the governance of a vault did, in one shape for every family: what became of a change, how grave it is, and its words.
import type { Address } from "viem";
import { timestampOrDigits } from "../platform/http/time.ts";
import type { StoredBody } from "./facts.ts";
import { type DecodedCall, GOVERNANCE_ACTIONS, type GovernanceEffect } from "./governance.ts";

/** How much it changes of who rules the vault. */
type ChangeWeight = "critical" | "warning" | "info";

export interface GovernanceChange {
  /** `changed`: at once, or by a call that was submitted before. */
  life: "submitted" | "executed" | "revoked" | "changed";
  severity: ChangeWeight;
  action: string;
  /** A whole sentence. */
  sentence: string;
  account?: Address | null;
  role?: string;
  id?: string;
  call?: DecodedCall;
  executableAt?: string | null;
}

/** Of the actions of governance those that are told. The others are daily work: moving assets, settling, reporting. */
const TOLD: Partial<Record<GovernanceEffect["action"], readonly [GovernanceChange["life"], ChangeWeight]>> = {
  timelock_submit: ["submitted", "info"],
  timelock_schedule: ["submitted", "info"],
  owner_change_propose: ["submitted", "info"],
  guardian_change_propose: ["submitted", "info"],
  cap_change_propose: ["submitted", "info"],
  market_removal_propose: ["submitted", "info"],
  fee_config_propose: ["submitted", "info"],
  upgrade_propose: ["submitted", "info"],
  timelock_accept: ["executed", "info"],
  timelock_execute: ["executed", "info"],
  timelock_revoke: ["revoked", "info"],
  timelock_cancel: ["revoked", "info"],
  owner_change: ["changed", "critical"],
  signer_add: ["changed", "critical"],
  signer_remove: ["changed", "critical"],
  threshold_change: ["changed", "critical"],
  module_enable: ["changed", "critical"],
  module_disable: ["changed", "critical"],
  singleton_change: ["changed", "critical"],
  upgrade: ["changed", "critical"],
  curator_change: ["changed", "warning"],
  guardian_change: ["changed", "warning"],
  role_grant: ["changed", "warning"],
  role_revoke: ["changed", "warning"],
  fee_config_update: ["changed", "warning"],
  fee_recipient_change: ["changed", "warning"],
  guard_change: ["changed", "warning"],
  fallback_handler_change: ["changed", "warning"],
  gate_change: ["changed", "warning"],
  access_rule_change: ["changed", "warning"],
  registry_change: ["changed", "warning"],
  timelock_duration_change: ["changed", "warning"],
  timelock_delay_change: ["changed", "warning"],
  abdicate: ["changed", "warning"],
  shutdown: ["changed", "warning"],
  mode_change: ["changed", "info"],
  cap_change: ["executed", "info"],
  adapter_add: ["executed", "info"],
  adapter_remove: ["executed", "info"],
  strategy_add: ["executed", "info"],
  strategy_revoke: ["executed", "info"],
  market_remove: ["executed", "info"],
  queue_change: ["executed", "info"],
  max_rate_change: ["executed", "info"],
  liquidity_adapter_change: ["executed", "info"],
  metadata_change: ["executed", "info"],
  parameter_change: ["executed", "info"],
};

/** Those that other families have too stand beside the actions of governance, with sentences of their own. */
const SENTENCES: Readonly<Record<string, string>> = {
  ...GOVERNANCE_ACTIONS,
  role_grant: "A role was granted.",
  role_revoke: "A role was taken away.",
  fee_config_propose: "Other fees were submitted.",
  fee_config_update: "The fees changed.",
  fee_recipient_change: "The recipient of the fees changed.",
  parameter_change: "A parameter changed.",
};

/** What a fact says of one vault, in its order; nothing for what is not told. */
export function governanceChangesOf(body: StoredBody, vault: Address): GovernanceChange[] {
  switch (body.kind) {
    case "governance":
      return body.effects
        .filter(({ vaults }) => vaults === undefined || vaults.includes(vault))
        .flatMap(changeOf);
    case "primary_manager_proposed":
      return [
        submitted("primary_manager_change_propose", "Another primary manager was proposed.", {
          account: body.newManager,
          executableAt: timestampOrDigits(body.effectiveTime),
        }),
      ];
    case "ownership_transfer_started":
      return [
        submitted("primary_manager_change_propose", "Another owner was proposed, who has yet to accept.", {
          account: body.newOwner,
        }),
      ];
    case "fee_config_proposed":
      return [
        submitted("fee_config_propose", "Other fees were submitted.", {
          account: body.recipient,
          executableAt: timestampOrDigits(body.effectiveTime),
        }),
      ];
    case "pps_expiration_proposed":
      return [
        submitted("pps_params_update", "Another lifetime of the price was submitted.", {
          executableAt: timestampOrDigits(body.effectiveTime),
        }),
      ];
    case "min_update_interval_proposed":
      return [
        submitted("pps_params_update", "Another least time between updates of the price was submitted.", {
          executableAt: timestampOrDigits(body.effectiveTime),
        }),
      ];
    case "hooks_root_proposed":
      return [
        submitted("merkle_root_propose", "Another hooks root was submitted.", {
          executableAt: timestampOrDigits(body.effectiveTime),
        }),
      ];
    case "primary_manager_change_cancelled":
      return [
        revoked("primary_manager_change_cancel", "The proposal of another primary manager was taken back.", {
          account: body.cancelledManager,
        }),
      ];
    case "pps_expiration_proposal_cancelled":
      return [revoked("pps_params_update", "The proposal of another lifetime of the price was taken back.")];
    case "min_update_interval_cancelled":
      return [
        revoked(
          "pps_params_update",
          "The proposal of another least time between updates of the price was taken back.",
        ),
      ];
    case "primary_manager_changed":
      return [
        became("critical", "primary_manager_change", "The primary manager changed.", {
          account: body.newManager,
        }),
      ];
    case "ownership_transferred":
      return [became("critical", "primary_manager_change", "The owner changed.", { account: body.newOwner })];
    case "secondary_manager_added":
      return [
        became("warning", "secondary_manager_add", "A secondary manager was added.", {
          account: body.manager,
        }),
      ];
    case "secondary_manager_removed":
      return [
        became("warning", "secondary_manager_remove", "A secondary manager was removed.", {
          account: body.manager,
        }),
      ];
    case "role_granted":
      return [
        became("warning", "role_grant", "A role was granted.", { role: body.role, account: body.account }),
      ];
    case "role_revoked":
      return [
        became("warning", "role_revoke", "A role was taken away.", {
          role: body.role,
          account: body.account,
        }),
      ];
    case "fee_config_updated":
      return [became("warning", "fee_config_update", "The fees changed.", { account: body.recipient })];
    case "fee_recipient_changed":
      return [
        became("warning", "fee_recipient_change", "The recipient of the fees changed.", {
          account: body.newRecipient,
        }),
      ];
    case "pps_expiration_updated":
      return [executed("pps_params_update", "The lifetime of the price changed.")];
    case "min_update_interval_changed":
      return [executed("pps_params_update", "The least time between updates of the price changed.")];
    case "hooks_root_updated":
      return [executed("merkle_root_update", "The hooks root changed.")];
    default:
      return [];
  }
}

type More = Pick<GovernanceChange, "account" | "role" | "executableAt">;

const submitted = (action: string, sentence: string, more: More = {}): GovernanceChange => ({
  life: "submitted",
  severity: "info",
  action,
  sentence,
  ...more,
});
const executed = (action: string, sentence: string): GovernanceChange => ({
  life: "executed",
  severity: "info",
  action,
  sentence,
});
const revoked = (action: string, sentence: string, more: More = {}): GovernanceChange => ({
  life: "revoked",
  severity: "info",
  action,
  sentence,
  ...more,
});
const became = (
  severity: ChangeWeight,
  action: string,
  sentence: string,
  more: More = {},
): GovernanceChange => ({ life: "changed", severity, action, sentence, ...more });

/** What a vault is worth by those who value it changes with every settlement, as its price does. */
function isValuation({ action, id }: GovernanceEffect): boolean {
  return action === "parameter_change" && id === "total_assets";
}

function changeOf(effect: GovernanceEffect): GovernanceChange[] {
  const told = TOLD[effect.action];
  if (told === undefined || isValuation(effect)) return [];
  const { action, account, role, id, call, calls, executable_at: executableAt } = effect;
  const [life, severity] = told;
  return [
    {
      life,
      severity,
      action,
      sentence: SENTENCES[action] ?? action,
      ...(account !== undefined && { account }),
      ...(role !== undefined && { role }),
      ...(id !== undefined && { id }),
      ...((call ?? calls?.[0]) && { call: call ?? calls?.[0] }),
      ...(executableAt !== undefined && {
        executableAt: executableAt === null ? null : timestampOrDigits(executableAt),
      }),
    } as GovernanceChange,
  ];
}
