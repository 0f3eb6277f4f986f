// The channels of a vault over HTTP: which there are, and which alerts they get.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Address } from "viem";
import { polled } from "../../../platform/http/etag.ts";
import { route } from "../../../platform/http/route.ts";
import { VaultAddressPath } from "../../../platform/http/schemas.ts";
import type { Caller } from "../../../platform/permission.ts";
import { type BindingWish, bind, listBound, unbind } from "../store/bindings.ts";
import { type ChannelRouteParts, shownChannels } from "./routes.ts";
import { BindingBody, BindingPath, BoundChannelSchema, NewBindingBody } from "./schemas.ts";

const COLLECTION = "/api/v1/vaults/:chain_id/:vault_address/notification-channels";
const tags = ["Notification channels"];

interface Binding {
  caller: Caller;
  params: { chain_id: number; vault_address: Address };
}

export function addBindingRoutes(app: FastifyInstance, parts: ChannelRouteParts): void {
  const { db, clock } = parts;
  /** Binds and answers with the channel as it is bound. */
  async function bound({ caller, params }: Binding, channelId: string, wish: BindingWish) {
    const place = placeOf(params);
    const id = channelId.toLowerCase();
    const { isNew } = await db.transaction((tx) => bind(tx, clock.now(), caller, place, id, wish));
    const rows = (await listBound(db, place)).filter((row) => row.id === id);
    const [channel] = await shownChannels(parts, caller, rows);
    return { channel, isNew };
  }

  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Channels bound to a vault",
        description: "With the alerts that each receives, in the order in which they were bound.",
        params: VaultAddressPath,
        response: { 200: Type.Array(BoundChannelSchema) },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const rows = await listBound(db, placeOf(request.params));
      return polled(request, reply, JSON.stringify(await shownChannels(parts, request.caller, rows)));
    },
  );

  route(
    app,
    "POST",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Bind a channel to a vault",
        description:
          "201 for a new binding. 200 for an existing one: the categories and severity that are sent change, the rest stays, and a binding that needs confirmation is confirmed. A new binding requires the right to change the channel (`can_manage`); an existing one can be changed by any manager of the vault.",
        params: VaultAddressPath,
        body: NewBindingBody,
        response: { 200: BoundChannelSchema, 201: BoundChannelSchema },
      },
      config: {
        permission: "vault_operator",
        isRecorded: true,
        problems: ["not_found", "insufficient_role"],
      },
    },
    async (request, reply) => {
      const { channel_id: channelId, ...wish } = request.body;
      const { channel, isNew } = await bound(request, channelId, wish);
      return reply.code(isNew ? 201 : 200).send(channel);
    },
  );

  route(
    app,
    "POST",
    `${COLLECTION}/:channel_id`,
    {
      schema: {
        tags,
        summary: "Bind a channel to a vault, by its path",
        description: "As on the collection. The body may be left out.",
        params: BindingPath,
        body: BindingBody,
        response: { 200: BoundChannelSchema, 201: BoundChannelSchema },
      },
      config: {
        permission: "vault_operator",
        isRecorded: true,
        isBodyOptional: true,
        problems: ["not_found", "insufficient_role"],
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      const { channel, isNew } = await bound(request, request.params.channel_id, request.body);
      return reply.code(isNew ? 201 : 200).send(channel);
    },
  );

  route(
    app,
    "DELETE",
    `${COLLECTION}/:channel_id`,
    {
      schema: {
        tags,
        summary: "Unbind a channel from a vault",
        description: "Alerts whose firing was sent there are still resolved there.",
        params: BindingPath,
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "vault_operator", isRecorded: true, problems: ["not_found"] },
    },
    async (request, reply) => {
      const { wallet } = request.caller;
      await db.transaction((tx) => unbind(tx, wallet, placeOf(request.params), request.params.channel_id));
      return reply.code(204).send(undefined);
    },
  );
}

function placeOf(params: { chain_id: number; vault_address: Address }) {
  return { chainId: params.chain_id, vaultAddress: params.vault_address };
}
