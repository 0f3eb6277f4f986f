// The shapes of the audit log's API: the entry, the list, and the query parameters that all readers share.
import { CSV_HEADER, ORIGINS } from "@vaultops/proof";
import { type TSchema, Type } from "typebox";
import { limitParam } from "../../platform/http/paging.ts";
import {
  AddressParam,
  AddressText,
  ChainIdOrZero,
  ListParam,
  Nullable,
  named,
  OneOf,
  pascalCase,
  Timestamp,
  TimestampParam,
} from "../../platform/http/schemas.ts";
import { ACTION_TYPES, DETAILS, PLACE } from "../entries/details.ts";

const ActionType = named("ActionType", OneOf(ACTION_TYPES));

/** The details of each action, by `action_type`. One that a newer release writes is none of them. */
const byAction = ACTION_TYPES.map((action) =>
  named(
    `AuditEntry${pascalCase(action)}`,
    Type.Object({ action_type: Type.Literal(action), details: onchainOf(action) }),
  ),
);

function onchainOf(action: (typeof ACTION_TYPES)[number]): TSchema {
  const place = ORIGINS[action] === "chain" ? Type.Object(PLACE) : Type.Object({});
  return asRead(DETAILS[action], place);
}

/** The members of an object besides. What older entries lack is not required of what is read. */
function asRead(schema: TSchema, place: TSchema): TSchema {
  const { anyOf, ...own } = schema as ObjectSchema & { anyOf?: TSchema[] };
  if (anyOf) return { type: "object", ...own, anyOf: anyOf.map((one) => asRead(one, place)) } as TSchema;
  if (!own.properties) return schema;
  const properties = { ...own.properties, ...(place as ObjectSchema).properties };
  const required = [...(own.required ?? []), ...((place as ObjectSchema).required ?? [])];
  return {
    ...own,
    properties,
    required: required.filter((name) => !("x-since" in properties[name]!)),
  } as TSchema;
}

interface ObjectSchema extends TSchema {
  properties?: Record<string, object>;
  required?: string[];
}

export const EntrySchema = named(
  "AuditEntry",
  Type.Object(
    {
      id: Type.String({ format: "uuid" }),
      seq: Type.String({
        description: "1, 2, 3, … in the order in which entries were written, as a string.",
      }),
      timestamp: Type.Unsafe<string>({
        ...Timestamp,
        description:
          "The entry's place in time: when it was recorded, or, for blocks older than the moment at which the vault or chain was first configured, the block's time.",
      }),
      recorded_at: Timestamp,
      action_type: ActionType,
      vault_address: AddressText,
      chain_id: Type.Integer({ description: "0 for what concerns no vault." }),
      actor_wallet: AddressText,
      details: Type.Record(Type.String(), Type.Unknown(), {
        description:
          "By action, see below; more members may be added. Of an onchain operation always with block_number, block_timestamp, block_hash, tx_hash and log_index. With `reported: true` an engine reported it, and what it sent as details is in `reported_details`.",
      }),
    },
    { oneOf: byAction },
  ),
);

export const ListSchema = named(
  "AuditLogPage",
  Type.Object({
    logs: Type.Array(EntrySchema),
    total: Type.Integer({
      description: "Exact number of entries that match the filter, archived ones among them.",
    }),
    has_more: Type.Boolean(),
    next_cursor: Nullable(
      Type.String({
        description:
          "By `cursor` the place to continue from, never null: `has_more: false` means that there is nothing more yet. null by `offset`, whose pages have another order.",
      }),
    ),
    live_cursor: Nullable(
      Type.String({
        description:
          "By `offset` the place after the newest entry of the page's snapshot: from there `cursor` and the stream continue with what is recorded later. null by `cursor`.",
      }),
    ),
    archived_below: Type.Optional(
      Type.String({
        description:
          "Entries before this seq are archived, and left out of `logs`; by `offset` they keep their places, so go on by `limit` and not by how many came. Absent while nothing is archived.",
      }),
    ),
  }),
);

const END = {
  total: Type.Integer({ description: "Number of entries in the export." }),
  checkpoint: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The signed checkpoint that covers the export; null when none could be signed.",
  }),
};

/** An export as JSON. */
export const ExportSchema = named(
  "AuditExport",
  Type.Object({
    logs: Type.Array(
      Type.Intersect([
        EntrySchema,
        Type.Object({
          proof: Type.Optional(
            Type.Object(
              {
                leaf_index: Type.Integer(),
                tree_size: Type.Integer(),
                hashes: Type.Array(Type.String({ description: "SHA-256, in base64." })),
              },
              { description: "With `proofs=true`: that the entry is in the checkpoint's tree (RFC 9162)." },
            ),
          ),
        }),
      ]),
    ),
    ...END,
  }),
);

/** An export as CSV. */
export const CsvSchema = Type.String({
  description:
    "RFC 4180 in UTF-8: a header, then a row for each entry, each ended by CRLF. `details` is JSON. The file holds nothing else: the number of entries is in `X-Total-Count` and in the file's name.",
  // Of a filter that means no entry.
  examples: [`${CSV_HEADER}\r\n`],
});

/** An export as NDJSON. */
export const LinesSchema = Type.String({
  description:
    "A line of JSON for each entry, as in `logs` of the JSON export; the last line holds `total` and `checkpoint`. Each ends with a line feed.",
});

/** What selects entries, of a list, an export and a stream alike. */
export const FILTERS = {
  vault_address: Type.Optional(AddressParam),
  chain_id: Type.Optional(ChainIdOrZero),
  action_type: Type.Optional(ListParam(ActionType, { description: "Several: repeated or comma-separated." })),
  actor_wallet: Type.Optional(AddressParam),
  from_timestamp: Type.Optional(TimestampParam),
  to_timestamp: Type.Optional(TimestampParam),
  time_field: Type.Optional(
    OneOf(["timestamp", "block"], {
      description:
        "What from_timestamp, to_timestamp and the order go by: the entry's `timestamp` (default), or its block's time (`recorded_at` where there is no block).",
    }),
  ),
};

export const PERIOD = { period: ["from_timestamp", "to_timestamp"] } as const;

export const ORDER = Type.Optional(
  OneOf(["asc", "desc"], { description: "Default desc, the newest first. Not with a cursor." }),
);

export const PAGING = {
  limit: limitParam(),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Entries skipped, in the order of the list; default 0. Not with a cursor.",
    }),
  ),
  order: ORDER,
  cursor: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Walks forward in the order of `seq`: `start`, `now`, or a `next_cursor`. Never skips or repeats an entry, and never ends.",
    }),
  ),
};
