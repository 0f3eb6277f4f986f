// The events that an engine reports (CloudEvents 1.0): one schema a type. It validates what comes in, appears in OpenAPI and as a
// file in schemas/events/, and the SDK's types are generated from it; a test holds all of them current.
//
// `subject` is the vault id (`{chain_id}:{vault_address}`). Unknown members of `data` are refused: a misspelt field must not be
// lost in silence; null counts as left out (cloud-event.ts). Texts are capped, because an engine's error message may hold anything.
import { type Static, type TObject, Type } from "typebox";
import { AddressParam, ChainId, OneOf, QuantityParam, TimestampParam } from "../platform/http/schemas.ts";

/** One type of event. `subject` says whether it concerns a vault, may concern none, or must name one. */
export interface EventDefinition<T extends TObject = TObject> {
  title: string;
  description: string;
  subject: "vault" | "vault_or_none";
  data: T;
  example: Static<T>;
}

export const SERVICE_RUN_STATUSES = ["success", "failed", "skipped"] as const;
export const INTENT_STATES = [
  "RECEIVED",
  "ACKED",
  "STAGED",
  "PLANNED",
  "EXECUTING",
  "COMPLETED",
  "ABORTED",
  "EXPIRED",
  "FAILED",
  "CANCELED",
] as const;
export const EXECUTION_STATUSES = ["pending", "success", "failed", "skipped"] as const;
export const REPORTED_ACTIONS = [
  "emergency_exit_arm",
  "emergency_exit_stop",
  "session_key_grant",
  "session_key_rotate",
  "session_key_revoke",
] as const;

const Id = Type.String({ minLength: 1, maxLength: 200 });
const ServiceName = Type.String({
  pattern: "^[a-z][a-z0-9_]{0,63}$",
  description:
    "A name of lower-case letters, digits and underscores that begins with a letter, such as `fulfill_redeems`.",
});
const Text = (maxLength: number) => Type.String({ maxLength });
const TxHash = Type.String({
  pattern: "^0x[0-9a-fA-F]{64}$",
  description: "Transaction hash: `0x` and 64 hexadecimal digits.",
});
const Root = Type.String({
  pattern: "^0x[0-9a-fA-F]{64}$",
  description: "Merkle root: `0x` and 64 hexadecimal digits.",
});
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 });
const Json = Type.Record(Type.String({ maxLength: 200 }), Type.Unknown());

