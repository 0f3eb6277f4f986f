// Webhook endpoints in the database.
import { sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import { IS_ACCEPTED } from "../../auth/acceptance.ts";
import { isOwn } from "../../auth/tokens/limit.ts";
import type { Delivery } from "../../delivery/types.ts";
import type { Database, Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { Caller } from "../../platform/permission.ts";
import type { RetrySchedule } from "./schedule.ts";

export interface EndpointRow {
  id: string;
  url: string;
  /** Null: all. */
  event_types: string[] | null;
  /** Of alerts. Null: all. */
  alert_categories: string[] | null;
  /** Null: all that the owner manages. */
  vaults: string[] | null;
  is_enabled: boolean;
  disabled_reason: "gone" | "failing" | null;
  disabled_at: string | null;
  description: string;
  retry_schedule: RetrySchedule;
  rate_limit: number | null;
  sealed_secret: string;
  sealed_old_secrets: string | null;
  created_by: Address;
  /** The only chain of whose vaults it gets events: a contract made it. Null: every chain. */
  limited_to_chain_id: number | null;
  created_at: string;
  updated_at: string;
}

/** Of whose vaults it gets events. */
export type EndpointScope = Pick<EndpointRow, "vaults" | "created_by" | "limited_to_chain_id">;

type Reader = Database["kysely"];

const COLUMNS = sql.raw(
  "id, url, event_types, alert_categories, vaults, is_enabled, disabled_reason, disabled_at, description, retry_schedule, rate_limit, sealed_secret, sealed_old_secrets, created_by, limited_to_chain_id, created_at, updated_at",
);

export async function endpointsById(
  db: Pick<Database, "kysely">,
  ids: readonly string[],
): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhooks where id = any (${[...ids]}::uuid[])`.execute(db.kysely);
  return rows;
}

/** The endpoints of an owner, newest first. */
export async function listEndpoints(
  db: Pick<Database, "kysely">,
  owner: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: EndpointRow[]; total: number }> {
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhooks where ${isOwn(owner, "webhooks")} order by created_at desc, id desc limit ${limit} offset ${offset}`.execute(
    db.kysely,
  );
  return { rows, total: await countEndpoints(db.kysely, owner) };
}

export async function countEndpoints(db: Reader, owner: Caller): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from webhooks where ${isOwn(owner, "webhooks")}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** The endpoint, if it is that owner's. */
export async function ownEndpoint(db: Reader, id: string, owner: Caller): Promise<EndpointRow | null> {
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhooks where id = ${id} and ${isOwn(owner, "webhooks")}`.execute(db);
  return rows[0] ?? null;
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lockOwnEndpoint(tx: Tx, id: string, owner: Caller): Promise<EndpointRow | null> {
  const { rows } = await sql<EndpointRow>`
    select ${COLUMNS} from webhooks where id = ${id} and ${isOwn(owner, "webhooks")} for update`.execute(tx);
  return rows[0] ?? null;
}

export async function insertEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await sql`
    insert into webhooks (${COLUMNS}) values (
      ${row.id}, ${row.url}, ${row.event_types}, ${row.alert_categories}, ${row.vaults}, ${row.is_enabled}, ${row.disabled_reason}, ${row.disabled_at},
      ${row.description}, ${row.retry_schedule}, ${row.rate_limit}, ${row.sealed_secret}, ${row.sealed_old_secrets},
      ${row.created_by}, ${row.limited_to_chain_id}, ${row.created_at}, ${row.updated_at})`.execute(tx);
}

export async function updateEndpoint(tx: Tx, row: EndpointRow): Promise<void> {
  await sql`
    update webhooks
       set url = ${row.url}, event_types = ${row.event_types}, alert_categories = ${row.alert_categories}, vaults = ${row.vaults}, is_enabled = ${row.is_enabled},
           disabled_reason = ${row.disabled_reason}, disabled_at = ${row.disabled_at}, description = ${row.description},
           retry_schedule = ${row.retry_schedule}, rate_limit = ${row.rate_limit}, sealed_secret = ${row.sealed_secret},
           sealed_old_secrets = ${row.sealed_old_secrets}, updated_at = ${row.updated_at}
     where id = ${row.id}`.execute(tx);
}

export async function deleteEndpoint(tx: Tx, id: string): Promise<void> {
  await sql`delete from webhooks where id = ${id}`.execute(tx);
}

/** Disables an endpoint that is enabled; null when it was not. */
export async function disable(
  tx: Tx,
  id: string,
  reason: "gone" | "failing",
  nowMs: number,
): Promise<EndpointScope | null> {
  const now = timestampOfMs(nowMs);
  const { rows } = await sql<EndpointScope>`
    update webhooks set is_enabled = false, disabled_reason = ${reason}, disabled_at = ${now}, updated_at = ${now}
    where id = ${id} and is_enabled returning vaults, created_by, limited_to_chain_id`.execute(tx);
  return rows[0] ?? null;
}

/** Of these deliveries the ids of those that tell of a vault which the endpoint's owner does not manage now. */
export async function deliveriesOfOthers(
  db: Pick<Database, "kysely">,
  deliveries: readonly Pick<Delivery, "id" | "targetId" | "chainId" | "vaultAddress">[],
): Promise<Set<string>> {
  const ofVaults = deliveries.filter(({ vaultAddress }) => vaultAddress !== zeroAddress);
  if (ofVaults.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select d.id from unnest(${ofVaults.map(({ id }) => id)}::uuid[], ${ofVaults.map(({ targetId }) => targetId)}::uuid[],
      ${ofVaults.map(({ chainId }) => chainId)}::bigint[], ${ofVaults.map(({ vaultAddress }) => vaultAddress)}::text[])
      d (id, target_id, chain_id, vault_address)
    where not exists (select from webhooks w
      join vault_operators r on r.wallet = w.created_by collate "default" and r.chain_id = d.chain_id and r.vault_address = d.vault_address
      where w.id = d.target_id and (w.limited_to_chain_id is null or w.limited_to_chain_id = d.chain_id))`.execute(
    db.kysely,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Ids of the vaults of an endpoint whose owner manages them now; of one for all vaults, those that the owner has accepted. */
export async function vaultsOf(
  db: Reader,
  { vaults, created_by, limited_to_chain_id: limit }: EndpointScope,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct r.chain_id || ':' || r.vault_address as id from vault_operators r
    where r.wallet = ${created_by} and (${limit}::bigint is null or r.chain_id = ${limit})
      and (${vaults !== null} or ${IS_ACCEPTED}) order by id`.execute(db);
  const managed = rows.map(({ id }) => id);
  return vaults === null ? managed : managed.filter((id) => vaults.includes(id));
}
