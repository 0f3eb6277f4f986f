// Notification channels over HTTP: made, shown with their secrets masked, changed, tested, deleted. What binds them to vaults stands in
// binding-routes.ts.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { type LogReader, lastAttempts, listDeliveries } from "../../../delivery/log.ts";
import { sendNow } from "../../../delivery/send-now.ts";
import type { DeliveryQueue } from "../../../delivery/types.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import type { Egress, EgressSettings } from "../../../platform/egress/egress.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { type Idempotency, IdempotencyHeaders } from "../../../platform/http/idempotency.ts";
import { hasMore, limitParam, offsetParam } from "../../../platform/http/paging.ts";
import { route } from "../../../platform/http/route.ts";
import { named, OneOf, strictQuery } from "../../../platform/http/schemas.ts";
import type { Logger } from "../../../platform/log.ts";
import type { Caller } from "../../../platform/permission.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { switchOn } from "../inbound/switch.ts";
import { PROVIDERS } from "../providers/registry.ts";
import { changedConfig, checkedConfig, type SplitConfig, split } from "../store/config.ts";
import { inboundUrl } from "../store/endpoints.ts";
import { failedConfirmations, placeOf } from "../store/failed-confirmations.ts";
import type { MailConsent } from "../store/mail-addresses.ts";
import { chargeTest } from "../store/quotas.ts";
import {
  type ChannelRow,
  createChannel,
  deleteChannel,
  findChannel,
  listChannels,
  lockChangeable,
  type OwnChannelRow,
  recipientsOf,
  updateChannel,
} from "../store/store.ts";
import {
  ChannelChangesBody,
  ChannelPath,
  ChannelSchema,
  DeliveryListSchema,
  NewChannelBody,
  ProviderSchema,
  TestResult,
} from "./schemas.ts";
import { leaveChat, switched } from "./switched.ts";
import { testDelivery } from "./test-message.ts";

export interface ChannelRouteParts {
  db: Database;
  clock: Clock;
  log: Logger;
  box: SecretBox;
  idempotency: Idempotency;
  egressSettings: EgressSettings;
  queue: DeliveryQueue;
  alertsUrl: string;
  consent: MailConsent;
  egress: Pick<Egress, "request">;
  publicUrl: string;
}

const COLLECTION = "/api/v1/notification-channels";
const tags = ["Notification channels"];

/** Rows in the API's form, as the reader sees them. */
export async function shownChannels<T extends ChannelRow>(
  { db, consent, publicUrl }: { db: Pick<Database, "kysely">; consent: MailConsent; publicUrl: string },
  reader: LogReader,
  rows: readonly T[],
) {
  const [last, unconfirmed] = await Promise.all([
    lastAttempts(
      db,
      reader,
      rows.map(({ id }) => id),
    ),
    consent.unconfirmedOf(
      db.kysely,
      rows.map(({ id, mail_owner: owner, provider, config }) => ({
        id,
        owner,
        addresses: recipientsOf(provider, config),
      })),
    ),
  ]);
  const waiting = rows.flatMap(({ id, mail_owner: owner }) =>
    (unconfirmed.get(id) ?? []).map((address) => ({ owner, address })),
  );
  const failed = await failedConfirmations(db, reader, waiting);
  return rows.map(({ config, masks, mail_owner: owner, chat_endpoint_id: endpointId, ...row }) => {
    const addresses = unconfirmed.get(row.id) ?? [];
    return {
      ...row,
      ...answering(publicUrl, row.provider, endpointId),
      config: { ...config, ...masks },
      unconfirmed_addresses: addresses,
      failed_confirmations: addresses.flatMap((address) => {
        const failure = failed.get(placeOf({ owner, address }));
        return failure === undefined ? [] : [{ address, ...failure }];
      }),
      last_delivery: last.get(row.id) ?? null,
    };
  });
}

/** Whether one answers from a channel, and where its provider sends that to. */
function answering(publicUrl: string, provider: string, endpointId: string | null) {
  return {
    interactive: endpointId !== null,
    inbound_url: endpointId === null ? null : inboundUrl(publicUrl, provider, endpointId),
  };
}

