// The shapes of the channels' routes.
import { Type } from "typebox";
import { AlertCategorySchema, AlertSeveritySchema } from "../../../events/alert.ts";
import { ALERT_CATEGORIES, type AlertCategory } from "../../../monitors/categories.ts";
import {
  AddressParam,
  AddressText,
  ChainId,
  ChainIdOrZero,
  Nullable,
  named,
  OneOf,
  strictBody,
  Timestamp,
} from "../../../platform/http/schemas.ts";
import { PROVIDER_NAMES } from "../providers/registry.ts";

const STATUSES = ["pending", "delivered", "failed", "dead", "canceled"] as const;
const DeliveryStatus = named("DeliveryStatus", OneOf(STATUSES));
const ProviderName = named("ProviderName", OneOf(PROVIDER_NAMES));

const channel = {
  id: Type.String({ format: "uuid" }),
  provider: ProviderName,
  name: Type.String(),
  config: Type.Record(Type.String(), Type.String(), {
    description:
      "As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.",
  }),
  created_by: AddressText,
  created_at: Timestamp,
  updated_at: Timestamp,
  is_enabled: Type.Boolean(),
  disabled_reason: Nullable(
    Type.String({ description: "Why the service disabled it, such as a provider's 404." }),
  ),
  interactive: Type.Boolean({
    description: "Whether its messages have buttons, by which linked users acknowledge and silence.",
  }),
  inbound_url: Nullable(
    Type.String({
      description:
        "Where the provider sends what is pressed: for Slack the Request URL of the app's interactivity; a Telegram bot's webhook is set by the service.",
    }),
  ),
  unconfirmed_addresses: Type.Array(Type.String(), {
    description: "Mail addresses that receive nothing until they confirm with the link they were sent.",
  }),
  failed_confirmations: Type.Array(
    Type.Object({
      address: Type.String(),
      status: OneOf(["failed", "dead"]),
      at: Timestamp,
      error: Type.String(),
    }),
    {
      description:
        "Unconfirmed addresses to which the last mail with the link did not go out, and why. `failed`: tried again; `dead`: not, until it is asked for again (`POST …/confirmations`).",
    },
  ),
  last_delivery: Nullable(
    Type.Object({
      status: DeliveryStatus,
      at: Timestamp,
      error: Nullable(Type.String()),
    }),
  ),
};

export const ChannelSchema = named(
  "Channel",
  Type.Object({
    ...channel,
    can_manage: Type.Boolean({
      description: "Whether you may change and delete it, and not only see and test it.",
    }),
  }),
);

export const BoundChannelSchema = named(
  "BoundChannel",
  Type.Object({
    ...channel,
    categories: Type.Array(AlertCategorySchema),
    is_all_categories: Type.Boolean({ description: "All categories, those added later included." }),
    min_severity: AlertSeveritySchema,
    escalate_after_seconds: Nullable(
      Type.Integer({
        description: "Told only of what nobody took for so long; null: of everything, at once.",
      }),
    ),
    bound_by: AddressText,
    bound_at: Timestamp,
    needs_confirmation: Type.Boolean({
      description:
        "Whoever bound it no longer manages the vault. Alerts still go there; a manager can confirm the binding by binding it again, or unbind it.",
    }),
  }),
);

export const ProviderSchema = named(
  "ChannelProvider",
  Type.Object({
    provider: ProviderName,
    title: Type.String(),
    config_schema: Type.Unsafe<object>({
      type: "object",
      additionalProperties: true,
      description: "JSON Schema of a channel's `config`.",
    }),
    secrets: Type.Array(Type.String(), {
      description: "Members of `config` that are stored encrypted and shown masked.",
    }),
  }),
);

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  // White space, then what is neither that nor a control character: each text matches in one way, so the time is linear.
  pattern: "^[^\\p{Cc}\\S]*[^\\p{Cc}\\s][^\\p{Cc}]*$",
  description: "What people call it: one line that is not blank, without control characters.",
});

const config = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: "object", maxProperties: 20, description });

const interactive = Type.Boolean({
  description:
    "For Slack (with `team_id`, `channel_id` and `signing_secret`) and Telegram (with a numeric `chat_id`; sets the bot's webhook, 409 where it has another): messages get buttons that linked users answer with (`/api/v1/me/links`).",
});

export const NewChannelBody = named(
  "NewChannel",
  strictBody({
    provider: ProviderName,
    name,
    config: config("As the provider's `config_schema` says (`GET /api/v1/notification-channels/providers`)."),
    interactive: Type.Optional({ ...interactive, default: false }),
  }),
);

export const ChannelChangesBody = named(
  "ChannelChanges",
  strictBody({
    name: Type.Optional(name),
    config: Type.Optional(
      config(
        "Members to change. Members left out stay, null removes one, and a secret sent back as it was shown stays as it is. A member that decides where the secrets are sent (any but those marked `x-keeps-destination` or `x-signs-only` in the provider's `config_schema`) changes only together with the secrets, in full; else 400 `secret_required`.",
      ),
    ),
    interactive: Type.Optional(interactive),
    is_enabled: Type.Optional(
      Type.Boolean({ description: "What is pending for a channel is canceled when it is disabled." }),
    ),
  }),
);

export const ChannelPath = Type.Object({ id: Type.String({ format: "uuid" }) });

export const BindingPath = Type.Object({
  chain_id: ChainId,
  vault_address: AddressParam,
  channel_id: Type.String({ format: "uuid" }),
});

const wish = {
  categories: Type.Optional(
    Type.Unsafe<AlertCategory[] | null>({
      ...Type.Array(AlertCategorySchema, {
        minItems: 1,
        maxItems: ALERT_CATEGORIES.length,
        uniqueItems: true,
        description: "null, the default of a new binding: all, those added later included.",
      }),
      type: ["array", "null"],
    }),
  ),
  min_severity: Type.Optional({ ...AlertSeveritySchema, description: "Default: `info`, which is all." }),
  escalate_after_seconds: Type.Optional(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 60,
      maximum: 604_800,
      description:
        "The channel is told of an alert only once that fires, unacknowledged and unsilenced, for so long. null, the default: at once.",
    }),
  ),
};

export const BindingBody = named("BindingChanges", strictBody(wish));
export const NewBindingBody = named(
  "NewBinding",
  strictBody({ channel_id: Type.String({ format: "uuid" }), ...wish }),
);

export const TestResult = named(
  "ChannelTest",
  Type.Object({
    delivery_id: Type.String({ format: "uuid" }),
    status: OneOf(["delivered", "failed"]),
    status_code: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    response_excerpt: Nullable(Type.String()),
  }),
);

export const DeliveryListSchema = named(
  "ChannelDeliveryPage",
  Type.Object({
    deliveries: Type.Array(
      named(
        "ChannelDelivery",
        Type.Object({
          id: Type.String({ format: "uuid" }),
          event_id: Nullable(Type.String()),
          event_type: Type.String(),
          chain_id: ChainIdOrZero,
          vault_address: AddressText,
          status: DeliveryStatus,
          created_at: Timestamp,
          next_attempt_at: Nullable(Timestamp),
          attempts: Type.Array(
            named(
              "DeliveryAttempt",
              Type.Object({
                number: Type.Integer(),
                at: Timestamp,
                status_code: Nullable(Type.Integer()),
                error: Nullable(Type.String()),
                duration_ms: Nullable(Type.Integer()),
                response_excerpt: Nullable(Type.String()),
              }),
            ),
          ),
        }),
      ),
    ),
    total: Type.Integer(),
    has_more: Type.Boolean(),
  }),
);
