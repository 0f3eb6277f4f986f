// The merkle roots of a vault's hooks: what the engine generates and publishes, beside what the chain has.
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import { executeNamed } from "../../platform/db/db.ts";
import { polled } from "../../platform/http/etag.ts";
import { hasMore, limitParam, offsetParam } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/route.ts";
import {
  AddressText,
  ChainId,
  Nullable,
  named,
  OneOf,
  strictQuery,
  Timestamp,
  VaultPath,
} from "../../platform/http/schemas.ts";
import { type VaultRef, vaultIdOf } from "../../vault.ts";
import type { ReadParts } from "./routes.ts";

const MerkleSchema = named(
  "MerkleState",
  Type.Object({
    vault_id: Type.String(),
    chain_id: ChainId,
    vault_address: AddressText,
    onchain: Nullable(
      Type.Object({
        root: Type.String(),
        proposed_root: Nullable(Type.String()),
        effective_at: Nullable(Timestamp),
        is_vetoed: Type.Boolean(),
      }),
    ),
    jobs: Type.Array(
      named(
        "MerkleJob",
        Type.Object({
          job_id: Type.String(),
          kind: OneOf(["generate", "publish"]),
          status: OneOf(["running", "success", "failed"]),
          root: Nullable(Type.String()),
          onchain: Nullable(
            OneOf(["current", "proposed", "none"], {
              description:
                "What the job's root is onchain now; null where the job named none or the vault has no roots.",
            }),
          ),
          error: Nullable(Type.String()),
          actor_wallet: Nullable(AddressText),
          started_at: Timestamp,
          finished_at: Nullable(Timestamp),
          reported_at: Timestamp,
        }),
      ),
    ),
    total: Type.Integer(),
    has_more: Type.Boolean(),
  }),
);

export function addMerkleRoute(app: FastifyInstance, { db }: ReadParts): void {
  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:vault/merkle",
    {
      schema: {
        tags: ["Engine"],
        summary: "Merkle jobs of a vault",
        description: "The jobs reported, newest first, and the roots as the chain has them at the head.",
        params: VaultPath,
        querystring: strictQuery({ limit: limitParam(), offset: offsetParam }),
        response: { 200: MerkleSchema },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id, vault } = request.params;
      const { limit, offset } = request.query;
      const { rows } = await executeNamed(
        db.kysely,
        "engine_merkle",
        merkleOf({ chainId: chain_id, vaultAddress: vault }, limit, offset),
      );
      const { onchain, total, jobs } = rows[0]!;
      const body = {
        vault_id: vaultIdOf({ chainId: chain_id, vaultAddress: vault }),
        chain_id,
        vault_address: vault,
        onchain,
        jobs: jobs.map(({ root, ...job }) => ({ ...job, root, onchain: placeOnchain(root, onchain) })),
        total,
        has_more: hasMore({ offset, length: jobs.length, total }),
      };
      return polled(request, reply, JSON.stringify(body));
    },
  );
}

const reportedAt = sql`to_char(j.reported_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** One statement, so that page, total and roots are of one moment. */
const merkleOf = ({ chainId, vaultAddress }: VaultRef, limit: number, offset: number) => sql<{
  onchain: Onchain | null;
  total: number;
  jobs: StoredJob[];
}>`
  select
    (select s.merkle from vault_states s where s.chain_id = ${chainId} and s.vault_address = ${vaultAddress}
     order by s.block_number desc limit 1) as onchain,
    (select count(*) from merkle_jobs where chain_id = ${chainId} and vault_address = ${vaultAddress}) as total,
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'job_id', j.job_id, 'kind', j.kind, 'status', j.status, 'root', j.root, 'error', j.error, 'actor_wallet', j.actor_wallet,
        'started_at', to_char(j.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'reported_at', ${reportedAt},
        'finished_at', case when j.status <> 'running' then ${reportedAt} end
      ) order by j.reported_at desc, j.report_id desc, j.kind, j.job_id)
      from (
        select * from merkle_jobs where chain_id = ${chainId} and vault_address = ${vaultAddress}
        order by reported_at desc, report_id desc, kind, job_id limit ${limit} offset ${offset}
      ) j
    ), '[]') as jobs`;

interface Onchain {
  root: string;
  proposed_root: string | null;
  effective_at: string | null;
  is_vetoed: boolean;
}

interface StoredJob {
  job_id: string;
  kind: string;
  status: string;
  root: string | null;
  error: string | null;
  actor_wallet: string | null;
  started_at: string;
  finished_at: string | null;
  reported_at: string;
}

function placeOnchain(root: string | null, onchain: Onchain | null): "current" | "proposed" | "none" | null {
  if (root === null || onchain === null) return null;
  if (root === onchain.root.toLowerCase()) return "current";
  return root === onchain.proposed_root?.toLowerCase() ? "proposed" : "none";
}
