// How the routes of alerts and silences come to answer each of their statuses, for statuses.db.test.ts.
import type { InjectOptions } from "fastify";
import type { Address } from "viem";
import type { Database } from "../src/platform/db/db.ts";
import { testAddress } from "./chain-rows.ts";

interface Wish {
  filled?: Record<string, string>;
  body?: unknown;
  wallet?: Address;
}
type Own<R> = (route: R) => InjectOptions | Promise<InjectOptions>;

const ACKNOWLEDGE = "POST /api/v1/alerts/{id}/acknowledge";
const SILENCE = "POST /api/v1/silences";
const UNSILENCE = "DELETE /api/v1/silences/{id}";

const silenceOf = (chain: number, vault: Address) => ({
  chain_id: chain,
  vault_address: vault,
  ends_at: "2099-01-01",
  reason: "maintenance",
});

export function alertBodies(chain: number, vault: Address): Record<string, () => unknown> {
  return {
    "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": () => ({ rules: {} }),
    "POST /api/v1/vaults/{chain_id}/{vault_address}/alert-rules/preview": () => ({ rules: {} }),
    [SILENCE]: () => silenceOf(chain, vault),
  };
}

export interface AlertStatusesParts<R> {
  db: () => Pick<Database, "pool">;
  request: (route: R, wish?: Wish) => InjectOptions;
  chain: number;
  vault: Address;
  manager: Address;
  nobodysId: string;
  noVault: Address;
}

export function alertStatuses<R>(parts: AlertStatusesParts<R>): Record<string, Own<R>> {
  const { request, chain, vault, nobodysId, noVault } = parts;
  return {
    "GET /api/v1/alerts/{id} 200": async (route) => request(route, { filled: { id: await addAlert(parts) } }),
    "GET /api/v1/alerts/{id} 404": (route) => request(route, { filled: { id: nobodysId } }),
    [`${ACKNOWLEDGE} 200`]: async (route) => request(route, { filled: { id: await addAlert(parts) } }),
    [`${ACKNOWLEDGE} 403`]: async (route) =>
      request(route, { filled: { id: await addAlert(parts) }, wallet: await addViewer(parts) }),
    [`${ACKNOWLEDGE} 404`]: (route) => request(route, { filled: { id: nobodysId } }),
    [`${ACKNOWLEDGE} 409`]: async (route) =>
      request(route, { filled: { id: await addAlert(parts, "2026-05-02") } }),
    [`${SILENCE} 201`]: (route) => request(route),
    [`${SILENCE} 404`]: (route) =>
      request(route, { body: { ...silenceOf(chain, vault), vault_address: noVault } }),
    [`${UNSILENCE} 204`]: async (route) => request(route, { filled: { id: await addSilence(parts) } }),
    [`${UNSILENCE} 403`]: async (route) =>
      request(route, { filled: { id: await addSilence(parts) }, wallet: await addViewer(parts) }),
    [`${UNSILENCE} 404`]: (route) => request(route, { filled: { id: nobodysId } }),
  };
}

type Place = Pick<AlertStatusesParts<never>, "db" | "chain" | "vault" | "manager">;

let alerts = 0;

/** An alert that fires, or one that has resolved. Returns its id. */
async function addAlert({ db, chain, vault }: Place, resolvedAt: string | null = null): Promise<string> {
  alerts += 1;
  const { rows } = await db().pool.query<{ id: string }>(
    `insert into alerts (id, chain_id, vault_address, category, subject, area, severity, title, message, next_step, details, content_hash,
       conditions, is_unconfirmed, started_at, last_seen_at, resolved_at)
     values (gen_random_uuid(), $1, $2, 'keeper_run', $3, 'engine', 'warning', 't', 'm', 'n', '{}', '', '{}', false, '2026-05-01', '2026-05-01', $4)
     returning id`,
    [chain, vault, `service ${alerts}`, resolvedAt],
  );
  return rows[0]!.id;
}

async function addSilence({ db, chain, vault, manager }: Place): Promise<string> {
  const { rows } = await db().pool.query<{ id: string }>(
    `insert into silences (id, chain_id, vault_address, reason, created_by, created_at, ends_at)
     values (gen_random_uuid(), $1, $2, 'r', $3, '2026-05-01', '2099-01-01') returning id`,
    [chain, vault, manager],
  );
  return rows[0]!.id;
}

/** A wallet that sees the vault and may change nothing. */
async function addViewer({ db, chain, vault, manager }: Place): Promise<Address> {
  const viewer = testAddress(21);
  await db().pool.query(
    "insert into members (chain_id, vault_address, wallet, granted_by) values ($1, $2, $3, $4) on conflict do nothing",
    [chain, vault, viewer, manager],
  );
  return viewer;
}
