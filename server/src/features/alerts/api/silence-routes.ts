// Silences: for a while no alert of a vault, or of one category, is sent. Alerts are still evaluated.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { AlertCategorySchema } from "../../../events/alert.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { hasMore, limitParam, offsetParam } from "../../../platform/http/paging.ts";
import { route } from "../../../platform/http/route.ts";
import {
  AddressParam,
  AddressText,
  ChainId,
  ChainIdOrZero,
  Nullable,
  named,
  strictBody,
  strictQuery,
  Timestamp,
  TimestampParam,
  VaultIdParam,
} from "../../../platform/http/schemas.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { listScope, maySee, needsManager, requireOperator, requireOperatorOf } from "./access.ts";
import type { AlertRouteParts } from "./alert-routes.ts";
import { createSilence, endSilence, findSilence, listSilences } from "./silence-store.ts";

const tags = ["Alerts"];
const PATH = "/api/v1/silences";

const SilenceSchema = named(
  "Silence",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    chain_id: ChainIdOrZero,
    vault_address: AddressText,
    category: Nullable(AlertCategorySchema),
    reason: Type.String(),
    created_by: AddressText,
    created_at: Timestamp,
    ends_at: Timestamp,
    ended_by: Nullable(AddressText),
  }),
);

export function addSilenceRoutes(app: FastifyInstance, { db, clock, vaults }: AlertRouteParts): void {
  route(
    app,
    "GET",
    PATH,
    {
      schema: {
        tags,
        summary: "Silences of the caller's vaults",
        description:
          "The newest first, ended ones too unless `is_active` is given. `ended_by` is who ended one early.",
        querystring: strictQuery({
          vault_id: Type.Optional(VaultIdParam),
          chain_id: Type.Optional(ChainId),
          vault_address: Type.Optional(AddressParam),
          is_active: Type.Optional(Type.Boolean()),
          limit: limitParam(),
          offset: offsetParam,
        }),
        response: {
          200: named(
            "SilencePage",
            Type.Object({
              silences: Type.Array(SilenceSchema),
              total: Type.Integer(),
              has_more: Type.Boolean(),
            }),
          ),
        },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const { query } = request;
      const scope = await listScope(vaults, request.caller, query);
      const { rows, total } = await listSilences(db, scope, query, clock.now());
      const page = { offset: query.offset, length: rows.length, total };
      return polled(request, reply, JSON.stringify({ silences: rows, total, has_more: hasMore(page) }));
    },
  );

  route(
    app,
    "POST",
    PATH,
    {
      schema: {
        tags,
        summary: "Silence a vault for a while",
        description:
          "Until `ends_at` no notice is sent of alerts that open or repeat on the vault, or on one `category` of it. An alert whose firing was sent before still sends its end. What still fires when the silence ends is sent then. For managers and operators of the vault (`governance`, and where there is that category all at once, for managers alone); `chain_id` 0 with the zero address, for registry maintainers, silences what concerns no vault.",
        body: named(
          "NewSilence",
          strictBody({
            chain_id: ChainIdOrZero,
            vault_address: AddressParam,
            category: Type.Optional(AlertCategorySchema),
            ends_at: TimestampParam,
            reason: Type.String({ minLength: 1, maxLength: 500 }),
          }),
        ),
        response: { 201: SilenceSchema },
      },
      config: {
        permission: "own_vaults",
        isRecorded: true,
        problems: ["insufficient_role", "chain_not_found", "vault_not_found"],
      },
    },
    async (request, reply) => {
      const caller = request.caller;
      const { chain_id, vault_address, category, ends_at, reason } = request.body;
      const nowMs = clock.now();
      if (ends_at <= timestampOfMs(nowMs)) {
        const message = "must lie in the future";
        throw new Problem("invalid_request", `ends_at ${message}.`, {
          errors: [{ path: "/ends_at", message }],
        });
      }
      const place = { chainId: chain_id, vaultAddress: vault_address };
      await requireOperatorOf(vaults, caller, place, needsManager(category ?? null));
      const wish = { category: category ?? null, ends_at, reason };
      return reply.code(201).send(await createSilence(db, place, wish, caller.wallet, nowMs));
    },
  );

  route(
    app,
    "DELETE",
    `${PATH}/:id`,
    {
      schema: {
        tags,
        summary: "End a silence early",
        description: "404 for one that has ended.",
        params: Type.Object({ id: Type.String({ format: "uuid" }) }),
        response: { 204: Type.Unsafe<undefined>({ type: "null", description: "Done." }) },
      },
      config: { permission: "own_vaults", isRecorded: true, problems: ["not_found", "insufficient_role"] },
    },
    async (request, reply) => {
      const caller = request.caller;
      const { id } = request.params;
      const silence = await findSilence(db, id);
      const place = silence && { chainId: silence.chain_id, vaultAddress: silence.vault_address };
      if (place === null || !maySee(caller, place)) throw notFound();
      requireOperator(caller, place, needsManager(silence?.category ?? null));
      if (!(await endSilence(db, id, caller.wallet, clock.now()))) throw notFound();
      return reply.code(204).send(undefined);
    },
  );
}

function notFound(): Problem {
  return new Problem("not_found", "No active silence of your vaults has this id.");
}
