// The documented shapes of vaults. They describe; answers are sent as ready texts, and a test holds the two equal.
import { Type } from "typebox";
import { RoleSchema } from "../../auth/routes.ts";
import { FAMILY_NAMES } from "../../chain/directory.ts";
import { STALENESS_REASONS } from "../../judgements/staleness.ts";
import {
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  Quantity,
  Timestamp,
} from "../../platform/http/schemas.ts";

/** null: `unavailable_reasons` says why. */
export const Rate = (what: string) =>
  Nullable(Type.Number({ description: `${what}, a fraction (0.05 = 5 %). null: see unavailable_reasons.` }));
const ExactRate = (what: string) =>
  Type.Unsafe<string>({ type: "string", description: `${what}, an exact decimal: "0.1" is 10 %.` });
const Seconds = (description: string) => Nullable(Type.Integer({ description }));
const StalenessReason = Nullable(
  OneOf(STALENESS_REASONS, {
    description:
      "Why the price is stale: its time is up, the contract flags it (as from a pause until the next update), or there was none yet; null while it is not.",
  }),
);

const Role = Nullable({ ...RoleSchema, description: "Role of the caller's wallet." });

const identity = {
  vault_id: Type.String({ description: "`{chain_id}:{vault_address}`." }),
  vault_address: AddressText,
  chain_id: ChainId,
};

const publicFields = {
  ...identity,
  family: OneOf(FAMILY_NAMES, { description: "Kind of contract." }),
  name: Nullable(Type.String()),
  symbol: Nullable(Type.String()),
  vault_share_decimals: Type.Integer(),
  underlying_asset_address: AddressText,
  underlying_asset_symbol: Nullable(Type.String()),
  underlying_asset_decimals: Type.Integer(),
  tvl: Nullable(Quantity),
  tvl_usd: Nullable(Type.Number({ description: "Total assets in US dollars." })),
  tvl_usd_unavailable_reason: Nullable(Type.String({ description: "Why `tvl_usd` is null." })),
  apy: Rate("The 7-day figure"),
  apy_1d: Rate("Realised net APY over the last day"),
  apy_7d: Rate("Realised net APY over the last 7 days"),
  apy_30d: Rate("Realised net APY over the last 30 days"),
  apy_inception: Rate("Realised net APY since the history began"),
  pps: Nullable(Quantity),
  is_paused: Nullable(Type.Boolean()),
  created_at: Nullable(Timestamp),
  updated_at: Nullable(Timestamp),
  unavailable_reasons: Type.Record(Type.String(), Type.String(), {
    description:
      "Why a field of that name is null, where known. `not_read_since <time>`, next to a value too: the node could not be read since then, and the value is of that time.",
  }),
};

export const PublicVaultSchema = named("PublicVault", Type.Object(publicFields));

const PendingChangeSchema = named(
  "PendingChange",
  Type.Object({
    kind: OneOf(
      [
        "primary_manager",
        "fee_config",
        "pps_expiration",
        "min_update_interval",
        "hooks_root",
        "upkeep_withdrawal",
        "call",
      ],
      { description: "`call`: `function` and `arguments` tell." },
    ),
    current: Type.Unknown({ description: "The value in force." }),
    proposed: Type.Unknown({ description: "The value that replaces it." }),
    proposer: Nullable(AddressText),
    effective_at: Nullable(Timestamp),
    id: Type.String({
      description: "Of this one: the same call submitted again, or proposed anew, is another.",
    }),
    target: Nullable(AddressText),
    function: Nullable(Type.String({ description: "null for data that is no call of the target." })),
    arguments: Nullable(Type.Record(Type.String(), Type.Unknown())),
    calldata: Nullable(Type.String()),
    submitted_at: Nullable(Timestamp),
    submitted_by: Nullable(AddressText),
    executable_at: Nullable({ ...Timestamp, description: "When this very change can be carried out." }),
    earliest_effect_at: Nullable({
      ...Timestamp,
      description:
        "The earliest moment at which the same effect could be had: a shorter timelock that waits too may bring it forward. null where it cannot be had.",
    }),
    revocable_by: Type.Array(AddressText, { description: "Who can take it back; empty where nobody tells." }),
    status: OneOf(["pending", "ready", "blocked"], {
      description:
        "`ready`: by the clock it can be carried out; it is gone once it was. `blocked`: its function was given up, and it never can.",
    }),
  }),
);

