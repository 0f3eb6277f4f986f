// What went out to an endpoint: the log of deliveries, a test, and replay of one or of many.

import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { ZERO_ADDRESS } from "../../audit/entries/entries.ts";
import { isOperatingRole } from "../../auth/vaults.ts";
import { findDelivery, type LoggedDelivery, listDeliveries } from "../../delivery/log.ts";
import { requestReplay } from "../../delivery/replay.ts";
import { sendTaken, type Taken, take } from "../../delivery/send-now.ts";
import type { DeliveryQueue } from "../../delivery/types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { type Idempotency, IdempotencyHeaders } from "../../platform/http/idempotency.ts";
import { hasMore, limitParam, offsetParam } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/route.ts";
import { named, OneOf, strictQuery } from "../../platform/http/schemas.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { Logger } from "../../platform/log.ts";
import type { Caller } from "../../platform/permission.ts";
import { payloadOf } from "./payload.ts";
import { chargeReplay, chargeTest } from "./quotas.ts";
import { replayable } from "./replayable.ts";
import { COLLECTION, EndpointPath, notFound, tags } from "./routes.ts";
import { DELIVERY_STATUSES, Delivery, EventTypeName, ReplayRequest } from "./schemas.ts";
import { type EndpointRow, ownEndpoint } from "./store.ts";
import { viewDeliveries, viewDelivery } from "./view.ts";

export interface DeliveryRouteParts {
  db: Database;
  clock: Clock;
  log: Logger;
  queue: DeliveryQueue;
  idempotency: Idempotency;
}

