// Webhook endpoints: made, shown, changed, deleted by the manager who owns them; their secrets rotated. Nobody else sees one.
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { record } from "../../audit/append/record.ts";
import { type AuditEntryInput, ZERO_ADDRESS } from "../../audit/entries/entries.ts";
import { cancelPending, forgiveTarget, setTargetLimits } from "../../delivery/enqueue.ts";
import { newWebhookSecret } from "../../delivery/standard-webhooks.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { type Idempotency, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { hasMore, limitParam, offsetParam } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/route.ts";
import { Nullable, named, strictQuery, Timestamp } from "../../platform/http/schemas.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { Caller } from "../../platform/permission.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import { type CheckParts, changed, checkChange, distinct } from "./change.ts";
import { holdEndpointLimit } from "./quotas.ts";
import { CreatedEndpoint, Endpoint, EndpointChange, NewEndpoint, Secret } from "./schemas.ts";
import { MAX_OLD_SECRETS, OLD_SECRET_MS, readableSecrets, sealOldSecrets, sealSecret } from "./secrets.ts";
import {
  deleteEndpoint,
  type EndpointRow,
  insertEndpoint,
  listEndpoints,
  lockOwnEndpoint,
  ownEndpoint,
  updateEndpoint,
} from "./store.ts";
import { viewEndpoints } from "./view.ts";

export interface RouteParts extends CheckParts {
  db: Pick<Database, "kysely" | "transaction">;
  clock: { now(): number };
  box: SecretBox;
  idempotency: Idempotency;
}

export const COLLECTION = "/api/v1/webhooks";
export const tags = ["Webhooks"];
export const EndpointPath = Type.Object({ id: Type.String({ format: "uuid" }) });
/** Room for a thousand vaults, written with indentation. */
const MAX_BODY_BYTES = 131_072;

export function notFound(): Problem {
  return new Problem("not_found", "You have no webhook endpoint with that id.");
}