const AllocationSchema = named(
  "Allocation",
  Type.Object({
    id: Type.String({
      description: "An id of caps, a market, or a strategy's address, as the family names it.",
    }),
    kind: OneOf(["adapter", "market", "collateral", "strategy"]),
    address: Nullable(AddressText),
    label: Nullable(Type.String()),
    assets: Nullable({ ...Quantity, description: "What the position is worth now." }),
    absolute_cap: Nullable({ ...Quantity, description: "null with `is_absolute_capped: false`: unlimited." }),
    is_absolute_capped: Type.Boolean(),
    relative_cap: Nullable(ExactRate("Of the total assets")),
    is_relative_capped: Type.Boolean(),
    share: Nullable(Type.Number({ description: "`assets` of `total_assets`." })),
  }),
);

const ControllerSchema = named(
  "Controller",
  Type.Object({
    address: AddressText,
    kind: OneOf(["eoa", "safe", "timelock", "proxy_admin", "contract"], {
      description:
        "What it is: an account of a key, a Safe of published code, a timelock, the admin of a proxy, or any other contract, whose word on its owners nobody takes.",
    }),
    roles: Type.Array(Type.String(), {
      description: "The roles that it holds itself, in the family's words.",
    }),
    owners: Type.Array(AddressText, {
      description: "Owners of a Safe, proposers of a timelock, the owner of a proxy's admin.",
    }),
    threshold: Nullable(Type.Integer({ description: "Signatures that a Safe asks for." })),
    modules: Type.Array(AddressText, { description: "Who may act for a Safe without signatures." }),
    guard: Nullable(AddressText),
    module_guard: Nullable(AddressText),
    fallback_handler: Nullable(AddressText),
    singleton: Nullable({ ...AddressText, description: "The code of a Safe." }),
    min_delay_seconds: Seconds("How long an operation of a timelock waits at least."),
    proposers: Nullable(
      Type.Array(AddressText, {
        description:
          "Who may schedule in a timelock. null until its own logs since its creation are read, which no view replaces.",
      }),
    ),
    version: Nullable(Type.String()),
  }),
);

const Attention = Nullable(
  Type.Array(
    named(
      "Attention",
      Type.Object({
        kind: Type.String({ description: "Category of the alert." }),
        severity: OneOf(["critical", "warning"]),
        since: Timestamp,
        text: Type.String(),
        link: Type.String({ description: "The alert in the console." }),
      }),
    ),
    {
      description:
        "What is wrong with the vault: its open critical and warning alerts, the worst and then the oldest first. null for callers without a role on it.",
    },
  ),
);