export function addChannelRoutes(app: FastifyInstance, parts: ChannelRouteParts): void {
  const { db, clock, log, idempotency, egressSettings: egress, queue } = parts;
  const shown = async (caller: Caller, row: OwnChannelRow) => (await shownChannels(parts, caller, [row]))[0]!;

  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Notification channels that you may see",
        description: "Your own, and those bound to vaults that you manage; the newest first.",
        response: { 200: Type.Array(ChannelSchema) },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => {
      const caller = request.caller;
      const rows = await listChannels(db, caller);
      return polled(request, reply, JSON.stringify(await shownChannels(parts, caller, rows)));
    },
  );

  route(
    app,
    "GET",
    `${COLLECTION}/providers`,
    {
      schema: {
        tags,
        summary: "Providers and how their channels are configured",
        response: { 200: Type.Array(ProviderSchema) },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => polled(request, reply, PROVIDER_LIST),
  );

  route(
    app,
    "POST",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Create a notification channel",
        description:
          "It gets alerts once it is bound to a vault. Each address of an email channel is asked by mail to confirm, and receives nothing before that (`unconfirmed_addresses`). 50 channels a wallet at most.",
        headers: IdempotencyHeaders,
        body: NewChannelBody,
        response: { 201: ChannelSchema },
      },
      config: {
        permission: "any_operator",
        isRecorded: true,
        problems: ["channel_limit", "idempotency_conflict"],
      },
    },
    async (request, reply) => {
      const { provider, name, config: sent, interactive = false } = request.body;
      const config = checkedConfig(provider, sent, egress);
      const caller = request.caller;
      const endpointId = interactive ? await switchOn(parts, provider, config) : null;
      const answer = await idempotency.once(request, async (tx) => {
        const channel = {
          provider,
          name: name.trim(),
          split: split(PROVIDERS[provider], config),
          endpointId,
        };
        const row = await createChannel(tx, parts, clock.now(), caller, channel);
        const { config: open, masks, mail_owner: owner, chat_endpoint_id: _, ...rest } = row;
        const recipients = recipientsOf(provider, open);
        return {
          status: 201,
          headers: { location: `${COLLECTION}/${row.id}` },
          body: {
            ...rest,
            ...answering(parts.publicUrl, provider, endpointId),
            config: { ...open, ...masks },
            unconfirmed_addresses: await parts.consent.unconfirmed(tx, owner, recipients),
            failed_confirmations: [],
            last_delivery: null,
          },
        };
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
      schema: {
        tags,
        summary: "A notification channel",
        params: ChannelPath,
        response: { 200: ChannelSchema },
      },
      config: { permission: "authenticated", problems: ["not_found"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const row = await findChannel(db.kysely, caller, request.params.id);
      return polled(request, reply, JSON.stringify(await shown(caller, row)));
    },
  );

  route(
    app,
    "PATCH",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Change a notification channel",
        description:
          "Allowed for its creator and for whoever manages every vault that it is bound to. An open alert is resolved at the destination that its firing was sent to.",
        params: ChannelPath,
        body: ChannelChangesBody,
        response: { 200: ChannelSchema },
      },
      config: {
        permission: "authenticated",
        isRecorded: true,
        problems: ["not_found", "insufficient_role", "secret_required", "conflict"],
      },
    },
    async (request) => {
      const { name, config, is_enabled: isEnabled, interactive } = request.body;
      const caller = request.caller;
      const { id } = request.params;
      const { provider } = await findChannel(db.kysely, caller, id);
      const changed = (before: SplitConfig) =>
        config === undefined
          ? before
          : split(PROVIDERS[provider], changedConfig(provider, before, config, egress));
      const answering =
        config === undefined && interactive === undefined
          ? { change: {} }
          : await switched(parts, caller, id, interactive, changed);
      const row = await db.transaction((tx) =>
        updateChannel(tx, parts, clock.now(), caller, id, {
          ...(name === undefined ? {} : { name: name.trim() }),
          ...(isEnabled === undefined ? {} : { isEnabled }),
          ...(config === undefined ? {} : { config: changed }),
          ...answering.change,
        }),
      );
      await answering.after?.();
      return shown(caller, row);
    },
  );

  route(
    app,
    "DELETE",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Delete a notification channel",
        description:
          "Also deletes its bindings and secrets. Pending deliveries are canceled, and open alerts are not resolved there; to have them resolved, unbind the channel first and delete it later.",
        params: ChannelPath,
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "authenticated", isRecorded: true, problems: ["not_found", "insufficient_role"] },
    },
    async (request, reply) => {
      await leaveChat(parts, request.caller, request.params.id);
      await db.transaction((tx) => deleteChannel(tx, clock.now(), request.caller, request.params.id));
      return reply.code(204).send(undefined);
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:id/test`,
    {
      schema: {
        tags,
        summary: "Send a test message",
        description:
          "Sends a real delivery; the answer is its outcome. 409 for a disabled channel. Limits: 5 a minute for each channel, 20 a minute for each wallet.",
        params: ChannelPath,
        response: { 200: TestResult },
      },
      config: { permission: "authenticated", problems: ["not_found", "conflict"] },
    },
    async (request) => {
      const caller = request.caller;
      const row = await findChannel(db.kysely, caller, request.params.id, true);
      if (!row.is_enabled)
        throw new Problem("conflict", "The channel is disabled. Enable it before you test it.");
      await db.transaction((tx) => chargeTest(tx, caller.wallet, row.id));
      const made = testDelivery(row, parts.alertsUrl, clock.now());
      const { id, outcome } = await sendNow({ db, clock, log }, queue, made);
      return {
        delivery_id: id,
        status: outcome.kind === "delivered" ? ("delivered" as const) : ("failed" as const),
        status_code: outcome.statusCode ?? null,
        error: "error" in outcome ? outcome.error : null,
        response_excerpt: outcome.excerpt ?? null,
      };
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:id/confirmations`,
    {
      schema: {
        tags,
        summary: "Send an email channel's confirmation mails again",
        description:
          "Each address that has not confirmed gets a new mail, whose link replaces the one before. 409 when no address is left to confirm.",
        params: ChannelPath,
        response: { 202: named("AskedConfirmations", Type.Object({ asked: Type.Array(Type.String()) })) },
      },
      config: { permission: "authenticated", problems: ["not_found", "insufficient_role", "conflict"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const asked = await db.transaction(async (tx) => {
        const { provider, config, mail_owner: owner } = await lockChangeable(tx, caller, request.params.id);
        const addresses = recipientsOf(provider, config);
        return parts.consent.ask(tx, clock.now(), { owner, by: caller.wallet, addresses });
      });
      if (asked.length === 0) throw new Problem("conflict", "The channel has no address left to confirm.");
      return reply.code(202).send({ asked });
    },
  );

  route(
    app,
    "GET",
    `${COLLECTION}/:id/deliveries`,
    {
      schema: {
        tags,
        summary: "Deliveries of a channel",
        description:
          "The newest first, each with its attempts, kept for 30 days. Only what concerns vaults on which you hold a role now, tests, and what concerns no vault; `total` counts the same.",
        params: ChannelPath,
        querystring: strictQuery({
          status: Type.Optional(OneOf(["pending", "delivered", "failed", "dead", "canceled"])),
          limit: limitParam(),
          offset: offsetParam,
        }),
        response: { 200: DeliveryListSchema },
      },
      config: { permission: "authenticated", problems: ["not_found"] },
    },
    async (request, reply) => {
      const reader = request.caller;
      const { id } = await findChannel(db.kysely, reader, request.params.id);
      const { status, limit, offset } = request.query;
      const { deliveries, total } = await listDeliveries(db, { targetId: id, reader, status, limit, offset });
      const body = {
        deliveries,
        total,
        has_more: hasMore({ offset, length: deliveries.length, total }),
      };
      return polled(request, reply, JSON.stringify(body));
    },
  );
}

const PROVIDER_LIST = JSON.stringify(
  Object.values(PROVIDERS).map(({ provider, title, configSchema, secrets }) => ({
    provider,
    title,
    config_schema: configSchema,
    secrets,
  })),
);
