// The details of each action: one table, from which the types that writers are held to, the list of actions and the documentation come.
//
// Fields are named as the API serves them. Amounts are decimal strings in raw units, times RFC 3339 strings in UTC. An event's time that
// no such string can hold stands as its number. An onchain entry has its place in the chain besides (`PLACE`), which `record` adds.
// Readers must take further members as they come.
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import type { Hex } from "viem";
import { GOVERNANCE_ACTIONS } from "../../chain/governance.ts";
import { AddressText, Nullable, named, OneOf, Quantity, Timestamp } from "../../platform/http/schemas.ts";

const Text = Type.String();
const Bytes32 = Type.Unsafe<Hex>({ type: "string", description: "32 bytes in hex." });
const Bytes = Type.Unsafe<Hex>({ type: "string", description: "Bytes in hex." });
const Seconds = Type.Unsafe<string>({ type: "string", description: "Seconds, as a decimal string." });
const BasisPoints = Type.Unsafe<string>({
  type: "string",
  description: "Basis points, as a decimal string.",
});
const Scope = OneOf(["strategy", "global"], {
  description: "`global`: the root of the aggregator, which every vault falls back on.",
});

/** A member that entries of release 0.1 lack: writers must give it, readers must do without. */
function later<T extends TSchema>(schema: T): T {
  return { ...schema, "x-since": "0.2" };
}

function details<T extends TProperties>(description: string, properties: T) {
  return Type.Object(properties, { description });
}

function parameter<const N extends string, T extends TProperties>(name: N, description: string, rest: T) {
  return Type.Object({ parameter: Type.Literal(name), ...rest }, { description });
}

const FeeConfig = {
  performance_fee_bps: BasisPoints,
  management_fee_bps: BasisPoints,
  recipient: AddressText,
};
const Flow = { sender: AddressText, owner: AddressText, assets: Quantity, shares: Quantity };
const ManagerOf = { manager: AddressText };
const Role = { role: Bytes32, account: AddressText, sender: AddressText };
const Account = Nullable({ ...AddressText, description: "Who did it, where the contract says." });
const Guardian = Nullable({ ...AddressText, description: "Where the contract says." });

const Reported = {
  source: Text,
  reported_at: later(Timestamp),
  reported: Type.Literal(true, { description: "Reported by an engine." }),
};
const ReportedDetails = {
  ...Reported,
  reported_details: later(
    Type.Record(Type.String(), Type.Unknown(), { description: "What the engine sent as `details`." }),
  ),
};
const MerkleJob = {
  ...Reported,
  job_id: Text,
  status: Text,
  root: Type.Optional(Text),
  error: Type.Optional(Text),
};
const ServiceSwitch = { ...Reported, service: Text, reason: Type.Optional(Text) };
const Channel = { channel_id: Text, provider: Text, name: Text };
/** How it came: who acted is the entry's wallet, for which the provider's user stands. */
const Via = Type.Object(
  {
    channel_id: Text,
    provider: Text,
    provider_user: Type.String({ description: "The user's id at the provider." }),
    channel_created_by: AddressText,
  },
  { description: "Of what was done from a chat: by which channel and user." },
);