export const VaultRecordSchema = named(
  "Vault",
  Type.Object({
    ...publicFields,
    strategy_address: Nullable(AddressText),
    escrow_address: Nullable(AddressText),
    current_pps: Nullable(Quantity),
    pps_decimals: Type.Integer({ description: "Decimals of the price per share: those of the asset." }),
    last_pps_update_timestamp: Nullable(Timestamp),
    pps_expires_at: Nullable(
      Type.String({
        format: "date-time",
        description:
          "When the price expires or has expired; of one that the contract flagged, the time of the block that did; null for one that was never updated.",
      }),
    ),
    pps_would_expire_at: Nullable(
      Type.String({
        format: "date-time",
        description: "When the price would expire if only its last update counted.",
      }),
    ),
    pps_expiration_seconds: Seconds("Age at which the contract refuses to use the price."),
    max_staleness_seconds: Seconds("Age at which an update of the price is refused."),
    min_update_interval_seconds: Seconds("Minimum time between two updates."),
    hwm_pps: Nullable(Quantity),
    reported_pps: Nullable(
      Type.Object({ value: Quantity, at: Timestamp }, { description: "The engine's own calculation." }),
    ),
    is_paused_since: Nullable(Timestamp),
    emergency_exit: Type.Object({
      is_armed: Type.Boolean(),
      since: Nullable(Timestamp),
      by: Nullable(AddressText),
    }),
    total_assets: Nullable(Quantity),
    total_supply: Nullable(Quantity),
    escrowed_assets: Nullable(Quantity),
    free_assets: Nullable(Quantity),
    fee_config: Nullable(
      Type.Object({
        performance_fee_bps: Nullable(Type.Integer()),
        management_fee_bps: Nullable(Type.Integer()),
        recipient: Nullable(AddressText),
      }),
    ),
    managers: Type.Object({ primary: Nullable(AddressText), secondary: Type.Array(AddressText) }),
    controllers: Type.Array(ControllerSchema, {
      description:
        "Who holds the contract's roles, and which Safes and timelocks stand behind those, with no role of their own.",
    }),
    upkeep_info: Nullable(
      Type.Object({
        balance: Quantity,
        token: Nullable(AddressText),
        threshold: Type.Object({ required_balance: Nullable(Quantity), shortfall: Nullable(Quantity) }),
      }),
    ),
    activation: Nullable(
      Type.Object({
        is_active: Type.Boolean(),
        status: OneOf(["active", "insufficient_upkeep"]),
        reason: Nullable(Type.String()),
      }),
    ),
    merkle: Nullable(
      Type.Object({
        root: Type.String(),
        proposed_root: Nullable(Type.String()),
        effective_at: Nullable(Timestamp),
        is_vetoed: Type.Boolean(),
        is_global_root_vetoed: Nullable(
          Type.Boolean({
            description:
              "Whether the aggregator's own root, which every vault falls back on, is vetoed: the contract then refuses deposits. null where it was not read.",
          }),
        ),
      }),
    ),
    yield_sources: Type.Array(
      named(
        "YieldSource",
        Type.Object({
          address: AddressText,
          oracle: AddressText,
          added_at: Nullable(Timestamp),
          allocation_assets: Nullable(Quantity),
        }),
      ),
    ),
    contract_roles: Type.Array(
      named(
        "ContractRole",
        Type.Object({
          role: Type.String({ description: "In the family's own word, such as `curator`." }),
          account: AddressText,
          since: Nullable({
            ...Timestamp,
            description:
              "The last event that gave it, else the vault's beginning; null where neither is known.",
          }),
        }),
      ),
    ),
    implementation: Nullable({ ...AddressText, description: "The code of a proxy (EIP-1967)." }),
    allocations: Type.Array(AllocationSchema),
    liquidity: Nullable(
      Type.Object({
        idle_assets: Quantity,
        withdrawable_assets: Nullable({ ...Quantity, description: "What could be paid out at once." }),
        utilisation: Nullable(
          Type.Number({
            description: "1 − `withdrawable_assets` / `total_assets`; null where nobody is paid at once.",
          }),
        ),
      }),
    ),
    lost_assets: Nullable({
      ...Quantity,
      description: "Bad debt that the price of a share does not show; null for a family without it.",
    }),
    fees: Nullable(
      Type.Object({
        performance_fee: Nullable(ExactRate("Of the gains")),
        performance_fee_recipient: Nullable(AddressText),
        management_fee: Nullable(ExactRate("Of the assets in 365 days")),
        management_fee_recipient: Nullable(AddressText),
      }),
    ),
    nav: Nullable(
      Type.Object(
        {
          proposed_total_assets: Nullable(Quantity),
          proposed_at: Nullable(Timestamp),
          valid_until: Nullable(Timestamp),
          owed_assets: Nullable({
            ...Quantity,
            description:
              "What those who wait in the settlement are owed, at the proposed total assets, else at those that stand: all or none of them from `liquidity.idle_assets`. With less there it cannot be paid. null where nobody waits.",
          }),
        },
        { description: "Of a vault whose total assets somebody reports." },
      ),
    ),
    pending_changes: Type.Array(PendingChangeSchema),
    pending_redeems: Type.Object({ count: Type.Integer(), shares: Quantity }),
    as_of: Nullable(
      Type.Object(
        {
          block_number: Type.Integer(),
          block_hash: Type.String(),
          block_timestamp: Timestamp,
          confirmed: Type.Boolean(),
        },
        { description: "The block at which the state was read. null before the first reading." },
      ),
    ),
    role: Role,
    attention: Attention,
    remaining_staleness_time: Seconds(
      "Seconds until the price expires, counted at the moment of the answer; 0 when it is stale for any reason; null without a staleness rule.",
    ),
    is_pps_stale: Type.Boolean(),
    staleness_reason: StalenessReason,
  }),
);

export const VaultSummarySchema = named(
  "VaultSummary",
  Type.Object({
    ...identity,
    role: Role,
    name: Nullable(Type.String()),
    symbol: Nullable(Type.String()),
    is_paused: Nullable(Type.Boolean()),
    is_pps_stale: Type.Boolean(),
    staleness_reason: StalenessReason,
    remaining_staleness_time: Seconds("Seconds until the price expires; null without a staleness rule."),
    attention: Attention,
  }),
);

export const OwnVaultsSchema = named(
  "VaultList",
  Type.Object({
    vaults: Type.Array(Type.Union([VaultSummarySchema, VaultRecordSchema]), {
      description: "Short forms, or with `fields=state` whole records.",
    }),
  }),
);
