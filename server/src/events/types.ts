// Events: what happened, in the service's own words, each type with the shape of its data. The schemas make the types, are published
// in OpenAPI's `webhooks` section, and the examples there are held to them by a test.
//
// Public types are delivered to webhooks under these names; internal ones only pass between features.
import { type Static, type TSchema, Type } from "typebox";
import type { Address } from "viem";
import { AddressText, Nullable, named, OneOf, Quantity, Timestamp } from "../platform/http/schemas.ts";
import { type Alert, AlertSchema, EXAMPLE_ALERT } from "./alert.ts";

export interface EventDefinition<T extends TSchema = TSchema> {
  title: string;
  description: string;
  data: T;
  example: Static<T>;
}

const EXAMPLE_ADDRESS = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698" as Address;
const EXAMPLE_HASH = `0x${"5e".repeat(32)}`;
const Hash = Type.String({ pattern: "^0x[0-9a-f]{64}$", examples: [EXAMPLE_HASH] });

/** Where an onchain event stands; `tx_hash` and `log_index` together name the log. */
const onchain = {
  block_number: Type.Integer({ minimum: 0 }),
  block_hash: Hash,
  tx_hash: Hash,
  log_index: Type.Integer({ minimum: 0 }),
};
const exampleOnchain = {
  block_number: 29_734_412,
  block_hash: EXAMPLE_HASH,
  tx_hash: `0x${"a7".repeat(32)}`,
  log_index: 12,
};

const Account = Nullable(AddressText);
const service = {
  service: Type.String(),
  status: OneOf(["healthy", "warning", "critical", "paused", "unknown"]),
  success_rate: Nullable(Type.Number()),
  last_run: Nullable(Timestamp),
  last_error: Nullable(Type.String()),
};
const exampleService = {
  service: "fulfill_redeems",
  success_rate: 0.92,
  last_run: "2026-05-09T10:00:00.000000Z",
  last_error: "execution reverted",
};
const reported = {
  actor_wallet: AddressText,
  source: Type.String({ description: "The engine that reported it." }),
  details: Type.Record(Type.String(), Type.Unknown(), { description: "As the engine reported them." }),
};
const exampleReported = { actor_wallet: EXAMPLE_ADDRESS, source: "/engine/main", details: {} };
const pauseExample = { account: EXAMPLE_ADDRESS, ...exampleOnchain };

/** Prepared for whoever holds `from`. */
const HandedCall = named(
  "AlertDispatchCall",
  Type.Object({
    action: Type.String({ description: "The action that it belongs to." }),
    from: AddressText,
    to: AddressText,
    value: Quantity,
    data: Type.String({ pattern: "^0x([0-9a-f]{2})*$" }),
    function: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown()),
    simulation: Type.Object(
      {
        method: OneOf(["eth_simulateV1", "eth_call"]),
        block_number: Type.Integer({ minimum: 0 }),
        block_hash: Hash,
        ok: Type.Literal(true),
      },
      { description: "On top of which block it was seen to succeed." },
    ),
    valid_until: Timestamp,
  }),
);