export function addDeliveryRoutes(app: FastifyInstance, parts: DeliveryRouteParts): void {
  const { db, clock, queue, idempotency } = parts;

  async function own(id: string, caller: Caller): Promise<EndpointRow> {
    const endpoint = await ownEndpoint(db.kysely, id, caller);
    if (endpoint === null) throw notFound();
    return endpoint;
  }

  route(
    app,
    "GET",
    `${COLLECTION}/:id/deliveries`,
    {
      schema: {
        tags,
        summary: "Deliveries of a webhook endpoint",
        description:
          "Newest first, each with its request and its attempts. Finished deliveries are kept for 30 days. Only what concerns vaults on which you hold a role now, and tests; `total` counts the same.",
        params: EndpointPath,
        querystring: strictQuery({
          status: Type.Optional(OneOf(DELIVERY_STATUSES)),
          event_type: Type.Optional(EventTypeName),
          limit: limitParam(),
          offset: offsetParam,
        }),
        response: {
          200: named(
            "WebhookDeliveryPage",
            Type.Object({
              deliveries: Type.Array(Delivery),
              total: Type.Integer(),
              has_more: Type.Boolean(),
            }),
          ),
        },
      },
      config: { permission: "any_operator", problems: ["not_found"] },
    },
    async (request, reply) => {
      const reader = request.caller;
      const { id } = await own(request.params.id, reader);
      const { status, event_type: eventType, limit, offset } = request.query;
      const found = await listDeliveries(db, { targetId: id, reader, status, eventType, limit, offset });
      const { total } = found;
      const deliveries = await viewDeliveries(db, found.deliveries);
      const page = { offset, length: deliveries.length, total };
      return polled(request, reply, JSON.stringify({ deliveries, total, has_more: hasMore(page) }));
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:id/test`,
    {
      schema: {
        tags,
        summary: "Test a webhook endpoint",
        description:
          "Sends a `webhook.test` event at once, whatever types the endpoint subscribes to, and answers with the delivery and its outcome. It is not retried. Limits: 5 a minute for each endpoint, 20 a minute for each wallet. A second request with the same `Idempotency-Key` sends nothing and answers with the current state of that delivery.",
        params: EndpointPath,
        headers: IdempotencyHeaders,
        response: { 200: Delivery },
      },
      config: { permission: "any_operator", problems: ["not_found", "conflict", "idempotency_conflict"] },
    },
    async (request) => {
      const caller = request.caller;
      const endpoint = await own(request.params.id, caller);
      if (!endpoint.is_enabled) throw disabled();
      let taken: Taken | undefined;
      const answer = await idempotency.once(request, async (tx) => {
        await chargeTest(tx, caller.wallet, endpoint.id);
        const nowMs = clock.now();
        taken = await take(tx, queue, testDelivery(endpoint.id, nowMs), nowMs);
        return { status: 200, body: taken.delivery.id };
      });
      const id = answer.body as string;
      // Another request with the same key may have made it.
      if (taken?.delivery.id === id) await sendTaken(parts, queue, taken);
      return viewDelivery(db, id);
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:id/replay`,
    {
      schema: {
        tags,
        summary: "Replay deliveries of a webhook endpoint",
        description:
          "Sends again the deliveries that were created in the period (`from` inclusive, `to` exclusive) and have the status: oldest first, the same bytes with the same `webhook-id`, at most 10,000. A second request sends them again, except with the same `Idempotency-Key`. Limit: 20 an hour for each wallet.",
        params: EndpointPath,
        headers: IdempotencyHeaders,
        body: ReplayRequest,
        response: {
          202: named(
            "WebhookReplay",
            Type.Object({
              replayed: Type.Integer(),
              has_more: Type.Boolean({ description: "More match; ask again from where this one stopped." }),
              next_from: Type.Union([Type.String(), Type.Null()], {
                description: "`from` of the next request; null where nothing is left.",
              }),
            }),
          ),
        },
      },
      config: { permission: "any_operator", problems: ["not_found", "conflict", "idempotency_conflict"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const endpoint = await own(request.params.id, caller);
      if (!endpoint.is_enabled) throw disabled();
      const { from, to, status = "dead" } = request.body;
      const { body } = await idempotency.once(request, async (tx) => {
        await chargeReplay(tx, caller.wallet);
        const found = await replayable(tx, {
          targetId: endpoint.id,
          from,
          to,
          status,
          vaults: managedBy(caller),
        });
        const ids = await requestReplay(tx, "webhook", found.ids, clock.now());
        const { nextFrom } = found;
        return {
          status: 202,
          body: { replayed: ids.length, has_more: nextFrom !== null, next_from: nextFrom },
        };
      });
      return reply.code(202).send(body);
    },
  );

  route(
    app,
    "POST",
    "/api/v1/webhook-deliveries/:id/replay",
    {
      schema: {
        tags,
        summary: "Replay a delivery",
        description:
          "Sends it again, outside its schedule: the same bytes with the same `webhook-id`. 409 while its retries are pending or its endpoint is disabled. A second request sends it again, except with the same `Idempotency-Key`.",
        params: EndpointPath,
        headers: IdempotencyHeaders,
        response: { 202: Delivery },
      },
      config: {
        permission: "any_operator",
        problems: ["not_found", "conflict", "idempotency_conflict", "insufficient_role"],
      },
    },
    async (request, reply) => {
      const caller = request.caller;
      const { id } = request.params;
      const delivery = await findDelivery(db, id);
      const endpoint = delivery && (await ownEndpoint(db.kysely, delivery.target_id, request.caller));
      if (delivery === null || endpoint === null)
        throw new Problem("not_found", "None of your webhook endpoints has a delivery with that id.");
      if (!isManaged(caller, delivery))
        throw new Problem("insufficient_role", "Your wallet no longer manages the vault that it is about.");
      if (!endpoint.is_enabled) throw disabled();
      await idempotency.once(request, async (tx) => {
        const ids = await requestReplay(tx, "webhook", [id], clock.now());
        if (ids.length === 0)
          throw new Problem("conflict", "Its retries are still pending. It will be sent again by itself.");
        return { status: 202, body: id };
      });
      return reply.code(202).send(await viewDelivery(db, id));
    },
  );
}

function disabled(): Problem {
  return new Problem("conflict", "The endpoint is disabled. Enable it first.");
}

function managedBy(caller: Caller): { chainId: number; vaultAddress: string }[] {
  return [
    { chainId: 0, vaultAddress: ZERO_ADDRESS },
    ...caller.grants.filter(({ role }) => isOperatingRole(role)),
  ];
}

function isManaged(caller: Caller, { chain_id, vault_address }: LoggedDelivery): boolean {
  return managedBy(caller).some(
    (place) => place.chainId === chain_id && place.vaultAddress === vault_address,
  );
}

function testDelivery(webhookId: string, nowMs: number) {
  const event = {
    id: randomUUID(),
    seq: 0,
    type: "webhook.test" as const,
    chainId: 0,
    vaultAddress: ZERO_ADDRESS,
    at: timestampOfMs(nowMs),
    data: { webhook_id: webhookId, message: "This is a test of your webhook endpoint." },
  };
  return {
    queue: "webhook" as const,
    targetId: webhookId,
    key: event.id,
    eventId: event.id,
    eventType: event.type,
    chainId: 0,
    vaultAddress: ZERO_ADDRESS,
    body: payloadOf(event, event.type),
    dueAtMs: nowMs,
  };
}