/** Where an operation of governance comes from, and what it did; members that do not apply are left out. */
const Governance = {
  contract: OneOf(["vault", "adapter", "factory", "proxy_admin", "safe", "timelock", "proxy"], {
    description: "What emitted the event.",
  }),
  event: Type.String({ description: "The event's name." }),
  event_arguments: Type.Record(Type.String(), Type.Unknown(), {
    description: "As the contract emitted them: integers as decimal strings, times in Unix seconds.",
  }),
  role: Type.Optional(Type.String({ description: "In the family's own word, such as `curator`." })),
  account: Type.Optional(Nullable(AddressText)),
  id: Type.Optional(
    Type.String({
      description: "What it is about: an id of caps, a market, an adapter, a strategy, a selector.",
    }),
  ),
  cap_kind: Type.Optional(OneOf(["absolute", "relative", "supply", "debt", "deposit"])),
  old: Type.Optional(Type.Unknown({ description: "What was before, where it is known." })),
  new: Type.Optional(Type.Unknown()),
  target: Type.Optional({ ...AddressText, description: "Of a call that waits, was executed or taken back." }),
  function: Type.Optional(
    Nullable(Type.String({ description: "null for data that is no known call of the target." })),
  ),
  arguments: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  calldata: Type.Optional(Bytes),
  executable_at: Type.Optional(
    Nullable({ ...Timestamp, description: "When the call can be executed; null where nobody tells." }),
  ),
  controller: Type.Optional({
    ...AddressText,
    description: "The Safe, timelock or proxy admin behind a role of the vault that it is about.",
  }),
  calls: Type.Optional(
    Type.Array(
      Type.Object({
        target: AddressText,
        function: Nullable(Text),
        arguments: Nullable(Type.Record(Type.String(), Type.Unknown())),
        calldata: Bytes,
      }),
      { description: "The calls of one execution that concern the vault, where they are several." },
    ),
  ),
  operation: Type.Optional(
    Type.Literal(1, {
      description:
        "A Safe ran code as its own (a delegatecall) that is not published for that: it may have done anything.",
    }),
  ),
  silent: Type.Optional(
    Type.Literal(true, { description: "The contract changed without an event: only its state tells." }),
  ),
  accepted: Type.Optional(
    Type.Literal(true, { description: "A submitted call was executed, which anybody may do." }),
  ),
  submit_entry_id: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "Of what was executed: the entry of its submission. Left out where none is in the log, or it came into it later.",
    }),
  ),
};

function governance(description: string) {
  return named("GovernanceDetails", details(description, Governance));
}

/** An action that some contracts tell of by members of its own, and the others by those of governance. */
function orGovernance<T extends TSchema>(schema: T & { description?: string }) {
  const description = schema.description ?? "";
  return Type.Union([schema, governance(description)], { description });
}

type GovernanceDetails = Record<keyof typeof GOVERNANCE_ACTIONS, ReturnType<typeof governance>>;

const GOVERNANCE = Object.fromEntries(
  Object.entries(GOVERNANCE_ACTIONS).map(([action, description]) => [action, governance(description)]),
) as GovernanceDetails;

