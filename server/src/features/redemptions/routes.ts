// The routes of redemptions: those that were executed, and those that wait.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { routeWithOlderForm } from "../../platform/http/older-form.ts";
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
  VaultPath,
} from "../../platform/http/schemas.ts";
import { EXECUTION_STATUSES } from "../../reports/events.ts";
import type { EngineReadParts } from "../../reports/reads.ts";
import { listExecutions, readQueue } from "./store.ts";

export function engineRedemptionRoutes(app: FastifyInstance, { db, findVisible }: EngineReadParts): void {
  routeWithOlderForm(
    app,
    "GET",
    "/api/v1/fulfill-redeems/executions",
    {
      schema: {
        tags,
        summary: "Executed redemptions of the caller's vaults",
        description:
          "Newest first by `created_at`. What the engine reported and what was seen onchain are one execution where they name the same transaction; then the chain's amounts stand, and the status is `success`. Paged by `limit` and `offset`, or by `page` (from 1) and `limit`. Poll it every 60 s.",
        querystring: ExecutionQuery,
        response: { 200: ExecutionPage },
      },
      config: { permission: "own_vaults" },
    },
    async (request, reply) => {
      const { chain_id, vault_address, status, limit, offset, page } = request.query;
      if (page !== undefined && offset !== undefined) throw bothPlaces();
      const skipped = page === undefined ? (offset ?? 0) : (page - 1) * limit;
      const scope = await findVisible(request.caller, {
        chainId: chain_id,
        vaultAddress: vault_address,
      });
      const { executions, total } = await listExecutions(db, scope, { status }, { limit, offset: skipped });
      const more = hasMore({ offset: skipped, length: executions.length, total });
      return polled(request, reply, JSON.stringify({ executions, total, has_more: more }));
    },
    "/fulfill-redeems/executions",
  );

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:vault/redeems",
    {
      schema: {
        tags,
        summary: "Pending redemptions of a vault",
        description:
          "One entry for each controller with shares to be fulfilled or assets to claim: those that have waited longest first, then those that can claim. Ages are counted from the block of the oldest open request to the chain's head (`as_of`). `pending_assets_estimate` is at the vault's newest price and null where that is not known.",
        params: VaultPath,
        querystring: strictQuery({ limit: limitParam(), offset: offsetParam }),
        response: { 200: RedeemPage },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id: chainId, vault: vaultAddress } = request.params;
      const { redeems, total, ...queue } = await readQueue(db, { chainId, vaultAddress }, request.query);
      const more = hasMore({ offset: request.query.offset, length: redeems.length, total });
      return polled(request, reply, JSON.stringify({ redeems, total, has_more: more, ...queue }));
    },
  );
}

const tags = ["Redemptions"];
const MAX_PAGE = 1_000_000_000;

const ExecutionStatus = named("ExecutionStatus", OneOf(EXECUTION_STATUSES));

const ExecutionQuery = strictQuery({
  chain_id: Type.Optional(ChainId),
  vault_address: Type.Optional(AddressParam),
  status: Type.Optional(ExecutionStatus),
  limit: limitParam(),
  offset: Type.Optional({ ...offsetParam, default: undefined }),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE, description: "From 1; not together with `offset`." }),
  ),
});

const ExecutionPage = named(
  "RedemptionExecutionPage",
  Type.Object({
    executions: Type.Array(
      named(
        "RedemptionExecution",
        Type.Object({
          id: Type.String({ description: "UUID; never changes, whichever of report and chain came first." }),
          execution_id: Nullable(
            Type.String({ description: "The engine's; null for what was only seen onchain." }),
          ),
          source: OneOf(["reported", "onchain", "both"]),
          created_at: Timestamp,
          status: ExecutionStatus,
          tx_hash: Nullable(Type.String()),
          chain_id: ChainId,
          vault_address: AddressText,
          controllers_count: Type.Integer(),
          total_shares_fulfilled: Quantity,
          total_assets_out: Nullable(Quantity),
          pps_at_fulfillment: Quantity,
          block_number: Nullable(Type.Integer()),
          is_confirmed: Nullable(Type.Boolean({ description: "Null for what was only reported." })),
        }),
      ),
    ),
    total: Type.Integer(),
    has_more: Type.Boolean(),
  }),
);

const RedeemPage = named(
  "RedeemPage",
  Type.Object({
    redeems: Type.Array(
      named(
        "Redeem",
        Type.Object({
          controller: AddressText,
          pending_shares: Quantity,
          pending_assets_estimate: Nullable(Quantity),
          requested_at: Nullable(Timestamp),
          age_seconds: Nullable(Type.Integer()),
          claimable_shares: Quantity,
          claimable_assets: Quantity,
        }),
      ),
    ),
    total: Type.Integer(),
    has_more: Type.Boolean(),
    total_pending_shares: Quantity,
    total_claimable_assets: Quantity,
    as_of: Nullable(Type.Object({ block_number: Type.Integer(), block_timestamp: Timestamp })),
  }),
);

function bothPlaces(): Problem {
  const message = "cannot be given together with offset";
  return new Problem("invalid_request", `page ${message}.`, { errors: [{ path: "page", message }] });
}
