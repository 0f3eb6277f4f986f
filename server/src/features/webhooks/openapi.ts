// What webhooks get, described where clients look: the `webhooks` section of the API's description, one entry for each event type.
import { Type } from "typebox";
import { EVENT_TYPES, type EventDefinition, type WebhookEventType } from "../../events/types.ts";
import { AddressText, ChainIdOrZero, named, pascalCase, Timestamp } from "../../platform/http/schemas.ts";

const EXAMPLE_ID = "evt_0196b0a5-9d00-4000-8000-000000000003";
const EXAMPLE_VAULT = "0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698";
const NO_VAULT = "0x0000000000000000000000000000000000000000";

/** The whole payload of a type. */
export function payloadSchema(type: WebhookEventType) {
  const { data } = EVENT_TYPES[type] as EventDefinition;
  return named(
    `${pascalCase(type)}Event`,
    Type.Object({
      event_id: Type.String({
        pattern: "^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        description: "The same through every retry and replay.",
      }),
      event_type: Type.Literal(type),
      timestamp: Timestamp,
      vault_address: AddressText,
      chain_id: ChainIdOrZero,
      data,
    }),
  );
}

export function payloadExample(type: WebhookEventType): Record<string, unknown> {
  const isOfVault = type !== "webhook.test";
  return {
    event_id: EXAMPLE_ID,
    event_type: type,
    timestamp: "2026-05-09T10:00:00.000000Z",
    vault_address: isOfVault ? EXAMPLE_VAULT : NO_VAULT,
    chain_id: isOfVault ? 8453 : 0,
    data: (EVENT_TYPES[type] as EventDefinition).example,
  };
}

/** Path items by event type, as OpenAPI 3.1 has them. */
export function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(
    (Object.keys(EVENT_TYPES) as WebhookEventType[]).map((type) => [type, { post: operationOf(type) }]),
  );
}

function operationOf(type: WebhookEventType): object {
  const { title, description } = EVENT_TYPES[type] as EventDefinition;
  return {
    operationId: `on${pascalCase(type)}`,
    tags: ["Webhooks"],
    summary: title,
    description: `${description}\n\nVerify the signature over the raw bytes of the body before you read it.`,
    security: [],
    parameters: [
      header("webhook-id", "The event's id."),
      header("webhook-timestamp", "When this attempt was made, in Unix seconds."),
      header(
        "webhook-signature",
        "`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; while a secret rotates several, separated by a space (Standard Webhooks 1.0).",
      ),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: payloadSchema(type), example: payloadExample(type) },
      },
    },
    responses: {
      "2XX": { description: "Accepted, if answered within 15 s." },
      "410": { description: "Disables the endpoint." },
      default: { description: "Tried again by the endpoint's schedule, no sooner than `Retry-After`." },
    },
  };
}

function header(name: string, description: string): object {
  return { in: "header", name, required: true, description, schema: { type: "string" } };
}
