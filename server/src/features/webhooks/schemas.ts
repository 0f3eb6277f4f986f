// Webhook endpoints and their deliveries as clients see them.
import { type Static, type TSchema, Type } from "typebox";
import { AlertCategorySchema } from "../../events/alert.ts";
import {
  AddressText,
  ChainId,
  ChainIdOrZero,
  Nullable,
  named,
  OneOf,
  Timestamp,
  TimestampParam,
  VaultIdParam,
} from "../../platform/http/schemas.ts";
import { EVENT_TYPE_NAMES } from "./payload.ts";
import { RETRY_SCHEDULES } from "./schedule.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "dead", "canceled"] as const;
const DeliveryStatus = named("DeliveryStatus", OneOf(DELIVERY_STATUSES));

export const EventTypeName = named("WebhookEventType", OneOf(EVENT_TYPE_NAMES));
const RetryScheduleName = named(
  "RetrySchedule",
  OneOf(RETRY_SCHEDULES, {
    description:
      "`standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.",
  }),
);

const settings = {
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: "Where events are posted: https, at a public address.",
    examples: ["https://hooks.example.org/vaultops"],
  }),
  event_types: orNull(
    Type.Array(EventTypeName, {
      minItems: 1,
      uniqueItems: true,
      description:
        "Types that are delivered; null: all, those added later included, but for `alert.dispatch`, which an endpoint must name.",
    }),
  ),
  categories: orNull(
    Type.Array(AlertCategorySchema, {
      minItems: 1,
      uniqueItems: true,
      description:
        "Categories of alerts of which `alert.…` events are delivered; null: all, those added later included.",
    }),
  ),
  vaults: orNull(
    Type.Array(VaultIdParam, {
      minItems: 1,
      maxItems: 1000,
      description: "Vaults whose events are delivered; null: every vault that you manage at the time.",
    }),
  ),
  is_enabled: Type.Boolean(),
  description: Type.String({ maxLength: 500 }),
  retry_schedule: RetryScheduleName,
  rate_limit: orNull(
    Type.Integer({ minimum: 1, maximum: 1000, description: "Sends a second at most; null: no limit." }),
  ),
};

/** Of what a client sends. A union of schemas would say of a fault no more than that nothing fits. */
function orNull<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [(schema as { type?: string }).type, "null"] });
}

/** A new endpoint: all but the URL may be left out. */
export const NewEndpoint = named(
  "NewWebhook",
  Type.Object(
    {
      url: settings.url,
      event_types: Type.Optional(settings.event_types),
      categories: Type.Optional(settings.categories),
      vaults: Type.Optional(settings.vaults),
      is_enabled: Type.Optional(settings.is_enabled),
      description: Type.Optional(settings.description),
      retry_schedule: Type.Optional(settings.retry_schedule),
      rate_limit: Type.Optional(settings.rate_limit),
    },
    { additionalProperties: false },
  ),
);

/** What is to change of an endpoint. */
export const EndpointChange = named(
  "WebhookChanges",
  Type.Partial(Type.Object(settings), { additionalProperties: false }),
);
export type EndpointChange = Static<typeof EndpointChange>;

export const Endpoint = named(
  "Webhook",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    url: Type.String(),
    event_types: Type.Array(EventTypeName),
    is_all_event_types: Type.Boolean({
      description: "All types but `alert.dispatch` are delivered, those added later included.",
    }),
    categories: Type.Array(AlertCategorySchema),
    is_all_categories: Type.Boolean({
      description: "Alerts of all categories are delivered, those added later included.",
    }),
    vaults: Type.Array(Type.String(), {
      description: "Vault ids. Events of a vault that you no longer manage are not delivered.",
    }),
    is_all_vaults: Type.Boolean({
      description: "Every vault that you manage and have accepted, those gained later included.",
    }),
    is_enabled: Type.Boolean(),
    disabled_reason: Nullable(
      OneOf(["gone", "failing"], {
        description:
          "Why the service disabled it: it answered 410 (`gone`), or nothing but failures for 5 days (`failing`).",
      }),
    ),
    disabled_at: Nullable(Timestamp),
    description: Type.String(),
    retry_schedule: RetryScheduleName,
    rate_limit: Nullable(Type.Integer()),
    old_secrets_valid_until: Type.Array(Timestamp, {
      description: "Until when each secret that was rotated out still signs.",
    }),
    secret_error: Nullable(
      Type.String({
        description: "What is wrong with its secrets and what to do about it; null when nothing is wrong.",
      }),
    ),
    last_delivery: Nullable(
      Type.Object({ status: DeliveryStatus, at: Timestamp, error: Nullable(Type.String()) }),
    ),
    created_by: AddressText,
    limited_to_chain_id: Type.Unsafe<number | null>({
      ...Nullable(ChainId),
      description:
        "The only chain whose events it gets: it was created by a contract wallet, whose signature counts on that chain alone. Null: every chain.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

export const Secret = Type.String({
  description: "Verifies deliveries (Standard Webhooks). Shown only once.",
  examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
});

export const CreatedEndpoint = named(
  "CreatedWebhook",
  Type.Object({ ...Endpoint.properties, secret: Secret }),
);

export const DeliveryRequest = named(
  "WebhookRequest",
  Type.Object(
    {
      method: Type.Literal("POST"),
      headers: Type.Record(Type.String(), Type.String(), {
        description:
          "Without `webhook-timestamp`, which is the attempt's `at` in Unix seconds, and `webhook-signature`, both created for each attempt.",
      }),
      body: Type.String({ description: "The bytes that are signed and sent, the same every time, as text." }),
    },
    { description: "What every attempt sends." },
  ),
);

export const Delivery = named(
  "WebhookDelivery",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    event_id: Type.String({ description: "The `webhook-id` of every attempt and replay." }),
    event_type: EventTypeName,
    chain_id: ChainIdOrZero,
    vault_address: AddressText,
    status: { ...DeliveryStatus, description: "`failed` will be retried; `dead` will not." },
    created_at: Timestamp,
    next_attempt_at: Nullable(Timestamp),
    request: DeliveryRequest,
    attempts: Type.Array(
      named(
        "WebhookDeliveryAttempt",
        Type.Object({
          number: Type.Integer(),
          at: Timestamp,
          status_code: Nullable(Type.Integer()),
          error: Nullable(Type.String()),
          duration_ms: Nullable(Type.Integer()),
          response_excerpt: Nullable(Type.String({ description: "1 KiB at most." })),
        }),
      ),
    ),
  }),
);

export const ReplayRequest = named(
  "WebhookReplayRequest",
  Type.Object(
    {
      from: TimestampParam,
      to: TimestampParam,
      status: Type.Optional(
        OneOf(["delivered", "dead", "canceled"], { description: "Of which deliveries; `dead` by default." }),
      ),
    },
    { additionalProperties: false, "x-period": ["from", "to"] },
  ),
);