/** In the order of the documentation. */
export const DETAILS = {
  vault_create: details("A vault was made.", {
    strategy: AddressText,
    escrow: AddressText,
    asset: AddressText,
    name: Text,
    symbol: Text,
    nonce: Quantity,
    primary_manager: AddressText,
    secondary_managers: Type.Array(AddressText, {
      description: "The ones named when the vault was created.",
    }),
  }),
  yield_source_add: details("A yield source was whitelisted.", {
    yield_source: AddressText,
    oracle: AddressText,
  }),
  yield_source_remove: details("A yield source was removed.", { yield_source: AddressText }),
  yield_source_oracle_update: details("Another oracle prices a yield source.", {
    yield_source: AddressText,
    old_oracle: AddressText,
    oracle: AddressText,
  }),
  hook_execute: details(
    "The manager had the strategy call a hook: assets were moved to, from or within a yield source.",
    {
      hook: AddressText,
      prev_hook: Nullable({ ...AddressText, description: "The hook before it in the same call." }),
      yield_source: AddressText,
      use_prev_hook_amount: Type.Boolean({ description: "Its amount is what the hook before it left." }),
      calldata: Bytes,
    },
  ),
  pps_update: details("The price per share was updated.", {
    pps: Quantity,
    old_pps: Type.Optional(Quantity),
    pps_timestamp: Timestamp,
  }),
  pps_update_reject: details(
    "An update of the price was refused, by the aggregator or before it by the oracle.",
    {
      reason: Type.String({ description: "The name of the event that reported it." }),
      message: Nullable(Type.String({ description: "What the event carried." })),
      pps_timestamp: Nullable({
        ...Timestamp,
        description: "The time of the refused price, where it is known.",
      }),
      pps: later(
        Nullable({
          ...Quantity,
          description: "The refused price, where the oracle reported it in the same transaction.",
        }),
      ),
    },
  ),
  pps_stale: details("The contract flagged the price as stale.", {}),
  pps_stale_reset: details("The contract took that flag away.", {}),
  vault_pause: details("The vault was paused.", { account: Account }),
  vault_unpause: details("The vault was unpaused.", { account: Account }),
  secondary_manager_add: details("A secondary manager was added.", ManagerOf),
  secondary_manager_remove: details("A secondary manager was removed.", ManagerOf),
  primary_manager_change_propose: details("Another primary manager was proposed.", {
    proposer: AddressText,
    new_manager: AddressText,
    fee_recipient: Nullable(AddressText),
    effective_at: Nullable({
      ...Timestamp,
      description: "null where only the new manager's acceptance is awaited (OwnershipTransferStarted).",
    }),
  }),
  primary_manager_change_cancel: details("That proposal was cancelled.", { cancelled_manager: AddressText }),
  primary_manager_change: details("The primary manager changed.", {
    old_manager: AddressText,
    new_manager: AddressText,
    fee_recipient: Nullable(AddressText),
  }),
  role_grant: orGovernance(details("A contract gave a role.", Role)),
  role_revoke: orGovernance(details("A contract took a role away.", Role)),
  ...GOVERNANCE,
  merkle_root_propose: details("A root of the hooks that may be called was proposed.", {
    scope: later(Scope),
    proposer: Nullable({ ...AddressText, description: "Where the contract says." }),
    root: Bytes32,
    effective_at: Timestamp,
  }),
  merkle_root_update: details("A proposed root came into force.", {
    scope: later(Scope),
    old_root: Bytes32,
    root: Bytes32,
  }),
  merkle_root_veto: details("A root was vetoed, or a veto was lifted: `is_vetoed` says which.", {
    scope: later(Scope),
    is_vetoed: Type.Boolean({ description: "false: the veto was lifted." }),
    root: Bytes32,
    guardian: Guardian,
  }),
  merkle_leaves_update: details(
    "The manager banned leaves of the global root for the vault, or allowed them again.",
    {
      leaves: Type.Array(Bytes32),
      is_banned: Type.Array(Type.Boolean(), { description: "For each leaf." }),
    },
  ),
  merkle_generate: details("A job that generates a root ended.", MerkleJob),
  merkle_publish: details("A job that publishes a root ended.", MerkleJob),
  fee_config_propose: orGovernance(
    details("Other fees were proposed.", { ...FeeConfig, effective_at: Timestamp }),
  ),
  fee_config_update: orGovernance(details("Other fees came into force.", FeeConfig)),
  fee_recipient_change: orGovernance(details("Fees go to another recipient.", { recipient: AddressText })),
  fee_skim: details("The performance fee was taken.", {
    fee_amount: Quantity,
    old_pps: Quantity,
    pps: Quantity,
  }),
  high_water_mark_reset: orGovernance(
    details("The mark above which performance fees are taken was reset.", { hwm_pps: Quantity }),
  ),
  pps_params_update: Type.Union(
    [
      parameter("pps_expiration_proposed", "Another expiry of the price was proposed.", {
        current_pps_expiration_seconds: Nullable({
          ...Seconds,
          description: "The expiry in force; null where the node kept no such state.",
        }),
        replaced_pps_expiration_seconds: later(
          Nullable({ ...Seconds, description: "The proposal that this one replaces." }),
        ),
        pps_expiration_seconds: Seconds,
        effective_at: Timestamp,
      }),
      parameter("pps_expiration_cancelled", "That proposal was cancelled.", {}),
      parameter("pps_expiration", "Another expiry came into force.", { pps_expiration_seconds: Seconds }),
      parameter("deviation_threshold", "How far a price may be off.", { deviation_threshold: Quantity }),
      parameter("min_update_interval_proposed", "Another minimum time between updates was proposed.", {
        proposer: AddressText,
        min_update_interval_seconds: Seconds,
        effective_at: Timestamp,
      }),
      parameter("min_update_interval_cancelled", "That proposal was cancelled.", {
        min_update_interval_seconds: Seconds,
      }),
      parameter("min_update_interval_rejected", "That proposal was refused when it was due.", {
        min_update_interval_seconds: Seconds,
        max_staleness_seconds: Seconds,
      }),
      parameter("min_update_interval", "Another minimum time between updates came into force.", {
        old_min_update_interval_seconds: Seconds,
        min_update_interval_seconds: Seconds,
      }),
    ],
    { description: "How a price is judged; `parameter` says what changed." },
  ),
  parameter_change: orGovernance(
    details(
      "An operation of a contract above the vaults, or of an older version, that has no action type of its own.",
      {
        contract: OneOf(["aggregator", "strategy", "vault", "escrow", "oracle", "governor"]),
        event: Type.String({ description: "The event's name." }),
        arguments: Type.Record(Type.String(), Type.Unknown(), {
          description: "As the contract emitted them: integers as decimal strings, times in Unix seconds.",
        }),
      },
    ),
  ),
  upkeep_deposit: details("Upkeep was paid in.", { depositor: AddressText, amount: Quantity }),
  upkeep_withdraw_propose: details("An upkeep withdrawal was proposed.", {
    proposer: AddressText,
    amount: Quantity,
    effective_at: Timestamp,
  }),
  upkeep_withdraw_cancel: details("That proposal was cancelled.", {}),
  upkeep_withdraw: details("Upkeep was withdrawn. The actor is whoever executed it; anyone may.", {
    recipient: later(AddressText),
    withdrawer: { ...AddressText, description: "The same as `recipient`, by its older name." },
    amount: Quantity,
  }),
  upkeep_insufficient: details("Upkeep did not pay for an update.", { balance: Quantity, cost: Quantity }),
  upkeep_claim: details("Spent upkeep was paid out to the protocol.", {
    super_bank: AddressText,
    amount: Quantity,
  }),
  deposit: details("Assets were deposited and shares were minted for them.", Flow),
  withdraw: details("Assets were withdrawn and shares were burned for them.", {
    ...Flow,
    receiver: AddressText,
  }),
  emergency_withdraw: details("Assets were taken out of the strategy in an emergency.", {
    recipient: AddressText,
    assets: Quantity,
  }),
  deposit_request: details("A deposit was requested.", {
    controller: AddressText,
    owner: AddressText,
    request_id: Quantity,
    sender: AddressText,
    assets: Quantity,
  }),
  deposit_fulfill: details("A requested deposit can be claimed.", {
    controller: AddressText,
    request_id: Quantity,
    assets: Quantity,
    shares: Quantity,
  }),
  deposit_cancel_request: details("The cancellation of a deposit was requested.", {
    controller: AddressText,
    request_id: Quantity,
    sender: AddressText,
  }),
  deposit_cancel: details("The assets of a cancelled deposit were taken back.", {
    receiver: AddressText,
    controller: AddressText,
    request_id: Quantity,
    sender: AddressText,
    assets: Quantity,
  }),
  redeem_request: details("A redemption was requested.", {
    controller: AddressText,
    owner: AddressText,
    request_id: Quantity,
    sender: AddressText,
    shares: Quantity,
  }),
  redeem_fulfill: details("Redemptions were fulfilled.", {
    controllers: Type.Array(AddressText),
    processed_shares: Quantity,
    pps: Nullable({ ...Quantity, description: "null where the contract does not say (ERC-7540)." }),
    assets: Type.Optional({ ...Quantity, description: "Of one request (ERC-7540)." }),
    request_id: Type.Optional(Quantity),
  }),
  redeem_cancel_request: details("The cancellation of a redemption was requested.", {
    controller: AddressText,
    request_id: Quantity,
    sender: AddressText,
  }),
  redeem_cancel_fulfill: details(
    "The cancellation of a redemption was fulfilled: the shares can be claimed back.",
    {
      controller: AddressText,
      shares: Quantity,
    },
  ),
  redeem_cancel: details("The shares of a cancelled redemption were taken back.", {
    receiver: AddressText,
    controller: AddressText,
    request_id: Quantity,
    sender: AddressText,
    shares: Nullable({ ...Quantity, description: "null where the contracts do not say." }),
  }),
  service_pause: details("A service of the engine was paused.", ServiceSwitch),
  service_resume: details("A service of the engine was resumed.", ServiceSwitch),
  session_key_grant: details("A session key was granted.", ReportedDetails),
  session_key_rotate: details("A session key was replaced.", ReportedDetails),
  session_key_revoke: details("A session key was revoked.", ReportedDetails),
  emergency_exit_arm: details("The emergency exit was armed.", ReportedDetails),
  emergency_exit_stop: details("The emergency exit was stopped.", ReportedDetails),
  operator_add: details("A wallet may operate the vault.", { wallet: AddressText }),
  operator_remove: details("A wallet may no longer operate the vault.", { wallet: AddressText }),
  view_only_add: details("A wallet may see the vault.", { wallet: AddressText }),
  view_only_remove: details("A wallet may no longer see the vault.", { wallet: AddressText }),
  vault_accept: details("A wallet accepted a vault that names it, or undid that.", {
    is_accepted: Type.Boolean(),
  }),
  notification_channel_create: details("A channel was created.", Channel),
  notification_channel_update: details("A channel was changed.", {
    channel_id: Text,
    changed: Type.Array(Text),
    reason: Type.Optional(
      Type.String({
        description: "Why the service changed it by itself; the actor is then the zero address.",
      }),
    ),
  }),
  notification_channel_delete: details("A channel was deleted.", Channel),
  notification_channel_bind: details("A vault's alerts go to a channel.", {
    channel_id: Text,
    categories: Type.Array(Text),
    min_severity: Text,
    escalate_after_seconds: Type.Optional(
      Type.Integer({ description: "The channel is told only of what nobody took for so long." }),
    ),
  }),
  notification_channel_unbind: details("A vault's alerts no longer go to a channel.", { channel_id: Text }),
  webhook_create: details("A webhook endpoint was created.", {
    webhook_id: Text,
    event_types: Type.Array(Text),
    vaults: Type.Array(Text),
  }),
  webhook_update: details("A webhook endpoint was changed.", {
    webhook_id: Text,
    changed: Type.Array(Text),
    reason: Type.Optional(
      Type.String({
        description: "Why the service disabled it by itself; the actor is then the zero address.",
      }),
    ),
  }),
  webhook_delete: details("A webhook endpoint was deleted.", { webhook_id: Text }),
  webhook_secret_rotate: details("The secret of a webhook endpoint was rotated.", { webhook_id: Text }),
  alert_rule_update: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "Rules of alerts were changed; their names and values, in `dispatch` the actions that bots are handed the calls of, where those were set.",
  }),
  chat_link_add: details(
    "A user of a chat acts for the wallet in one channel, once the wallet has confirmed who it is.",
    {
      link_id: Text,
      via: Via,
    },
  ),
  chat_link_remove: details("A user of a chat no longer acts for a wallet in a channel.", {
    link_id: Text,
    wallet: AddressText,
    via: Via,
  }),
  alert_acknowledge: details("An alert was acknowledged.", {
    alert_id: Text,
    category: Text,
    via: Type.Optional(Via),
  }),
  alert_silence: details("Alerts were silenced, or a silence was ended early.", {
    silence_id: Text,
    category: Nullable(Text),
    ends_at: Timestamp,
    reason: Text,
    ended: Type.Optional(Type.Literal(true)),
    via: Type.Optional(Via),
  }),
  audit_rollback_acknowledge: details(
    "The database with entries that were signed for is lost for good: the log goes on under another name.",
    {
      reason: Text,
      log_size: Type.Integer({ description: "Entries before this one." }),
      signed_size: Type.Integer({
        description: "Entries of the largest checkpoint that the log does not bear out.",
      }),
      signed_root: Type.String({ description: "That checkpoint's root, in base64." }),
      signed_as: Type.String({ description: "The log's name in it." }),
      continued_as: Type.String({ description: "The log's name from now on." }),
    },
  ),
  chain_reorg_revert: details(
    "A reorganisation undid an entry. Its place in the chain is the one that the operation had.",
    { reverted_id: Text, reverted_seq: Text, reverted_action_type: Text },
  ),
} as const;

export type ActionType = keyof typeof DETAILS;

/** Every value of `action_type`, in the order of the documentation. */
export const ACTION_TYPES = Object.keys(DETAILS) as ActionType[];

export type ChatVia = Static<typeof Via>;

export type ActionDetails = { [A in ActionType]: Static<(typeof DETAILS)[A]> };

/** What every onchain entry has in its details besides. */
export const PLACE = {
  block_number: Type.Integer(),
  block_timestamp: Timestamp,
  block_hash: Bytes32,
  tx_hash: Bytes32,
  log_index: Type.Integer(),
  tx_from: Type.Optional({
    ...AddressText,
    description: "Who sent the transaction. Not in entries that release 0.1 wrote.",
  }),
  backfilled: Type.Optional(
    Type.Literal(true, {
      description: "Appended long after the operation, which was missed when it was its turn.",
    }),
  ),
  not_told: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.",
    }),
  ),
  told_later: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.",
    }),
  ),
};
