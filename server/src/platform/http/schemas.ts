// The schemas that routes are written with: what a client sends, normalised, and what the service answers.
//
// The `x-…` keywords are the service's own (http/validate.ts): they read a text in any accepted form, put the one canonical form
// in its place before the handler sees it, and fail with a code of their own. In openapi.json they appear as a pattern.
import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Address } from "viem";

/**
 * The same schema under a name in the description, where it stands once (pages/components.ts): one word in PascalCase, in the whole API.
 * The SDK's types have the same names. It changes nothing of what is checked or answered.
 */
export function named<T extends TSchema>(name: string, schema: T): T {
  return { ...schema, title: name };
}

/** A part of such a name from a word of the API: `pps.stale` → `PpsStale`. */
export function pascalCase(word: string): string {
  return word
    .split(/[._]/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
}

/** A chain's identifier (EIP-155): 1 to 2^53 − 1. */
export const ChainId = named(
  "ChainId",
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Chain identifier (EIP-155).",
    examples: [8453],
  }),
);

/** Like ChainId, and 0, which the audit log uses for what concerns no chain. */
export const ChainIdOrZero = named(
  "ChainIdOrZero",
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Chain identifier (EIP-155); 0 for what concerns no vault.",
    examples: [8453],
  }),
);

/** An address from a client, any case in; the handler sees it checksummed. 400 `invalid_address`. */
export const AddressParam = named(
  "AddressInput",
  Type.Unsafe<Address>({
    type: "string",
    "x-address": true,
    description: "Address in any case; in mixed case its EIP-55 checksum must be right.",
    examples: ["0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698"],
  }),
);

/** An address in an answer: always checksummed. */
export const AddressText = named(
  "Address",
  Type.Unsafe<Address>({
    type: "string",
    description: "Address, EIP-55 checksummed.",
    examples: ["0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698"],
  }),
);

/** A vault id from a client, `{chain_id}:{address}`; the handler sees the address checksummed. 400 `invalid_vault_id`. */
export const VaultIdParam = named(
  "VaultIdInput",
  Type.Unsafe<string>({
    type: "string",
    "x-vault-id": true,
    description: "Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.",
    examples: ["8453:0x10AC0b33e1C4501CF3ec1cB1AE51ebfdbd2d4698"],
  }),
);

/** A time from a client; the handler sees `2026-05-09T10:00:00.123456Z`. 400 `invalid_timestamp`. */
export const TimestampParam = named(
  "TimestampInput",
  Type.Unsafe<string>({
    type: "string",
    "x-timestamp": true,
    description:
      "ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.",
    examples: ["2026-05-09T10:00:00Z"],
  }),
);

/** A time in an answer: RFC 3339 UTC, six fractional digits. */
export const Timestamp = named(
  "Timestamp",
  Type.Unsafe<string>({
    type: "string",
    description: "RFC 3339 UTC with six fractional digits.",
    examples: ["2026-05-09T10:00:00.123456Z"],
  }),
);

/** An onchain integer in an answer: a decimal string in raw units. */
export const Quantity = named(
  "Quantity",
  Type.Unsafe<string>({
    type: "string",
    description: "Onchain integer in raw units, as a decimal string.",
    examples: ["1000000"],
  }),
);

/** An onchain integer from a client: a decimal string of an unsigned 256-bit number. */
export const QuantityParam = named(
  "QuantityInput",
  Type.String({
    pattern: "^(0|[1-9][0-9]{0,77})$",
    description: "Onchain integer in raw units, as a decimal string.",
    examples: ["1000000"],
  }),
);

/** The same or null. In an answer a value that is not known is null, never 0. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One of a fixed list of words. */
export function OneOf<const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: T[number] } = {},
) {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });
}

/** A query parameter that may be given several times or comma-separated; the handler sees an array. */
export function ListParam<T extends TSchema>(
  items: T,
  options: { description?: string; maxItems?: number } = {},
) {
  return Type.Array(items, { minItems: 1, maxItems: 100, ...options });
}

/**
 * The query parameters of a route. Unknown, repeated and empty ones are refused by name (400 `invalid_request`).
 * `period` names a lower and an upper time bound: from later than to is 400 `invalid_timestamp`.
 */
export function strictQuery<T extends TProperties>(
  properties: T,
  options: { period?: readonly [keyof T & string, keyof T & string] } = {},
): TObject<T> {
  const period = options.period === undefined ? {} : { "x-period": options.period };
  return Type.Object(properties, { additionalProperties: false, ...period });
}

/** The body of a request: members that are not named are refused. */
export function strictBody<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false });
}

/** The path of a vault where its last part is named `vault_address`. */
export const VaultAddressPath = Type.Object({ chain_id: ChainId, vault_address: AddressParam });
/** The path of a vault where its last part is named `address`. */
export const AddressPath = Type.Object({ chain_id: ChainId, address: AddressParam });
/** The path of a vault where its last part is named `vault`. */
export const VaultPath = Type.Object({ chain_id: ChainId, vault: AddressParam });
/** The path of a vault by its id. */
export const VaultIdPath = Type.Object({ vault_id: VaultIdParam });
