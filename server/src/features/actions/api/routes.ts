// The routes of actions: what may be done to a vault, having it prepared, and what was prepared. Whoever prepared an action sees it, and nobody else.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Database, Tx } from "../../../platform/db/db.ts";
import { chargeStored, type StoredQuota } from "../../../platform/db/stored-quota.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { limitParam } from "../../../platform/http/paging.ts";
import { route } from "../../../platform/http/route.ts";
import { AddressParam, ChainId, strictQuery } from "../../../platform/http/schemas.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { accountOf } from "../../../platform/permission.ts";
import { progressOf } from "../follow/progress.ts";
import { addSubmissionRoute } from "../follow/routes.ts";
import { actionsOf, catalogueOf } from "../prepare/catalogue.ts";
import type { Delays } from "../prepare/delays.ts";
import { type PrepareParts, prepare } from "../prepare/prepare.ts";
import { ownerSafesOf } from "../prepare/sender.ts";
import {
  countWaiting,
  insertPrepared,
  loadHolders,
  loadPrepared,
  type OfVault,
  type PreparedRow,
} from "../prepare/store.ts";
import {
  CatalogueSchema,
  NonceParam,
  PreparedActionSchema,
  PreparedActionsSchema,
  PrepareSchema,
} from "../schemas.ts";
import { hasSafeTransaction, preparedView, type ViewParts } from "./view.ts";

export interface ActionRouteParts extends PrepareParts {
  db: Database;
  delays: Delays;
  view: ViewParts;
}

const VaultPath = Type.Object({ chain_id: ChainId, vault: AddressParam });
const PreparedPath = Type.Object({
  chain_id: ChainId,
  vault: AddressParam,
  id: Type.String({ format: "uuid" }),
});
const COLLECTION = "/api/v1/vaults/:chain_id/:vault/prepared-actions";
const tags = ["Actions"];

const PREPARED: StoredQuota = {
  name: "prepared_actions",
  quota: 30,
  windowSeconds: 60,
  what: "actions prepared by a wallet",
};
/** Of one account, in this process. */
const MOST_AT_ONCE = 4;

/** Of one account: each is looked for in what blocks tell of its vault. */
const MOST_WAITING = 1_000;

/** @throws Problem `rate_limited` */
async function keepWithin(tx: Tx, account: string, nowMs: number): Promise<void> {
  if ((await countWaiting(tx, account, timestampOfMs(nowMs), MOST_WAITING)) < MOST_WAITING) return;
  throw new Problem(
    "rate_limited",
    `At most ${MOST_WAITING} actions of a wallet are prepared that were neither executed nor have expired.`,
    { retryAfterSeconds: 3_600 },
  );
}

