// The services' health: joined over all vaults, and of one vault.
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import { zeroAddress } from "viem";
import { BY_SEVERITY } from "../../judgements/service-status.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Database, executeNamed } from "../../platform/db/db.ts";
import { polled } from "../../platform/http/etag.ts";
import { routeWithOlderForm } from "../../platform/http/older-form.ts";
import { route } from "../../platform/http/route.ts";
import { AddressText, Nullable, named, OneOf, Timestamp, VaultPath } from "../../platform/http/schemas.ts";
import { type StoredService, viewServices, withoutPauses } from "./view.ts";

export interface ReadParts {
  db: Pick<Database, "kysely">;
  clock: Clock;
}

const tags = ["Engine"];

const SERVICE = {
  name: Type.String(),
  display_name: Type.String(),
  status: OneOf(BY_SEVERITY, {
    description:
      "`paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.",
  }),
  last_run: Nullable(Timestamp),
  next_run: Nullable(Timestamp),
  schedule_seconds: Nullable(Type.Number()),
  success_rate: Nullable(
    Type.Number({ description: "Of the last 100 runs that succeeded or failed; null where there was none." }),
  ),
  avg_execution_time: Nullable(Type.Number({ description: "Seconds, over the same runs." })),
  avg_execution_time_seconds: Nullable(Type.Number()),
  total_executions: Type.Integer({ description: "Skipped runs included." }),
  is_enabled: Type.Boolean({ description: "False where the service was reported to be switched off." }),
};

const StatusSchema = named(
  "ServiceStatusPage",
  Type.Object({ services: Type.Array(named("ServiceStatus", Type.Object(SERVICE))) }),
);

const VaultServices = Type.Array(
  named(
    "VaultService",
    Type.Object({
      ...SERVICE,
      is_paused: Type.Boolean(),
      paused_at: Nullable(Timestamp),
      paused_by: Nullable(AddressText),
      paused_reason: Nullable(Type.String()),
      resumed_at: Nullable(Timestamp),
      last_error: Nullable(Type.String()),
    }),
  ),
);

export function addServiceRoutes(app: FastifyInstance, { db, clock }: ReadParts): void {
  routeWithOlderForm(
    app,
    "GET",
    "/api/v1/services/status",
    {
      schema: {
        tags,
        summary: "Status of the services",
        description:
          "Totals of all vaults by service name: sums, the latest run, the worst status. A service that stops reporting degrades by itself. Poll it every 30 s.",
        response: { 200: StatusSchema },
      },
      config: { permission: "authenticated" },
    },
    async (request, reply) => {
      const services = withoutPauses(viewServices(await loadAll(db), clock.now()));
      return polled(request, reply, JSON.stringify({ services }));
    },
    "/services/status",
  );

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:vault/services",
    {
      schema: {
        tags,
        summary: "Services of a vault",
        description:
          "Runs and states that were reported without a vault belong to every vault. `paused_at`, `paused_by`, `paused_reason` and `resumed_at` describe the last pause; `resumed_at` is null while it lasts. Poll it every 30 s.",
        params: VaultPath,
        response: { 200: VaultServices },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id, vault } = request.params;
      const services = viewServices(await loadOf(db, chain_id, vault), clock.now());
      return polled(request, reply, JSON.stringify(services));
    },
  );
}

const COLUMNS = sql`name, settings, first_state_at, is_paused, next_run, paused_at, paused_by, paused_reason, resumed_at,
  total_executions, last_run, last_error, recent_success, recent_failed, recent_seconds`;

async function loadAll(db: Pick<Database, "kysely">): Promise<StoredService[]> {
  const all = sql<StoredService>`select ${COLUMNS} from services`;
  const { rows } = await executeNamed(db.kysely, "services_all", all);
  return rows;
}

async function loadOf(
  db: Pick<Database, "kysely">,
  chainId: number,
  vault: string,
): Promise<StoredService[]> {
  const { rows } = await executeNamed(
    db.kysely,
    "services_of_vault",
    sql<StoredService>`
      select ${COLUMNS} from services
      where (chain_id, vault_address) in ((${chainId}, ${vault}), (0, ${zeroAddress}))`,
  );
  return rows;
}
