// Links over HTTP: a wallet asks in a channel who acts for it, sees who pressed, confirms it, and takes it back. No token goes from the chat
// to the console or back.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { enqueue } from "../../../delivery/enqueue.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { route } from "../../../platform/http/route.ts";
import {
  AddressText,
  Nullable,
  named,
  OneOf,
  strictBody,
  Timestamp,
} from "../../../platform/http/schemas.ts";
import { CHAT_NAMES } from "../inbound/registry.ts";
import { beginLink, confirmLink, type LinkRow, listLinks, removeLink } from "../store/links.ts";
import { chargeTest } from "../store/quotas.ts";
import { findChannel } from "../store/store.ts";
import { linkDelivery } from "./link-message.ts";
import type { ChannelRouteParts } from "./routes.ts";

const COLLECTION = "/api/v1/me/links";
const tags = ["Notification channels"];
const LinkPath = Type.Object({ id: Type.String({ format: "uuid" }) });

const LinkSchema = named(
  "ChatLink",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    channel_id: Type.String({ format: "uuid" }),
    channel_name: Type.String(),
    provider: OneOf(CHAT_NAMES),
    wallet: AddressText,
    status: OneOf(["waiting", "pressed", "confirmed"], {
      description:
        "`waiting` for somebody to press the button; `pressed`: confirm it if `provider_user` is you.",
    }),
    provider_user: Nullable(Type.String({ description: "Who pressed: the user's id at the provider." })),
    provider_user_name: Nullable(
      Type.String({
        description: "As the user calls themselves: anybody may choose any name, so go by the id.",
      }),
    ),
    created_at: Timestamp,
    expires_at: Nullable(Timestamp),
    confirmed_at: Nullable(Timestamp),
  }),
);

export function addLinkRoutes(app: FastifyInstance, parts: ChannelRouteParts): void {
  const { db, clock, publicUrl } = parts;

  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Who acts for your wallet from chats",
        description: "Those that hold and those that wait, the newest first.",
        response: { 200: Type.Array(LinkSchema) },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => {
      const rows = await listLinks(db, request.caller, clock.now());
      return polled(request, reply, JSON.stringify(rows.map(shown)));
    },
  );

  route(
    app,
    "POST",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Ask in a channel who acts for your wallet",
        description:
          "Posts a button that names your wallet. Who presses it first is shown as `provider_user`; the link holds once you confirm it, within ten minutes. It holds for this channel and for the secret that the channel has now. 409 for a channel that is not `interactive`, or disabled. Limits as for tests of channels.",
        body: named("NewChatLink", strictBody({ channel_id: Type.String({ format: "uuid" }) })),
        response: { 201: LinkSchema },
      },
      config: { permission: "authenticated", problems: ["not_found", "conflict"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const channel = await findChannel(db.kysely, caller, request.body.channel_id.toLowerCase(), true);
      const { id: channelId, name, provider, chat_endpoint_id: endpointId } = channel;
      if (endpointId === null || !channel.is_enabled)
        throw new Problem(
          "conflict",
          "Nothing can be answered from that channel: it is not interactive, or disabled.",
        );
      const nowMs = clock.now();
      const made = await db.transaction(async (tx) => {
        await chargeTest(tx, caller.wallet, channelId);
        const link = await beginLink(tx, nowMs, caller, { id: channelId, endpointId });
        const asking = { id: link.id, wallet: caller.wallet };
        await enqueue(tx, [linkDelivery(channelId, asking, `${publicUrl}/channels`, nowMs)], nowMs);
        return link;
      });
      const row: LinkRow = {
        ...made,
        channel_id: channelId,
        channel_name: name,
        provider,
        wallet: caller.wallet,
        provider_user: null,
        provider_user_name: null,
        confirmed_at: null,
      };
      return reply.code(201).send(shown(row));
    },
  );

  route(
    app,
    "PUT",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Confirm who acts for your wallet",
        description:
          "Only if `provider_user` is you: from then on what that user presses in the channel is done by your wallet, with the roles that it holds at that moment. 404 for a link that is not yours or whose ten minutes are over, 409 while nobody has pressed.",
        params: LinkPath,
        body: named("ChatLinkConfirmation", strictBody({ confirmed: Type.Literal(true) })),
        response: { 200: LinkSchema },
      },
      config: { permission: "authenticated", isRecorded: true, problems: ["not_found", "conflict"] },
    },
    async (request) => {
      const caller = request.caller;
      return shown(await db.transaction((tx) => confirmLink(tx, clock.now(), caller, request.params.id)));
    },
  );

  route(
    app,
    "DELETE",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "Take a link back",
        params: LinkPath,
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "authenticated", isRecorded: true, problems: ["not_found"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      await db.transaction((tx) => removeLink(tx, caller, request.params.id));
      return reply.code(204).send(undefined);
    },
  );
}

function shown(row: LinkRow) {
  const { provider, confirmed_at: confirmedAt, provider_user: user, ...rest } = row;
  const waiting = user === null ? ("waiting" as const) : ("pressed" as const);
  return {
    ...rest,
    provider: provider as (typeof CHAT_NAMES)[number],
    status: confirmedAt === null ? waiting : ("confirmed" as const),
    provider_user: user,
    confirmed_at: confirmedAt,
  };
}
