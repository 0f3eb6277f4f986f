// Alerts: the list, one of them, and saying that somebody is on it.
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { VaultAccess } from "../../../auth/vaults.ts";
import {
  AlertCategorySchema,
  AlertSchema,
  AlertSeveritySchema,
  AlertStatusSchema,
} from "../../../events/alert.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import { Problem } from "../../../platform/errors.ts";
import { polled } from "../../../platform/http/etag.ts";
import { hasMore, limitParam, offsetParam } from "../../../platform/http/paging.ts";
import { route } from "../../../platform/http/route.ts";
import {
  AddressParam,
  ChainId,
  ListParam,
  named,
  strictQuery,
  TimestampParam,
  VaultIdParam,
} from "../../../platform/http/schemas.ts";
import type { Caller } from "../../../platform/permission.ts";
import { type AlertRow, alertOf } from "../judge/view.ts";
import { listScope, maySee, requireOperator } from "./access.ts";
import { acknowledge, findAlert, listAlerts } from "./alert-store.ts";

export interface AlertRouteParts {
  db: Pick<Database, "kysely" | "transaction">;
  clock: Clock;
  vaults: VaultAccess;
  publicUrl: string;
}

const tags = ["Alerts"];
const AlertPath = Type.Object({ id: Type.String({ format: "uuid" }) });

export function addAlertRoutes(app: FastifyInstance, parts: AlertRouteParts): void {
  const { db, clock, vaults, publicUrl } = parts;

  route(
    app,
    "GET",
    "/api/v1/alerts",
    {
      schema: {
        tags,
        summary: "Alerts of the caller's vaults",
        description:
          "The newest first. Vaults that you have not accepted are left out unless you name one. What concerns no vault (`chain_id` 0) is shown to registry maintainers. `category`, `severity` and `status` may be given several times or comma-separated; `from_timestamp` (inclusive) and `to_timestamp` (exclusive) bound `started_at`.",
        querystring: strictQuery(
          {
            vault_id: Type.Optional(VaultIdParam),
            chain_id: Type.Optional(ChainId),
            vault_address: Type.Optional(AddressParam),
            category: Type.Optional(ListParam(AlertCategorySchema)),
            severity: Type.Optional(ListParam(AlertSeveritySchema)),
            status: Type.Optional(ListParam(AlertStatusSchema)),
            from_timestamp: Type.Optional(TimestampParam),
            to_timestamp: Type.Optional(TimestampParam),
            limit: limitParam(),
            offset: offsetParam,
          },
          { period: ["from_timestamp", "to_timestamp"] },
        ),
        response: {
          200: named(
            "AlertPage",
            Type.Object({
              alerts: Type.Array(AlertSchema),
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
      const { rows, total } = await listAlerts(db, scope, query);
      const page = { offset: query.offset, length: rows.length, total };
      const alerts = rows.map((row) => alertOf(row, publicUrl));
      return polled(request, reply, JSON.stringify({ alerts, total, has_more: hasMore(page) }));
    },
  );

  route(
    app,
    "GET",
    "/api/v1/alerts/:id",
    {
      schema: { tags, summary: "An alert", params: AlertPath, response: { 200: AlertSchema } },
      config: { permission: "own_vaults", problems: ["not_found"] },
    },
    async (request, reply) => {
      const row = await ownAlert(db, request.caller, request.params.id);
      return polled(request, reply, JSON.stringify(alertOf(row, publicUrl)));
    },
  );

  route(
    app,
    "POST",
    "/api/v1/alerts/:id/acknowledge",
    {
      schema: {
        tags,
        summary: "Acknowledge an alert",
        description:
          "Stops the hourly reminders of a critical alert. The alert still resolves by itself. If it gets worse, a notice is sent again and the acknowledgement is withdrawn. A second request answers 200 and changes nothing. For managers of the vault; for registry maintainers where it concerns none.",
        params: AlertPath,
        response: { 200: AlertSchema },
      },
      config: {
        permission: "own_vaults",
        isRecorded: true,
        problems: ["not_found", "insufficient_role", "conflict"],
      },
    },
    async (request, reply) => {
      const caller = request.caller;
      const { id } = request.params;
      const row = await ownAlert(db, caller, id);
      requireOperator(caller, placeOf(row));
      await acknowledge(db, row, caller.wallet, clock.now());
      const after = (await findAlert(db, id)) ?? row;
      if (after.status === "resolved" && after.acknowledged_at === null)
        throw new Problem("conflict", "The alert has resolved already.");
      return reply.send(alertOf(after, publicUrl));
    },
  );
}

function placeOf(row: AlertRow) {
  return { chainId: row.chain_id, vaultAddress: row.vault_address };
}

/** @throws Problem `not_found` for an alert that does not exist or that the caller may not see */
async function ownAlert(db: Pick<Database, "kysely">, caller: Caller, id: string): Promise<AlertRow> {
  const row = await findAlert(db, id);
  if (row === null || !maySee(caller, placeOf(row)))
    throw new Problem("not_found", "There is no such alert among those of your vaults.");
  return row;
}