/** The types that webhooks can subscribe to, in the order of the documentation. */
export const EVENT_TYPES = {
  "pps.stale": define({
    title: "Price per share is stale or about to be",
    description:
      "Its remaining time has fallen below a threshold of the vault's alert rules, or it is stale. The members say what the vault's record says.",
    data: Type.Object({
      remaining_seconds: Type.Integer({ description: "Until it expires; 0 when it is stale." }),
      last_update: Nullable(Timestamp),
      is_stale: Type.Boolean(),
      staleness_reason: Nullable(
        OneOf(["expired", "flagged", "never_updated"], {
          description: "Why it is stale; null while it is not.",
        }),
      ),
      pps_expires_at: Nullable(Timestamp),
      pps_would_expire_at: Nullable(Timestamp),
    }),
    example: {
      remaining_seconds: 540,
      last_update: "2026-05-09T09:09:00.000000Z",
      is_stale: false,
      staleness_reason: null,
      pps_expires_at: "2026-05-09T10:09:00.000000Z",
      pps_would_expire_at: "2026-05-09T10:09:00.000000Z",
    },
  }),
  "pps.updated": define({
    title: "New price per share onchain",
    description: "`old_pps` and `fee_amount` are null where the update's event does not name them.",
    data: Type.Object({
      pps: Quantity,
      old_pps: Nullable(Quantity),
      fee_amount: Nullable(Quantity),
      pps_timestamp: Type.String({ description: "The time stated in the update, RFC 3339 UTC." }),
      ...onchain,
    }),
    example: {
      pps: "1034211907",
      old_pps: null,
      fee_amount: null,
      pps_timestamp: "2026-05-09T10:00:00.000000Z",
      ...exampleOnchain,
    },
  }),
  "vault.paused": define({
    title: "Vault paused onchain",
    description: "`account` is who paused it, where the contract says.",
    data: Type.Object({ account: Account, ...onchain }),
    example: pauseExample,
  }),
  "vault.unpaused": define({
    title: "Vault unpaused onchain",
    description: "`account` is who unpaused it, where the contract says.",
    data: Type.Object({ account: Account, ...onchain }),
    example: pauseExample,
  }),
  "service.degraded": define({
    title: "Success rate of a service below its threshold",
    description:
      "Sent when the rate falls below the warning or the critical threshold of the vault's alert rules, and for nothing else.",
    data: Type.Object(service),
    example: { ...exampleService, status: "warning" },
  }),
  "service.late": define({
    title: "Service is late",
    description:
      "The service has not run for two of its schedules, not counting time in which this service could not receive reports.",
    data: Type.Object(service),
    example: { ...exampleService, success_rate: 1, status: "warning", last_error: null },
  }),
  "service.down": define({
    title: "Service stopped responding",
    description: "The service has not run for three of its schedules, counted like `service.late`.",
    data: Type.Object(service),
    example: { ...exampleService, status: "critical", last_error: null },
  }),
  "merkle.synced": define({
    title: "New merkle root confirmed onchain",
    description: "The root of the hooks that the vault's strategy may call.",
    data: Type.Object({ root: Hash, old_root: Hash, ...onchain }),
    example: { root: EXAMPLE_HASH, old_root: `0x${"00".repeat(32)}`, ...exampleOnchain },
  }),
  "yield_source.added": define({
    title: "Yield source whitelisted",
    description: "With the oracle that prices it.",
    data: Type.Object({ yield_source: AddressText, oracle: AddressText, ...onchain }),
    example: { yield_source: EXAMPLE_ADDRESS, oracle: EXAMPLE_ADDRESS, ...exampleOnchain },
  }),
  "yield_source.removed": define({
    title: "Yield source removed",
    description: "It is no longer whitelisted.",
    data: Type.Object({ yield_source: AddressText, ...onchain }),
    example: { yield_source: EXAMPLE_ADDRESS, ...exampleOnchain },
  }),
  "redemption.fulfilled": define({
    title: "Redemption requests fulfilled",
    description: "One event for each batch that the contract fulfilled.",
    data: Type.Object({
      controllers: Type.Array(AddressText),
      processed_shares: Quantity,
      pps: Quantity,
      ...onchain,
    }),
    example: {
      controllers: [EXAMPLE_ADDRESS],
      processed_shares: "25000000000000000000",
      pps: "1034211907",
      ...exampleOnchain,
    },
  }),
  "deposit.fulfilled": define({
    title: "Deposit executed",
    description: "Assets were deposited and shares were minted for them.",
    data: Type.Object({
      sender: AddressText,
      owner: AddressText,
      assets: Quantity,
      shares: Quantity,
      ...onchain,
    }),
    example: {
      sender: EXAMPLE_ADDRESS,
      owner: EXAMPLE_ADDRESS,
      assets: "2500000000",
      shares: "2417300000000000000000",
      ...exampleOnchain,
    },
  }),
  "alert.firing": define({
    title: "Alert opened",
    description: "`data` is the alert as `GET /api/v1/alerts` shows it.",
    data: AlertSchema,
    example: EXAMPLE_ALERT,
  }),
  "alert.resolved": define({
    title: "Alert resolved",
    description: "`data` is the alert as `GET /api/v1/alerts` shows it; its `id` is that of the firing.",
    data: AlertSchema,
    example: { ...EXAMPLE_ALERT, status: "resolved", resolved_at: "2026-05-09T10:20:00.000000Z" },
  }),
  "alert.dispatch": define({
    title: "Critical alert for bots to act on",
    description:
      "Once for each firing, when it is critical, confirmed and unsilenced. Only for endpoints that name this type in `event_types`. `calls` are those of the actions that the vault's rules name for the category (`dispatch` of its alert rules), else `[]`; act on none of a block that `as_of` does not know.",
    data: Type.Object({
      alert: AlertSchema,
      as_of: Nullable(
        Type.Object(
          {
            block_number: Type.Integer(),
            block_hash: Hash,
            block_timestamp: Timestamp,
            confirmed: Type.Boolean(),
          },
          { description: "The block at which the vault's state was last read." },
        ),
      ),
      calls: Type.Array(HandedCall, {
        description:
          "To be sent in their order, each from its `from`. They were prepared and seen to succeed right before the event went out, and retries bear the same: after `valid_until`, ten minutes later, look at the alert and the vault, and prepare anew.",
      }),
      unprepared: Type.Array(Type.Object({ action: Type.String(), reason: Type.String() }), {
        description: "Actions that the rules name and of which there are no calls now, with the reason.",
      }),
    }),
    example: {
      alert: EXAMPLE_ALERT,
      as_of: {
        block_number: exampleOnchain.block_number,
        block_hash: EXAMPLE_HASH,
        block_timestamp: "2026-05-09T09:59:58.000000Z",
        confirmed: true,
      },
      calls: [
        {
          action: "pause",
          from: EXAMPLE_ADDRESS,
          to: EXAMPLE_ADDRESS,
          value: "0",
          data: "0x8456cb59",
          function: "pause",
          arguments: {},
          simulation: {
            method: "eth_simulateV1",
            block_number: exampleOnchain.block_number,
            block_hash: EXAMPLE_HASH,
            ok: true,
          },
          valid_until: "2026-05-09T10:10:03.000000Z",
        },
      ],
      unprepared: [],
    },
  }),
  "emergency_exit.armed": define({
    title: "Emergency liquidity exit armed",
    description: "Reported by the engine.",
    data: Type.Object(reported),
    example: exampleReported,
  }),
  "emergency_exit.stopped": define({
    title: "Emergency liquidity exit stopped",
    description: "Reported by the engine.",
    data: Type.Object(reported),
    example: exampleReported,
  }),
  "webhook.test": define({
    title: "Test of a webhook endpoint",
    description: "Sent when its owner asks for it; concerns no vault.",
    data: Type.Object({ webhook_id: Type.String({ format: "uuid" }), message: Type.String() }),
    example: {
      webhook_id: "0196b0a5-9d00-7000-8000-000000000001",
      message: "This is a test of your webhook endpoint.",
    },
  }),
} as const satisfies Record<string, EventDefinition>;