export const EVENT_TYPES = {
  "vaultops.service.run": define({
    title: "A run of a service finished",
    description: "`run_id` identifies the run; a run reported twice counts once.",
    subject: "vault_or_none",
    data: data({
      service: ServiceName,
      run_id: Id,
      status: OneOf(SERVICE_RUN_STATUSES),
      started_at: TimestampParam,
      finished_at: TimestampParam,
      schedule_seconds: Type.Optional(Seconds),
      error: Type.Optional(Text(4000)),
    }),
    example: {
      service: "fulfill_redeems",
      run_id: "run-000181",
      status: "success",
      started_at: "2026-05-09T10:00:00Z",
      finished_at: "2026-05-09T10:00:04.250Z",
      schedule_seconds: 60,
    },
  }),
  "vaultops.service.state": define({
    title: "Settings of a service",
    description: "Pausing and resuming become audit entries.",
    subject: "vault_or_none",
    data: data({
      service: ServiceName,
      is_enabled: Type.Optional(Type.Boolean()),
      is_paused: Type.Boolean(),
      paused_by: Type.Optional(AddressParam),
      reason: Type.Optional(Text(1000)),
      schedule_seconds: Type.Optional(Seconds),
      next_run: Type.Optional(TimestampParam),
      display_name: Type.Optional(Text(100)),
    }),
    example: {
      service: "fulfill_redeems",
      is_enabled: true,
      is_paused: true,
      paused_by: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      reason: "waiting for liquidity",
      schedule_seconds: 60,
    },
  }),
  "vaultops.intent.event": define({
    title: "An intent changed its state",
    description:
      "Ordered by `seq` within an intent. COMPLETED, ABORTED, EXPIRED, FAILED and CANCELED are terminal.",
    subject: "vault",
    data: data({
      intent_id: Id,
      seq: Count,
      state: OneOf(INTENT_STATES),
      execution_id: Type.Optional(Id),
      correlation_id: Type.Optional(Id),
      strategy_id: Type.Optional(Id),
      action: Type.Optional(Text(100)),
      error_code: Type.Optional(Text(100)),
      error_message: Type.Optional(Text(4000)),
      total_amount_in: Type.Optional(QuantityParam),
      total_amount_out: Type.Optional(QuantityParam),
      gas_used_total: Type.Optional(QuantityParam),
      tx_hash: Type.Optional(TxHash),
    }),
    example: {
      intent_id: "intent-7",
      seq: 2,
      state: "EXECUTING",
      strategy_id: "stables",
      action: "rebalance",
    },
  }),
  "vaultops.intent.fill": define({
    title: "An intent was filled, whole or in part, by a transaction",
    description:
      "The service looks the transaction up: `onchain` of the fill says what the chain knows of it.",
    subject: "vault",
    data: data({
      fill_id: Id,
      intent_id: Id,
      chain_id: ChainId,
      tx_hash: TxHash,
      token_in: AddressParam,
      token_out: AddressParam,
      amount_in: QuantityParam,
      amount_out: QuantityParam,
      gas_used: Type.Optional(QuantityParam),
      venue: Type.Optional(Text(100)),
      fill_time: TimestampParam,
    }),
    example: {
      fill_id: "fill-12",
      intent_id: "intent-7",
      chain_id: 8453,
      tx_hash: `0x${"ab".repeat(32)}`,
      token_in: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      token_out: "0x4200000000000000000000000000000000000006",
      amount_in: "1000000",
      amount_out: "280000000000000",
      gas_used: "184223",
      venue: "curve",
      fill_time: "2026-05-09T10:00:03Z",
    },
  }),
  "vaultops.shard.state": define({
    title: "State of the shard that runs a vault",
    description:
      "Replaces the state reported before. Stale when older than three ticks (90 s where `tick_interval` is 0).",
    subject: "vault",
    data: data({
      strategy_count: Count,
      active_intent_count: Count,
      tick_interval: Type.Number({ minimum: 0, maximum: 86_400, description: "Seconds." }),
      fields: Json,
      strategies: Type.Array(Json, { maxItems: 1000 }),
      allocations: Type.Array(Json, { maxItems: 1000 }),
      emergency_locks: Type.Array(
        data({
          strategy_id: Id,
          target_address: AddressParam,
          started_at: TimestampParam,
          reason: Text(1000),
        }),
        { maxItems: 1000 },
      ),
    }),
    example: {
      strategy_count: 1,
      active_intent_count: 2,
      tick_interval: 5,
      fields: { mode: "normal" },
      strategies: [{ strategy_id: "stables" }],
      allocations: [{ strategy_id: "stables", assets: "1000000" }],
      emergency_locks: [],
    },
  }),
  "vaultops.redemption.execution": define({
    title: "Redemptions of a vault were executed",
    description:
      "Joined with what is seen onchain: one transaction is one execution per vault, whichever is seen first.",
    subject: "vault",
    data: data({
      execution_id: Id,
      status: OneOf(EXECUTION_STATUSES),
      tx_hash: Type.Optional(TxHash),
      controllers_count: Count,
      total_shares_fulfilled: QuantityParam,
      total_assets_out: QuantityParam,
      pps_at_fulfillment: QuantityParam,
      created_at: TimestampParam,
    }),
    example: {
      execution_id: "exec-3",
      status: "success",
      tx_hash: `0x${"cd".repeat(32)}`,
      controllers_count: 2,
      total_shares_fulfilled: "500000",
      total_assets_out: "525000",
      pps_at_fulfillment: "1050000",
      created_at: "2026-05-09T10:00:00Z",
    },
  }),
  "vaultops.session_key.readiness": define({
    title: "Whether the vault's session key can be used",
    description: "Only the public address is ever reported.",
    subject: "vault",
    data: data({
      is_ready: Type.Boolean(),
      key_address: AddressParam,
      expires_at: TimestampParam,
      pending_rotation: Type.Boolean(),
      reason: Type.Optional(Text(1000)),
    }),
    example: {
      is_ready: true,
      key_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      expires_at: "2026-06-09T10:00:00Z",
      pending_rotation: false,
    },
  }),
  "vaultops.merkle.job": define({
    title: "A merkle root is being generated or published",
    description: "A job that ends, with success or failure, becomes one audit entry.",
    subject: "vault",
    data: data({
      job_id: Id,
      kind: OneOf(["generate", "publish"] as const),
      status: OneOf(["running", "success", "failed"] as const),
      root: Type.Optional(Root),
      error: Type.Optional(Text(4000)),
      actor_wallet: Type.Optional(AddressParam),
    }),
    example: { job_id: "merkle-9", kind: "publish", status: "success", root: `0x${"0f".repeat(32)}` },
  }),
  "vaultops.pps.report": define({
    title: "The engine's own calculation of the price per share",
    description: "Shown beside the onchain value as `reported_pps`.",
    subject: "vault",
    data: data({ value: QuantityParam, at: TimestampParam }),
    example: { value: "1050000", at: "2026-05-09T10:00:00Z" },
  }),
  "vaultops.action": define({
    title: "A manager's action that leaves no trace onchain",
    description: "Becomes an audit entry. No report can create an entry of a kind that comes from the chain.",
    subject: "vault",
    data: data({ action_type: OneOf(REPORTED_ACTIONS), actor_wallet: AddressParam, details: Json }),
    example: {
      action_type: "emergency_exit_arm",
      actor_wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      details: { reason: "depeg" },
    },
  }),
} as const;

export type EventType = keyof typeof EVENT_TYPES;
export type EventData<T extends EventType> = Static<(typeof EVENT_TYPES)[T]["data"]>;

function define<T extends TObject>(definition: EventDefinition<T>): EventDefinition<T> {
  return definition;
}

/** An object whose unknown members are refused. */
function data<T extends Parameters<typeof Type.Object>[0]>(properties: T) {
  return Type.Object(properties, { additionalProperties: false });
}
