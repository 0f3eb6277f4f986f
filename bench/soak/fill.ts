// What a soak begins with: a log and deliveries as an installation of some years has them, and who may read which vaults.
import { type Address, getAddress } from "viem";
import type { Database } from "../../server/src/platform/db/db.ts";
import type { Scale } from "./scale.ts";

/** Wallet of the n-th tenant. */
export function tenant(n: number): Address {
  return getAddress(`0x${(0x7e_0000_0000 + n).toString(16).padStart(40, "0")}`);
}

/** Each tenant sees as many vaults as any other, on one chain after another. */
export async function letTenantsIn(db: Database, { tenants }: Scale): Promise<void> {
  await db.pool.query(
    `insert into members (chain_id, vault_address, wallet, role, granted_by)
     select chain_id, address, ($1::text[])[1 + (row_number() over (order by chain_id, address)) % $2], 'operator', address from vaults
     where chain_id >= 10000`,
    [Array.from({ length: tenants }, (_, n) => tenant(n)), tenants],
  );
}

/** Ids of those that a tenant sees. */
export async function vaultsOf(db: Database, wallet: Address): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    "select chain_id || ':' || vault_address as id from members where wallet = $1",
    [wallet],
  );
  return rows.map(({ id }) => id);
}

/** Deliveries of the last ten days, one attempt each, to the endpoints that there are. */
export async function fillDeliveries(db: Database, { deliveries }: Scale): Promise<void> {
  const CHUNK = 250_000;
  for (let done = 0; done < deliveries; done += CHUNK) {
    await db.pool.query(
      `with targets as (select id, row_number() over (order by id) - 1 as n from webhooks),
       made as (
         insert into deliveries (id, queue, target_id, key, event_id, event_type, chain_id, vault_address, body, status,
             attempts_count, due_at, created_at, finished_at)
         select gen_random_uuid(), 'webhook', t.id, 'filled-' || d.n, gen_random_uuid(), 'pps.updated', 10000, '0x',
             '{"type":"pps.updated","data":{"pps":"1000000"}}', 'delivered', 1, at, at, at + interval '80 milliseconds'
         from (select n, now() - interval '10 days' * (1 - n::float8 / $2) as at from generate_series($1::bigint, $1 + $3 - 1) n) d
         join targets t on t.n = d.n % (select count(*) from targets)
         returning id, created_at)
       insert into delivery_attempts (delivery_id, number, at, status_code, duration_ms, response_excerpt)
       select id, 1, created_at, 204, 80, '' from made`,
      [done, deliveries, Math.min(CHUNK, deliveries - done)],
    );
  }
  await db.pool.query("analyze deliveries, delivery_attempts");
}
