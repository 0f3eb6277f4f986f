// What the engine last said of a vault: the shard that runs it, its session key, its merkle jobs.
import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import { Type } from "typebox";
import { executeNamed } from "../../platform/db/db.ts";
import { Problem } from "../../platform/errors.ts";
import { polled } from "../../platform/http/etag.ts";
import { route } from "../../platform/http/route.ts";
import {
  AddressText,
  ChainId,
  Nullable,
  named,
  Timestamp,
  VaultIdPath,
  VaultPath,
} from "../../platform/http/schemas.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import { parseVaultId, type VaultRef, vaultIdOf } from "../../vault.ts";
import type { ReadParts } from "./routes.ts";

const tags = ["Engine"];
const STALE_TICKS = 3;
/** Where the tick is not known. */
const STALE_SECONDS = 90;

const Free = Type.Record(Type.String(), Type.Unknown());

const ShardState = named(
  "ShardState",
  Type.Object({
    vault_id: Type.String(),
    strategy_count: Type.Integer(),
    active_intent_count: Type.Integer(),
    tick_interval: Type.Number({ description: "Seconds; 0 where it is not known." }),
    tick_interval_seconds: Type.Number(),
    fields: Free,
    strategies: Type.Array(Free),
    allocations: Type.Array(Free),
    emergency_locks: Type.Array(
      Type.Object({
        strategy_id: Type.String(),
        target_address: AddressText,
        started_at: Timestamp,
        reason: Type.String(),
      }),
    ),
    reported_at: Timestamp,
    is_stale: Type.Boolean({
      description: "The report is older than three ticks, or than 90 s where the tick is 0.",
    }),
  }),
);

const SessionKey = named(
  "SessionKey",
  Type.Object({
    vault_id: Type.String(),
    chain_id: ChainId,
    vault_address: AddressText,
    is_ready: Nullable(
      Type.Boolean({ description: "False once the key has expired; null where nothing was reported." }),
    ),
    key_address: Nullable(AddressText),
    expires_at: Nullable(Timestamp),
    is_expired: Nullable(Type.Boolean()),
    pending_rotation: Nullable(Type.Boolean()),
    reason: Nullable(Type.String({ description: "Why it is not ready, where that is known." })),
    reported_at: Nullable(Timestamp),
  }),
);

/** Adds the routes of shard state and session key. */
export function addShardRoutes(app: FastifyInstance, { db, clock }: ReadParts): void {
  route(
    app,
    "GET",
    "/api/v1/engine/shards/:vault_id/state",
    {
      schema: {
        tags,
        summary: "State of the shard that runs a vault",
        description: "404 `shard_not_found` where no shard has reported, which is normal.",
        params: VaultIdPath,
        response: { 200: ShardState },
      },
      config: { permission: "vault_member", problems: ["shard_not_found"] },
    },
    async (request, reply) => {
      const { chainId, vaultAddress } = parseVaultId(request.params.vault_id) as VaultRef;
      const { rows } = await executeNamed(
        db.kysely,
        "engine_shard",
        sql<{ body: string; tick_interval: number; reported_at: string }>`
          select body, tick_interval, reported_at from shard_states
          where chain_id = ${chainId} and vault_address = ${vaultAddress}`,
      );
      const state = rows[0];
      if (state === undefined)
        throw new Problem("shard_not_found", `No shard has reported on vault ${request.params.vault_id}.`);
      const limitMs = (state.tick_interval === 0 ? STALE_SECONDS : STALE_TICKS * state.tick_interval) * 1000;
      // The report's own members stand in the answer as they were written: no second serialisation of what may be large.
      const more = JSON.stringify({
        tick_interval_seconds: state.tick_interval,
        reported_at: state.reported_at,
        is_stale: clock.now() - Date.parse(state.reported_at) > limitMs,
      });
      const head = `{"vault_id":${JSON.stringify(request.params.vault_id)}`;
      return polled(request, reply, `${head},${state.body.slice(1, -1)},${more.slice(1)}`);
    },
  );

  route(
    app,
    "GET",
    "/api/v1/vaults/:chain_id/:vault/session-key",
    {
      schema: {
        tags,
        summary: "Readiness of a vault's session key",
        description: "As last reported; an expired key is not ready, whatever was reported.",
        params: VaultPath,
        response: { 200: SessionKey },
      },
      config: { permission: "vault_member" },
    },
    async (request, reply) => {
      const { chain_id, vault } = request.params;
      const { rows } = await executeNamed(
        db.kysely,
        "engine_session_key",
        sql<StoredKey>`
          select is_ready, key_address, expires_at, pending_rotation, reason, reported_at
          from session_keys where chain_id = ${chain_id} and vault_address = ${vault}`,
      );
      const view = viewKey(rows[0], timestampOfMs(clock.now()));
      const place = { chainId: chain_id, vaultAddress: vault };
      const body = { vault_id: vaultIdOf(place), chain_id, vault_address: vault, ...view };
      return polled(request, reply, JSON.stringify(body));
    },
  );
}

interface StoredKey {
  is_ready: boolean;
  key_address: string;
  expires_at: string;
  pending_rotation: boolean;
  reason: string | null;
  reported_at: string;
}

function viewKey(key: StoredKey | undefined, now: string) {
  if (key === undefined)
    return {
      is_ready: null,
      key_address: null,
      expires_at: null,
      is_expired: null,
      pending_rotation: null,
      reason: "never reported",
      reported_at: null,
    };
  const isExpired = key.expires_at <= now;
  return {
    is_ready: key.is_ready && !isExpired,
    key_address: key.key_address,
    expires_at: key.expires_at,
    is_expired: isExpired,
    pending_rotation: key.pending_rotation,
    reason: key.reason ?? (isExpired ? "the key has expired" : null),
    reported_at: key.reported_at,
  };
}