export function addEndpointRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { db, clock, box, idempotency } = parts;
  const view = async (caller: Caller, row: EndpointRow, kysely: Database["kysely"] = db.kysely) => {
    const parts = { db: { kysely }, reader: caller, box, nowMs: clock.now() };
    const [endpoint] = await viewEndpoints(parts, [row]);
    return endpoint as NonNullable<typeof endpoint>;
  };

  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Your webhook endpoints",
        description: "Newest first.",
        querystring: strictQuery({ limit: limitParam(), offset: offsetParam }),
        response: {
          200: named(
            "WebhookPage",
            Type.Object({
              webhooks: Type.Array(Endpoint),
              total: Type.Integer(),
              has_more: Type.Boolean(),
            }),
          ),
        },
      },
      config: { permission: "any_operator" },
    },
    async (request, reply) => {
      const reader = request.caller;
      const { rows, total } = await listEndpoints(db, reader, request.query);
      const webhooks = await viewEndpoints({ db, reader, box, nowMs: clock.now() }, rows);
      const page = { offset: request.query.offset, length: webhooks.length, total };
      return polled(request, reply, JSON.stringify({ webhooks, total, has_more: hasMore(page) }));
    },
  );

  route(
    app,
    "POST",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Create a webhook endpoint",
        description:
          "The answer contains the secret that verifies deliveries; it is shown only once. Events of vaults that you manage are posted from now on; `POST …/test` sends a test event. Events of a vault that you stop managing are no longer delivered.",
        headers: IdempotencyHeaders,
        body: NewEndpoint,
        response: { 201: CreatedEndpoint },
      },
      bodyLimit: MAX_BODY_BYTES,
      config: {
        permission: "any_operator",
        isRecorded: true,
        problems: [
          "chain_not_found",
          "vault_not_found",
          "insufficient_role",
          "conflict",
          "idempotency_conflict",
        ],
      },
    },
    async (request, reply) => {
      const { caller, body } = { caller: request.caller, body: request.body };
      await checkChange(parts, caller, body);
      const answer = await idempotency.once(request, async (tx) => {
        await holdEndpointLimit(tx, caller);
        const secret = newWebhookSecret();
        const row = newRow(body, caller, secret);
        await insertEndpoint(tx, row);
        await limitTarget(tx, row);
        await record(tx, [
          entry(caller, {
            action_type: "webhook_create",
            details: {
              webhook_id: row.id,
              event_types: row.event_types ?? ["*"],
              vaults: row.vaults ?? ["*"],
            },
          }),
        ]);
        // By the transaction's own connection: one that waits for another while it holds one could wait for ever.
        const endpoint = { ...(await view(caller, row, tx)), secret };
        return { status: 201, headers: { location: `${COLLECTION}/${row.id}` }, body: endpoint };
      });
      return reply
        .code(201)
        .headers(answer.headers ?? {})
        .send(answer.body);
    },
  );

  route(
    app,
    "GET",
    `${COLLECTION}/:id`,
    {
      schema: { tags, summary: "A webhook endpoint", params: EndpointPath, response: { 200: Endpoint } },
      config: { permission: "any_operator", problems: ["not_found"] },
    },
    async (request, reply) => {
      const row = await ownEndpoint(db.kysely, request.params.id, request.caller);
      if (row === null) throw notFound();
      return polled(request, reply, JSON.stringify(await view(request.caller, row)));
    },
  );

  route(
    app,
    "PATCH",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Change a webhook endpoint",
        description:
          "A new URL is used from the next attempt on, retries included; the bytes of a delivery never change. Disabling cancels pending deliveries; only sends already in progress still go out. An endpoint that is enabled again gets events from then on; use replay for those it missed.",
        params: EndpointPath,
        body: EndpointChange,
        response: { 200: Endpoint },
      },
      bodyLimit: MAX_BODY_BYTES,
      config: {
        permission: "any_operator",
        isRecorded: true,
        problems: ["not_found", "chain_not_found", "vault_not_found", "insufficient_role"],
      },
    },
    async (request) => {
      const caller = request.caller;
      const { id } = request.params;
      if ((await ownEndpoint(db.kysely, id, caller)) === null) throw notFound();
      await checkChange(parts, caller, request.body);
      const row = await db.transaction(async (tx) => {
        const before = await lockOwnEndpoint(tx, id, caller);
        if (before === null) throw notFound();
        const { row, names } = changed(before, request.body, timestampOfMs(clock.now()));
        if (names.length === 0) return before;
        await updateEndpoint(tx, row);
        if (names.includes("rate_limit")) await limitTarget(tx, row);
        if (names.includes("is_enabled")) {
          if (row.is_enabled) await forgiveTarget(tx, id);
          else await cancelPending(tx, id, clock.now());
        }
        await record(tx, [
          entry(caller, { action_type: "webhook_update", details: { webhook_id: id, changed: names } }),
        ]);
        return row;
      });
      return view(caller, row);
    },
  );

  route(
    app,
    "DELETE",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Delete a webhook endpoint",
        description: "Pending deliveries are canceled; only sends already in progress still go out.",
        params: EndpointPath,
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "any_operator", isRecorded: true, problems: ["not_found"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const { id } = request.params;
      await db.transaction(async (tx) => {
        if ((await lockOwnEndpoint(tx, id, caller)) === null) throw notFound();
        await cancelPending(tx, id, clock.now());
        await deleteEndpoint(tx, id);
        await record(tx, [entry(caller, { action_type: "webhook_delete", details: { webhook_id: id } })]);
      });
      return reply.code(204).send(undefined);
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:id/rotate-secret`,
    {
      schema: {
        tags,
        summary: "Rotate the secret of a webhook endpoint",
        description:
          "The answer contains the new secret; it is shown only once. For 24 hours deliveries are signed with the old one as well, so that no delivery is refused while the receiver changes over; an old one that can no longer be decrypted (`secret_error`) is dropped.",
        params: EndpointPath,
        headers: IdempotencyHeaders,
        response: {
          200: named(
            "RotatedSecret",
            Type.Object({ secret: Secret, old_secret_valid_until: Nullable(Timestamp) }),
          ),
        },
      },
      config: {
        permission: "any_operator",
        isRecorded: true,
        problems: ["not_found", "conflict", "idempotency_conflict"],
      },
    },
    async (request) => {
      const caller = request.caller;
      const { id } = request.params;
      const { body } = await idempotency.once(request, async (tx) => {
        const row = await lockOwnEndpoint(tx, id, caller);
        if (row === null) throw notFound();
        const nowMs = clock.now();
        const { current, old: known } = readableSecrets(box, row, nowMs);
        const old = known ?? [];
        if (old.length >= MAX_OLD_SECRETS)
          throw new Problem(
            "conflict",
            `It was rotated ${MAX_OLD_SECRETS} times within a day. Wait until the first of these is a day old.`,
          );
        const untilMs = nowMs + OLD_SECRET_MS;
        const secret = newWebhookSecret();
        await updateEndpoint(tx, {
          ...row,
          sealed_secret: sealSecret(box, id, secret),
          sealed_old_secrets: sealOldSecrets(box, id, [
            ...(current === null ? [] : [{ secret: current, untilMs }]),
            ...old,
          ]),
          updated_at: timestampOfMs(nowMs),
        });
        await record(tx, [
          entry(caller, { action_type: "webhook_secret_rotate", details: { webhook_id: id } }),
        ]);
        return {
          status: 200,
          body: { secret, old_secret_valid_until: current === null ? null : timestampOfMs(untilMs) },
        };
      });
      return body;
    },
  );

  function newRow(body: Static<typeof NewEndpoint>, caller: Caller, secret: string): EndpointRow {
    const id = randomUUID();
    const now = timestampOfMs(clock.now());
    return {
      id,
      url: body.url,
      event_types: body.event_types ?? null,
      alert_categories: body.categories ?? null,
      vaults: distinct(body.vaults ?? null),
      is_enabled: body.is_enabled ?? true,
      disabled_reason: null,
      disabled_at: body.is_enabled === false ? now : null,
      description: body.description ?? "",
      retry_schedule: body.retry_schedule ?? "standard",
      rate_limit: body.rate_limit ?? null,
      sealed_secret: sealSecret(box, id, secret),
      sealed_old_secrets: null,
      created_by: caller.wallet,
      limited_to_chain_id: caller.limitedToChainId,
      created_at: now,
      updated_at: now,
    };
  }
}

async function limitTarget(tx: Tx, { id, rate_limit }: EndpointRow): Promise<void> {
  await setTargetLimits(tx, id, { maxConcurrency: null, maxPerSecond: rate_limit });
}

type WebhookEntry = Extract<AuditEntryInput, { action_type: `webhook_${string}` }>;

/** An entry that concerns no vault: an endpoint is its owner's, not a vault's. */
function entry(caller: Caller, said: Pick<WebhookEntry, "action_type" | "details">): AuditEntryInput {
  return {
    ...said,
    chain_id: 0,
    vault_address: ZERO_ADDRESS,
    actor_wallet: caller.wallet,
  } as AuditEntryInput;
}