export function actionRoutes(app: FastifyInstance, parts: ActionRouteParts): void {
  const { db, families, delays, view } = parts;
  const atOnce = new Map<string, number>();
  /** As they are served, in the order of the rows; all of one vault. */
  const shown = async (of: OfVault, rows: readonly PreparedRow[], ownerNonce: bigint | null = null) => {
    const ids = rows.map(({ id }) => id);
    const progress = await progressOf(db.kysely, ids, parts.nowMs());
    const holders = rows.some(hasSafeTransaction)
      ? await loadHolders(db, of.chainId, of.vaultAddress)
      : { controllers: [] };
    return await Promise.all(
      rows.map((row) => {
        const owners = { ownerSafes: ownerSafesOf(row.from_address, holders), ownerNonce };
        return preparedView(row, progress.get(row.id)!, owners, view);
      }),
    );
  };
  const one = async (of: OfVault, id: string, ownerNonce: bigint | null = null) =>
    (await shown(of, await loadPrepared(db, of, { id }), ownerNonce))[0] ?? null;
  addSubmissionRoute(app, {
    db,
    clock: { now: parts.nowMs },
    view: (caller, place, id) => one({ ...place, account: accountOf(caller) }, id) as never,
  });

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:vault/actions",
    {
      schema: {
        tags,
        summary: "What may be done to a vault",
        description:
          "The actions of the vault's family with the roles that may, the JSON Schema of their parameters, and whether the caller can. Nothing is signed or sent by this service.",
        params: VaultPath,
        response: { 200: CatalogueSchema },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id: chainId, vault } = request.params;
      const { family, ...holders } = await loadHolders(db, chainId, vault);
      const actions = actionsOf(families, family, holders);
      const known = await delays.of(chainId, vault, actions);
      const offers = catalogueOf(actions, request.caller.wallet, holders, known);
      return polled(request, reply, JSON.stringify({ actions: offers }));
    },
  );

  route(
    app,
    "POST",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "Prepare an action",
        description:
          "Exact calls for somebody to sign elsewhere, what was found to hold for them, and what they would do: to the vault's record, the audit log and the alerts. 409 `action_not_possible` with the reason where something stands against it.",
        params: VaultPath,
        body: PrepareSchema,
        response: { 201: PreparedActionSchema },
      },
      config: {
        permission: "vault_member",
        problems: ["action_not_possible", "from_required", "rate_limited"],
      },
    },
    async (request, reply) => {
      const { chain_id: chainId, vault } = request.params;
      const { action, parameters = {}, from = null, safe_nonce: nonce } = request.body;
      const { wallet } = request.caller;
      const account = accountOf(request.caller);
      const running = atOnce.get(account) ?? 0;
      if (running >= MOST_AT_ONCE)
        throw new Problem(
          "rate_limited",
          `At most ${MOST_AT_ONCE} actions of a wallet are prepared at once.`,
          {
            retryAfterSeconds: 1,
          },
        );
      atOnce.set(account, running + 1);
      try {
        await db.transaction(async (tx) => {
          await chargeStored(tx, PREPARED, account);
          await keepWithin(tx, account, parts.nowMs());
        });
        const prepared = await prepare(parts, {
          chainId,
          vaultAddress: vault,
          wallet,
          account,
          action,
          parameters,
          from,
          safeNonce: nonce === undefined ? null : BigInt(nonce),
        });
        await db.transaction((tx) => insertPrepared(tx, prepared));
        reply.code(201);
        return await one({ chainId, vaultAddress: vault, account }, prepared.id);
      } finally {
        const left = (atOnce.get(account) ?? 1) - 1;
        if (left > 0) atOnce.set(account, left);
        else atOnce.delete(account);
      }
    },
  );

  route(
    app,
    "GET",
    COLLECTION,
    {
      schema: {
        tags,
        summary: "The caller's prepared actions of a vault",
        description: "The newest first.",
        params: VaultPath,
        querystring: strictQuery({ limit: limitParam() }),
        response: { 200: PreparedActionsSchema },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id: chainId, vault } = request.params;
      const of = { chainId, vaultAddress: vault, account: accountOf(request.caller) };
      const rows = await loadPrepared(db, of, { limit: request.query.limit });
      return polled(request, reply, JSON.stringify({ prepared_actions: await shown(of, rows) }));
    },
  );

  route(
    app,
    "GET",
    `${COLLECTION}/:id`,
    {
      schema: {
        tags,
        summary: "A prepared action",
        params: PreparedPath,
        querystring: strictQuery({
          owner_nonce: Type.Optional(
            NonceParam(
              "Where a Safe owns the Safe that acts: the nonce of the transaction by which it approves, for the hashes of that.",
            ),
          ),
        }),
        response: { 200: PreparedActionSchema },
      },
      config: { permission: "vault_member", problems: ["not_found"] },
    },
    async (request, reply) => {
      const { chain_id: chainId, vault, id } = request.params;
      const { owner_nonce: nonce } = request.query;
      const of = { chainId, vaultAddress: vault, account: accountOf(request.caller) };
      const action = await one(of, id, nonce === undefined ? null : BigInt(nonce));
      if (action === null)
        throw new Problem("not_found", "You have prepared no action of that id on this vault.");
      return polled(request, reply, JSON.stringify(action));
    },
  );
}
