// The routes of intents: the list with its facets, one intent, its events and fills. All are cut to the caller's vaults; an intent of
// another's vault is not told from one that does not exist.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { grantOn, type VaultAccess } from "../../auth/vaults.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { hasMore, limitParam, offsetParam } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/route.ts";
import {
  AddressParam,
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  Quantity,
  strictQuery,
  Timestamp,
  TimestampParam,
  VaultIdParam,
} from "../../platform/http/schemas.ts";
import type { Caller } from "../../platform/permission.ts";
import { INTENT_STATES } from "../../reports/events.ts";
import type { EngineReadParts } from "../../reports/reads.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import {
  findIntent,
  type Intent,
  intentFacets,
  listIntentEvents,
  listIntentFills,
  listIntents,
} from "./store.ts";

export function engineIntentRoutes(app: FastifyInstance, { db, findVisible }: EngineReadParts): void {
  route(
    app,
    "GET",
    "/api/v1/intents",
    {
      schema: {
        tags,
        summary: "Intents of the caller's vaults",
        description:
          "Newest first by `created_at`, then `intent_id`. `total` is exact for the filter; `next_cursor` continues in that order and is null on the last page. `created_from` is inclusive, `created_to` exclusive; `tx_hash` finds intents of which an event or a fill names the transaction.",
        querystring: strictQuery(
          {
            ...filterProperties,
            limit: limitParam(),
            offset: Type.Optional({ ...offsetParam, default: undefined }),
            cursor: Type.Optional(
              Type.String({ maxLength: 1000, description: "A `next_cursor`; not together with `offset`." }),
            ),
          },
          PERIOD,
        ),
        response: { 200: IntentPage },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const { limit, offset, cursor, ...query } = request.query;
      if (cursor !== undefined && offset !== undefined) throw bothPlaces();
      const after = cursor === undefined ? null : decodeCursor(cursor);
      const scope = await scopeOf(findVisible, request.caller, query);
      const page = { limit, offset: offset ?? 0, after };
      const { intents, total, hasMore: more } = await listIntents(db, scope, query, page);
      const last = intents.at(-1);
      const next =
        more && last ? encodeCursor({ createdAt: last.created_at, intentId: last.intent_id }) : null;
      return polled(request, reply, JSON.stringify({ intents, total, has_more: more, next_cursor: next }));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/intents/facets",
    {
      schema: {
        tags,
        summary: "How many intents there are of each kind",
        description:
          "Counts by state, action, chain, vault and strategy of the intents that match the same filters. A null value stands for intents that name none.",
        querystring: strictQuery(filterProperties, PERIOD),
        response: { 200: FacetsSchema },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const scope = await scopeOf(findVisible, request.caller, request.query);
      return polled(request, reply, JSON.stringify(await intentFacets(db, scope, request.query)));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/intents/:intent_id",
    {
      schema: { tags, summary: "An intent", params: IntentPath, response: { 200: IntentSchema } },
      config: { permission: "own_vaults", problems: ["not_found"] },
    },
    async (request, reply) =>
      polled(request, reply, JSON.stringify(await ownIntent(db, request.caller, request.params.intent_id))),
  );

  route(
    app,
    "GET",
    "/api/v1/intents/:intent_id/events",
    {
      schema: {
        tags,
        summary: "Events of an intent",
        description: "In the order of `seq`.",
        params: IntentPath,
        querystring: strictQuery({ limit: limitParam(), offset: offsetParam }),
        response: { 200: named("IntentEventPage", listOf("events", EventSchema)) },
      },
      config: { permission: "own_vaults", problems: ["not_found"] },
    },
    async (request, reply) => {
      const intent = await ownIntent(db, request.caller, request.params.intent_id);
      const { rows, total } = await listIntentEvents(db, intent.intent_id, request.query);
      const page = { offset: request.query.offset, length: rows.length, total };
      return polled(request, reply, JSON.stringify({ events: rows, total, has_more: hasMore(page) }));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/intents/:intent_id/fills",
    {
      schema: {
        tags,
        summary: "Fills of an intent",
        description:
          "By `fill_time`. `onchain` says what the chain knows of the transaction: `pending` until its block is confirmed, `confirmed`, `missing` when the node has known no such transaction for ten minutes, `reorganised` when its block left the chain. `is_reverted` means that the transaction is in a block but failed.",
        params: IntentPath,
        querystring: strictQuery({ limit: limitParam(), offset: offsetParam }),
        response: { 200: named("IntentFillPage", listOf("fills", FillSchema)) },
      },
      config: { permission: "own_vaults", problems: ["not_found"] },
    },
    async (request, reply) => {
      const intent = await ownIntent(db, request.caller, request.params.intent_id);
      const { rows, total } = await listIntentFills(db, intent, request.query);
      const page = { offset: request.query.offset, length: rows.length, total };
      return polled(request, reply, JSON.stringify({ fills: rows, total, has_more: hasMore(page) }));
    },
  );
}

const tags = ["Intents"];
const PERIOD = { period: ["created_from", "created_to"] } as const;

const IntentState = named("IntentState", OneOf(INTENT_STATES));

const filterProperties = {
  vault_id: Type.Optional(VaultIdParam),
  chain_id: Type.Optional(ChainId),
  vault_address: Type.Optional(AddressParam),
  strategy_id: Type.Optional(Type.String({ maxLength: 200 })),
  action: Type.Optional(Type.String({ maxLength: 100 })),
  state: Type.Optional(IntentState),
  tx_hash: Type.Optional(
    Type.String({
      pattern: "^0x[0-9a-fA-F]{64}$",
      description: "Transaction hash: `0x` and 64 hexadecimal digits.",
    }),
  ),
  error_code: Type.Optional(Type.String({ maxLength: 100 })),
  created_from: Type.Optional(TimestampParam),
  created_to: Type.Optional(TimestampParam),
};

const IntentPath = Type.Object({ intent_id: Type.String({ minLength: 1, maxLength: 200 }) });

const Told = {
  execution_id: Nullable(Type.String()),
  correlation_id: Nullable(Type.String()),
  strategy_id: Nullable(Type.String()),
  action: Nullable(Type.String()),
  error_code: Nullable(Type.String()),
  error_message: Nullable(Type.String()),
  total_amount_in: Nullable(Quantity),
  total_amount_out: Nullable(Quantity),
  gas_used_total: Nullable(Quantity),
};

const IntentSchema = named(
  "Intent",
  Type.Object({
    intent_id: Type.String(),
    ...Told,
    vault_id: Type.String(),
    chain_id: ChainId,
    vault_address: AddressText,
    state: IntentState,
    fills_count: Type.Integer({ description: "Fills reported, whatever the chain says of them." }),
    last_event_seq: Type.Integer(),
    created_at: Timestamp,
    acked_at: Nullable(Timestamp),
    executing_at: Nullable(Timestamp),
    completed_at: Nullable(Timestamp),
    terminal_at: Nullable(Timestamp),
  }),
);

const IntentPage = named(
  "IntentPage",
  Type.Object({
    intents: Type.Array(IntentSchema),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String()),
  }),
);

const EventSchema = named(
  "IntentEvent",
  Type.Object({
    intent_id: Type.String(),
    seq: Type.Integer(),
    state: IntentState,
    time: Timestamp,
    ...Told,
    tx_hash: Nullable(Type.String()),
  }),
);

const FillSchema = named(
  "IntentFill",
  Type.Object({
    fill_id: Type.String(),
    intent_id: Type.String(),
    chain_id: ChainId,
    tx_hash: Type.String(),
    token_in: AddressText,
    token_out: AddressText,
    amount_in: Quantity,
    amount_out: Quantity,
    gas_used: Nullable(Quantity),
    venue: Nullable(Type.String()),
    fill_time: Timestamp,
    onchain: OneOf(["confirmed", "pending", "missing", "reorganised"]),
    block_number: Nullable(Type.Integer()),
    is_reverted: Nullable(Type.Boolean()),
  }),
);

const facetOf = <T extends import("typebox").TSchema>(value: T) =>
  Type.Array(Type.Object({ value, count: Type.Integer() }));

const FacetsSchema = named(
  "IntentFacets",
  Type.Object({
    total: Type.Integer(),
    state: facetOf(IntentState),
    action: facetOf(Nullable(Type.String())),
    chain: facetOf(ChainId),
    vault: facetOf(Type.String()),
    strategy: facetOf(Nullable(Type.String())),
  }),
);

function listOf<T extends import("typebox").TSchema>(name: string, item: T) {
  return Type.Object({ [name]: Type.Array(item), total: Type.Integer(), has_more: Type.Boolean() });
}

function bothPlaces(): Problem {
  const message = "cannot be given together with cursor";
  return new Problem("invalid_request", `offset ${message}.`, { errors: [{ path: "offset", message }] });
}

function scopeOf(
  findVisible: VaultAccess["visible"],
  caller: Caller,
  query: { vault_id?: string; chain_id?: number; vault_address?: `0x${string}` },
) {
  return findVisible(caller, {
    vaultId: query.vault_id,
    chainId: query.chain_id,
    vaultAddress: query.vault_address,
  });
}

/** @throws Problem `not_found` for an intent that does not exist or that the caller may not see */
async function ownIntent(db: EngineReadParts["db"], caller: Caller, id: string): Promise<Intent> {
  const intent = await findIntent(db, id);
  const isOwn =
    intent !== null &&
    (caller.isMaintainer ||
      grantOn(caller.grants, { chainId: intent.chain_id, vaultAddress: intent.vault_address }) !== null);
  if (!isOwn) throw new Problem("not_found", "There is no such intent among those of your vaults.");
  return intent;
}
