// Which requests to redeem may still have something pending or claimable, so that ingestion reads them from the contract with the
// vault: a settlement need not announce itself (ERC-7540).
import { sql } from "kysely";
import type { Address } from "viem";
import type { OpenRequests, RedeemRequest } from "../../chain/families/family/family.ts";
import type { Database } from "../../platform/db/db.ts";

/** Controllers of one vault, and requests of one controller, that are read at once. */
const MOST_CONTROLLERS = 100;
const MOST_REQUESTS = 20;

/** Those of controllers who asked for more than they took so far; who has had something pending first, then who moved last. */
export async function openRequests(
  db: Pick<Database, "kysely">,
  chainId: number,
  vaults: readonly Address[],
): Promise<OpenRequests> {
  const open = new Map<Address, RedeemRequest[]>();
  if (vaults.length === 0) return open;
  const { rows } = await sql<{ vault: Address; controller: Address; request_ids: string[] | null }>`
    with recursive controllers as (
      select v.vault, (
        select f.controller from redeem_flows f where f.chain_id = ${chainId} and f.vault_address = v.vault
        order by f.controller limit 1
      ) as controller from unnest(${[...vaults]}::text[]) as v (vault)
      union all
      select c.vault, (
        select f.controller from redeem_flows f
        where f.chain_id = ${chainId} and f.vault_address = c.vault and f.controller > c.controller order by f.controller limit 1
      ) from controllers c where c.controller is not null
    ), ranked as (
      select c.vault, c.controller, row_number() over (
        partition by c.vault order by (f.pending_shares > 0) desc, f.pending_since, f.block_number desc) as place
      from controllers c
      cross join lateral (
        select * from redeem_flows f
        where f.chain_id = ${chainId} and f.vault_address = c.vault and f.controller = c.controller
        order by f.block_number desc, f.log_index desc limit 1
      ) f
      where f.requested_shares > f.claimed_shares + f.cancel_claimed_shares
    )
    select r.vault, r.controller, (
      select array_agg(q.request_id::text) from (
        select f.request_id, max(f.block_number) as asked_at from redeem_flows f
        where f.chain_id = ${chainId} and f.vault_address = r.vault and f.controller = r.controller and f.request_id is not null
        group by f.request_id order by asked_at desc limit ${MOST_REQUESTS}
      ) q
    ) as request_ids
    from ranked r where r.place <= ${MOST_CONTROLLERS} order by r.vault, r.place`.execute(db.kysely);
  for (const { vault, controller, request_ids } of rows) {
    const own = open.get(vault) ?? [];
    open.set(vault, own);
    // Zero stands for all of a controller's requests where a contract does not tell them apart.
    for (const id of request_ids ?? ["0"]) own.push({ controller, requestId: BigInt(id) });
  }
  return open;
}