export type WebhookEventType = keyof typeof EVENT_TYPES;

/** What bots get of an alert. */
export type AlertDispatch = Static<(typeof EVENT_TYPES)["alert.dispatch"]["data"]>;

/** Data of internal events, which no webhook gets. */
interface InternalData {
  /** A firing alert rose in severity, or is told again because nobody has acknowledged it. */
  "alert.updated": Alert;
  /** The block that an alert stood on is gone. */
  "alert.withdrawn": Alert;
  /** Somebody silenced an alert's category on its vault from a chat; title and message say so. */
  "alert.silenced": Alert;
  /** Somebody acknowledged an alert. */
  "alert.acknowledged": { id: string };
  /** A delivery was given up. `last_error` says why the last attempt failed. */
  "delivery.dead": DeliveryEvent & { event_type: string; last_error: string };
  /** Something was delivered again to a target that had failed. Concerns no vault. */
  "delivery.recovered": DeliveryEvent;
  /** A webhook endpoint was disabled by the service. Told once for each vault that it delivered. */
  "webhook.disabled": { webhook_id: string; reason: string };
}

interface DeliveryEvent {
  queue: "channel" | "webhook";
  /** The channel's or webhook endpoint's id. */
  target_id: string;
}

const INTERNAL_TYPES: Readonly<Record<keyof InternalData, true>> = {
  "alert.updated": true,
  "alert.withdrawn": true,
  "alert.silenced": true,
  "alert.acknowledged": true,
  "delivery.dead": true,
  "delivery.recovered": true,
  "webhook.disabled": true,
};

/** What this release knows. Events of other types are another release's, and are left to it. */
export const KNOWN_TYPES: readonly string[] = [...Object.keys(EVENT_TYPES), ...Object.keys(INTERNAL_TYPES)];

type EventDataOf = { [T in WebhookEventType]: Static<(typeof EVENT_TYPES)[T]["data"]> } & InternalData;

export type EventType = keyof EventDataOf;
export type EventData<T extends EventType> = EventDataOf[T];

/** What happened, as it is emitted. `chainId` 0 and the zero address: it concerns no vault. */
export type DomainEvent = {
  [T in EventType]: {
    type: T;
    chainId: number;
    vaultAddress: Address;
    /** RFC 3339 with six fractional digits: when it happened. */
    at: string;
    data: EventData<T>;
  };
}[EventType];

/** An event with its place on the spine, as subscribers get it. */
export type PublishedEvent = DomainEvent & {
  /** Without the `evt_` that the public form bears. */
  id: string;
  seq: number;
};

function define<T extends TSchema>(definition: EventDefinition<T>): EventDefinition<T> {
  return definition;
}
